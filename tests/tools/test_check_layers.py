"""tools/check-layers against small trees: one that is clean, and one for each rule it must catch."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check-layers")


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


CLEAN = {
    "include/scree/base.h": "#include <stddef.h>\n",
    "include/scree/ccp.h": '#include "scree/base.h"\n',
    "include/scree/solver.h": '#include "scree/ccp.h"\n',
    "include/scree/scree.h": '#include "scree/solver.h"\n#include "scree/base.h"\n',
    "src/base/context.h": '#include "scree/base.h"\n',
    "src/math/vec3.h": "#include <math.h>\n",
    "src/ccp/ccp.h": '#include "base/context.h"\n#include "scree/ccp.h"\n',
    "src/ccp/ccp.c": '#include "ccp/ccp.h"\n#include "math/vec3.h"\n',
    "src/solve/gs.c": '#include "ccp/ccp.h"\n#include "scree/solver.h"\n',
    "src/shape/box.h": '#include "math/vec3.h"\n',
    "src/model/world.h": '#include "shape/box.h"\n',
    "cli/cli.h": '#include "scree/scree.h"\n',
    "cli/main.c": '#include "cli.h"\n#include "base/context.h"\n#include <scree/scree.h>\n',
    "tests/unit/ccp/test_ccp.c": '#include "ccp/ccp.h"\n#include "model/world.h"\n',
}


class CheckLayers(unittest.TestCase):
    def test_clean_tree_passes(self):
        code, text = check(CLEAN)
        self.assertEqual(code, 0, text)
        self.assertNotIn("warning", text)

    def refused(self, path, include, message):
        code, text = check({**CLEAN, path: f"#include {include}\n"})
        self.assertEqual(code, 1, text)
        self.assertIn(f"{path}:1:", text)
        self.assertIn(message, text)

    def test_layer_above(self):
        self.refused("src/base/log.c", '"ccp/ccp.h"', "above base")
        self.refused("src/ccp/file.c", '"scree/solver.h"', "above ccp")

    def test_solvers_see_no_body(self):
        for line in ("double m = p->bodies.body[0].inverse_mass;", "const ccp_contact *c = first;",
                     "scree_ccp_body_def *b;"):
            code, text = check({**CLEAN, "src/solve/newton/prox.c": line + "\n"})
            self.assertEqual(code, 1, text)
            self.assertIn("src/solve/newton/prox.c:1: solvers never see a body", text)
        code, text = check({**CLEAN, "src/solve/newton/prox.c": "/* Problems of bodies. */\n" "bool bodies = true;\n"})
        self.assertEqual(code, 0, text)

    def test_siblings(self):
        self.refused("src/solve/first_order/apgd.c", '"model/world.h"', "siblings")
        self.refused("src/shape/ball.c", '"ccp/ccp.h"', "siblings")
        self.refused("src/shape/ball.c", '"../ccp/ccp.h"', "siblings")

    def test_public_header_with_internal(self):
        self.refused("include/scree/math.h", '"math/vec3.h"', "public headers alone")

    def test_public_header_above(self):
        self.refused("include/scree/math.h", '"scree/ccp.h"', "above math")

    def test_umbrella_inside(self):
        self.refused("src/solve/first_order/apgd.c", '"scree/scree.h"', "umbrella")
        self.refused("src/solve/first_order/apgd.c", "<scree/scree.h>", "umbrella")

    def test_command_looking_inside(self):
        self.refused("cli/verbs/solve.c", '"ccp/ccp.h"', "public headers")

    def test_library_using_tests(self):
        self.refused("src/sim/run.c", '"../../tests/unit/ccp/test_ccp.c"', "only tests")

    def test_unknown_room_and_unknown_file(self):
        self.refused("src/misc/all.c", '"base/context.h"', "in no layer")
        self.refused("src/solve/first_order/apgd.c", '"ccp/nothing.h"', "no such file")

    def test_comment_names_a_file_that_is_gone(self):
        for name, code in (("vec3.h", 0), ("math/vec3.h", 0), ("vec4.h", 1), ("shape/vec3.h", 1)):
            got, text = check({**CLEAN, "src/ccp/new.c": f"int x;\n/* As in {name}:\n * y. */\n"})
            self.assertEqual(got, code, text)
            if code:
                self.assertIn(f"src/ccp/new.c:2: the comment names {name}", text)

    def test_flat_folder(self):
        for count, code in ((40, 0), (41, 1)):
            got, text = check({**CLEAN, **{f"src/serve/part{k}.c": "int x;\n" for k in range(count)}})
            self.assertEqual(got, code, text)

    def test_cycle(self):
        code, text = check({**CLEAN, "src/ccp/a.h": '#include "ccp/b.h"\n',
                            "src/ccp/b.h": '#include "ccp/c.h"\n',
                            "src/ccp/c.h": '#include "ccp/a.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn("src/ccp/a.h -> src/ccp/b.h -> src/ccp/c.h -> src/ccp/a.h", text)

    def test_long_files_and_functions_warn(self):
        body = "".join(f"  x += {i};\n" for i in range(90))
        code, text = check({**CLEAN, "src/base/long.c": f"int f(int x) {{\n{body}  return x;\n}}\n",
                            "src/base/longer.h": "\n" * 601})
        self.assertEqual(code, 0, text)
        self.assertIn("long.c:1: f has 93 lines", text)
        self.assertIn("longer.h: 601 lines", text)


if __name__ == "__main__":
    unittest.main()
