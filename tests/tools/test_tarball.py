"""tools/make-tarball: unpacked in a folder of another name it runs a scene of its own gallery, its library
is found by pkg-config, and the Python module finds the library. BUILD is the build's folder."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.dirname(os.path.abspath(os.environ.get("SCREE", os.path.join(ROOT, "build", "release", "scree"))))
PROGRAM = """#include <scree/scree.h>
#include <stdio.h>
int main(void) { puts(scree_version()); return 0; }
"""


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Tarball(unittest.TestCase):
    def test_runs_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            file = run(os.path.join(ROOT, "tools", "make-tarball"), BUILD, os.path.join(folder, "made")).strip()
            place = os.path.join(folder, "another place")
            os.mkdir(place)
            run("tar", "-xzf", file, "-C", place, "--strip-components=1")
            clean = {"PATH": os.environ["PATH"], "HOME": folder}
            scree = os.path.join(place, "bin", "scree")
            last = run(scree, "run", "stack", "--duration", "0.05", "--json", cwd=folder, env=clean).strip().split("\n")[-1]
            self.assertEqual(json.loads(last)["steps"], 10)
            names = run(scree, "list", "scenes", env=clean)
            self.assertIn("pyramid", names)
            pc = [d for d, _, files in os.walk(place) if "scree.pc" in files][0]
            flags = run("pkg-config", "--cflags", "--libs", "scree", env={**clean, "PKG_CONFIG_PATH": pc})
            self.assertIn("another", flags)
            with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as source:
                source.write(PROGRAM)
            library = os.path.dirname(pc)
            run("cc", os.path.join(folder, "a.c"), "-I", os.path.join(place, "include"), "-L", library, "-lscree", "-o",
                os.path.join(folder, "a.out"))
            version = run(os.path.join(folder, "a.out"), env={**clean, "LD_LIBRARY_PATH": library}).strip()
            self.assertIn(f"scree-{version}-", os.path.basename(file))
            module = [d for d, _, files in os.walk(place) if os.path.basename(d) == "scree" and "_api.py" in files]
            if module:
                code = "import scree; print(scree.Sim('stack').scene.settings.title)"
                out = run("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable, "-B", "-c", code,
                          env={**clean, "PYTHONPATH": os.path.dirname(module[0])})
                self.assertTrue(out.strip())


if __name__ == "__main__":
    unittest.main()
