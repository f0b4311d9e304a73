#!/usr/bin/env python3
"""The default number of threads on a busy machine: threads that wait for each other cost nearly nothing."""
import os
import resource
import subprocess
import sys
import time

from command import SCREE, CommandTest, main

BUSY = "import time\nend = time.time() + 30\nwhile time.time() < end: pass"


class Threads(CommandTest):
    def cpu(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
        done = subprocess.run([SCREE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd=self.dir, env=environment, timeout=100)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, 0)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_busy_machine(self):
        if os.environ.get("SCREE_SANITIZER"):
            self.skipTest("CPU times under a sanitizer say nothing")
        self.check(["generate", "packing", "--spheres", "1400", "--mu", "0.5", "--out", "p.hdf5"], 0)
        solve = ["solve", "p.hdf5", "--solver", "apgd", "--model", "relaxed", "--tol", "1e-15", "--max-iter", "3000"]
        busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2 * (os.cpu_count() or 1))]
        try:
            time.sleep(0.5)
            alone = min(self.cpu(*solve, "--threads", "1") for _ in range(2))
            default = min(self.cpu(*solve) for _ in range(2))
        finally:
            for b in busy:
                b.kill()
                b.wait()
        self.assertLess(default, 1.2 * alone + 0.05)


main()
