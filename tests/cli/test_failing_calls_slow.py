#!/usr/bin/python3
"""Every open, write, sync, cut, rename and close of a run fails in turn, once each: the command says so and exits 6, or all that it left is right.
It never dies of a signal, and a recording that is there opens."""
import json
import os
import shutil
import subprocess
import sys

from command import SCREE, CommandTest, main

SCENE = """step: 5 ms
duration: 0.05 s
recording: {every: 10 ms}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.15]}
probes: [{name: p, kind: body, body: ball}]
"""


class FailingCalls(CommandTest):
    def setUp(self):
        super().setUp()
        if os.environ.get("SCREE_SANITIZER") or not shutil.which("cc"):
            self.skipTest("it needs a C compiler, and no sanitizer")
        self.shim = self.path("shim.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failing_calls.c")
        built = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.shim, source, "-ldl"], capture_output=True,
                               text=True, check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)

    def run_failing(self, number, *arguments):
        environment = {**os.environ, "LD_PRELOAD": self.shim, "FAIL_AT": str(number), "FAIL_COUNT": self.path("count"),
                       "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
        process = subprocess.run([SCREE, *arguments], cwd=self.dir, env=environment, capture_output=True, text=True,
                                 timeout=100, check=False)
        with open(self.path("count"), encoding="utf-8") as file:
            return process, int(file.read())

    def clear(self):
        for name in os.listdir(self.dir):
            if name.startswith("r"):
                os.remove(self.path(name))

    def every_call(self, prepare, *arguments):
        """Returns how many calls were failed."""
        prepare()
        process, count = self.run_failing(0, *arguments)
        self.assertEqual(process.returncode, 0, process.stderr)
        right = json.loads(process.stdout.splitlines()[-1])["state_hash"]
        with open(self.path("r_p.csv"), "rb") as file:
            probe = file.read()
        told = 0
        for number in range(1, count + 1):
            prepare()
            process, _ = self.run_failing(number, *arguments)
            where = "call %d of %d: exit %d, %s" % (number, count, process.returncode, process.stderr)
            self.assertIn(process.returncode, (0, 6), where)
            if process.returncode == 0:
                self.assertEqual(json.loads(process.stdout.splitlines()[-1])["state_hash"], right, where)
                with open(self.path("r_p.csv"), "rb") as file:
                    self.assertEqual(file.read(), probe, where)
                self.assertEqual(self.run_scree("info", "r.h5").code, 0, where)
            else:
                told += 1
                self.assertTrue(process.stderr.startswith("scree "), where)
                if os.path.exists(self.path("r.h5")) and os.path.getsize(self.path("r.h5")):
                    self.assertIn(self.run_scree("info", "r.h5").code, (0, 3), where)
        self.assertGreater(told, count / 2)
        return count

    def test_run(self):
        count = self.every_call(self.clear, "run", "s.yaml", "--out", "r.h5", "--json")
        self.assertGreater(count, 20)
        print("run: %d calls failed in turn" % count, file=sys.stderr)


if __name__ == "__main__":
    main()
