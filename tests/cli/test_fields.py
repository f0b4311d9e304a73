#!/usr/bin/env python3
"""Fields: a charge in a magnetic field goes round with the period 2 pi m / (q B) and keeps its speed, a body in a well swings with
that of the well; what is wrong is told with its place."""
import csv
import math

from command import CommandTest, main

SCENE = """gravity: [0, 0, 0]
step: 5 ms
duration: 3.14 s
bodies:
  - {name: ion, shape: {sphere: {radius: 0.05}}, mass: 1, charge: 1, position: [0.5, 0, 0], velocity: [0, -1, 0]}
  - {name: well, shape: {sphere: {radius: 0.05}}, mass: 2, position: [0.5, 5, 0]}
fields:
  - {%s}
  - {body: well, acceleration: ['${-4 * x}', 0, 0]}
probes: [{name: ion, kind: body, body: ion}, {name: well, kind: body, body: well}]
"""
FAULTS = [
    ("body: nobody, force: [1, 0, 0]", "nobody"),
    ("start: 1 s", "one of force, acceleration, electric and magnetic is expected"),
    ("force: [1, 0]", "force"),
    ("force: ['${1 / (y - y)}', 0, 0]", "not finite"),
    ("force: ['${w}', 0, 0]", "w"),
    ("force: [1, 0, 0], start: 2 s, stop: 1 s", "is before the start"),
    ("gravity: [1, 0, 0]", "gravity"),
]


class Fields(CommandTest):
    def write(self, text):
        with open(self.path("field.yaml"), "w", encoding="utf-8") as file:
            file.write(text)

    def table(self, name):
        with open(self.path("run_%s.csv" % name), encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        return [[float(x) for x in row] for row in rows]

    def test_circles_and_swings(self):
        self.write(SCENE % "magnetic: [0, 0, 2]")
        hashes = set()
        for threads in ("1", "2"):
            result = self.run_scree("run", "field.yaml", "--out", "run.h5", "--force", "--json", "--threads", threads)
            self.assertEqual(result.code, 0, result.err)
            hashes.add(self.lines(result)[-1]["state_hash"])
        self.assertEqual(len(hashes), 1)
        for row in self.table("ion"):
            t, x, y = row[:3]
            # Boris turns by 2 atan(w h / 2) a step: late by (w h)^2 / 12 of the angle; and the half step at the start.
            self.assertLess(math.hypot(x - 0.5 * math.cos(2 * t), y + 0.5 * math.sin(2 * t)), 1e-4)
            self.assertLess(abs(math.hypot(row[8], row[9]) - 1.0), 1e-4)
        for row in self.table("well"):
            self.assertLess(abs(row[1] - 0.5 * math.cos(2 * row[0])), 1e-4)

    def test_faults_have_their_place(self):
        for keys, text in FAULTS:
            with self.subTest(keys=keys):
                self.write(SCENE % keys)
                result = self.run_scree("check", "field.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertIn("field.yaml:8:", result.err)
                self.assertIn(text, result.err)


if __name__ == "__main__":
    main()
