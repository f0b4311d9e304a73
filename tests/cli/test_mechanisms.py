#!/usr/bin/env python3
"""The mechanisms of the IFToMM library with coarse steps, beside integrations by other means (bench/mechanisms/oracle.py)."""
import csv
import os
import subprocess

from command import SCREE, CommandTest, main

STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "studies", "mechanisms")
# Error of the place (m; the squeezer: rad of 15.9) and of the energy (J), about a third above what was seen.
BOUNDS = {
    ("A01 pendulum", "hht"): (3.2e-3, 2.3e-3), ("A01 pendulum", "trapezoidal"): (2e-3, 1.2e-3),
    ("A02 four-bars, n = 2", "hht"): (1.5e-2, 0.15), ("A02 four-bars, n = 2", "trapezoidal"): (1e-2, 0.08),
    ("A03 squeezer", "hht"): (1.8e-2, None), ("A03 squeezer", "trapezoidal"): (1.4e-2, None),
    ("A04 Bricard", "hht"): (2.3e-5, 8e-4), ("A04 Bricard", "trapezoidal"): (1.5e-5, 4e-4),
    ("A05 governor", "hht"): (3.6e-3, None), ("A05 governor", "trapezoidal"): (5e-3, None),
}


class Mechanisms(CommandTest):
    def test_all(self):
        done = subprocess.run([STUDY, "--quick", "--scree", SCREE, "--out", self.dir], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("mechanisms.csv"), encoding="utf-8") as file:
            rows = {(row["mechanism"], row["stepper"]): row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), set(BOUNDS))
        for key, (place, energy) in BOUNDS.items():
            self.assertLess(float(rows[key]["error of the place"]), place, key)
            self.assertLess(float(rows[key]["joints [m]"]), 1e-12, key)
            if energy:
                self.assertLess(float(rows[key]["error of the energy [J]"]), energy, key)

    def test_little_damping(self):
        """Velocities across joints would ring with so little damping, and the ringing grow."""
        scene = os.path.join(os.path.dirname(STUDY), "..", "mechanisms", "four-bars.yaml")
        result = self.run_scree("run", scene, "--json", "--set", "step=4 ms", "--set", "recording={every: 1 s}", "--set",
                                "stepper={name: hht, options: {alpha: -0.001, contact: none}}", "--out", "r.h5")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("r_energy.csv"), encoding="utf-8") as file:
            total = [float(row["total [J]"]) for row in csv.DictReader(file)]
        self.assertLess(max(abs(e - total[0]) for e in total), 0.03)


if __name__ == "__main__":
    main()
