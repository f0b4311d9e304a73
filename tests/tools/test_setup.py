"""tools/setup installs every package that the build asks for by name, and nothing twice."""
import os
import re
import subprocess
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

    def test_packages_of_the_parts(self):
        asked = re.findall(r'^scree_part\(\w+ "[^"]*" "([^"]*)"', read("cmake/ScreeParts.cmake"), re.M)
        self.assertGreaterEqual(len(asked), 6)
        for package in " ".join(asked).split():
            self.assertIn(package, self.packages)

    def test_packages_of_the_documentation(self):
        for package in re.findall(r"\b[a-z0-9-]+-dev\b", read("docs/building.md")):
            self.assertIn(package, self.packages)


if __name__ == "__main__":
    unittest.main()
