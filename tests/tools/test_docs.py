#!/usr/bin/env python3
"""The documentation builds without a warning, no link leads nowhere, formulas are there, and no page asks the network."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Docs(unittest.TestCase):
    def test_pages(self):
        scree = os.environ.get("SCREE", os.path.join(SOURCE, "build", "release", "scree"))
        if not os.access(scree, os.X_OK) or shutil.which("sphinx-build") is None:
            self.skipTest("needs the command and Sphinx (tools/setup)")
        out = tempfile.mkdtemp(prefix="scree-docs-")
        self.addCleanup(shutil.rmtree, out, ignore_errors=True)
        done = subprocess.run([os.path.join(SOURCE, "tools", "build-docs"), scree, out], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pages = os.path.join(out, "html")
        with open(os.path.join(pages, "theory", "residuals.html"), encoding="utf-8") as file:
            text = file.read()
            self.assertGreater(text.count("<math"), 5)
            self.assertNotIn("<annotation", text)
        # An element with the id "exports" is a variable of that name: the script of the theme would end there.
        with open(os.path.join(pages, "_static", "scripts", "furo.js"), encoding="utf-8") as file:
            self.assertNotIn("typeof exports", file.read())
        for name in ("searchindex.js", "command.html", "scenes.html", "glossary.html", "api/ccp.html"):
            self.assertTrue(os.path.getsize(os.path.join(pages, name)), name)
        with open(os.path.join(pages, "api", "solver.html"), encoding="utf-8") as file:
            self.assertIn("scree_solver_create", re.sub(r"<[^>]+>", "", file.read()))
        for directory, _, files in os.walk(pages):
            for name in files:
                if name.endswith(".html"):
                    with open(os.path.join(directory, name), encoding="utf-8") as file:
                        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', file.read())
                    self.assertEqual(loaded, [], name)
                elif name.endswith((".css", ".js")):
                    # Neither works for a page that is opened from a folder: files of a server, and modules.
                    with open(os.path.join(directory, name), encoding="utf-8") as file:
                        text = file.read()
                    self.assertEqual(re.findall(r"@import url\([\"']?(?:/|https?:)[^)]*\)|^import .*", text, flags=re.M), [], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
