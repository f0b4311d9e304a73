#!/usr/bin/env python3
"""`scree plot`: the curves are those of the recordings, seen by a stand-in for gnuplot that keeps
its script; and gnuplot itself draws them."""
import csv
import os
import re
import shutil
import struct
import unittest
import zlib

from command import CommandTest, main

KEEPER = '#!/bin/sh\ncat > "$SCRIPT_COPY"\necho picture\n'


class Plot(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        with open(self.path("bin/gnuplot"), "w", encoding="utf-8") as file:
            file.write(KEEPER)
        os.chmod(self.path("bin/gnuplot"), 0o755)
        self.record("a", "--set", "solver.iteration_limit=2", "--set", "solver.on_nonconverged=continue")

    def record(self, name, *options):
        result = self.run_scree("run", "settle", "--set", "n=30", "--duration", "0.4", "--out", name + ".h5", *options)
        self.assertEqual(result.code, 0, result.err)

    def script(self, *arguments):
        copy = self.path("script")
        result = self.run_scree("plot", *arguments, environment={
            "PATH": self.path("bin") + ":" + os.environ["PATH"], "SCRIPT_COPY": copy})
        self.assertEqual((result.code, result.err), (0, ""))
        with open(copy, encoding="utf-8") as file:
            return file.read()

    def data(self, script, panel, curve):
        lines = re.search(rf"\$p{panel}c{curve} << EOD\n(.*?)EOD\n", script, re.S).group(1).splitlines()
        return [tuple(float(x) for x in line.split()) for line in lines]

    def steps(self, name):
        self.check(["export", name + ".h5", "--format", "csv", "--what", "steps", "--out", name], 0)
        with open(self.path(name + "_steps.csv"), encoding="utf-8") as file:
            return [{key.split(" [")[0]: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def compare(self, points, expected):
        self.assertEqual(len(points), len(expected))
        for (x, y), (u, v) in zip(points, expected):
            self.assertAlmostEqual(x, u, delta=1e-8)
            self.assertAlmostEqual(y, v, delta=1e-8 * max(1.0, abs(v)))

    def test_full_disk(self):
        """gnuplot does not see that a disk is full, and ends well; nor is a part of the curves drawn."""
        with open(self.path("bin/gnuplot"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat > /dev/null\nhead -c 400000 /dev/zero 2> /dev/null\ntrue\n")
        path = os.environ["PATH"]
        os.environ["PATH"] = self.path("bin") + ":" + path
        self.addCleanup(os.environ.update, PATH=path)
        self.assertEqual(self.run_scree("plot", "a.h5", "--what", "contacts", "--out", "good.svg").code, 0)
        self.assertEqual(os.path.getsize(self.path("good.svg")), 400000)
        for limit in (200000, 100):
            result = self.run_on_full_disk(limit, "plot", "a.h5", "--what", "contacts", "--out", "p.svg")
            self.assertEqual(result.code, 6, result.err)
            self.assertIn("File too large", result.err)
            self.assertFalse([name for name in os.listdir(self.dir) if name.startswith("p.svg")])

    def test_curves(self):
        steps = self.steps("a")
        script = self.script("a.h5", "--what", "energy,contacts,residual,penetration,iterations,relaxation_gap")
        t = [row["time"] for row in steps]
        kinetic = [row["kinetic_linear"] + row["kinetic_angular"] for row in steps]
        self.compare(self.data(script, 0, 0), list(zip(t, kinetic)))
        self.compare(self.data(script, 0, 2), list(zip(t, (k + row["potential"] for k, row in zip(kinetic, steps)))))
        self.compare(self.data(script, 1, 1), list(zip(t, (row["touching"] for row in steps))))
        seen = [(row["time"], row["residual"]) for row in steps if row["residual"] > 0]
        self.compare(self.data(script, 2, 0), seen)
        missed = [(row["time"], row["residual"]) for row in steps if not row["converged"]]
        self.assertGreater(len(missed), 10)
        self.compare(self.data(script, 2, 1), missed)
        self.assertIn(f'title "{len(missed)} not converged"', script)
        self.assertRegex(script, r"0\.1 with lines [^\n]* title 'tolerance'")
        self.compare(self.data(script, 3, 0), list(zip(t, (row["penetration_percent"] for row in steps))))
        self.compare(self.data(script, 4, 0), list(zip(t, (row["iterations"] for row in steps))))
        self.compare(self.data(script, 5, 0), list(zip(t, (row["relaxation_gap"] for row in steps))))
        for label in ("energy (J)", "contacts", "residual R of each step", "penetration (% of Ø)", "iterations of each step",
                      "relaxation gap (m/s)"):
            self.assertIn(f'set ylabel noenhanced "{label}"', script)
        self.assertIn("set xlabel 'simulated time (s)'", script)
        self.assertTrue(os.path.exists(self.path("a.png")))

    def test_several_runs_and_probes(self):
        self.record("b")
        script = self.script("a.h5", "b.h5", "--what", "floor,floor.fz,iterations", "--out", "x.svg")
        with open(self.path("b_floor.csv"), encoding="utf-8") as file:
            rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
        self.compare(self.data(script, 1, 1), [(row[0], row[3]) for row in rows])
        self.compare(self.data(script, 0, 3), [(row[0], row[1]) for row in rows])
        for title in ("a, fx", "b, fz", "a", "b"):
            self.assertIn(f'title "{title}"', script)
        self.assertIn('"floor (N)"', script)
        self.assertIn('"floor: fz (N)"', script)
        self.assertIn("terminal svg", script)

    def test_span(self):
        script = self.script("a.h5", "--what", "bodies", "--from", "0.1", "--to", "0.2")
        times = [x for x, _ in self.data(script, 0, 0)]
        self.assertTrue(0.1 <= times[0] < 0.11 and 0.19 < times[-1] <= 0.2)
        result = self.check(["plot", "a.h5", "--from", "5", "--out", "n.png"], 3,
                            "scree plot: a.h5: it has no values to draw within these times\n", "")
        self.assertFalse(os.path.exists(self.path("n.png")), result.out)

    def test_thinning_keeps_spikes(self):
        with open(self.path("a_long.csv"), "w", encoding="utf-8") as file:
            file.write("time [s],h [m]\n")
            for i in range(50000):
                file.write(f"{i / 1000},{1000 if i == 31417 else -7 if i == 777 else i % 3}\n")
        points = self.data(self.script("a.h5", "--what", "long"), 0, 0)
        self.assertLess(len(points), 4000)
        self.assertIn((31.417, 1000.0), points)
        self.assertIn((0.777, -7.0), points)
        self.assertEqual([x for x, _ in points], sorted(x for x, _ in points))
        self.assertEqual((points[0][0], points[-1][0]), (0.0, 49.999))

    def test_refusals(self):
        def refuse(arguments, code, part):
            result = self.run_scree("plot", *arguments, "--out", "no.png")
            self.assertEqual((result.code, result.out), (code, ""), result.err)
            self.assertIn(part, result.err)
            self.assertFalse(os.path.exists(self.path("no.png")))
        refuse(["a.h5", "--what", "enrgy"], 2, "there is no quantity and no probe 'enrgy'; did you mean 'energy'?")
        refuse(["a.h5", "--what", "floor.q"], 2, "a_floor.csv has no column 'q'; it has fx, fy, fz, tx, ty, tz")
        refuse(["a.h5", "--what", "a,,b"], 2, "--what")
        refuse(["a.h5", "--what", "../a_floor"], 2, "there is no quantity")
        self.check(["plot", "a.h5", "--out", "a.gif"], 2, "scree plot: a.gif: a plot's name ends in .png, .svg or .pdf\n", "")
        for text, code, part in (("", 3, "is empty"), ("x,y\n1,2\n", 3, "a_bad.csv:1: it is not the first line"),
                                 ("time [s],x\n1,2\n1,zwei\n", 3, "a_bad.csv:3: it is not a row of 2 numbers"),
                                 ("time [s],x\n1,2,3\n", 3, "a_bad.csv:2: it is not a row of 2 numbers"),
                                 ("\0\1\2\n", 3, "a_bad.csv:1:"), ("time [s]," + 5000 * "x" + "\n", 3, "too long")):
            with open(self.path("a_bad.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            refuse(["a.h5", "--what", "bad"], code, part)
        os.remove(self.path("a_bad.csv"))
        os.mkdir(self.path("a_bad.csv"))
        refuse(["a.h5", "--what", "bad"], 6, "a_bad.csv")

    def test_cut_probe(self):
        """The last line of a probe whose run goes on may be there in part."""
        with open(self.path("a_cut.csv"), "w", encoding="utf-8") as file:
            file.write("time [s],x [m]\n0,1\n1,2\n2,3.14159")
        self.assertEqual(self.data(self.script("a.h5", "--what", "cut"), 0, 0), [(0, 1), (1, 2)])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not there")
    def test_gnuplot(self):
        self.record("b")
        self.check(["plot", "a.h5", "b.h5", "--what", "energy,contacts,residual,floor", "--out", "x.svg"], 0, "", "x.svg\n")
        with open(self.path("x.svg"), encoding="utf-8") as file:
            svg = file.read()
        for text in ("energy (J)", "contacts", "tolerance", "simulated time (s)", "floor (N)", "a, kinetic", "b, fz"):
            self.assertIn(text, svg)
        self.check(["plot", "a.h5", "--out", "x.png"], 0, "", "x.png\n")
        with open(self.path("x.png"), "rb") as file:
            width, height, pixels = read_png(file.read())
        self.assertGreater(width * height, 500000)
        drawn = sum(p != (255, 255, 255) for p in pixels)
        self.assertTrue(0.01 < drawn / len(pixels) < 0.3)
        self.assertGreater(sum(p == (0, 0x72, 0xb2) for p in pixels), 300)
        border = pixels[:width] + pixels[-width:] + pixels[::width] + pixels[width - 1::width]
        self.assertEqual(set(border), {(255, 255, 255)})


def read_png(data):
    """Pixels of an 8-bit PNG that is not interlaced."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and data[28] == 0
    at, packed, palette = 8, b"", None
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        if data[at + 4:at + 8] == b"PLTE":
            palette = data[at + 8:at + 8 + size]
        at += 12 + size
    step = {0: 1, 2: 3, 3: 1, 6: 4}[kind]
    raw, before, pixels = zlib.decompress(packed), bytes(width * step), []
    for y in range(height):
        row = bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        method = raw[y * (width * step + 1)]
        for i in range(len(row)):
            a, b, c = (row[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
            if method == 4:
                p = a + b - c
                guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                guess = (0, a, b, (a + b) // 2)[method]
            row[i] = (row[i] + guess) & 255
        before = bytes(row)
        for x in range(width):
            p = row[x * step:(x + 1) * step]
            pixels.append(tuple(palette[3 * p[0]:3 * p[0] + 3]) if kind == 3 else tuple(p[:3]) if step > 1 else 3 * (p[0],))
    return width, height, pixels


if __name__ == "__main__":
    main()
