#!/usr/bin/env python3
"""The scripts of examples/python run, and say what the guide says."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "examples", "python")


class Examples(unittest.TestCase):
    def test_all_run(self):
        names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".py"))
        self.assertIn("tutorial.py", names)
        for name in names:
            with self.subTest(name), tempfile.TemporaryDirectory() as here:
                done = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name)], capture_output=True, text=True, cwd=here,
                                      timeout=1500)
                self.assertEqual(done.returncode, 0, done.stderr)

    def run_blocks(self, page, least):
        """Blocks of a page that are marked as Python run one after the other; returns what they print."""
        with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
            blocks = [part.split("```")[0] for part in file.read().split("```python\n")[1:]]
        self.assertGreaterEqual(len(blocks), least)
        with tempfile.TemporaryDirectory() as here:
            path = os.path.join(here, "guide.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(blocks))
            done = subprocess.run([sys.executable, "-B", path], capture_output=True, text=True, cwd=here, timeout=1500)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

    def test_code_of_the_guide(self):
        self.run_blocks("python.md", 4)

    def test_code_of_queries(self):
        lines = self.run_blocks("queries.md", 1).split("\n")
        self.assertAlmostEqual(float(lines[0].split()[0]), 4.1)
        self.assertAlmostEqual(float(lines[1]), 2.4)
        self.assertEqual(lines[3], "1")

    def test_code_of_the_law(self):
        sunk = re.match(r"sunk in by ([\d.]+) mm, .* is ([\d.]+) N", self.run_blocks("tutorials/writing-a-law.md", 1))
        self.assertAlmostEqual(float(sunk.group(1)), 3.132, 2)
        self.assertAlmostEqual(float(sunk.group(2)), 39.24, delta=0.2)


if __name__ == "__main__":
    unittest.main()
