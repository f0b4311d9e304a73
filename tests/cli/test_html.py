#!/usr/bin/python3
"""`scree export --html`: the messages inside the page, read by code of its own, say what was recorded."""
import base64
import gzip
import json
import os
import re
import struct
import subprocess
import sys

from command import SCREE, CommandTest, main

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: it needs python3-h5py")
    sys.exit(0)
if b'"viewer": true' not in subprocess.run([SCREE, "doctor", "--json"], stdout=subprocess.PIPE, check=False).stdout:
    print("skipped: this scree has no viewer")
    sys.exit(0)

# Bodies come and go; a title that would end the page's head.
SCENE = """
title: 'grains </title><script>alert(1)</script>'
step: 5 ms
duration: 0.5 s
recording: {every: 20 ms}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: block, shape: {box: {size: [0.2, 0.3, 0.4]}}, position: [0, 0, 0.4], angular: [1, 2, 3]}
  - {name: pea, lattice: {count: [4, 3, 2], origin: [1, 0, 0.1], pitch: [0.15, 0.15, 0.2]}, shape: {sphere: {radius: 0.05}}}
emitters:
  - {rate: 50, number: 10, region: {box: {lower: [-3, -1, 0.3], upper: [-1, 1, 0.8]}}, body: {mass: 2, shape: {sphere: {radius: 0.05}}}}
drains: [{lower: [-9, -9, -9], upper: [-2, 9, 9], start: 0.3}]
"""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def signed(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return (value >> 1) ^ -(value & 1)


def read(page):
    """header, bodies as (place, generation), frames as {time, list, values: number -> nine whole numbers, contacts}"""
    text = re.search(rb'id="scree-run">([^<]*)<', page).group(1)
    data, at = gzip.decompress(base64.b64decode(text)), 0
    header, bodies, frames, known, listed = None, [], [], {}, []
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        r = Reader(data[at + 4:at + 4 + size])
        at += 4 + size
        kind = r.data[:1]
        r.at = 1
        if kind == b"H":
            header = json.loads(r.data[1:])
        elif kind == b"B":
            first, count = r.take("II")
            assert first == len(bodies)
            places, generations = r.take("%dI" % count), r.take("%dI" % count)
            bodies += list(zip(places, generations)) if count > 1 else [(places, generations)]
        elif kind == b"F":
            flags, index, time, step, count = r.take("BIddI")
            if flags & 1:
                listed, n = [], 0
                for _ in range(count):
                    n += r.signed()
                    listed.append(n)
            mask = r.data[r.at:r.at + (count + 7) // 8]
            r.at += (count + 7) // 8
            changed = [n for i, n in enumerate(listed) if mask[i // 8] >> (i % 8) & 1]
            for k in range(9):
                for n in changed:
                    known.setdefault(n, [0] * 9)[k] += r.signed()
            contacts = r.take("If")[0] if flags & 2 else 0
            frames.append({"index": index, "time": time, "step": step, "list": list(listed),
                           "values": {n: list(known.get(n, [0] * 9)) for n in listed}, "contacts": contacts})
    return header, bodies, frames


class Page(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        result = self.run_scree("run", "scene.yaml", "--out", "run.h5")
        self.assertEqual((result.code, result.err), (0, ""))

    def export(self, *options):
        result = self.run_scree("export", "run.h5", "--html", "run.html", "--force", "--json", *options)
        self.assertEqual((result.code, result.err), (0, ""))
        with open(self.path("run.html"), "rb") as file:
            page = file.read()
        self.assertEqual(json.loads(result.out)["bytes"], len(page))
        return page

    def test_says_what_was_recorded(self):
        page = self.export()
        self.assertNotIn(b"<script>alert", page)
        self.assertIn(b"<title>grains &lt;/title>&lt;script>alert(1)&lt;/script></title>", page)
        self.assertIsNone(re.search(rb'(src|href)="(?!data:,")', page), "it asks for nothing")
        header, bodies, frames = read(page)
        self.assertEqual(header["title"], "grains </title><script>alert(1)</script>")
        q = header["quantum"]
        self.assertAlmostEqual(q, 1e-4)
        seen = set()
        with h5py.File(self.path("run.h5"), "r") as file:
            index, ids = file["frames/index"][:], file["bodies/id"][:]
            poses, velocities = file["bodies/pose"][:], file["bodies/velocity"][:]
            self.assertEqual(len(frames), len(index))
            for i, f in enumerate(frames):
                step, first, count, _, contacts = (int(x) for x in index[i])
                self.assertEqual((f["index"], f["step"], f["contacts"]), (i, step, contacts))
                self.assertEqual(f["time"], file["frames/time"][i])
                self.assertEqual([bodies[n] for n in f["list"]], [tuple(x[:2]) for x in ids[first:first + count]])
                for row, n in enumerate(f["list"]):
                    v, pose, velocity = f["values"][n], poses[first + row], velocities[first + row]
                    seen.add(n)
                    self.assertLess(numpy.abs(numpy.array(v[:3]) * q - pose[:3]).max(), 0.501 * q)
                    turn = numpy.array(v[3:7]) / 32767
                    turn *= numpy.sign(turn @ pose[3:]) or 1
                    ball = bodies[n][0] >= 2
                    self.assertLess(numpy.abs(turn - pose[3:]).max(), 0.006 if ball else 4e-5)
                    speed = numpy.frombuffer(struct.pack("<H", v[7]), "<f2")[0]
                    self.assertLess(abs(float(speed) - numpy.linalg.norm(velocity[:3])), 1e-3 * float(speed) + 1e-7)
        self.assertEqual(len(seen), len(bodies))
        self.assertGreater(len(bodies), 30)

    def test_thinning(self):
        whole = len(self.export())
        frames = read(self.export("--every", "5"))[2]
        self.assertEqual(len(frames), 6)
        frames = read(self.export("--frames", "4"))[2]
        self.assertEqual([round(f["time"], 6) for f in frames], [0, 0.16, 0.34, 0.5])
        frames = read(self.export("--from", "0.1", "--to", "0.2", "--no-contacts"))[2]
        self.assertEqual([round(f["time"], 6) for f in frames], [0.1, 0.12, 0.14, 0.16, 0.18, 0.2])
        self.assertEqual(sum(f["contacts"] for f in frames), 0)
        frames = read(self.export("--bodies", "5"))[2]
        self.assertEqual(len(frames[0]["list"]), 6)
        self.assertEqual(read(self.export("--precision", "0.01"))[0]["quantum"], 0.01)
        self.assertLess(len(self.export("--precision", "0.01")), whole)

    def test_refusals(self):
        self.export()
        before = os.stat(self.path("run.html"))
        result = self.run_scree("export", "run.h5", "--html", "run.html")
        self.assertEqual(result.code, 6)
        self.assertIn("run.html: is there already", result.err)
        for options in (["--format", "csv"], ["--surface"], ["--out", "x"], ["--what", "bodies"], ["--frames", "0"], ["--precision", "0"],
                        ["--bodies", "many"]):
            self.assertEqual(self.run_scree("export", "run.h5", "--html", "other.html", *options).code, 2, options)
        self.assertEqual(self.run_scree("export", "run.h5", "--frames", "3").code, 2)
        self.assertEqual(self.run_scree("export", "run.h5", "--html", "run.h5", "--force").code, 2)
        self.assertEqual(self.run_scree("export", "run.h5", "--html", "other.html", "--from", "5").code, 3)
        self.assertFalse(os.path.exists(self.path("other.html")))
        result = self.run_on_full_disk(100000, "export", "run.h5", "--html", "run.html", "--force")
        self.assertEqual(result.code, 6, result.err)
        self.assertEqual(os.stat(self.path("run.html")).st_ino, before.st_ino)
        self.assertEqual(sorted(n for n in os.listdir(self.dir) if "html" in n), ["run.html"])


if __name__ == "__main__":
    main()
