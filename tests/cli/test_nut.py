#!/usr/bin/env python3
"""The Brazil nut with steps of 0.1 s: 270 bodies, friction and restitution 0.5, relaxed, one problem a step, 50 s of some 40 shakes, with both laws of restitution. Bodies overlap by less
than 1 %, and the nut comes up from below the middle of the grains."""
import csv
import os

from command import SANITIZED, CommandTest, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "validation", "nut.yaml")


class Nut(CommandTest):
    def heights(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [float(row["z [m]"]) for row in csv.DictReader(file)]

    def shake(self, law):
        result = self.run_scree("run", SCENE, "--set", "materials.default.restitution_law=" + law, "--out", "nut.h5", "--force", "--threads", "1", "--json",
                                *(["--duration", "3"] if SANITIZED else []))
        self.assertEqual(result.code, 0, result.err)
        summary = self.lines(result)[-1]
        self.assertEqual(summary["bodies"], 271)
        self.assertEqual(summary["nonconverged_steps"], 0)
        self.assertLess(summary["worst_penetration_percent"], 1.0)
        if SANITIZED:
            self.skipTest("it was shaken for 3 s, as there is a sanitizer")
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
