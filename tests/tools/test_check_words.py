"""tools/check-words: each rule is found in a page and in a comment. `make check` looks at this tree."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.join(ROOT, "tools", "check-words")
BAD = ("it is foreseen", "faults are told", "colours are told apart", "it takes 5 ms a step", "Who strives wins", "whilst it runs",
       "six numbers a body", "as in METHODS 5.1 it is", "3 * 4 a body",
       "sweeps with momentum", "asked once a step",
       "a motor is reported the value", "one entry a node", "a list is wanted")


def check(root):
    run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


class CheckWords(unittest.TestCase):
    def test_each_rule(self):
        with open(os.path.join(ROOT, "tools", "forbidden-words.txt"), encoding="utf-8") as file:
            words = file.read()
        self.assertGreaterEqual(len(BAD), sum(1 for line in words.split("\n") if line and line[0] != "#"))
        for bad in BAD:
            with tempfile.TemporaryDirectory() as root:
                for path, text in (("tools/forbidden-words.txt", words), ("docs/a.md", f"Good.\n{bad}\n"), ("src/a.c", f"/* {bad} */\n")):
                    full = os.path.join(root, path)
                    os.makedirs(os.path.dirname(full), exist_ok=True)
                    with open(full, "w", encoding="utf-8") as file:
                        file.write(text)
                code, out = check(root)
                self.assertEqual(code, 1, bad)
                self.assertIn("src/a.c:1", out)
                self.assertIn("docs/a.md:2", out)


if __name__ == "__main__":
    unittest.main()
