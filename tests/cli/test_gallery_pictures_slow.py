#!/usr/bin/env python3
"""Pictures of every scene of the gallery, drawn small: not blank, not black, not burnt out, the bodies inside the frame;
and the pictures that are stored for the README are there and small."""
import importlib.machinery
import importlib.util
import os

from command import SOURCE, CommandTest, main

loader = importlib.machinery.SourceFileLoader("make_gallery", os.path.join(SOURCE, "tools", "make-gallery"))
gallery = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_gallery", loader))
loader.exec_module(gallery)

# Short runs of a few bodies: what is drawn is all there at the start. Foam ends before its slot opens, as what falls out of it
# leaves the frame.
SMALLER = {"settle": "n=200", "wall": "rows=6 columns=6", "dominoes": "duration=0.3", "pebble-bed": "n=300 duration=2",
           "drum": "n=250 R=0.07 duration=0.3", "heap": "n=200 R=0.06 duration=1", "shaker": "n=60 side=0.2 duration=0.3",
           "simple-shear": "k=5 strain=1", "rubble": "n=100 duration=0.3", "brazil-nut": "n=100 duration=0.3", "clumps": "n=20 side=0.35 duration=0.3", "hopper": "n=600 D=4.5cm duration=0.7",
           "foam": "duration=0.5", "crater": "n=600 g=8mm step=2ms duration=0.7", "column-collapse": "d=25mm duration=0.7"}


class Pictures(CommandTest):
    def draw(self, name, *options):
        result = self.run_scree("render", "run.h5", "--force", "--out", "run.png", "--size", "160x100", "--samples", "4",
                                "--threads", "1", "--caption", "none", "--no-legend", *options)
        self.assertEqual(result.code, 0, result.err)
        width, height, rows = gallery.read_png(self.path("run.png"))
        self.assertEqual((width, height), (160, 100))
        return [[tuple(row[3 * x:3 * x + 3]) for x in range(width)] for row in rows]

    def look(self, name):
        run, smaller, options = gallery.SCENES[name]
        sets = [x for one in (run + " " + smaller + " " + SMALLER.get(name, "")).split() for x in ("--set", one)]
        result = self.run_scree("run", name, "--force", "--out", "run.h5", "--json", "--threads", "1", *sets)
        self.assertEqual(result.code, 0, result.err)
        light = [sum(p) / 3 for row in self.draw(name, *options) for p in row]
        mean = sum(light) / len(light)
        spread = (sum((x - mean) ** 2 for x in light) / len(light)) ** 0.5
        self.assertTrue(60 < mean < 245, "mean light %g" % mean)
        self.assertGreater(spread, 4.0, "blank")
        self.assertLess(sum(x < 5 for x in light) / len(light), 0.05, "black")
        self.assertLess(sum(x > 254 for x in light) / len(light), 0.2, "burnt out")
        # What the bodies change, without their shadows, must not touch the frame. Sheets have many frames.
        if "--sheet" in options or "--chains" in options:
            return
        plain = ["--no-shadows", "--color", "plain"]
        camera = [x for i, x in enumerate(options) if x == "--camera" or i and options[i - 1] == "--camera"]
        there = self.draw(name, *plain, *camera)
        gone = self.draw(name, *plain, *camera, "--bodies", "hidden")
        hit = [(x, y) for y in range(100) for x in range(160)
               if max(abs(a - b) for a, b in zip(there[y][x], gone[y][x])) > 24]
        self.assertGreater(len(hit), 100, "hardly any bodies")
        self.assertTrue(all(0 < x < 159 and 0 < y < 99 for x, y in hit), "clipped by the frame")

    def test_all_scenes(self):
        names = self.check(["list", "scenes", "--names"], 0).out.split()
        self.assertEqual(sorted(gallery.SCENES), sorted(names))
        for name in names:
            with self.subTest(scene=name):
                self.look(name)

    def test_stored_pictures(self):
        with open(os.path.join(SOURCE, "scenes", "README.md"), encoding="utf-8") as file:
            page = file.read()
        for name in gallery.SCENES:
            self.assertIn("pictures/%s.png" % name, page)
            self.assertLessEqual(os.path.getsize(os.path.join(SOURCE, "scenes", "pictures", name + ".png")), gallery.LIMIT)

    def test_palette_keeps_the_picture(self):
        rows = [bytes(v for x in range(40) for v in (6 * x, 6 * y, 128)) for y in range(40)]
        path = self.path("p.png")
        gallery.write_palette(path, 40, 40, rows, 64)
        self.assertLess(os.path.getsize(path), 4000)
        palette, index = gallery.median_cut([tuple(r[3 * x:3 * x + 3]) for r in rows for x in range(40)], 64)
        self.assertEqual(len(palette), 64)
        worst = max(abs(a - b) for p, k in index.items() for a, b in zip(p, palette[k]))
        self.assertLess(worst, 40)


if __name__ == "__main__":
    main()
