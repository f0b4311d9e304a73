#!/usr/bin/env python3
"""Files that are not what they should be, given to every verb that reads recordings: a message in
one line, exit code 3 or 6, nothing written; and recordings that are good though they look odd."""
import os
import random
import shutil
import struct
import subprocess
import unittest

from command import SCREE, CommandTest, main, wait_until, wait_until_at_work

VERBS = {"info": [], "plot": ["--out", "x.png"], "export": ["--out", "x"], "render": ["--out", "x.png", "--size", "32x32"],
         "resume": []}


class Broken(CommandTest):
    whole = None

    def setUp(self):
        super().setUp()
        if Broken.whole is None:
            result = self.run_scree("run", "settle", "--set", "n=20", "--duration", "0.3", "--out", "r.h5")
            self.assertEqual(result.code, 0, result.err)
            with open(self.path("r.h5"), "rb") as file:
                Broken.whole = file.read()
            for name in os.listdir(self.dir):
                os.remove(self.path(name))

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def refuse(self, name, codes=(3,), verbs=VERBS):
        before = sorted(os.listdir(self.dir))
        for verb in verbs:
            result = self.run_scree(verb, name, *VERBS[verb])
            self.assertIn(result.code, codes, (verb, result.err))
            self.assertEqual(result.out, "", verb)
            self.assertTrue(result.err.startswith(f"scree {verb}: {name}: "), result.err)
            self.assertEqual(result.err.count("\n"), 1, result.err)
            self.assertEqual(sorted(os.listdir(self.dir)), before, verb)

    def test_no_file(self):
        self.refuse("missing.h5", (6,))
        os.mkdir(self.path("directory.h5"))
        self.refuse("directory.h5", (6,))
        os.mkfifo(self.path("pipe.h5"))
        self.refuse("pipe.h5", (6,))
        os.symlink("nowhere", self.path("link.h5"))
        self.refuse("link.h5", (6,))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        self.write("secret.h5", Broken.whole)
        os.chmod(self.path("secret.h5"), 0)
        self.refuse("secret.h5", (6,))

    def test_other_files(self):
        self.write("empty.h5", b"")
        self.write("text.h5", b"bodies: []\n" * 50)
        self.write("picture.h5", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
        self.write("zeros.h5", bytes(100000))
        self.write("signature.h5", b"\x89HDF\r\n\x1a\n")
        self.write("noise.h5", random.Random(1).randbytes(50000))
        self.write("head.h5", Broken.whole[:48] + random.Random(2).randbytes(50000))
        for name in ("empty", "text", "picture", "zeros", "signature", "noise", "head"):
            self.refuse(name + ".h5")
        self.packing("problem.hdf5")
        self.refuse("problem.hdf5", verbs=("plot", "export", "render", "resume"))
        self.write("good.h5", Broken.whole)
        self.run_scree("export", "good.h5", "--every", "99", "--out", "grid")
        self.refuse("grid_bodies_0000.hdf")

    @unittest.skipUnless(shutil.which("h5repack"), "h5repack of the package hdf5-tools is not there")
    def test_written_anew(self):
        """By a program that keeps the data and not their places: every verb reads it, but a run is not gone on with in it."""
        self.write("r.h5", Broken.whole)
        tables = self.tables("r.h5")
        for name, options in (("p.h5", []), ("z.h5", ["-f", "GZIP=1"]), ("s.h5", ["-f", "SHUF", "-f", "GZIP=5", "-f", "FLET"]),
                              ("c.h5", ["-l", "CONTI"])):
            with self.subTest(name):
                subprocess.run(["h5repack", *options, self.path("r.h5"), self.path(name)], check=True)
                self.assertEqual(self.tables(name), tables)
                self.assertRegex(self.check(["verify", name], 0).out, r"frames, .*: intact\n$")
                info, whole = (self.lines(self.run_scree("info", each, "--json"))[0] for each in (name, "r.h5"))
                for key in ("content", "frames", "step", "duration", "kinetic_energy", "steps"):
                    self.assertEqual(info[key], whole[key])
                for verb, *more in (["plot", "--what", "energy", "--out", "x.png"], ["render", "--out", "y.png", "--size", "32x32"]):
                    self.assertEqual(self.run_scree(verb, name, *more, "--force").code, 0)
                result = self.run_scree("resume", name, "--duration", "9")
                self.assertEqual(result.code, 3)
                self.assertIn("it is read but not gone on with; `h5repack -L -c 1000 -d 0 FILE NEW` makes one that is", result.err)
                result = self.run_scree("solve", name)
                self.assertEqual((result.code, result.err), (3, f"scree solve: {name}: /: is a recording of a run, not a problem: see `scree info`\n"))
        subprocess.run(["h5repack", "-l", "/bodies/pose:CHUNK=100x3", "-f", "GZIP=1", self.path("r.h5"), self.path("odd.h5")], check=True)
        result = self.run_scree("verify", "odd.h5")
        self.assertEqual(result.code, 3)
        self.assertIn("where it is only of a layout that is not read, `h5repack", result.err)

    def tables(self, name):
        self.assertEqual(self.run_scree("export", name, "--format", "csv", "--out", "t", "--force").code, 0)
        content = []
        for part in ("bodies", "contacts"):
            with open(self.path(f"t_{part}.csv"), "rb") as file:
                content.append(file.read())
        return content

    @unittest.skipUnless(shutil.which("h5repack"), "h5repack of the package hdf5-tools is not there")
    def test_written_anew_and_damaged(self):
        """A bit that is flipped anywhere is seen, or in what is not used."""
        self.write("r.h5", Broken.whole)
        tables = self.tables("r.h5")
        random.seed(7)
        for name, options in (("p.h5", []), ("s.h5", ["-f", "SHUF", "-f", "GZIP=5"])):
            subprocess.run(["h5repack", *options, self.path("r.h5"), self.path(name)], check=True)
            with open(self.path(name), "rb") as file:
                whole = file.read()
            for place in [random.randrange(6000) for _ in range(12)] + [random.randrange(len(whole)) for _ in range(12)]:
                data = bytearray(whole)
                data[place] ^= 1 << random.randrange(8)
                self.write("bad.h5", data)
                result = self.run_scree("export", "bad.h5", "--format", "csv", "--out", "b", "--force")
                self.assertIn(result.code, (0, 3), (name, place, result.err))
                if result.code == 0:
                    self.assertEqual(self.tables("bad.h5"), tables, (name, place))

    def test_truncated(self):
        size = len(Broken.whole)
        for cut in (9, 47, 48, 100, 500, 1000, 2000, 3000, 5000, 10000, size // 4, size // 2, size - 70000, size - 1000, size - 1):
            with self.subTest(cut=cut):
                self.write("cut.h5", Broken.whole[:cut])
                self.refuse("cut.h5", verbs=("info", "plot", "export"))

    def test_flipped(self):
        """A flipped bit is found, or it is in a number and does no harm."""
        found = 0
        dice = random.Random(3)
        for i in range(60):
            data = bytearray(Broken.whole)
            at = dice.randrange(8000) if i < 50 else dice.randrange(len(data))
            data[at] ^= 1 << dice.randrange(8)
            self.write("flip.h5", data)
            result = self.run_scree("info", "flip.h5")
            self.assertIn(result.code, (0, 3), (at, result.err))
            found += result.code == 3
            if result.code:
                self.assertRegex(result.err, r"^scree info: [^\n]+\n$")
        self.assertGreater(found, 20)

    def test_bad_numbers(self):
        """Numbers that no run writes, in data that no checksum covers."""
        # The first body is the fixed container, which has the unit quaternion.
        pose = Broken.whole.find(struct.pack("<4d", 1, 0, 0, 0)) - 24
        self.assertEqual(struct.unpack("<2d", Broken.whole[pose:pose + 16]), (0, 0))
        for offset, value in ((0, float("nan")), (8, float("inf")), (24, 0.0), (24, 1e300)):
            data = bytearray(Broken.whole)
            data[pose + offset:pose + offset + 8] = struct.pack("<d", value)
            self.write("bad.h5", data)
            self.refuse("bad.h5", verbs=("export",))
        index = Broken.whole.find(struct.pack("<5Q", 0, 0, 21, 0, 0))
        self.assertGreater(index, 0)
        for row in ((0, 0, 1 << 40, 0, 0), (0, 1 << 63, 1 << 63, 0, 0), (0, 0, 21, 1 << 50, 3)):
            data = bytearray(Broken.whole)
            data[index:index + 40] = struct.pack("<5Q", *row)
            self.write("bad.h5", data)
            self.refuse("bad.h5", verbs=("export",))


class Odd(CommandTest):
    """Recordings that a kill left in any state are read, when nobody writes to them."""

    def killed(self):
        process = self.start_scree("run", "settle", "--set", "n=60", "--duration", "600", "--set", "recording.checkpoint=0.05",
                                   "--set", "recording.every=0.005", "--out", "k.h5")
        self.assertTrue(wait_until(lambda: os.path.exists(self.path("k.h5.checkpoint")), process))
        frames = 0
        while frames < 20:  # its checkpoint has a name a moment before it does
            told = self.lines(self.run_scree("info", "k.h5", "--json"))
            frames = told[0]["frames"] if told else frames
        process.kill()
        process.wait()

    def test_flags(self):
        """The superblock's mark: 0 none, 1 open to write, 4 and 5 open to write while others read."""
        self.killed()
        with open(self.path("k.h5"), "rb") as file:
            whole = file.read()
        self.assertNotEqual(whole[11], 0)
        checksum = lookup3(whole[:44])
        self.assertEqual(struct.unpack("<I", whole[44:48])[0], checksum)
        frames = None
        for flags in (whole[11], 1, 4, 5):
            data = bytearray(whole)
            data[11] = flags
            data[44:48] = struct.pack("<I", lookup3(bytes(data[:44])))
            with open(self.path("m.h5"), "wb") as file:
                file.write(data)
            shutil.copy(self.path("k.h5.checkpoint"), self.path("m.h5.checkpoint"))
            for name in ("floor", "energy"):
                shutil.copy(self.path(f"k_{name}.csv"), self.path(f"m_{name}.csv"))
            found = self.lines(self.run_scree("info", "m.h5", "--json"))[0]
            self.assertEqual(found["state"], "stopped")
            self.assertGreater(found["frames"], 5)
            frames = frames or found["frames"]
            self.assertEqual(found["frames"], frames)
            exported = self.lines(self.run_scree("export", "m.h5", "--force", "--out", "m.csv", "--json"))[0]
            self.assertEqual(exported["frames"], frames)
            result = self.run_scree("resume", "m.h5", "--duration", str(found["simulated_seconds"] + 0.05), "--json")
            self.assertEqual(result.code, 0, result.err)
            self.assertGreater(self.lines(self.run_scree("info", "m.h5", "--json"))[0]["frames"], frames)

    def test_live(self):
        """A run that is being written is read at any moment, and grows."""
        process = subprocess.Popen([SCREE, "run", "settle", "--set", "n=60", "--duration", "600", "--set",
                                    "recording.checkpoint=0.001", "--set", "recording.every=0.005", "--out", "k.h5"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: os.path.exists(self.path("k.h5")), process))
        frames = []
        while len(frames) < 25 or frames[-1] <= frames[0] + 2:
            result = self.run_scree("info", "k.h5", "--json")
            self.assertEqual((result.code, result.err), (0, ""))
            frames.append(self.lines(result)[0]["frames"])
        process.kill()
        process.wait()
        self.assertEqual(frames, sorted(frames))

    def test_no_holes(self):
        """A run that goes on after kills leaves no holes in its file."""
        self.killed()
        until = self.lines(self.run_scree("info", "k.h5", "--json"))[0]["simulated_seconds"]
        for i in range(5):
            process = self.start_scree("resume", "k.h5")
            wait_until_at_work(process, 0.1 + 0.05 * i)
            process.kill()
            process.wait()
        until = self.lines(self.run_scree("info", "k.h5", "--json"))[0]["simulated_seconds"]
        self.assertEqual(self.run_scree("resume", "k.h5", "--duration", str(until + 0.01)).code, 0)
        told = self.lines(self.run_scree("info", "k.h5", "--json"))[0]
        rows = told["frames"] * (61 * (12 + 56 + 24) + 200 * 48) + told["steps"] * 200
        self.assertLess(os.path.getsize(self.path("k.h5")), 2 * rows + 6e6)


def lookup3(data):
    """The checksum of HDF5's metadata."""
    mask = 0xffffffff

    def turn(x, k):
        return (x << k | x >> (32 - k)) & mask
    a = b = c = (0xdeadbeef + len(data)) & mask
    while True:
        word = struct.unpack("<3I", data[:12].ljust(12, b"\0"))
        a, b, c = (a + word[0]) & mask, (b + word[1]) & mask, (c + word[2]) & mask
        if len(data) <= 12:
            break
        data = data[12:]
        for k in (4, 6, 8, 16, 19, 4):
            a = ((a - c) & mask) ^ turn(c, k)
            c = (c + b) & mask
            a, b, c = b, c, a
    for k in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - turn(b, k)) & mask
        a, b, c = b, c, a
    return b


if __name__ == "__main__":
    main()
