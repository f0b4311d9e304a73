#!/usr/bin/env python3
"""Rice poured at 5 m/s on a sheet of triangles with 5 ms per step: none passes, whatever it spins like after an off-centre hit;
the summary says that steps were made in parts, and bits do not depend on threads or on a stop between."""
import struct

from command import CommandTest, main

SCENE = """
step: 5 ms
duration: 0.06 s
materials: {default: {friction: 0.5}}
bodies:
  - {name: sheet, kind: fixed, shape: {mesh: {file: sheet.stl}}}
  - name: rice
    shape: {ellipsoid: {radii: [0.0025, 0.002, 0.005]}}
    density: 1200
    rotation: random
    velocity: [0, 0, -5]
    lattice: {count: [10, 10, 1], origin: [-0.09, -0.09, 0.02], pitch: [0.02, 0.02, 0.02], jitter: [0, 0, 0.01], seed: 3}
"""


def write_sheet(path):
    corner = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", 2))
        for a, b, c in ((0, 1, 2), (0, 2, 3)):
            file.write(struct.pack("<12fH", 0, 0, 1, *corner[a], *corner[b], *corner[c], 0))


class Rice(CommandTest):
    def setUp(self):
        super().setUp()
        write_sheet(self.path("sheet.stl"))
        with open(self.path("rice.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)

    def run_rice(self, *options):
        result = self.run_scree("run", "rice.yaml", "--json", *options)
        self.assertEqual(result.code, 0, result.err)
        return self.lines(result)[-1]

    def test_none_passes(self):
        s = self.run_rice("--out", "rice.h5", "--threads", "1")
        self.assertGreater(s["divided_steps"], 0)
        self.assertEqual(s["unresolved_parts"], 0)
        self.assertLess(s["worst_penetration_percent"], 10)
        # All lie above the sheet: what had passed would have fallen by at least 5 m/s * 0.04 s.
        self.assertGreater(s["energy"]["potential"], 0.0)
        self.assertEqual(self.run_rice("--threads", "2")["state_hash"], s["state_hash"])
        half = self.run_rice("--out", "half.h5", "--duration", "0.03", "--threads", "1")
        self.assertNotEqual(half["state_hash"], s["state_hash"])
        result = self.run_scree("resume", "half.h5", "--json", "--duration", "0.06")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.lines(result)[-1]["state_hash"], s["state_hash"])


if __name__ == "__main__":
    main()
