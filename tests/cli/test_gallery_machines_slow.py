#!/usr/bin/env python3
"""Machines of the gallery on stones, and the tracks while they run."""
from command import main
from gallery import GalleryTest, column


class Slow(GalleryTest):
    def test_tracks_run(self):
        self.summary("tracked", "--set", "n=0", "--duration", "0.9", nonconverged=20)
        self.assertLess(max(column(self.probe("tracked", "left.pin"), "error")), 1e-4)
        speed = column(self.probe("tracked", "chassis"), "vx")[-1]
        self.assertTrue(0.8 < speed < 0.95, speed)

    def test_vehicle_crosses_stones(self):
        self.summary("vehicle", "--set", "n=60", "--duration", "4.5", nonconverged=5)
        self.assertGreater(column(self.probe("vehicle", "chassis"), "x")[-1], 2.3)

    def test_walker_crosses_rubble(self):
        self.summary("walker", "--set", "n=60", nonconverged=5)
        trunk = self.probe("walker", "trunk")
        self.assertGreater(column(trunk, "x")[-1], 0.8)
        self.assertGreater(min(column(trunk, "z")), 0.2)


if __name__ == "__main__":
    main()
