#!/usr/bin/env python3
"""Flexible parts that fall on a bump, in metres and in millimetres and at 100 m, with the times and stiffnesses that make these the same motion: what
they lose to friction, impacts and damping is the same, and the same solver gets there. Thin ones had no bending stiffness once, as it was small beside
the stiffness along them in other units."""
import json
import math
import unittest

from command import CommandTest, main

PARTS = {
    "beam": "kind: beam, start: [0, 0, {0}], end: [{1}, 0, {0}], radius: {2}, elements: 10, young: {3}".format("0.3*L", "L", "0.02*L", "5e6*L"),
    "cable": "kind: cable, start: [0, 0, {0}], end: [{1}, 0, {0}], radius: {2}, elements: 10, young: {3}".format("0.3*L", "L", "0.02*L", "5e6*L"),
    "rubber": "kind: block, lower: [0, 0, 0.3*L], upper: [L, 0.2*L, 0.4*L], cells: [5, 1, 1], law: neo-hookean, mass: consistent, node_radius: 0.01*L, young: 1e5*L",
    "shell": "kind: shell, lower: [0, 0, 0.3*L], upper: [L, 0.5*L, 0.3*L], cells: [6, 3, 1], thickness: 0.02*L, node_radius: 0.02*L, young: 3e6*L",
}
SCENE = """
parameters: {L: 1}
step: '${0.002 * sqrt(L)}'
duration: '${0.4 * sqrt(L)}'
solver: {tolerance_residual: 1e-8, iteration_limit: 20000}
materials: {default: {friction: 0.4}}
bodies:
  - {name: ground, kind: fixed, shape: {half_space: {}}}
  - {name: bump, kind: fixed, shape: {sphere: {radius: '${0.1 * L}'}}, position: ['${0.4 * L}', '${0.1 * L}', '${0.02 * L}']}
flexible:
  - {name: part, %s, density: 1000, rayleigh: '${0.004 * sqrt(L)}'}
"""


def scaled(part):
    """Factors L become expressions."""
    words = part.replace(",", " ,").replace("]", " ]").replace("[", "[ ").split(" ")
    return " ".join("'${%s}'" % w if w == "L" or w.endswith("*L") else w for w in words)


class FlexibleScales(CommandTest):
    def lost(self, path, size):
        result = self.run_scree("run", path, "--set", "L=%g" % size, "--threads", "1", "--json")
        self.assertEqual(result.code, 0, result.err)
        summary = json.loads(result.out.splitlines()[-1])
        self.assertEqual(summary["nonconverged_steps"], 0, (path, size))
        self.assertEqual(set(summary["methods"]) - {"condense", "start"}, set(), (path, size))
        return [summary["ledger"][kind] / size**4 for kind in ("friction", "impacts", "joints", "numerical")]

    def test_scales(self):
        for kind, part in PARTS.items():
            path = self.path(kind + ".yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCENE % scaled(part))
            wanted = self.lost(path, 1)
            self.assertGreater(wanted[1], 1.0, kind)
            for size in (1e-3, 1e2):
                for found, expected in zip(self.lost(path, size), wanted):
                    self.assertTrue(math.isclose(found, expected, rel_tol=1e-3), (kind, size, found, expected))


if __name__ == "__main__":
    main()
