"""Type hints: the module has no fault by mypy, and a program that uses it as the documentation does has none either."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import scree

PROGRAM = """
import numpy as np
import scree

sim = scree.Sim("dominoes", sets={"duration": 0.1}, out=None)
for info in sim:
    residual: float = info.residual
places: np.ndarray = sim.world.positions
world = scree.World()
ball = world.add_body(shape=world.sphere(0.1), kind=scree.BODY_DYNAMIC, position=(0, 0, 1))
world.stepper(tolerance_residual=1e-6).step(0.005)
runs: scree.Vector = scree.vector("gripper", 2)
"""


@unittest.skipUnless(shutil.which("mypy"), "needs mypy (Debian: mypy)")
class Types(unittest.TestCase):
    def test_module_and_program(self):
        module = os.path.dirname(os.path.realpath(scree.__file__))
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            command = ["mypy", "--ignore-missing-imports", "--cache-dir", folder, "--python-executable", sys.executable, module, program]
            with open(program, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(program, "a", encoding="utf-8") as file:
                file.write("scree.Sim(3)\n")
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            self.assertIn('incompatible type "int"', done.stdout)


if __name__ == "__main__":
    unittest.main()
