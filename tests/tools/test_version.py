"""One version everywhere: include/scree/base.h has it, and what cannot read it there says the same."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Version(unittest.TestCase):
    def test_all_say_the_same(self):
        header = read("include", "scree", "base.h")
        version = ".".join(re.search(rf"#define SCREE_VERSION_{part} (\d+)\n", header).group(1)
                           for part in ("MAJOR", "MINOR", "PATCH"))
        minor = version.rsplit(".", 1)[0]
        for path, pattern in ((("CITATION.cff",), rf"\nversion: {version}\n"),
                              (("debian", "changelog"), rf"^scree \({version}\)"),
                              (("debian", "control"), rf"\nPackage: libscree{minor}\n"),
                              (("docs", "man", "scree.1"), rf'"scree {version}"'),
                              (("viewer", "package.json"), rf'"version": "{version}"'),
                              (("tests", "consumer", "CMakeLists.txt"), rf"find_package\(scree {minor} "),
                              (("CHANGELOG.md",), rf"\n## \[{version}\]")):
            self.assertRegex(read(*path), pattern, "/".join(path))

    def test_dates_agree(self):
        day = re.search(r"\n## \[\d+\.\d+\.\d+\] - (\S+)\n", read("CHANGELOG.md")).group(1)
        self.assertIn(f"\ndate-released: {day}\n", read("CITATION.cff"))

    def test_closing_a_version(self):
        """tools/date-version loses no line of the changelog, and a second call changes nothing."""
        with tempfile.TemporaryDirectory() as folder:
            for path in ("CHANGELOG.md", "CITATION.cff", "debian/changelog", "include/scree/base.h"):
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
            name = os.path.join(folder, "CHANGELOG.md")
            with open(name, encoding="utf-8") as file:
                before = file.read()
            marked = before.replace("\n## [", "\n## [Unreleased]\n### Fixed\n- A mark.\n\n## [", 1)
            with open(name, "w", encoding="utf-8") as file:
                file.write(marked)
            texts = []
            for _ in range(2):
                subprocess.run([sys.executable, os.path.join(ROOT, "tools", "date-version"), "2031-02-03", folder], check=True,
                               stdout=subprocess.DEVNULL)
                with open(name, encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(texts[0], texts[1])
            self.assertNotIn("Unreleased", texts[0])
            self.assertEqual(sorted(line for line in marked.splitlines() if line.startswith("- ")),
                             sorted(line for line in texts[0].splitlines() if line.startswith("- ")))
            for heading in ("Added", "Changed", "Fixed"):
                first = texts[0].split("\n## [")[1]
                self.assertEqual(first.count(f"\n### {heading}\n"), 1)
            with open(os.path.join(folder, "debian", "changelog"), encoding="utf-8") as file:
                self.assertIn("  Mon, 03 Feb 2031 12:00:00 +0000\n", file.read())


if __name__ == "__main__":
    unittest.main()
