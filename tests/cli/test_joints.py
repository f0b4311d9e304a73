#!/usr/bin/env python3
"""Joints of scenes: degrees of freedom and redundant rows by name, motors that follow functions and a schedule, probes,
checkpoints, breaking, and a time budget that ragdolls survive."""
import csv
import math

from command import CommandTest, main

FOUR_BAR = """
bodies:
  - {name: crank, position: [0, 0, 0.15], shape: {box: {size: [0.04, 0.04, 0.3]}}}
  - {name: coupler, position: [0.4, 0, 0.3], shape: {box: {size: [0.8, 0.04, 0.04]}}}
  - {name: rocker, position: [0.8, 0, 0.15], shape: {box: {size: [0.04, 0.04, 0.3]}}}
joints:
  - {name: a, kind: hinge, bodies: [world, crank], anchor: [0, 0, 0], axis: [0, 1, 0]}
  - {name: b, kind: hinge, bodies: [crank, coupler], anchor: [0, 0, 0.3], axis: [0, 1, 0]}
  - {name: c, kind: hinge, bodies: [coupler, rocker], anchor: [0.8, 0, 0.3], axis: [0, 1, 0]}
  - {name: d, kind: hinge, bodies: [rocker, world], anchor: [0.8, 0, 0], axis: [0, 1, 0]}
"""

ARM = """
step: 5 ms
duration: 1 s
bodies:
  - {name: arm, position: [0.5, 0, 0], mass: 2, shape: {box: {size: [1, 0.1, 0.1]}}}
  - {name: car, position: [0, 3, 0], mass: 8, shape: {box: {size: [0.2, 0.2, 0.2]}}}
joints:
  - {name: shoulder, kind: hinge, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 1, 0], limits: [-2, 2],
     motor: {kind: position, value: "${0.5 * sin(3 * t)}"}}
  - {name: rail, kind: slider, bodies: [world, car], anchor: [0, 3, 0], axis: [1, 0, 0], limits: [-1 m, 1 m], friction: 1 N}
schedule:
  - {at: 0.5 s, joint: rail, motor: {kind: force, value: 81 N}}
  - {at: 0.8 s, joint: shoulder, motor: {kind: speed, table: [[0, 1], [2, 1]]}}
probes:
  - {name: shoulder, kind: joint, joint: shoulder}
  - {name: rail, kind: joint, joint: rail}
"""

DOLLS = """
parameters: {n: 6}
step: 5 ms
duration: 1.5 s
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: torso, for: {i: "${n}"}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.2 + 0.9 * (i % 2)}"], mass: 30,
     angular: ["${sin(3 * i)}", "${1 + cos(2 * i)}", 0], shape: {box: {size: [0.2, 0.35, 0.6]}}}
  - {name: head, for: {i: "${n}"}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.65 + 0.9 * (i % 2)}"], mass: 4, shape: {sphere: {radius: 0.11}}}
  - {name: thigh, for: {i: "${n}", s: 2}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.68 + 0.9 * (i % 2)}"], mass: 7, shape: {capsule: {radius: 0.07, length: 0.26}}}
  - {name: shin, for: {i: "${n}", s: 2}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.25 + 0.9 * (i % 2)}"], mass: 4, shape: {capsule: {radius: 0.05, length: 0.3}}}
joints:
  - {kind: ball, for: {i: "${n}"}, bodies: ["torso[${i}]", "head[${i}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.52 + 0.9 * (i % 2)}"], limits: [0, 40 deg], second: {limits: [-1, 1]}}
  - {kind: ball, for: {i: "${n}", s: 2}, bodies: ["torso[${i}]", "thigh[${2 * i + s}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.88 + 0.9 * (i % 2)}"], limits: [0, 80 deg], second: {limits: [-0.7, 0.7]}}
  - {kind: hinge, for: {i: "${n}", s: 2}, bodies: ["thigh[${2 * i + s}]", "shin[${2 * i + s}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.47 + 0.9 * (i % 2)}"], axis: [0, 1, 0], limits: [-0.1, 2.4], friction: 0.5}
"""


class Joints(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def summary(self, *words):
        result = self.run_scree(*words, "--json", "--threads", "1")
        self.assertEqual(result.code, 0, result.err)
        return self.lines(result)[-1]

    def table(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [[float(x) for x in row] for row in list(csv.reader(file))[1:]]

    def test_freedom(self):
        self.write("bar.yaml", FOUR_BAR)
        result = self.run_scree("check", "bar.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("bar.yaml:10:5: 'd': 3 of its 5 rows are redundant", result.out)
        self.assertIn("4 joints, 1 degrees of freedom, 3 redundant rows", result.out)
        s = self.lines(self.run_scree("check", "bar.yaml", "--json"))[-1]
        self.assertEqual((s["degrees_of_freedom"], s["redundant_rows"]), (1, 3))

    def test_motion(self):
        self.write("arm.yaml", ARM)
        s = self.summary("run", "arm.yaml", "--out", "arm.h5")
        self.assertEqual(s["nonconverged_steps"], 0)
        for row in self.table("arm_shoulder.csv"):
            t, q = row[0], row[1]
            expected = 0.5 * math.sin(3 * t) if t <= 0.8 else 0.5 * math.sin(2.4) + t - 0.8
            self.assertAlmostEqual(q, expected, places=6)
        for row in self.table("arm_rail.csv"):
            t, q = row[0], row[1]
            expected = 0.0 if t < 0.5 else 0.5 * 10.0 * (t - 0.5) ** 2
            self.assertAlmostEqual(q, min(expected, 1.0), delta=0.01)
        # Half of it, and on from the checkpoint: the same bits.
        self.summary("run", "arm.yaml", "--out", "half.h5", "--duration", "0.6")
        again = self.summary("resume", "half.h5", "--duration", "1")
        self.assertEqual(again["state_hash"], s["state_hash"])

    def test_schedule_from_the_start(self):
        """An entry at 0 is the joint's motor, also where the joint has another one; later ones follow."""
        for own in ("", ", motor: {kind: speed, value: 1}"):
            self.write("s.yaml", "duration: 0.4\ngravity: [0, 0, 0]\nbodies:\n"
                       "  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, mass: 1}\njoints:\n"
                       f"  - {{name: j, kind: hinge, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 0, 1]{own}}}\nschedule:\n"
                       "  - {at: 0, joint: j, motor: {kind: speed, value: 2}}\n"
                       "  - {at: 0.2, joint: j, motor: {kind: speed, value: -3}}\n"
                       "probes: [{name: j, kind: joint, joint: j}]\n")
            self.summary("run", "s.yaml", "--out", "s.h5", "--force")
            for row in self.table("s_j.csv"):
                if 0.02 < row[0] < 0.19:
                    self.assertAlmostEqual(row[2], 2.0, places=9)
                if row[0] > 0.22:
                    self.assertAlmostEqual(row[2], -3.0, places=9)

    def test_budget(self):
        self.write("dolls.yaml", DOLLS)
        s = self.summary("run", "dolls.yaml", "--set", "solver.time_budget=1e-4")
        self.assertGreater(s["hurried_steps"], 100)
        self.assertLess(s["worst_joint_error"], 0.3)
        self.assertLess(s["energy"]["kinetic"], 2000)
        self.assertGreater(s["energy"]["potential"], 0)
        self.assertGreater(s["slowest_step"], 0)


if __name__ == "__main__":
    main()
