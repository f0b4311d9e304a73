"""One version everywhere: include/scree/base.h has it, and what cannot read it there says the same."""
import os
import re
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


if __name__ == "__main__":
    unittest.main()
