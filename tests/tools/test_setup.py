"""tools/setup names every package that the build asks for, and installs what is missing: seen with
stand-ins for dpkg-query, apt-get, id and sudo."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Setup(unittest.TestCase):
    def setUp(self):
        run = subprocess.run([os.path.join(ROOT, "tools", "setup"), "--list"], capture_output=True,
                             text=True, check=True)
        self.packages = run.stdout.split()

    def test_no_package_twice(self):
        self.assertEqual(len(self.packages), len(set(self.packages)))

    def parts(self):
        """Packages of each part, and whether it is in by default."""
        found = re.findall(r'^scree_part\(\w+ "[^"]*" "([^"]*)"([^)]*)', read("cmake/ScreeParts.cmake"),
                           re.M)
        return [(packages.split(), 'DEFAULT "OFF"' not in rest) for packages, rest in found]

    def test_packages_of_the_parts(self):
        self.assertGreaterEqual(len(self.parts()), 6)
        for packages, used in self.parts():
            for package in packages:
                self.assertEqual(package in self.packages, used, package)

    def test_packages_of_the_documentation(self):
        left_out = [package for packages, used in self.parts() if not used for package in packages]
        for package in re.findall(r"\b[a-z0-9-]+-dev\b", read("docs/building.md")):
            self.assertIn(package, self.packages + left_out)


class Install(unittest.TestCase):
    def run_setup(self, installed, user=0, sudo=True, apt=True):
        """Runs tools/setup where only `installed` is there; returns status, stderr and apt's calls."""
        with tempfile.TemporaryDirectory() as bin_directory:
            def tool(name, text):
                path = os.path.join(bin_directory, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/bash\n" + text)
                os.chmod(path, 0o755)

            for name in ("bash", "env", "awk", "sort", "comm", "mktemp", "rm", "tail", "dirname"):
                os.symlink(shutil.which(name), os.path.join(bin_directory, name))
            calls = os.path.join(bin_directory, "calls")
            known = " ".join(installed)
            tool("dpkg-query", f"for p in {known}; do echo installed $p; done\nexit 1\n")
            tool("id", f"echo {user}\n")
            for name in ("node", "npm"):
                tool(name, "")
            if apt:
                tool("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {calls}\n')
            if sudo:
                tool("sudo", f'echo sudo >> {calls}\nexec "$@"\n')
            run = subprocess.run(["bash", os.path.join(ROOT, "tools", "setup")], capture_output=True,
                                 text=True, check=False, env={"PATH": bin_directory})
            lines = []
            if os.path.exists(calls):
                with open(calls, encoding="utf-8") as file:
                    lines = file.read().splitlines()
            return run.returncode, run.stderr, lines

    def setUp(self):
        run = subprocess.run([os.path.join(ROOT, "tools", "setup"), "--list"], capture_output=True,
                             text=True, check=True)
        self.packages = run.stdout.split()

    def test_nothing_missing_does_nothing(self):
        self.assertEqual(self.run_setup(self.packages), (0, "", []))

    def test_only_the_missing_are_installed(self):
        there = [p for p in self.packages if p not in ("libyaml-dev", "clang")]
        status, _, calls = self.run_setup(there)
        self.assertEqual(status, 0)
        self.assertEqual(calls, ["noninteractive -qq update", "noninteractive -qq install -y "
                                 "--no-install-recommends clang libyaml-dev"])

    def test_sudo_when_not_root(self):
        status, _, calls = self.run_setup(self.packages[1:], user=1000)
        self.assertEqual(status, 0)
        self.assertEqual(calls[0::2], ["sudo", "sudo"])

    def test_neither_root_nor_sudo_says_what_to_run(self):
        status, errors, calls = self.run_setup(self.packages[1:], user=1000, sudo=False)
        self.assertEqual((status, calls), (1, []))
        self.assertIn(f"apt-get install {self.packages[0]}", errors)

    def test_no_apt_names_the_packages(self):
        status, errors, _ = self.run_setup([], apt=False)
        self.assertEqual(status, 0)
        self.assertIn("libyaml-dev", errors)


if __name__ == "__main__":
    unittest.main()
