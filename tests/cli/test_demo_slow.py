#!/usr/bin/env python3
"""The demo leaves what it says, and says where."""
import os
import subprocess

from command import SCREE, SOURCE, CommandTest, main


class Demo(CommandTest):
    def test_demo(self):
        result = subprocess.run([os.path.join(SOURCE, "tools", "demo"), os.path.dirname(SCREE),
                                 self.path("demo")], capture_output=True, text=True, timeout=1500)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f'The results are in {self.path("demo")}:', result.stdout)
        found = set(os.listdir(self.path("demo")))
        wanted = {"wall.png", "wall.mp4", "wall-plot.png", "wall.h5", "convergence.png", "packing.hdf5"}
        self.assertLessEqual(wanted, found)
        for name in wanted:
            self.assertIn(name, result.stdout)
            self.assertGreater(os.path.getsize(os.path.join(self.path("demo"), name)), 1000)


if __name__ == "__main__":
    main()
