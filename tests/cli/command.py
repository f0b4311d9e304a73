"""Runs the real command; shared by the tests of this directory.

    test_<x>.py PATH_OF_SCREE [unittest arguments]
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SCREE = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = (process.stdout or b"").decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="scree-test-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.maxDiff = None

    def path(self, name):
        return os.path.join(self.dir, name)

    def run_scree(self, *arguments, environment=None, stdout=subprocess.PIPE):
        return Result(subprocess.run(
            [SCREE, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
            cwd=self.dir, env={**os.environ, "NO_COLOR": "1", **(environment or {})}, timeout=300))

    def run_on_full_disk(self, limit, *arguments):
        """As if the disk had room for `limit` bytes a file. The thread sanitizer keeps its own books in files and
        dies of that."""
        if os.environ.get("SCREE_SANITIZER") == "thread":
            self.skipTest("the thread sanitizer needs large files")

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the command sees to it itself
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return Result(subprocess.run([SCREE, *arguments], cwd=self.dir, preexec_fn=small, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, check=False))

    def check(self, arguments, code, err="", out=None):
        """Runs it and compares exit code, stderr and (unless None) stdout, all exactly."""
        result = self.run_scree(*arguments)
        self.assertEqual(result.err, err)
        self.assertEqual(result.code, code)
        if out is not None:
            self.assertEqual(result.out, out)
        return result

    def packing(self, name="packing.hdf5", *options):
        result = self.run_scree("generate", "packing", "--size", "3x3x3", "--out", name, *options)
        self.assertEqual((result.code, result.err), (0, ""))
        return name

    def lines(self, result):
        """stdout as JSON, strictly: NaN and Infinity are errors."""
        def refuse(token):
            raise ValueError("bare " + token)
        return [json.loads(line, parse_constant=refuse) for line in result.out.splitlines()]


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
