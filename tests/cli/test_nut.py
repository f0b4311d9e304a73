#!/usr/bin/env python3
"""The Brazil nut with steps of 0.1 s: 270 bodies, friction and restitution 0.5, relaxed, one problem a step, 50 s of some 40 shakes, with both laws of restitution. Bodies overlap by less
than 1 %, and the nut comes up from below the middle of the grains."""
import csv

from command import CommandTest, main

SCENE = """title: a large ball rises to the top of shaken grains, with steps of 0.1 s
parameters: {n: 269, r: 0.5, ratio: 3, R: 4.5, amplitude: 1.2, frequency: 0.8}
step: 100 ms
duration: 50 s
solver: {model: relaxed}
materials:
  default: {friction: 0.5, restitution: 0.5, restitution_law: LAW}
bodies:
  - name: glass
    position: [0, 0, 20]
    shape: {cylinder_container: {radius: '${R}', length: 40, open: top}}
    motion: {sine: {amplitude: [0, 0, '${amplitude}'], frequency: '${frequency} Hz'}}
  - name: nut
    shape: {sphere: {radius: '${ratio * r}'}}
    density: 2500
    position: [0, 0, '${ratio * r}']
  - name: grains
    shape: {sphere: {radius: '${r}'}}
    density: 2500
    sizes: {uniform: [0.9, 1.1]}
    random:
      number: ${n}
      region:
        cylinder: {center: [0, 0, '${2 * ratio * r}'], radius: '${R}', height: '${13 * n * r^3 / (pi * R^2) + 4 * r}'}
      attempts: 20000
probes:
  - {name: nut, kind: body, body: nut, every: 1.25 s}
  - {name: grains, kind: group, body: grains, every: 1.25 s}
"""


class Nut(CommandTest):
    def heights(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [float(row["z [m]"]) for row in csv.DictReader(file)]

    def shake(self, law):
        with open(self.path("nut.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE.replace("LAW", law))
        result = self.run_scree("run", "nut.yaml", "--out", "nut.h5", "--force", "--threads", "1", "--json")
        self.assertEqual(result.code, 0, result.err)
        summary = self.lines(result)[-1]
        self.assertEqual(summary["bodies"], 271)
        self.assertEqual(summary["nonconverged_steps"], 0)
        self.assertLess(summary["worst_penetration_percent"], 1.0)
        part = [n / g for n, g in zip(self.heights("nut_nut.csv"), self.heights("nut_grains.csv"))]
        print("%s: overlap %.2f %%, nut over grains %s" % (law, summary["worst_penetration_percent"], ["%.2f" % x for x in part[2::4]]))
        self.assertLess(part[3], 0.9)
        return sum(part[-8:]) / 8

    def test_nut_rises_and_nothing_overlaps(self):
        self.assertGreater(self.shake("newton"), 1.1)

    def test_nothing_overlaps_where_impacts_come_in_turn(self):
        self.assertGreater(self.shake("poisson"), 1.1)


if __name__ == "__main__":
    main()
