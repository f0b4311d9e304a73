#!/usr/bin/env python3
"""The demo leaves what it says, and says where."""
import os
import subprocess

from command import SCREE, SOURCE, CommandTest, main


class Demo(CommandTest):
    def test_demo(self):
        result = subprocess.run([os.path.join(SOURCE, "tools", "demo"), os.path.dirname(SCREE),
                                 self.path("demo")], capture_output=True, text=True, timeout=500)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f'The results are in {self.path("demo")}:', result.stdout)
        self.assertEqual(sorted(os.listdir(self.path("demo"))),
                         ["convergence.png", "frictionless.hdf5", "frictionless.png", "packing.hdf5",
                          "solution.hdf5"])
        for name in self.run_scree("list", "solvers", "--names").out.split():
            self.assertIn(f"\n{name} ", result.stdout)


if __name__ == "__main__":
    main()
