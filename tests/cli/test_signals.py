#!/usr/bin/env python3
"""A signal ends any verb within a second, also in the middle of a step or a picture that would take minutes."""
import json
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
            # A step may stall by itself before the signal comes; that is reported too.
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

    def test_other_verbs(self):
        """Those that write results and so see to the signal themselves; the others just die of it."""
        self.check(["generate", "packing", "--spheres", "3000", "--mu", "0.8", "--masses", "random", "--out", "p.hdf5"], 0)
        self.assertEqual(self.run_scree("run", "settle", "--set", "n=300", "--set", "recording.every=0.001", "--duration", "0.05",
                                        "--out", "run.h5").code, 0)
        cases = {
            "sweep": ["settle", "--set", "n=2000,2100", "--measure", "summary.steps", "--out", "swept", *ENDLESS],
            "calibrate": ["settle", "--fit", "step=0.001:0.002", "--target", "summary.steps=1", "--out", "found", "--set", "n=2000",
                          *ENDLESS],
            "bench": ["p.hdf5", "--solvers", "gs", "--tol", "1e-15", "--out", "bench"],
            "view": ["run.h5"],
            "render": ["run.h5", "--out", "film.mp4", "--size", "1600x1200", "--samples", "64"],
        }
        for verb, arguments in cases.items():
            with self.subTest(verb):
                code, err, seconds = self.interrupt(signal.SIGTERM, 1.0, verb, *arguments)
                self.assertIn(code, (0, 7) if verb == "view" else (7,), err)
                self.assertLess(seconds, SECONDS)

    def test_cut_and_gone_on_with(self):
        """A run that is stopped in the middle of its steps, again and again, ends with the bits of one that was not."""
        arguments = ["settle", "--set", "n=3000", "--duration", "0.8", "--threads", "1", "--solver", "auto", "--json"]
        whole = self.lines(self.run_scree("run", *arguments))[-1]
        code, stops = 7, 0
        verb = ["run", *arguments, "--out", "cut.h5"]
        while code == 7 and stops < 12:
            process = subprocess.Popen([command.SCREE, *verb], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                out, err = process.communicate(timeout=0.25 + 0.013 * stops)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
            code = process.returncode
            if code == -signal.SIGINT or not os.path.exists(self.path("cut.h5")):
                code = 7  # it had not begun
                continue
            self.assertIn(code, (0, 7), err)
            stops += code == 7
            verb = ["resume", "cut.h5", "--json"]
        if code == 7:
            result = self.run_scree("resume", "cut.h5", "--json")
            self.assertEqual(result.code, 0, result.err)
            out = result.out
        last = json.loads(out.splitlines()[-1])
        self.assertEqual((last["steps"], last["state_hash"]), (whole["steps"], whole["state_hash"]))
        self.assertGreater(stops, 0)


if __name__ == "__main__":
    command.main()
