#!/usr/bin/env python3
"""The commands of the pages Start and Tutorials do what the pages say: each is run as it stands there,
pictures smaller and some runs shorter."""
import math
import os
import re
import shlex
import struct

from command import SOURCE, CommandTest, main

DOCS = os.path.join(SOURCE, "docs")


def blocks(page, language):
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.S | re.M)


def funnel(path):
    """An open funnel in millimetres: radius 20 at the bottom, 120 at z = 100, and a wall up to 500."""
    rings = [(20, 0), (120, 100), (120, 500)]
    with open(path, "wb") as file:
        triangles = []
        for (r0, z0), (r1, z1) in zip(rings, rings[1:]):
            for k in range(24):
                a, b = (2 * math.pi * j / 24 for j in (k, k + 1))
                p = [(r0 * math.cos(a), r0 * math.sin(a), z0), (r0 * math.cos(b), r0 * math.sin(b), z0),
                     (r1 * math.cos(b), r1 * math.sin(b), z1), (r1 * math.cos(a), r1 * math.sin(a), z1)]
                triangles += [(p[0], p[1], p[2]), (p[0], p[2], p[3])]
        file.write(b" " * 80 + struct.pack("<I", len(triangles)))
        for t in triangles:
            file.write(struct.pack("<12fH", 0, 0, 0, *[x for v in t for x in v], 0))


class Tutorials(CommandTest):
    def run_page(self, page, change=None):
        for text in blocks(page, "yaml"):
            name = re.match(r"# (\S+)", text).group(1)
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        errors = ""
        for text in blocks(page, "sh"):
            for line in text.splitlines():
                words = shlex.split(line, comments=True)
                if not words or words[0] != "scree":
                    continue
                small = ["--size", "160x90", "--samples", "1"] if words[1] == "render" else []
                words = words[1:] + ((change or {}).get(words[1]) or []) + small
                result = self.run_scree(*words)
                self.assertEqual(result.code, 0, f"{line}\n{result.err}")
                errors += result.err
        return errors

    def test_first_scene(self):
        self.run_page("start/first-scene.md")
        for name in ("pins.h5", "pins.mp4", "pins.png", "pins_ball.csv"):
            self.assertTrue(os.path.getsize(self.path(name)), name)

    def test_install(self):
        self.run_page("start/install.md", {"run": ["--duration", "0.1"]})
        self.assertTrue(os.path.getsize(self.path("settle.png")))

    def test_hopper(self):
        funnel(self.path("funnel.stl"))
        self.run_page("tutorials/hopper.md", {"run": ["--duration", "0.2"]})
        self.assertTrue(os.path.getsize(self.path("silo.png")))

    def test_gripper(self):
        self.run_page("tutorials/gripper.md")

        def table(name):
            with open(self.path(name), encoding="utf-8") as file:
                return [line.strip().split(",") for line in file]

        self.assertAlmostEqual(float(table("holds_egg.csv")[-1][3]), 0.355, 5)
        self.assertAlmostEqual(float(table("drops_egg.csv")[-1][3]), 0.055, 5)
        self.assertAlmostEqual(float(table("holds_finger.csv")[-1][1]), -25, 3)
        heights = {float(row[1]): float(row[2]) for row in table(os.path.join("limit", "results.csv"))[1:]}
        self.assertEqual(len(heights), 10)
        for torque, z in heights.items():
            if torque < 0.125:
                self.assertLess(z, 0.1, torque)
            else:
                self.assertGreater(z, 0.3, torque)
        lifted = [heights[torque] for torque in sorted(heights) if torque > 0.125]
        self.assertEqual(lifted, sorted(lifted))

    def test_law(self):
        with open(os.path.join(SOURCE, "src", "assemble", "laws", "compliant.c"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith(blocks("tutorials/writing-a-law.md", "c")[0]))

    def test_arch(self):
        self.run_page("tutorials/arch.md")
        self.assertTrue(os.path.getsize(self.path("falls.png")))

    def test_comparing_solvers(self):
        self.run_page("tutorials/comparing-solvers.md")
        self.assertTrue(os.path.getsize(self.path("settle-80.hdf5")))


if __name__ == "__main__":
    main()
