#!/usr/bin/env python3
"""Flexible parts of every kind that fly and spin by 0.03 rad a step with `nonsmooth`: energy stays, and so does the turn. What holds a part
together turns with it; taken at the end of a step it braked blocks and cables to a third of their energy in half a second."""
import csv
import json
import unittest

from command import CommandTest, main

BLOCK = "kind: block, lower: [-0.2, -0.05, -0.05], upper: [0.2, 0.05, 0.05], cells: [4, 1, 1], young: 1e7, density: 1000"
PARTS = {
    "beam": "kind: beam, start: [-0.5, 0, 0], end: [0.5, 0, 0], radius: 5 mm, young: 1e9, density: 1000, elements: 10",
    "cable": "kind: cable, start: [-0.5, 0, 0], end: [0.5, 0, 0], radius: 5 mm, young: 1e9, density: 1000, elements: 8",
    "ring": "kind: ring, center: [0, 0, 0], ring_radius: 0.3, radius: 1 cm, young: 1e8, density: 1000, elements: 24",
    "block": BLOCK,
    "quadratic": BLOCK.replace("[4, 1, 1]", "[2, 1, 1]") + ", order: 2, mass: consistent, law: neo-hookean",
    "shell": "kind: shell, lower: [-0.5, -0.2, 0], upper: [0.5, 0.2, 0], cells: [6, 3, 1], thickness: 5 mm, young: 1e9, density: 1000",
    "net": "kind: net, lower: [-0.5, -0.5, 0], upper: [0.5, 0.5, 0], cells: [5, 5, 1], radius: 5 mm, young: 1e8, density: 1000",
}
SCENE = """
gravity: [0, 0, 0]
step: 1 ms
duration: 0.15 s
flexible:
  - {name: p, %s, angular: [0.1, 9, 30], velocity: [1, 0, 0]}
probes:
  - {name: energy, kind: energy}
"""


class SpinningPartsTest(CommandTest):
    def run_scene(self, part):
        with open(self.path("a.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE % part)
        result = self.run_scree("run", "a.yaml", "--json", "--force", "--out", "a.h5")
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out.splitlines()[-1])

    def test_stiff(self):
        """Chords are shorter than arcs: by that strain stiff parts were stretched, with 10 J and more."""
        for name in ("block", "beam", "cable", "shell"):
            stiff = PARTS[name].replace("young: 1e7", "young: 1e10").replace("young: 1e9", "young: 1e11")
            run = self.run_scene(stiff)
            self.assertLess(run["energy"]["elastic"], 1e-3 * run["energy"]["kinetic"], name)

    def test_energy(self):
        for name, part in PARTS.items():
            run = self.run_scene(part)
            with open(self.path("a_energy.csv"), encoding="utf-8") as file:
                first = next(csv.DictReader(file))
            start = sum(float(v) for k, v in first.items() if k.startswith("kinetic"))
            self.assertGreater(run["energy"]["kinetic"] + run["energy"]["elastic"], 0.98 * start, name)


if __name__ == "__main__":
    main()
