#!/usr/bin/env python3
"""Pictures of recordings: they show something, and bad requests are refused with a reason."""
import os
import shutil
import struct
import subprocess
import zlib

from command import CommandTest, main

SCENE = """
step: 5 ms
duration: 0.05 s
materials:
  rubber: {friction: 0.9}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}
  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0.3, 0, 0.1], material: rubber}
probes:
  - {name: ball, kind: body, body: ball}
  - {name: energy, kind: energy}
recording: {every: 10 ms}
"""


def read_png(path):
    """(width, height, rows of rgb bytes) of a PNG without interlace, 8 bits, rgb."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        if kind == b"IDAT":
            packed += body
        at += size + 12
    raw, stride, rows, last = zlib.decompress(packed), 3 * width, [], bytearray(3 * width)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, up = line[i - 3] if i >= 3 else 0, last[i]
            corner = last[i - 3] if i >= 3 else 0
            if kind == 1:
                line[i] = (line[i] + left) & 255
            elif kind == 2:
                line[i] = (line[i] + up) & 255
            elif kind == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                pick = min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                           (abs(guess - corner), 2, corner))[2]
                line[i] = (line[i] + pick) & 255
        rows.append(bytes(line))
        last = line
    return width, height, rows


def coloured(row, x):
    """Far from grey: a body, not the ground or its shadow."""
    pixel = row[3 * x:3 * x + 3]
    return max(pixel) - min(pixel) > 40


class Render(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        result = self.run_scree("run", "scene.yaml", "--out", "run.h5")
        self.assertEqual(result.code, 0, result.err)

    def render(self, *options, out="picture.png"):
        result = self.run_scree("render", "run.h5", "--force", "--out", out, "--size", "192x108", "--samples",
                                "4", *options)
        self.assertEqual((result.code, result.err), (0, ""))
        return read_png(self.path(out))

    def test_picture_shows_the_bodies_whole(self):
        for background in ("studio", "white", "dark"):
            with self.subTest(background=background):
                width, height, rows = self.render("--background", background)
                self.assertEqual((width, height), (192, 108))
                count = sum(coloured(row, x) for row in rows for x in range(width))
                self.assertGreater(count, width * height // 20)
                self.assertLess(count, width * height // 2)
                border = [coloured(rows[y], x) for y in range(height) for x in range(width)
                          if x in (0, 1, width - 2, width - 1) or y in (0, 1, height - 2, height - 1)]
                self.assertFalse(any(border), "a body touches the border")

    def test_threads_do_not_matter(self):
        self.render("--threads", "1", out="one.png")
        self.render("--threads", "3", out="three.png")
        with open(self.path("one.png"), "rb") as a, open(self.path("three.png"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_default_name(self):
        result = self.run_scree("render", "run.h5", "--size", "32x32", "--samples", "1")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertTrue(os.path.exists(self.path("run.png")))

    def test_fields_colour_the_picture(self):
        """Every field draws; a range changes the colours; values are in the report."""
        pictures = {}
        for field in ("auto", "material", "kind", "body", "plain", "speed", "spin", "vx", "force",
                      "contacts", "height", "size", "mass", "energy", "ball.vz", "energy.total"):
            with self.subTest(field=field):
                pictures[field] = self.render("--color", field, "--samples", "1")[2]
        self.assertNotEqual(pictures["material"], pictures["plain"])
        self.assertNotEqual(self.render("--color", "mass", "--range", "0:1000")[2],
                            self.render("--color", "mass", "--range", "0:5")[2])
        result = self.run_scree("render", "run.h5", "--color", "mass", "--json", "--size", "16x16")
        (answer,) = self.lines(result)
        self.assertAlmostEqual(answer["least"], 4000 / 3 * 3.14159265 * 0.001, places=5)
        self.assertAlmostEqual(answer["most"], 8.0, places=9)

    def test_cuts_and_cameras(self):
        whole = self.render()[2]
        for option in (["--cut", "x=0.3"], ["--cut", "x>0.3&z>0.1"], ["--cut", "y<0", "--cut", "z>0.15"],
                       ["--camera", "azimuth=90,elevation=60"], ["--camera", "zoom=2"],
                       ["--camera", "target=0.3:0:0.1,distance=3,field=20"],
                       ["--camera", "follow=ball"], ["--chains"], ["--bodies", "ghost"],
                       ["--no-grid"], ["--no-shadows"], ["--caption", "Words"], ["--no-legend"]):
            with self.subTest(option=option):
                self.assertNotEqual(self.render(*option)[2], whole)
        hidden = self.render("--bodies", "hidden", "--no-legend")[2]
        self.assertFalse(any(coloured(row, x) for row in hidden for x in range(192)))

    def test_sheet(self):
        width, height, rows = self.render("--sheet", "4", "--no-legend", "--caption", "none")
        self.assertEqual((width, height), (192, 108))
        for x0, y0 in ((0, 0), (97, 0), (0, 55), (97, 55)):
            self.assertTrue(any(coloured(rows[y], x) for y in range(y0, y0 + 50)
                                for x in range(x0, x0 + 90)))

    def test_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is missing")
        for name in ("film.mp4", "film.webm", "film.gif"):
            result = self.run_scree("render", "run.h5", "--out", name, "--size", "96x64",
                                    "--samples", "1", "--speed", "0.05", "--fps", "10", "--camera",
                                    "turn=30", "--json")
            self.assertEqual((result.code, result.err), (0, ""))
            (answer,) = self.lines(result)
            self.assertEqual(answer["pictures"], 11)
            self.assertFalse(os.path.exists(self.path(name + ".part")))
            shown = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                    "stream=width,height,nb_read_frames", "-of", "csv=p=0",
                                    self.path(name)], capture_output=True, text=True)
            self.assertEqual(shown.stdout.strip(), "96,64,11", shown.stderr)

    def test_what_has_been(self):
        """A ball that flies along x: earlier poses beside it, its way, an arrow; a slope that slopes; no ground."""
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write("step: 5 ms\nduration: 1 s\ngravity: [0, 0, 0]\nrecording: {every: 0.05}\nbodies:\n"
                       "  - {name: ball, shape: {sphere: {radius: 0.1}}, velocity: [2, 0, 0]}\n")
        self.assertEqual(self.run_scree("run", "scene.yaml", "--out", "run.h5", "--force").code, 0)

        def bodies(*options):
            """Runs of coloured pixels along the middle line, from left to right, seen from the side."""
            width, height, rows = self.render("--camera", "azimuth=-90,elevation=0", *options)
            line = [coloured(rows[height // 2], x) for x in range(width)]
            return sum(line[x] and not line[x - 1] for x in range(1, width))

        self.assertEqual(bodies(), 1)
        self.assertEqual(bodies("--ghosts", "4"), 5)
        alone = self.render("--ghosts", "4")[2]
        for option in ("--trails", "--arrows"):
            self.assertNotEqual(self.render("--ghosts", "4", option)[2], alone, option)
        # Without a ground the lower corners are the background, which is symmetric.
        _, height, rows = self.render("--no-grid")
        self.assertEqual(rows[height - 1][:3], rows[height - 1][-3:])
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write("step: 5 ms\nduration: 0.5 s\ngravity: [4, 0, -9]\nbodies:\n  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
                       "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05]}\nmaterials: {default: {friction: 0.1}}\n")
        self.assertEqual(self.run_scree("run", "scene.yaml", "--out", "run.h5", "--force").code, 0)
        width, height, rows = self.render("--camera", "azimuth=-90,elevation=5", "--ghosts", "6")
        places = [(x, y) for y in range(height) for x in range(width) if coloured(rows[y], x)]
        left = [y for x, y in places if x < width // 2]
        right = [y for x, y in places if x >= width // 2]
        self.assertGreater(sum(right) / len(right), sum(left) / len(left) + 10, "it slides down, to the right")
        self.assertEqual(self.run_scree("render", "run.h5", "--ghosts", "0").code, 2)

    def test_joints(self):
        """A pendulum hangs on a rod, which is in the picture up to its anchor; without --joints it hangs on nothing."""
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write("step: 5 ms\nduration: 0.1 s\nbodies:\n  - {name: bob, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0]}\n"
                       "joints:\n  - {kind: hinge, bodies: [world, bob], anchor: [0, 0, 1], axis: [0, 1, 0]}\n")
        self.assertEqual(self.run_scree("run", "scene.yaml", "--out", "run.h5", "--force").code, 0)

        def rod(*options):
            """How many lines of the picture are darker somewhere near their middle than beside it."""
            width, height, rows = self.render("--camera", "azimuth=-90,elevation=0", "--no-legend", *options)
            def grey(row, x):
                return sum(row[3 * x:3 * x + 3]) / 3
            return sum(min(grey(row, x) for x in range(width // 2 - 3, width // 2 + 3)) < grey(row, width // 2 - 20) - 30 for row in rows) / height
        self.assertGreater(rod("--joints"), 0.45)
        self.assertLess(rod("--camera", "azimuth=-90,elevation=0,distance=4"), 0.2)

    def test_draft(self):
        result = self.run_scree("render", "run.h5", "--draft", "--out", "draft.png", "--json")
        self.assertEqual((result.code, result.err), (0, ""))
        (answer,) = self.lines(result)
        self.assertEqual((answer["width"], answer["height"]), (640, 360))

    def test_no_ffmpeg(self):
        os.mkdir(self.path("empty"))
        result = self.run_scree("render", "run.h5", "--out", "film.mp4", "--size", "32x32",
                                environment={"PATH": self.path("empty")})
        self.assertEqual(result.code, 6)
        self.assertIn("needs the program ffmpeg", result.err)
        self.assertFalse(os.path.exists(self.path("film.mp4")))

    def refuse(self, code, text, *arguments):
        result = self.run_scree("render", *arguments)
        self.assertEqual(result.code, code, result.err)
        self.assertIn(text, result.err)
        self.assertFalse(os.path.exists(self.path("no.png")))

    def test_bad_requests(self):
        out = ("--out", "no.png")
        self.refuse(2, "frames 0 to 5", "run.h5", "--frame", "99", *out)
        self.refuse(2, "--frame needs a whole number", "run.h5", "--frame", "first", *out)
        self.refuse(2, "WIDTHxHEIGHT", "run.h5", "--size", "big", *out)
        self.refuse(2, "WIDTHxHEIGHT", "run.h5", "--size", "1x1", *out)
        self.refuse(2, "did you mean '--frame", "run.h5", "--frames", "1", *out)
        self.refuse(2, "one of studio|white|dark", "run.h5", "--background", "pink", *out)
        self.refuse(2, "from 0 to 0.05 s", "run.h5", "--time", "7", *out)
        self.refuse(2, "leave nothing", "run.h5", "--sheet", "2", "--start", "9", *out)
        self.refuse(2, "did you mean 'speed'", "run.h5", "--color", "sped", *out)
        self.refuse(2, "no probe 'nobody'; it has: ball, energy", "run.h5", "--color", "nobody.x", *out)
        self.refuse(2, "no column 'q'", "run.h5", "--color", "ball.q", *out)
        self.refuse(2, "A:B", "run.h5", "--range", "2:1", *out)
        self.refuse(2, "--cut needs", "run.h5", "--cut", "w=1", *out)
        self.refuse(2, "--cut needs", "run.h5", "--cut", "x>", *out)
        self.refuse(2, "did you mean 'azimuth'", "run.h5", "--camera", "azimut=3", *out)
        self.refuse(2, "out of range", "run.h5", "--camera", "elevation=91", *out)
        self.refuse(2, "a target is", "run.h5", "--camera", "target=1:2", *out)
        self.refuse(2, "no body of that name", "run.h5", "--camera", "follow=ghost", *out)
        self.refuse(2, "must end in .png, .mp4, .webm or .gif", "run.h5", "--out", "no.jpg")
        self.refuse(2, "even numbers", "run.h5", "--out", "no.mp4", "--size", "31x31")
        self.refuse(2, "is for a film", "run.h5", "--fps", "10", *out)
        self.refuse(6, "cannot be opened", "missing.h5", *out)
        self.refuse(6, "directory", "run.h5", "--out", "nowhere/no.png")

    def test_full_disk(self):
        """The picture that was there stays; nothing else is left."""
        with open(self.path("no.png"), "w", encoding="utf-8") as file:
            file.write("old")
        result = self.run_on_full_disk(2000, "render", "run.h5", "--force", "--out", "no.png", "--size", "192x108",
                                       "--samples", "1")
        self.assertEqual(result.code, 6, result.err)
        self.assertIn("no.png: cannot be written: File too large", result.err)
        with open(self.path("no.png"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertFalse(os.path.exists(self.path("no.png.part")))

    def test_bad_files(self):
        with open(self.path("text.h5"), "w", encoding="utf-8") as file:
            file.write("no recording at all\n")
        self.refuse(3, "is not a recording", "text.h5", "--out", "no.png")
        with open(self.path("run.h5"), "rb") as file:
            data = file.read()
        for share in (0.02, 0.3, 0.6, 0.9):
            with open(self.path("cut.h5"), "wb") as file:
                file.write(data[:int(share * len(data))])
            result = self.run_scree("render", "cut.h5", "--out", "no.png", "--size", "16x16",
                                    "--samples", "1")
            self.assertIn(result.code, (3, 6), result.err)
            self.assertIn("cut.h5", result.err)
        self.packing("problem.hdf5")
        self.refuse(3, "not a recording", "problem.hdf5", "--out", "no.png")


if __name__ == "__main__":
    main()
