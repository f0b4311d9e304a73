"""tools/check-headers against small trees: one that is clean, and one for each rule it must catch."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check-headers")
HEADER = """/* Scree, all: one header.
 *
 *   scree_world *made;  scree_world_create(context, &made);   // a remark
 *   while (made) made = NULL;
 *
 * Words: a = b; they are no code. */
#include <stddef.h>
#define SCREE_API
%s
typedef int scree_status;
SCREE_API scree_status scree_world_create(scree_context *context,
                                          scree_world **world);
""" % "\n".join(f"typedef struct scree_{name} scree_{name};" for name in
                ("context", "shape", "scene", "world", "sim", "recording", "ccp"))
TEST = "void f(void) { scree_world_create(0, 0); }\n"


def check(header, test):
    with tempfile.TemporaryDirectory() as root:
        for path, text in (("include/scree/scree.h", header), ("tests/unit/test_a.c", test)):
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


class CheckHeaders(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(check(HEADER, TEST), (0, "headers: 1 examples compile, 1 functions are tested\n"))

    def test_example_that_does_not_compile(self):
        code, out = check(HEADER.replace("(context, &made)", "(context, made)"), TEST)
        self.assertEqual(code, 1)
        self.assertIn("include/scree/scree.h:3", out)

    def test_function_without_a_test(self):
        code, out = check(HEADER, "")
        self.assertEqual((code, out), (1, "error: include/scree/scree.h: scree_world_create is in no test; "
                                          "write one below tests, or delete it\n"))


if __name__ == "__main__":
    unittest.main()
