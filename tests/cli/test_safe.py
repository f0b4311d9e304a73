#!/usr/bin/python3
"""Scenes from strangers: --safe, and escapes that must not reach the terminal."""
import os
import platform
import resource
import subprocess

from command import SCREE, CommandTest, main, wait_until

BALL = "bodies: [{shape: {sphere: {radius: 1}}}]\n"
SOLID = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
MESH = "bodies: [{shape: {mesh: {file: %s}}}]\nduration: 0.01\n"


class Safe(CommandTest):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_files_of_the_folder_alone(self):
        outside = self.write("solid.obj", SOLID)
        self.write("s/in/solid.obj", SOLID)
        self.write("s/other.yaml", "title: other\n")
        os.symlink(outside, self.path("s/link.obj"))
        os.symlink(self.path("s/in/solid.obj"), self.path("s/good.obj"))
        for name, allowed in (("in/solid.obj", True), ("good.obj", True), ("in/../in/solid.obj", True),
                              ("link.obj", False), ("../solid.obj", False), (outside, False)):
            scene = self.write("s/scene.yaml", MESH % name)
            for verb in ("check", "run"):
                self.assertEqual(self.run_scree(verb, scene).code, 0, name)
                result = self.run_scree(verb, "--safe", scene)
                self.assertEqual(result.code, 0 if allowed else 3, name + result.err)
                if not allowed:
                    self.assertIn("it is outside the folder of the scene", result.err)
        # From within, by a name without folder; and an include.
        scene = self.write("s/scene.yaml", "include: other.yaml\n" + MESH % "in/solid.obj")
        for path, code in (("other.yaml", 0), ("/etc/hostname", 3)):
            self.write("s/scene.yaml", "include: %s\n" % path + MESH % "in/solid.obj")
            run = subprocess.run([SCREE, "check", "--safe", "scene.yaml"], cwd=self.path("s"),
                                 capture_output=True, check=False)
            self.assertEqual(run.returncode, code, run.stderr)

    def test_limits(self):
        """The process has its limits before it reads the scene, which here waits for us."""
        with subprocess.Popen([SCREE, "check", "--safe", "/dev/stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            def limits():
                with open("/proc/%d/limits" % process.pid, encoding="utf-8") as file:
                    return " ".join(file.read().split())
            # They are set one after the other.
            wanted = ("Max cpu time 600 610 seconds", "Max file size 4294967296 4294967296 bytes", "Max core file size 0 0 bytes")
            there = wait_until(lambda: all(limit in limits() for limit in wanted), process)
            process.communicate(BALL.encode())
            self.assertEqual(process.returncode, 0)
        self.assertTrue(there)

    def test_no_text(self):
        """Devices without an end are seen by their first bytes; a scene through a pipe has the limits of a file."""
        for name in ("/dev/zero", "/dev/urandom"):
            for verb in ("check", "run"):
                self.check([verb, name], 3, "scree %s: %s: it is not text\n" % (verb, name))
        for text in (BALL.encode("utf-16"), BALL.encode("utf-8-sig"), BALL.encode()):
            run = subprocess.run([SCREE, "check", "/dev/stdin"], input=text, capture_output=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
        run = subprocess.run([SCREE, "check", "--safe", "/dev/stdin"], input=b"#" * (65 << 20), capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (6, b"scree check: /dev/stdin: cannot be read: it is larger than 64 MiB\n"))

    def test_time(self):
        """What no run could end is wrong for check, too."""
        scene = self.write("s/scene.yaml", "step: 1.0e-300\nduration: 1 s\n" + BALL)
        for verb in ("check", "run"):
            self.check([verb, scene], 3, "scree %s: the run would take 1e+300 steps\n" % verb)

    def test_memory(self):
        """What does not fit into memory is refused before it is begun; what grows ends with a message, not with the
        machine: also without --safe."""
        if os.environ.get("SCREE_SANITIZER"):
            self.skipTest("sanitizers map terabytes of addresses")
        def small():
            resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, resource.RLIM_INFINITY))
        def run(*arguments):
            start = os.times()
            result = subprocess.run([SCREE, *arguments], cwd=self.dir, preexec_fn=small, capture_output=True, text=True, check=False)
            end = os.times()
            return result, end.children_user + end.children_system - start.children_user - start.children_system
        ball = "{shape: {sphere: {radius: 0.1}}, "
        for maker in ("lattice: {count: [1000, 1000, 100], pitch: [1, 1, 1]}",
                      "random: {number: 100000000, region: {box: {lower: [0, 0, 0], upper: [1000, 1000, 1000]}}}"):
            self.write("many.yaml", "step: 5 ms\nduration: 1 s\nbodies:\n  - " + ball + maker + "}\n")
            for verb in ("check", "run", "info"):
                result, seconds = run(verb, "many.yaml")
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn("100000000 bodies take 38 GB of memory at least, and there are 0.419 GB", result.stderr)
                self.assertLess(seconds, 5.0)
        self.write("more.yaml", "step: 5 ms\nduration: 1 s\nbodies:\n  - " + ball +
                   "for: {i: 3000, k: 3000}, position: ['${i}', '${k}', 0]}\n")
        result, _ = run("check", "more.yaml")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^scree check: no memory for \d+ bytes beside the \d+ in use\n$")
        # The limit that every verb gets where there is none.
        process = subprocess.Popen([SCREE, "check", "/dev/stdin"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY,) * 2))
        wait_until(lambda: resource.prlimit(process.pid, resource.RLIMIT_DATA)[0] != resource.RLIM_INFINITY, process)
        limit = resource.prlimit(process.pid, resource.RLIMIT_DATA)[0]
        process.communicate(BALL.encode())
        self.assertEqual(process.returncode, 0)
        self.assertTrue(0 < limit < 100 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))

    def test_system_calls(self):
        """The kernel holds a filter for the process, threads work under it, and nothing else can be started."""
        if not os.path.exists("/proc/self/status") or platform.machine() not in ("x86_64", "aarch64"):
            self.skipTest("Linux on x86-64 or ARM64")
        if os.environ.get("SCREE_SANITIZER"):
            self.skipTest("sanitizers look for leaks from a process of their own")
        process = subprocess.Popen([SCREE, "run", "settle", "--safe", "--threads", "2", "--set", "n=2000", "--duration", "100"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            def status():
                with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
                    told = dict(line.split(":", 1) for line in file)
                return told.get("Seccomp", "").strip(), told.get("NoNewPrivs", "").strip()
            self.assertTrue(wait_until(lambda: status() == ("2", "1"), process))
        finally:
            process.kill()
            process.communicate()
        self.write("two.yaml", "step: 5 ms\nduration: 0.02 s\nbodies: [{shape: {sphere: {radius: 1}}}]\n")
        self.assertEqual(self.run_scree("run", "two.yaml", "--safe", "--threads", "2").code, 0)
        self.assertEqual(self.run_scree("run", "two.yaml", "--safe", "--view").code, 2)

    def test_escapes(self):
        scene = self.write("s/scene.yaml", '"\\e]0;x\\a\\x9b1m": 1\n' + BALL)
        result = self.run_scree("check", scene)
        self.assertEqual(result.code, 3)
        self.assertIn("\\x1b]0;x\\x07\\x9b1m", result.err)
        for character in result.err[:-1]:
            self.assertTrue(ord(character) >= 0x20 and ord(character) != 0x7f and not 0x80 <= ord(character) < 0xa0)
        scene = self.write("s/scene.yaml", 'title: "\\e[31mred"\n' + BALL)
        for verb in ("check", "info"):
            self.assertNotIn("\x1b", self.run_scree(verb, scene).out)

    def test_escapes_of_recordings(self):
        """A file whose name has controls is found again in the recording, and no verb sends them to the terminal."""
        self.write("s/\x1b[31m\u009b2J.yaml", "materials: {other: {friction: 0.3}}\n")
        scene = self.write("s/scene.yaml", 'title: "\\e[31m\\x9b2J"\ninclude: "\\e[31m\\x9b2J.yaml"\nduration: 0.02\n' + BALL)
        self.assertEqual(self.run_scree("run", scene, "--out", "r.h5").code, 0)
        for arguments in (["check", scene], ["info", scene], ["info", "r.h5"], ["verify", "r.h5"], ["resume", "r.h5", "--duration", "0.04"]):
            for more in ([], ["--json"]):
                result = self.run_scree(*arguments, *more)
                self.assertEqual(result.code, 0, result.err)
                for character in result.out + result.err:
                    self.assertTrue(character == "\n" or ord(character) >= 0x20 and not 0x7f <= ord(character) < 0xa0, arguments)


if __name__ == "__main__":
    main()
