#!/usr/bin/env python3
"""The wheel in an environment of its own, and the module that `cmake --install` leaves."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["SCREE_BUILD"]
PROGRAM = "import scree; print(scree.library_path); sim = scree.Sim('rolling', duration=0.1); sim.run(); print(sim.state_hash)"


def run(*words, **more):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SCREE_LIBRARY")}
    done = subprocess.run(words, capture_output=True, text=True, env={**environment, **more}, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Package(unittest.TestCase):
    def test_pip(self):
        wanted = run(sys.executable, "-B", "-c", PROGRAM, PYTHONPATH=os.path.join(BUILD, "python")).split("\n")[1]
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder)
            python = os.path.join(folder, "bin", "python3")
            source = os.path.join(folder, "source")
            os.mkdir(source)  # a copy: building leaves files beside the sources
            for name in ("include", "python", "tools", "scenes", "docs", "setup.py", "pyproject.toml", "CMakeLists.txt", "LICENSE"):
                run("cp", "-r", os.path.join(ROOT, name), source)
            run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", source,
                SCREE_LIBRARY=glob.glob(os.path.join(BUILD, "libscree.so"))[0])
            path, state = run(python, "-B", "-c", PROGRAM).split()
            self.assertTrue(path.startswith(folder), path)
            self.assertEqual(state, wanted)
            # A newcomer's ten lines, from here to a plot.
            example = os.path.join(ROOT, "examples", "python", "first.py")
            with open(example, encoding="utf-8") as file:
                lines = [line for line in file if line.strip() and not line.startswith('"""')]
            self.assertLessEqual(len(lines), 10)
            run("sh", "-c", f"cd {folder} && {python} -B {example}")
            with open(os.path.join(folder, "rolling.png"), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "--install", BUILD, "--prefix", folder)
            module = glob.glob(os.path.join(folder, "lib", "python3*", "*-packages"))[0]
            path, _ = run(sys.executable, "-B", "-c", PROGRAM, PYTHONPATH=module).split()
            self.assertTrue(path.startswith(folder), path)


if __name__ == "__main__":
    unittest.main()
