#!/usr/bin/env python3
"""A signal ends any verb within a second, also in the middle of a step or a picture that would take minutes."""
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command

# A step that does not end by itself.
ENDLESS = ["--set", "solver={name: gs, tolerance_residual: 1.0e-300, iteration_limit: 1000000000}"]
# Generous for a machine with many other tests on it; a build without sanitizers takes a tenth of a second.
SECONDS = 15.0 if os.environ.get("SCREE_SANITIZER") or os.environ.get("SCREE_SLOW") else 3.0


class Signals(command.CommandTest):
    def interrupt(self, number, after, *arguments):
        process = subprocess.Popen([command.SCREE, *arguments], cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        time.sleep(after)
        self.assertIsNone(process.poll(), "it was over before the signal came")
        start = time.monotonic()
        process.send_signal(number)
        try:
            _, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, err.decode(), time.monotonic() - start

    def test_in_a_long_step(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, err, seconds = self.interrupt(number, 1.0, "run", "settle", "--set", "n=2000", *ENDLESS,
                                                "--out", "run.h5", "--force")
            # A step may stall by itself before the signal comes; that is told too.
            self.assertEqual((code, err.splitlines()[0]), (7, "scree run: interrupted; go on with: scree resume run.h5"))
            self.assertLess(seconds, SECONDS)
            self.assertEqual(self.run_scree("verify", "run.h5").code, 0)
        code, err, seconds = self.interrupt(signal.SIGINT, 1.0, "resume", "run.h5")
        self.assertEqual(code, 7)
        self.assertLess(seconds, SECONDS)

    def test_in_a_large_picture(self):
        self.assertEqual(self.run_scree("run", "settle", "--duration", "0.02", "--out", "run.h5").code, 0)
        code, err, seconds = self.interrupt(signal.SIGINT, 1.0, "render", "run.h5", "--size", "6000x6000",
                                            "--samples", "64", "--out", "large.png")
        self.assertEqual((code, err), (7, "scree render: interrupted; no picture was written\n"))
        self.assertLess(seconds, SECONDS)
        self.assertFalse(os.path.exists(self.path("large.png")))

    def test_in_a_solve(self):
        self.check(["generate", "packing", "--spheres", "3000", "--mu", "0.8", "--masses", "random", "--out", "p.hdf5"], 0)
        code, _, seconds = self.interrupt(signal.SIGINT, 0.5, "solve", "p.hdf5", "--solver", "gs", "--tol", "1e-15")
        self.assertEqual(code, 7)
        self.assertLess(seconds, SECONDS)


if __name__ == "__main__":
    command.main()
