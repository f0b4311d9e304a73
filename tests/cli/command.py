"""Runs the real command; shared by the tests of this directory.

    test_<x>.py PATH_OF_SCREE [unittest arguments]
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SCREE = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# Seconds, for what hangs; what is slow on a busy machine takes less.
PATIENCE = 1500


# Under a sanitizer tests look for faults in the code that they pass; figures at the end of long runs are for the other builds.
SANITIZED = bool(os.environ.get("SCREE_SANITIZER"))


# A step that does not end by itself.
ENDLESS = ["--set", "solver={name: gs, tolerance_residual: 1.0e-300, iteration_limit: 1000000000}"]


def processor_seconds(process):
    """CPU time of a process that was started with start_new_session, and of all that it has started."""
    ticks = 0
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if name.isdigit() and int(fields[3]) == process.pid:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_until_at_work(process, seconds, number=None):
    """Until the process has a handler for the signal, and has computed for so long: however busy the machine is."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
            caught = int(dict(line.split(":", 1) for line in file).get("SigCgt", "0"), 16)
        if (number is None or caught >> (number - 1) & 1) and processor_seconds(process) >= seconds:
            return
        time.sleep(0.01)


def wait_until(found, process=None):
    """Until `found()` is true; False: the process has ended before. There is no limit of time here: a process that hangs is ended
    by ctest."""
    while not found():
        if process and process.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def halt(process):
    """Stops it, so that nothing happens between what is looked at now and what is sent to it; SIGCONT lets it go on."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


# A run says every few seconds how far it is: on a slow or busy machine more often.
PROGRESS = re.compile(r"^scree \w+: +[\d.]+ %  .* ETA .*\n", re.M)


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = (process.stdout or b"").decode("utf-8", "replace")
        self.err = PROGRESS.sub("", process.stderr.decode("utf-8", "replace"))


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
            cwd=self.dir, env={**os.environ, "NO_COLOR": "1", **(environment or {})}, timeout=PATIENCE))

    def start_scree(self, *arguments, **options):
        """In a session of its own, without output unless asked."""
        return subprocess.Popen([SCREE, *arguments], cwd=self.dir, start_new_session=True,
                                **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})

    def run_on_full_disk(self, limit, *arguments):
        """As if the disk had room for `limit` bytes per file. The thread sanitizer keeps its own books in files and
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
