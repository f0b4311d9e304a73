#!/usr/bin/env python3
"""The power is cut in the middle of a run: what may be on the disk then is read, holds all up to the last checkpoint, and goes
on to the same bits. SCREE_CUTS says how many times (test_power_long: 1,000); SCREE_CUTS_FROM the first, to make them in parts.

The shim logs the order in which writes and syncs are asked for, and what a disk may hold is made from that: the files lie in
memory, where there is such a file system, as a resumed run asks for thousands of syncs itself."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from command import PATIENCE, SCREE, SOURCE, CommandTest, main

sys.path.insert(0, os.path.join(SOURCE, "tests", "power"))
import replay  # noqa: E402

SHIM = os.path.join(os.path.dirname(SCREE), "tests", "libscree_power.so")
RUN = ["settle", "--set", "n=20", "--solver", "gs", "--set", "solver.iteration_limit=20",
       "--duration", "2", "--set", "recording.every=0.005",
       "--set", "recording.checkpoint=1e-9"]
MODES = ("some", "torn", "none", "all")
MEMORY = "/dev/shm"
# One thread: a team that spins for its next loop takes most of the time of a busy machine.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


@unittest.skipIf(os.environ.get("SCREE_SANITIZER") or not os.path.exists(SHIM), "needs the shim, and no sanitizer")
class Power(CommandTest):
    cuts = int(os.environ.get("SCREE_CUTS", "12"))
    first = int(os.environ.get("SCREE_CUTS_FROM", "0"))

    def setUp(self):
        room = os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 1 << 30
        self.dir = tempfile.mkdtemp(prefix="scree-test-", dir=MEMORY if room else None)
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def logged(self, *arguments):
        log = self.path("log")
        result = subprocess.run([SCREE, *arguments], cwd=self.path("run"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**ENVIRONMENT, "LD_PRELOAD": SHIM, "SCREE_POWER_LOG": log, "SCREE_POWER_DIR": self.path("run")},
                                check=False, timeout=PATIENCE)
        self.assertEqual(result.returncode, 0, result.stderr)
        return replay.read_log(log)

    def lay_out(self, files):
        shutil.rmtree(self.path("cut"), ignore_errors=True)
        os.mkdir(self.path("cut"))
        for name, content in files.items():
            with open(os.path.join(self.path("cut"), name), "wb") as file:
                file.write(content)

    def in_cut(self, *arguments):
        return subprocess.run([SCREE, *arguments], cwd=self.path("cut"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=ENVIRONMENT, check=False, timeout=PATIENCE)

    def frames(self, what):
        info = self.in_cut("info", "k.h5", "--json")
        self.assertEqual(info.returncode, 0, (what, info.stderr))
        return __import__("json").loads(info.stdout)["frames"]

    def test_cuts(self):
        os.mkdir(self.path("run"))
        ops = self.logged("run", *RUN, "--out", "k.h5")
        whole = self.final("run")
        self.assertGreater(len(ops), 100)
        checkpoints = replay.Checkpoints(ops, "k.h5.checkpoint")
        opened = lost = 0
        for i in range(self.first, self.first + self.cuts):
            count = 1 + (i * 2654435761 + 12345) % len(ops)
            mode = MODES[i % len(MODES)]
            self.lay_out(replay.cut(ops, count, mode, i))
            what = (count, mode, i)
            least = checkpoints.safe_frames(count)
            # All but the last checkpoint are on the disk for sure: no more than what came behind them can be lost.
            self.assertGreaterEqual(least, checkpoints.frames_before_the_last(count), what)
            if not os.path.exists(self.path("cut/k.h5")):
                self.assertLessEqual(least, 1, what)
                continue
            opened += 1
            self.assertGreaterEqual(self.frames(what), least, what)
            result = self.in_cut("resume", "k.h5")
            self.assertEqual(result.returncode, 0, (what, result.stderr))
            self.assertNotIn(b"starts from 0", result.stderr, what)
            lost += b"the one before is used" in result.stderr
            verify = self.in_cut("verify", "k.h5")
            self.assertEqual(verify.returncode, 0, (what, verify.stderr))
            self.assertEqual(self.final("cut"), whole, what)
        # The others came before the recording had its name; how many depends on how fast the run was.
        self.assertGreater(opened, 0.25 * self.cuts)
        print(f"{self.cuts} cuts of {len(ops)} operations, {opened} recordings opened and resumed to the same bits, "
              f"{lost} from the older checkpoint", file=sys.stderr)

    def final(self, directory):
        """All that the recording and its tables hold at the end, but for wall times."""
        out = os.path.join(self.path(directory), "x")
        result = subprocess.run([SCREE, "export", "k.h5", "--format", "csv", "--what", "bodies,contacts", "--force", "--out", out],
                                cwd=self.path(directory), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        content = []
        for name in ("x_bodies.csv", "x_contacts.csv", "k_energy.csv", "k_floor.csv"):
            with open(os.path.join(self.path(directory), name), "rb") as file:
                content.append(file.read())
        return content


if __name__ == "__main__":
    main()
