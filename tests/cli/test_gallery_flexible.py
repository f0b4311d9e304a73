#!/usr/bin/env python3
"""Flexible parts of the gallery: hard contact with exact friction, every step within R = 1e-6, each with the number that
its comment tells the reader to expect."""
import math

from command import main
from gallery import GalleryTest, column


class Flexible(GalleryTest):
    def run_scene(self, scene, *options):
        s = self.summary(scene, *options)
        self.assertEqual(s["model"], "coulomb")
        self.assertLessEqual(s["worst_residual"], 1e-6)
        return s

    def test_buckling(self):
        """Euler's load, then the force on the wall that the theory of a column with one support in its middle has."""
        self.run_scene("buckling")
        stiff, half = 1e9 * 0.02 * 0.005 ** 3 / 12, 0.5
        press = [-x for x in column(self.probe("buckling", "press"), "motor")]
        wall, middle = column(self.probe("buckling", "wall"), "fx"), column(self.probe("buckling", "middle"), "x")
        free = [p for p, f, x in zip(press, wall, middle) if f == 0.0 and x > 0.02]
        for load in free:
            self.assertLess(abs(load / (4 * math.pi ** 2 * stiff) - 1), 0.03)
        k = math.sqrt(press[-1] / stiff)
        estimated = 2 * press[-1] * middle[-1] / (half - 2 / k * math.tan(k * half / 2))
        self.assertLess(abs(wall[-1] / estimated - 1), 2e-3)
        self.assertLess(abs(middle[-1] - 0.03), 1e-7)
        self.assertGreater(len(free), 3)

    def test_soft_gripper(self):
        """The box hangs by friction, pads are pressed and sheared."""
        self.run_scene("soft-gripper", "--set", "n=2", "--duration", "2.1")
        box, finger = column(self.probe("soft-gripper", "box"), "z"), column(self.probe("soft-gripper", "left"), "position")
        self.assertTrue(0.2 - 1.2e-3 < box[-1] - box[0] < 0.2 - 0.4e-3, box[-1])
        self.assertLess(abs(box[-1] - box[-10]), 1e-6)
        self.assertTrue(1.3e-3 < finger[-1] - 6e-3 < 1.9e-3, finger[-1])

    def test_a_slippery_box_stays(self):
        self.run_scene("soft-gripper", "--set", "n=2", "--set", "mu=0.1", "--duration", "1.1")
        self.assertLess(column(self.probe("soft-gripper", "box"), "z")[-1], 0.05)

    def test_net(self):
        """A ball in the middle of a small net comes to rest above the ground."""
        s = self.run_scene("net", "--set", "n=12", "--set", "cells=6", "--set", "L=0.45", "--duration", "0.6")
        self.assertEqual(s["bodies"], 12 + 49 + 1)
        z = column(self.probe("net", "middle"), "z")
        self.assertTrue(0.9 < min(z) < 0.99, min(z))
        self.assertGreater(s["energy"]["elastic"], 0.02)

    def test_same_bits(self):
        """For any number of threads, and after a resume from the middle."""
        options = ("--set", "n=12", "--set", "spokes=6", "--set", "stones=3")
        whole = self.run_scene("tyre", "--duration", "0.4", "--threads", "1", *options)["state_hash"]
        self.assertEqual(self.run_scene("tyre", "--duration", "0.4", "--threads", "3", *options)["state_hash"], whole)
        self.run_scene("tyre", "--duration", "0.2", *options)
        result = self.run_scree("resume", "tyre.h5", "--duration", "0.4", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.lines(result)[-1]["state_hash"], whole)

    def test_tyre(self):
        """The ground bears the weight; the tyre rolls."""
        self.run_scene("tyre")
        hub = self.probe("tyre", "hub")
        force = column(self.probe("tyre", "ground"), "fz")
        settled = force[len(force) // 5:]
        self.assertLess(abs(-sum(settled) / len(settled) / 97.2 - 1), 0.03)
        turned = sum(column(hub, "wy")) / len(force) * 1.5
        gone = column(hub, "x")[-1]
        self.assertLess(abs(turned * 0.2 / gone - 1), 0.06)
        self.assertGreater(max(column(hub, "z")), 0.215)  # over the stones


if __name__ == "__main__":
    main()
