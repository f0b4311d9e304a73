#!/usr/bin/env python3
"""The machines of the gallery: bodies with joints, each with the number that its comment tells the reader to expect."""
import math

from command import main
from gallery import GalleryTest, column

G = 9.81


class Loops(GalleryTest):
    def test_slider_crank(self):
        """The force of the guide on the piston, m x'' tan p, and that of the crank on the rod, m x'', all the time."""
        self.summary("slider-crank", "--duration", "0.4")
        guide, end = self.probe("slider-crank", "guide"), self.probe("slider-crank", "big_end")
        r, l, w, m, h = 0.05, 0.15, 20.0, 1.0, 0.0005
        worst = [0.0, 0.0]
        for t, side, along in zip(column(guide, "time"), column(guide, "fy"), column(end, "fx")):
            if t < 0.02:
                continue  # the first step begins without the forces of motion
            a = w * (t - 0.5 * h)  # the force is the mean of a step
            p = math.asin(r / l * math.sin(a))
            p1 = r / l * math.cos(a) * w / math.cos(p)
            p2 = (-r / l * math.sin(a) * w * w + math.sin(p) * p1 * p1) / math.cos(p)
            x2 = -r * math.cos(a) * w * w - l * (math.cos(p) * p1 * p1 + math.sin(p) * p2)
            worst[0] = max(worst[0], abs(abs(side) - abs(m * x2 * math.tan(p))))
            worst[1] = max(worst[1], abs(abs(along) - abs(m * x2)))
        self.assertLess(worst[0], 0.02 * 4.05)
        self.assertLess(worst[1], 0.01 * 26.67)
        self.assertLess(max(column(guide, "error")), 1e-6)

    def test_four_bar(self):
        s = self.summary("four-bar", "--duration", "2.2")
        a, b, c, d = 0.1, 0.35, 0.25, 0.35
        angle = [math.acos((c * c + d * d - x * x) / (2 * c * d)) for x in (b + a, b - a)]
        swing = column(self.probe("four-bar", "rocker"), "position")
        self.assertLess(abs(max(swing) - min(swing) - (angle[0] - angle[1])), 1e-3)
        self.assertLess(max(column(self.probe("four-bar", "back"), "error")), 3e-7)
        self.assertLess(abs(s["ledger"]["error_part"]), 0.01)


class Swings(GalleryTest):
    def test_spinning_top(self):
        for spin, period in ((150, 1.869), (300, 3.940)):
            self.summary("spinning-top", "--set", "spin=%d" % spin, "--duration", "1.5")
            top = self.probe("spinning-top", "top")
            z = column(top, "z")
            self.assertLess(max(z) - min(z), 1e-4)
            angle = math.atan2(column(top, "y")[-1], column(top, "x")[-1]) % (2 * math.pi)
            self.assertLess(abs(angle / (2 * math.pi * 1.5 / period) - 1.0), 2e-3)

    def test_newtons_cradle(self):
        self.summary("newtons-cradle", "--duration", "0.7")
        last, middle = self.probe("newtons-cradle", "last"), self.probe("newtons-cradle", "middle")
        self.assertLess(abs(math.asin((max(column(last, "x")) - 4 * 0.041) / 0.2) - 0.5236), 2e-3)
        self.assertLess(max(abs(x - 2 * 0.041) for x in column(middle, "x")), 0.004)

    def test_heavy_chain(self):
        s = self.summary("heavy-chain")
        for name in ("hook", "pin", "eye"):
            self.assertLess(max(column(self.probe("heavy-chain", name), "error")), 1e-6, name)
        self.assertLess(abs(max(abs(f) for f in column(self.probe("heavy-chain", "hook"), "fz")) - 186.4), 1.0)
        self.assertLess(abs(s["ledger"]["error_part"]), 1e-3)


class Drives(GalleryTest):
    def test_crane(self):
        self.summary("crane", "--duration", "1.6")
        load, rope = self.probe("crane", "load"), self.probe("crane", "rope")
        at = min(range(len(load) - 1), key=lambda i: abs(column(load, "time")[i] - 1.0))
        self.assertLess(abs(column(load, "vz")[at] + G * 10 / 50), 1e-3)
        self.assertLess(abs(column(rope, "fz")[at] - 2 * 30 * 20 * G / 50), 0.01)
        self.assertLess(abs(column(load, "z")[-1] - 0.2), 1e-6)

    def test_gripper(self):
        self.summary("gripper")
        egg, finger = self.probe("gripper", "egg"), self.probe("gripper", "finger")
        self.assertLess(abs(column(egg, "z")[-1] - 0.355), 1e-4)
        self.assertLess(abs(abs(column(finger, "fx")[-1]) - 25.0), 0.01)
        self.assertLess(abs(abs(column(finger, "fz")[-1]) - 0.15 * G), 0.01)

    def test_a_weak_gripper_drops_the_egg(self):
        self.summary("gripper", "--set", "T=0.1")
        self.assertLess(column(self.probe("gripper", "egg"), "z")[-1], 0.1)

    def test_packaging(self):
        """Two cubes and two discs, each kind in its own box; the mass in a box is reported to a few per cent."""
        self.summary("packaging", "--set", "n=2")
        cubes, discs = self.probe("packaging", "cubes"), self.probe("packaging", "discs")
        self.assertEqual(column(cubes, "mass")[0], 0.0)
        self.assertLess(abs(column(cubes, "mass")[-1] / 0.2 - 2), 0.25)
        self.assertLess(abs(column(discs, "mass")[-1] / 0.15 - 2), 0.25)
        y = column(self.probe("packaging", "pusher"), "y")
        self.assertLess(abs(max(y) + 0.18 - 0.32), 0.01)

    def test_vehicle(self):
        self.summary("vehicle", "--set", "n=0", "--duration", "3.5")
        sag = []
        for name in ("front_left", "front_right", "rear_left", "rear_right"):
            strut = self.probe("vehicle", name + ".strut")
            at = min(range(len(strut) - 1), key=lambda i: abs(column(strut, "time")[i] - 1.45))
            sag.append(column(strut, "position")[at])
        self.assertLess(abs(sum(sag) / 4 / (300 * G / (4 * 12000)) - 1.0), 0.005)
        self.assertLess(abs(column(self.probe("vehicle", "chassis"), "vx")[-1] - 1.0), 1e-3)

    def test_hammer_mill(self):
        self.summary("hammer-mill", "--set", "n=0")
        m, c, R, w, d, length, width = 1.0, 0.075, 0.2, 40.0, 0.05, 0.15, 0.04
        inertia = m * (c * c + (length ** 2 + width ** 2) / 12)
        swing = m * G * c / math.hypot(m * R * c * w * w - inertia * w * w, d * w)
        angle = column(self.probe("hammer-mill", "pin"), "position")[1500:]
        self.assertLess(abs((max(angle) - min(angle)) / (2 * swing) - 1.0), 0.02)


class Walks(GalleryTest):
    def test_walker(self):
        self.summary("walker", "--set", "n=0", "--duration", "3")
        trunk = self.probe("walker", "trunk")
        x, t = column(trunk, "x"), column(trunk, "time")
        at = min(range(len(t)), key=lambda i: abs(t[i] - 1.5))
        speed = (x[-1] - x[at]) / (t[-1] - t[at])
        self.assertLess(abs(speed / (2 * 0.16 * math.sin(0.3) * 6 / math.pi) - 1.0), 0.15)
        self.assertGreater(min(column(trunk, "z")), 0.21)

    def test_ragdolls(self):
        s = self.summary("ragdolls", "--set", "n=2", "--duration", "2")
        self.assertLess(s["ledger"]["error_part"], 1e-3)
        for doll in ("doll0", "doll1"):
            knee = self.probe("ragdolls", doll + ".knee")
            self.assertLess(max(column(knee, "error")), 2e-3)
            self.assertGreater(min(column(knee, "position")), -1e-3)
            self.assertLess(max(column(knee, "position")), math.radians(140) + 1e-3)
        self.assertGreater(column(self.probe("ragdolls", "doll0.torso"), "x")[-1], 1.0)

    def test_tracked(self):
        """It stands on its tracks; the drive is tested in test_gallery_machines_slow.py."""
        self.summary("tracked", "--set", "n=0", "--duration", "0.2")
        for name in ("left.pin", "right.pin"):
            self.assertLess(max(column(self.probe("tracked", name), "error")), 1e-4)
        self.assertLess(abs(column(self.probe("tracked", "chassis"), "z")[-1] - 0.2765), 2e-3)


if __name__ == "__main__":
    main()
