#!/usr/bin/env python3
"""Damping of flexible parts in proportion to mass (rayleigh_mass): parts of every kind that fly die as exp(-a t), a cantilever swings with
half of it, and what is taken is in the ledger."""
import csv
import json
import math
import unittest

from command import CommandTest, main

PARTS = {
    "beam": "kind: beam, start: [0, 0, 0], end: [1, 0, 0], radius: 1 cm, young: 1e9, density: 2000, elements: 4",
    "cable": "kind: cable, start: [0, 2, 0], end: [1, 2, 0], radius: 1 cm, young: 1e7, density: 2000, elements: 4",
    "lumped": "kind: block, lower: [0, 4, 0], upper: [0.4, 4.1, 0.1], cells: [4, 1, 1], young: 1e7, density: 1000",
    "consistent": "kind: block, lower: [0, 6, 0], upper: [0.4, 6.1, 0.1], cells: [2, 1, 1], order: 2, mass: consistent, young: 1e7, density: 1000",
}
SCENE = """
gravity: [0, 0, 0]
step: %(step)s
duration: 0.5 s
stepper: {name: %(stepper)s%(options)s}
flexible:
%(parts)s
probes:
%(probes)s
"""


class RayleighTest(CommandTest):
    def run_scene(self, text):
        """The summary, and the rows of every probe."""
        with open(self.path("a.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        result = self.run_scree("run", "a.yaml", "--json", "--force", "--out", "a.h5")
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out.splitlines()[-1])

    def rows(self, probe):
        with open(self.path("a_%s.csv" % probe), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_flight(self):
        parts = "".join("  - {name: %s, %s, rayleigh_mass: 2, velocity: [0, 0, 1]}\n" % p for p in PARTS.items())
        probes = "".join("  - {name: %s, kind: body, body: '%s[1]'}\n" % (p, p) for p in PARTS)
        for stepper, options, step, within in (("hht", ", options: {contact: none}", "5 ms", 2e-5), ("nonsmooth", "", "1 ms", 1e-3)):
            run = self.run_scene(SCENE % {"step": step, "stepper": stepper, "options": options, "parts": parts, "probes": probes})
            self.assertEqual(run["nonconverged_steps"], 0)
            self.assertLess(abs(run["ledger"]["error"]), 1e-3 * run["ledger"]["joints"])
            for part in PARTS:
                speed = float(self.rows(part)[-1]["vz [m/s]"])
                self.assertLess(abs(speed - math.exp(-1.0)), within, "%s %s" % (stepper, part))

    def test_swing(self):
        energy = []
        for rate in (0, 2):
            parts = "  - {name: rod, %s, ends: [world, free], rayleigh_mass: %g, velocity: [0, 0, 1]}\n" % (PARTS["beam"], rate)
            run = self.run_scene(SCENE % {"step": "1 ms", "stepper": "trapezoidal", "options": ", options: {contact: none}", "parts": parts,
                                          "probes": "  - {name: tip, kind: body, body: 'rod[3]'}\n"})
            energy.append(run["energy"]["kinetic"] + run["energy"]["elastic"])
        self.assertLess(abs(energy[1] / energy[0] * math.exp(1.0) - 1.0), 0.05)


if __name__ == "__main__":
    main()
