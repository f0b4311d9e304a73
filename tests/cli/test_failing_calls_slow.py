#!/usr/bin/python3
"""Every open, write, sync, cut, rename, link and close of a run fails in turn, once each: the command says so and exits 6, or all that it left is right.
It never dies of a signal, and a recording that is there opens. Killed before such a call it leaves nothing that the next one does not take away."""
import json
import os
import shutil
import subprocess
import sys

from command import PATIENCE, SCREE, CommandTest, main

SCENE = """step: 5 ms
duration: 0.05 s
recording: {every: 10 ms}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.15]}
probes: [{name: p, kind: body, body: ball}]
"""


URDF = """<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>
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

    def run_failing(self, number, *arguments, **more):
        environment = {**os.environ, "LD_PRELOAD": self.shim, "FAIL_AT": str(number), "FAIL_COUNT": self.path("count"),
                       "OMP_NUM_THREADS": "1", "NO_COLOR": "1", **more}
        process = subprocess.run([SCREE, *arguments], cwd=self.dir, env=environment, capture_output=True, text=True,
                                 timeout=PATIENCE, check=False)
        if process.returncode < 0:
            return process, 0
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

    def outputs(self):
        found = {}
        for folder, _, names in os.walk(self.dir):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.dir).startswith("o"):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.dir)] = file.read()
        return found

    def clear_outputs(self):
        for name in os.listdir(self.dir):
            if name.startswith("o") and os.path.isdir(self.path(name)):
                shutil.rmtree(self.path(name))
            elif name.startswith("o"):
                os.remove(self.path(name))

    def every_call_of(self, most, *arguments, same=True):
        """A verb that writes files o…: told with exit code 6, or all of them are there and right; a file that has its
        name is whole. At most `most` of the calls, evenly spread."""
        self.clear_outputs()
        process, count = self.run_failing(0, *arguments)
        self.assertEqual(process.returncode, 0, process.stderr)
        right = self.outputs()
        self.assertTrue(right)
        told, step = 0, max(1, -(-count // most))
        for number in range(1, count + 1, step):
            self.clear_outputs()
            process, _ = self.run_failing(number, *arguments)
            where = "call %d of %d: exit %d, %s, %s" % (number, count, process.returncode, process.stderr,
                                                        sorted(self.outputs()))
            self.assertIn(process.returncode, (0, 6), where)
            if process.returncode == 0:
                self.assertEqual(sorted(self.outputs()), sorted(right), where)
            else:
                told += 1
                self.assertTrue(process.stderr.startswith("scree %s: " % arguments[0]), where)
            for name, data in self.outputs().items() if same else ():
                if name in right:
                    self.assertEqual(data, right[name], "%s: %s" % (where, name))
        self.assertGreater(told, 0)
        print("%s: %d calls, each %s failed" % (" ".join(arguments[:1]), count, "one" if step == 1 else "%dth" % step),
              file=sys.stderr)

    def test_other_verbs(self):
        self.assertEqual(self.run_scree("run", "s.yaml", "--out", "run.h5").code, 0)
        self.assertEqual(self.run_scree("generate", "packing", "--size", "2x2x2", "--out", "p.hdf5").code, 0)
        self.every_call_of(40, "export", "run.h5", "--out", "o", "--format", "csv")
        self.every_call_of(40, "export", "run.h5", "--out", "o", "--format", "vtkhdf", same=False)
        self.every_call_of(40, "render", "run.h5", "--out", "o.png", "--size", "64x48", "--samples", "1")
        self.every_call_of(40, "salvage", "run.h5", "--out", "o.h5", same=False)
        self.every_call_of(40, "solve", "p.hdf5", "--out", "o.hdf5", same=False)
        self.every_call_of(40, "generate", "packing", "--size", "2x2x2", "--out", "o.hdf5", same=False)

    def test_more_verbs(self):
        with open(self.path("arm.urdf"), "w", encoding="utf-8") as file:
            file.write(URDF)
        self.assertEqual(self.run_scree("generate", "packing", "--size", "2x2x2", "--out", "p.hdf5").code, 0)
        self.assertEqual(self.run_scree("run", "s.yaml", "--out", "run.h5").code, 0)
        self.every_call_of(40, "export", "run.h5", "--html", "o.html")
        self.every_call_of(40, "import", "arm.urdf", "--out", "o.yaml")
        self.every_call_of(40, "fmu", "s.yaml", "--out", "o.fmu", same=False)
        self.every_call_of(20, "bench", "p.hdf5", "--solvers", "gs", "--out", "o", same=False)
        self.every_call_of(20, "run", "s.yaml", "--export-problem", "5", "--export-to", "o.hdf5", same=False)
        self.every_call_of(20, "sweep", "s.yaml", "--set", "step=2 ms,5 ms", "--measure", "summary.steps", "--out", "o",
                           same=False)
        self.every_call_of(10, "calibrate", "s.yaml", "--fit", "step=0.002:0.005", "--runs", "5", "--scan", "3", "--target", "p.z:last=0.14", "--out", "o",
                           same=False)
        if shutil.which("gnuplot"):
            self.every_call_of(20, "plot", "run.h5", "--what", "energy", "--out", "o.svg", same=False)

    def every_kill_of(self, most, *arguments, **more):
        """A verb that writes files o… is killed before one of its calls: a file that has its name is whole, and nothing is
        left but the lock NAME.new and, where files cannot be without a name, NAME.part; the next one takes both away."""
        self.clear_outputs()
        process, count = self.run_failing(0, *arguments, **more)
        self.assertEqual(process.returncode, 0, process.stderr)
        made = self.outputs()
        right, left = sorted(made), set()
        self.assertFalse([name for name in right if name.endswith((".new", ".part"))], arguments)
        for number in range(1, count + 1, max(1, -(-count // most))):
            self.clear_outputs()
            process, _ = self.run_failing(number, *arguments, FAIL_BY="kill", **more)
            where = "%s: call %d of %d: exit %d, %s, %s" % (arguments[0], number, count, process.returncode, process.stderr,
                                                            sorted(self.outputs()))
            self.assertEqual(process.returncode, -9, where)
            for name in set(self.outputs()) & set(right):
                # Some formats keep the second of their making: a byte or two for each table.
                data, whole = self.outputs()[name], made[name]
                self.assertEqual(len(data), len(whole), where + name)
                self.assertLess(50 * sum(x != y for x, y in zip(data, whole)), len(whole), where + name)
            for name in set(self.outputs()) - set(right):
                self.assertIn(name, [r + end for r in right for end in (".new", ".part")], where)
                left.add(name.rsplit(".", 1)[1])
            process, _ = self.run_failing(0, *arguments, "--force", **more)
            self.assertEqual(process.returncode, 0, where + process.stderr)
            self.assertEqual(sorted(self.outputs()), right, where)
        return left

    def has_nameless(self):
        """Does this file system know files without a name?"""
        try:
            os.close(os.open(self.dir, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            return False
        return True

    def test_kills(self):
        with open(self.path("arm.urdf"), "w", encoding="utf-8") as file:
            file.write(URDF)
        self.assertEqual(self.run_scree("run", "s.yaml", "--out", "run.h5").code, 0)
        self.assertEqual(self.run_scree("generate", "packing", "--size", "2x2x2", "--out", "p.hdf5").code, 0)
        verbs = [(20, "generate", "packing", "--size", "2x2x2", "--out", "o.hdf5"), (20, "solve", "p.hdf5", "--out", "o.hdf5"),
                 (12, "import", "arm.urdf", "--out", "o.yaml"), (12, "export", "run.h5", "--html", "o.html"),
                 (12, "export", "run.h5", "--out", "o", "--format", "csv"), (12, "export", "run.h5", "--out", "o", "--format", "vtkhdf"),
                 (12, "render", "run.h5", "--out", "o.png", "--size", "64x48", "--samples", "1"), (12, "salvage", "run.h5", "--out", "o.h5"),
                 (12, "run", "s.yaml", "--export-problem", "5", "--export-to", "o.hdf5"),
                 (12, "fmu", "s.yaml", "--out", "o.fmu")]
        if shutil.which("gnuplot"):
            verbs.append((12, "plot", "run.h5", "--what", "energy", "--out", "o.svg"))
        if shutil.which("ffmpeg"):
            verbs.append((12, "render", "run.h5", "--out", "o.gif", "--size", "64x48", "--samples", "1"))
        ends = {"new"} if self.has_nameless() else {"new", "part"}
        for most, *arguments in verbs:
            self.assertLessEqual(self.every_kill_of(most, *arguments), ends, arguments)
            self.every_kill_of(most, *arguments, FAIL_NAMELESS="1")

    def test_resume(self):
        self.assertEqual(self.run_scree("run", "s.yaml", "--out", "k.h5").code, 0)
        kept = [name for name in os.listdir(self.dir) if name.startswith("k")]

        def prepare():
            self.clear()
            for name in kept:
                shutil.copy(self.path(name), self.path("r" + name[1:]))
        count = self.every_call(prepare, "resume", "r.h5", "--duration", "0.1", "--json")
        self.assertGreater(count, 20)
        print("resume: %d calls failed in turn" % count, file=sys.stderr)


if __name__ == "__main__":
    main()
