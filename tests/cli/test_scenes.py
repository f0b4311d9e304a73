#!/usr/bin/env python3
"""Every scene of the gallery runs with the exact model, for a few steps."""
import glob
import json
import os

from command import SOURCE, CommandTest, main


class Scenes(CommandTest):
    def test_coulomb(self):
        files = sorted(glob.glob(os.path.join(SOURCE, "scenes", "*.yaml")))
        self.assertGreaterEqual(len(files), 10)
        table = json.loads(self.check(["list", "solvers", "--json"], 0).out)
        exact = [s["name"] for s in table if "coulomb" in s["models"]]
        for path in files:
            with self.subTest(scene=os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                smaller = ["--set", "base=6"] if "base:" in text else []
                # A viscous fluid refuses steps that its drag would overshoot in.
                step = 0.0002 if "fluids:" in text else 0.002
                result = self.run_scree("run", path, "--model", "coulomb", "--set", f"step={step}",
                                        "--duration", str(3 * step), "--json", *smaller)
                self.assertEqual(result.code, 0, result.err)
                summary = json.loads(result.out.splitlines()[-1])
                self.assertEqual(summary["model"], "coulomb")
                self.assertIn(summary["solver"], exact)
                self.assertEqual(summary["steps"], 3)
                if "name: apgd" in text:
                    self.assertIn("auto solves the exact one in its place", result.err)

    def test_contradiction(self):
        result = self.run_scree("run", "stack", "--model", "coulomb", "--solver", "apgd")
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("apgd has only the relaxed model", result.err)

    def test_heavy(self):
        result = self.run_scree("run", "mass-ratio", "--set", "ratio=1e6", "--duration", "0.5",
                                "--model", "coulomb", "--json")
        self.assertEqual(result.code, 0, result.err)
        summary = json.loads(result.out.splitlines()[-1])
        self.assertLess(summary["worst_penetration"], 1e-6)
        self.assertEqual(summary["contacts"], 40)


if __name__ == "__main__":
    main()
