#!/usr/bin/env python3
"""Recordings that do not lie: checksums, checkpoints, tables of probes, tools that come after a kill."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from command import SCREE, SOURCE, CommandTest, main, wait_until_at_work

SMALL = ["settle", "--set", "n=20", "--solver", "gs", "--set", "recording.every=0.01"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Trust(CommandTest):
    def make(self, name="r.h5", *more):
        result = self.run_scree("run", *SMALL, "--duration", "0.2", "--out", name, *more)
        self.assertEqual((result.code, result.err), (0, ""))

    def content(self, stem="r"):
        """All that a recording and its tables say."""
        result = self.run_scree("export", stem + ".h5", "--format", "csv", "--out", "x/out")
        tables = [result.code] + [read(self.path(f"x/out_{k}.csv")) for k in ("bodies", "contacts", "steps") if result.code == 0]
        for name in os.listdir(self.path("x")):
            os.remove(self.path("x/" + name))
        return tables

    def test_checkpoints_of_another_version(self):
        """Whole ones are no damage: verify says so and what it did not compare; with a flipped bit, or a version that was flipped, they are."""
        self.make()
        good = {name: read(self.path(name)) for name in ("r.h5.checkpoint", "r.h5.checkpoint.old")}

        def crc32c(data):
            value = 0xffffffff
            for byte in data:
                value ^= byte
                for _ in range(8):
                    value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
            return value ^ 0xffffffff

        def of_version(data, version):
            head = data[:6] + version + data[8:52]
            return head + struct.pack("<I", crc32c(head)) + data[56:]
        for name, data in good.items():
            write(self.path(name), of_version(data, data[6:8]))
            self.assertEqual(read(self.path(name)), data)
            write(self.path(name), of_version(data, b"99"))
        result = self.run_scree("verify", "r.h5")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("0 checkpoints: intact\n2 checkpoints are of another version of Scree", result.out)
        self.assertEqual(json.loads(self.run_scree("verify", "r.h5", "--json").out)["foreign_checkpoints"], 2)
        self.assertEqual(self.run_scree("resume", "r.h5").code, 3)
        data = bytearray(of_version(good["r.h5.checkpoint"], b"99"))
        data[len(data) // 2] ^= 4
        for broken in (bytes(data), good["r.h5.checkpoint"][:6] + b"99" + good["r.h5.checkpoint"][8:]):
            write(self.path("r.h5.checkpoint"), broken)
            result = self.run_scree("verify", "r.h5")
            self.assertEqual((result.code, result.err), (3, "scree verify: r.h5.checkpoint: it is of another version of Scree, or damaged\n"))

    def test_every_step(self):
        """Frames and rows 1e-320 s apart are those of every step; there were none but the first."""
        write(self.path("s.yaml"), b"step: 5 ms\nduration: 0.02 s\nrecording: {every: 1e-320}\n"
                                   b"bodies: [{name: b, shape: {sphere: {radius: 0.1}}}]\n"
                                   b"probes: [{name: p, kind: body, body: b, every: 1e-320}]\n")
        self.assertEqual(self.run_scree("run", "s.yaml", "--out", "r.h5").code, 0)
        self.check(["verify", "r.h5"], 0, "", "r.h5: 5 frames, 4 steps, 1 probes, 2 checkpoints: intact\n")
        self.assertEqual(read(self.path("r_p.csv")).count(b"\n"), 1 + 5)

    def test_verify(self):
        self.make()
        self.check(["verify", "r.h5"], 0, "", "r.h5: 21 frames, 40 steps, 2 probes, 2 checkpoints: intact\n")
        self.assertEqual(self.lines(self.run_scree("verify", "r.h5", "--json"))[0]["faults"], 0)
        table = read(self.path("r_energy.csv"))
        write(self.path("r_energy.csv"), table[:-1] + b"7")
        result = self.run_scree("verify", "r.h5")
        self.assertEqual((result.code, result.err), (
            3, "scree verify: r_energy.csv: the table is not as its run left it: the checksum is wrong\n"))
        write(self.path("r_energy.csv"), table[:-5])
        self.assertIn("the table is shorter than its run left it", self.run_scree("verify", "r.h5").err)
        # Rows that someone added are not of the run; rows behind the checkpoint of a killed run are not known to be. Both are told.
        write(self.path("r_energy.csv"), table + b"7,7,7,7,7,7,7\n")
        self.check(["verify", "r.h5"], 0, "", "r.h5: 21 frames, 40 steps, 2 probes, 2 checkpoints: intact\n"
                   "14 bytes of tables lie behind the last checkpoint: no checksum covers them\n")
        self.assertEqual(self.lines(self.run_scree("verify", "r.h5", "--json"))[0]["loose_bytes"], 14)
        self.check(["verify", "none.h5"], 6, "scree verify: none.h5: cannot be opened: No such file or directory\n")

    def test_long_names(self):
        """Names of probes that checkpoints keep whole; longer ones are refused."""
        scene = ("duration: 0.02 s\nbodies: [{name: a, shape: {sphere: {radius: 1}}}]\n"
                 "probes: [{name: %s1, kind: energy}, {name: %s2, kind: body, body: a}]\n")
        write(self.path("t.yaml"), (scene % ("n" * 94, "n" * 94)).encode())
        self.check(["run", "t.yaml", "--out", "t.h5"], 0, "")
        self.check(["verify", "t.h5"], 0, "")
        write(self.path("t.yaml"), (scene % ("n" * 95, "n" * 95)).encode())
        for verb in ("check", "run"):
            result = self.run_scree(verb, "t.yaml")
            self.assertEqual(result.code, 3)
            self.assertIn("t.yaml:3:17: name: it has 96 bytes; 95 are allowed for a probe", result.err)

    def test_flips(self):
        """No flipped bit of recording, table or checkpoint passes, and no reader takes a damaged number for good."""
        self.make()
        os.mkdir(self.path("x"))
        good = self.content()
        names = ["r.h5"] * 14 + ["r.h5.checkpoint"] * 3 + ["r.h5.checkpoint.old", "r_energy.csv", "r_floor.csv"]
        whole = {name: read(self.path(name)) for name in set(names)}
        dice = random.Random(15)
        unused = found = 0
        for i in range(int(os.environ.get("SCREE_FLIPS", "40"))):
            name = names[i % len(names)]
            data = bytearray(whole[name])
            at = dice.randrange(len(data)) if name != "r.h5" or i % 2 else dice.choice(USED(data, dice))
            data[at] ^= 1 << dice.randrange(8)
            write(self.path(name), data)
            result = self.run_scree("verify", "r.h5")
            if result.code == 0:
                # Space that nothing refers to: everything reads as before.
                self.assertEqual(name, "r.h5", at)
                self.assertEqual(self.content(), good, at)
                unused += 1
            else:
                self.assertEqual(result.code, 3, result.err)
                self.assertRegex(result.err, r"^(scree verify: [^\n]+\n)+$")
                found += 1
                if name == "r.h5" and i % 5 == 0:
                    seen = self.content()
                    self.assertTrue(seen[0] == 3 or seen == good, at)
            write(self.path(name), whole[name])
        self.assertGreater(found, 0.5 * (unused + found))
        self.check(["verify", "r.h5"], 0, "")

    def test_named_frame(self):
        self.make()
        data = bytearray(read(self.path("r.h5")))
        # The first body of each frame is the fixed container, which has the unit quaternion.
        at = data.find(struct.pack("<4d", 1, 0, 0, 0))
        data[at] ^= 16
        write(self.path("r.h5"), data)
        frame = self.run_scree("export", "r.h5", "--out", "e").err
        self.assertIn("frame 0: the poses are damaged", frame)
        self.assertRegex(frame, r"^scree export: r\.h5: frame \d+: [a-z ]+ (is|are) damaged: the checksum is wrong; `scree "
                         r"verify` looks through all, `scree salvage` saves what is intact\n$")

    def killed(self, wait=0.4):
        process = self.start_scree("run", *SMALL, "--duration", "200", "--set", "recording.checkpoint=0.05", "--out", "k.h5")
        while not os.path.exists(self.path("k.h5")):
            time.sleep(0.01)
        wait_until_at_work(process, wait)
        process.send_signal(signal.SIGKILL)
        process.wait()

    @unittest.skipUnless(shutil.which("h5clear"), "needs h5clear")
    def test_h5clear(self):
        """It cut recordings to 7,848 bytes: the superblock told that they ended there."""
        self.killed()
        before = self.lines(self.run_scree("info", "k.h5", "--json"))[0]
        size = os.path.getsize(self.path("k.h5"))
        subprocess.run(["h5clear", "-s", "k.h5"], cwd=self.dir, check=True)
        self.assertGreater(os.path.getsize(self.path("k.h5")), 0.5 * size)
        after = self.lines(self.run_scree("info", "k.h5", "--json"))[0]
        self.assertGreaterEqual(after["frames"], 0.9 * before["frames"])
        self.assertEqual(self.run_scree("resume", "k.h5", "--duration", str(before["simulated_seconds"] + 0.1)).code, 0)
        self.assertEqual(self.run_scree("verify", "k.h5").code, 0)

    def test_torn_structure(self):
        """Structure that a crash of the machine tore: read and gone on with as of the checkpoint."""
        self.killed()
        data = bytearray(read(self.path("k.h5")))
        for name in (b"EAIB", b"EAHD"):
            at = data.find(name)
            data[at + 20:at + 40] = bytes(20)
        write(self.path("k.h5"), data)
        result = self.run_scree("info", "k.h5", "--json")
        self.assertEqual((result.code, result.err), (
            0, "scree info: k.h5: its structure is damaged; it is read as of its last checkpoint\n"))
        self.assertEqual(self.run_scree("verify", "k.h5").code, 3)
        until = self.lines(result)[0]["simulated_seconds"] + 0.05
        self.check(["resume", "k.h5", "--duration", str(until)], 0, "")
        self.assertEqual(self.run_scree("verify", "k.h5").code, 0)

    def test_cut_copy(self):
        """Half of the recording of a killed run: the file cannot tell that it is short, its checkpoint can."""
        self.killed()
        whole = read(self.path("k.h5"))
        frames = self.lines(self.run_scree("info", "k.h5", "--json"))[0]["frames"]
        self.assertEqual(self.run_scree("verify", "k.h5").code, 0)
        told = 0
        for share in (0.5, 0.6, 0.7, 0.8, 0.9):
            write(self.path("k.h5"), whole[:int(len(whole) * share)])
            result = self.run_scree("verify", "k.h5")
            if result.code == 0:
                # All that is missing came after the last checkpoint, on which the run can go on.
                until = self.lines(self.run_scree("info", "k.h5", "--json"))[0]["simulated_seconds"] + 0.05
                self.check(["resume", "k.h5", "--duration", str(until)], 0, "")
                break
            self.assertEqual(result.code, 3, share)
            if "shorter than its checkpoint says" not in result.err:
                continue # its structure is cut too
            told += 1
            self.assertIn("shorter than its checkpoint says", self.run_scree("info", "k.h5").err)
            saved = self.run_scree("salvage", "k.h5", "--out", "s.h5", "--force", "--json")
            self.assertRegex(saved.err, "lost: k.h5: (frames|steps) .* not whole in the file")
            saved = self.lines(saved)[0]
            self.assertGreater(saved["lost_frames"] + saved["lost_steps"], 0)
            self.assertLessEqual(saved["frames"] + saved["lost_frames"], frames)
            self.assertEqual(self.run_scree("verify", "s.h5").code, 0)
        self.assertGreater(told, 0)

    def test_checkpoints(self):
        self.make("a.h5")
        self.make("b.h5")
        for end in ("", ".old"):
            shutil.copy(self.path("a.h5.checkpoint" + end), self.path("b.h5.checkpoint" + end))
        self.check(["resume", "b.h5"], 3, "scree resume: b.h5.checkpoint: it is of another run than the recording, and the one "
                   "before is of another run than the recording; put the recording back that belongs to it, or remove the "
                   "checkpoint: then the run starts from 0 and writes equal frames once more\n", "")
        # An older copy of a recording, with checkpoints that are newer.
        self.make("c.h5")
        old = read(self.path("c.h5"))
        self.check(["resume", "c.h5", "--duration", "0.3"], 0, "")
        self.check(["resume", "c.h5", "--duration", "0.4"], 0, "")
        write(self.path("c.h5"), old)
        result = self.run_scree("resume", "c.h5")
        self.assertEqual(result.code, 3)
        self.assertIn("is newer than the recording, which lacks frames", result.err)
        self.assertIn("remove the checkpoint", result.err)
        for end in ("", ".old"):
            os.remove(self.path("c.h5.checkpoint" + end))
        self.check(["resume", "c.h5"], 0, "scree resume: c.h5: there is no checkpoint; the run starts from 0\n")
        self.check(["verify", "c.h5"], 0, "")

    def test_tables(self):
        self.make()
        table = read(self.path("r_energy.csv"))
        write(self.path("r_energy.csv"), table[:100])
        result = self.run_scree("resume", "r.h5", "--duration", "0.3")
        self.assertEqual(result.code, 3)
        self.assertIn("r_energy.csv: the table is shorter than its checkpoint says", result.err)
        self.assertEqual(read(self.path("r_energy.csv")), table[:100])
        write(self.path("r_energy.csv"), table + b"half a row")
        self.check(["resume", "r.h5", "--duration", "0.3"], 0, "")
        self.assertTrue(read(self.path("r_energy.csv")).startswith(table))
        self.assertNotIn(b"half", read(self.path("r_energy.csv")))

    def test_duration_is_remembered(self):
        self.make()
        # Killed long before its next checkpoint: the one that keeps the new duration was written first.
        process = self.start_scree("resume", "r.h5", "--duration", "1000")
        wait_until_at_work(process, 0.2)
        self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        process = self.start_scree("resume", "r.h5")
        wait_until_at_work(process, 0.3, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 7)  # it has far more to do than the 0.2 s that it was begun with
        self.assertGreater(self.lines(self.run_scree("info", "r.h5", "--json"))[0]["simulated_seconds"], 1.0)

    def test_kept(self):
        """Results are kept unless --force is given; what the scene is read from is never written."""
        self.make()
        before = read(self.path("r.h5"))
        self.check(["run", *SMALL, "--out", "r.h5"], 6,
                   "scree run: r.h5: is there already; give another name, or --force to replace it\n", "")
        self.assertEqual(read(self.path("r.h5")), before)
        self.make("r.h5", "--force")
        self.assertNotEqual(read(self.path("r.h5")), before)
        self.check(["verify", "r.h5"], 0, "")
        scene = b"duration: 0.1 s\nbodies: [{shape: {sphere: {radius: 1}}}]\n"
        write(self.path("t.yaml"), scene)
        self.check(["run", "t.yaml", "--out", "t.yaml", "--force"], 2, "scree run: t.yaml: the scene is read from it, so it is "
                   "not written; give the recording another name\n", "")
        os.symlink("t.yaml", self.path("u.h5"))
        self.assertEqual(self.run_scree("run", "t.yaml", "--out", "u.h5", "--force").code, 2)
        self.assertEqual(read(self.path("t.yaml")), scene)

    def test_inputs_of_other_verbs_are_kept(self):
        """Neither a mesh, an include or a library nor the recording that a run begins from is replaced, whatever is forced."""
        parts = {"inc.yaml": b"parameters: {q: 1}\n",
                 "t.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n",
                 "t.yaml": b"include: [inc.yaml]\nstep: 5 ms\nduration: 0.05 s\nbodies:\n  - {name: rock, shape: {mesh: {file: t.obj}}, density: 1}\n"}
        for name, data in parts.items():
            write(self.path(name), data)
        self.assertEqual(self.run_scree("run", "t.yaml", "--out", "r.h5").code, 0)
        parts["r.h5"] = read(self.path("r.h5"))
        os.link(self.path("t.obj"), self.path("link.hdf5"))
        for words in (["fmu", "t.yaml", "--out", "t.obj"], ["fmu", "t.yaml", "--out", "inc.yaml"],
                      ["fmu", "t.yaml", "--library", "r.h5", "--out", "r.h5"],
                      ["run", "t.yaml", "--export-problem", "1", "--export-to", "t.obj"],
                      ["run", "t.yaml", "--export-problem", "1", "--export-to", "inc.yaml", "--out", "new.h5"],
                      ["run", "t.yaml", "--export-problem", "1", "--export-to", "link.hdf5"],
                      ["resume", "r.h5", "--duration", "0.1", "--export-problem", "11", "--export-to", "t.obj"],
                      ["run", "t.yaml", "--from", "r.h5", "--out", "r.h5"], ["run", "t.yaml", "--from", "r.h5@0.02", "--out", "r.h5"],
                      ["run", "t.yaml", "--set", "from=r.h5", "--export-problem", "1", "--export-to", "r.h5"]):
            with self.subTest(words=words):
                result = self.run_scree(*words, "--force")
                self.assertEqual(result.code, 2, result.err)
                self.assertIn("is not written; give", result.err)
                for name, data in parts.items():
                    self.assertEqual(read(self.path(name)), data, name)
                self.assertFalse(os.path.exists(self.path("new.h5")))

    def test_names_beside_results(self):
        """A recording named as what is written beside another would be lost to that one: k.h5.new to k.h5."""
        for end in (".new", ".part", ".checkpoint", ".checkpoint.old"):
            self.check(["run", *SMALL, "--out", "k.h5" + end, "--force"], 6, f"scree run: k.h5{end}: .new, .part, .checkpoint and "
                       ".checkpoint.old are the ends of files beside results; give another name\n", "")
        self.make("k.h5")
        before = read(self.path("k.h5.checkpoint"))
        self.assertEqual(self.run_scree("salvage", "k.h5", "--out", "k.h5.checkpoint", "--force").code, 6)
        self.assertEqual(read(self.path("k.h5.checkpoint")), before)

    def test_salvage(self):
        self.make()
        data = bytearray(read(self.path("r.h5")))
        pose = data.find(struct.pack("<4d", 1, 0, 0, 0))
        data[pose] ^= 16
        write(self.path("r.h5"), data)
        result = self.run_scree("salvage", "r.h5", "--out", "s.h5", "--json")
        self.assertEqual((result.code, result.err), (
            0, "scree salvage: lost: r.h5: frame 0: the poses are damaged: the checksum is wrong\n"))
        saved = self.lines(result)[0]
        self.assertEqual((saved["frames"], saved["lost_frames"], saved["steps"], saved["lost_steps"]), (20, 1, 40, 0))
        self.check(["verify", "s.h5"], 0, "", "s.h5: 20 frames, 40 steps, 0 probes, 0 checkpoints: intact\n")
        self.assertEqual(self.run_scree("render", "s.h5", "--out", "s.png", "--size", "32x32", "--samples", "1").code, 0)
        self.check(["salvage", "r.h5", "--out", "r.h5", "--force"], 2, "scree salvage: r.h5: it is read from, so it is not "
                   "written; give another name\n", "")
        os.link(self.path("r_energy.csv"), self.path("t.h5"))
        shutil.copy(os.path.join(SOURCE, "scenes/settle.yaml"), self.path("scene.yaml"))
        for more in (["r_energy.csv"], ["t.h5"], ["scene.yaml", "--scene", "scene.yaml"]):
            result = self.run_scree("salvage", "r.h5", "--force", "--out", *more)
            self.assertEqual((result.code, result.err), (2, f"scree salvage: {more[0]}: it is read from, so it is not written; "
                                                         "give another name\n"))
        os.remove(self.path("t.h5"))
        # A scene that is damaged is not run, nor drawn: the frames are saved with one that is given.
        at = data.find(b"spheres fall into")
        data[at] ^= 1
        write(self.path("r.h5"), data)
        for verb in (["resume", "r.h5"], ["render", "r.h5", "--out", "x.png"], ["salvage", "r.h5", "--out", "t.h5"]):
            result = self.run_scree(*verb)
            self.assertEqual(result.code, 3)
            self.assertIn("its scene is damaged: the checksum of", result.err)
        self.assertEqual(self.run_scree("salvage", "r.h5", "--scene", "settle", "--out", "t.h5").code, 0)
        self.check(["verify", "t.h5"], 0, "")

    def test_tables_of_probes_are_kept(self):
        write(self.path("t.yaml"), b"duration: 0.1 s\nbodies: [{name: a, shape: {sphere: {radius: 1}}}]\n"
              b"probes: [{name: bodies, kind: energy}, {name: steps, kind: body, body: a}]\n")
        self.check(["run", "t.yaml", "--out", "r.h5"], 0, "")
        tables = [read(self.path(f"r_{name}.csv")) for name in ("bodies", "steps")]
        self.check(["export", "r.h5", "--format", "csv", "--force"], 2, "scree export: r_bodies.csv: it is the table of the probe "
                   "'bodies'; give another stem by --out\n", "")
        self.assertEqual([read(self.path(f"r_{name}.csv")) for name in ("bodies", "steps")], tables)

    @unittest.skipUnless(shutil.which("ffmpeg"), "needs ffmpeg")
    def test_films(self):
        self.make()
        film = ["render", "r.h5", "--size", "320x240", "--samples", "1", "--fps", "60"]
        self.assertEqual(self.run_scree(*film, "--out", "-a:b.mp4").code, 0)
        self.assertGreater(os.path.getsize(self.path("-a:b.mp4")), 1000)
        for limit in (100, 4000):
            result = self.run_on_full_disk(limit, *film, "--out", "full.mp4")
            self.assertEqual(result.code, 6, result.err)
            self.assertEqual([name for name in os.listdir(self.dir) if name.startswith("full")], [])

    def test_links_are_not_followed(self):
        """A link in the place of a temporary name, to a file that is there and to one that is not: the one is not changed (the name
        is compared with what was opened), the other does not come to be (O_NOFOLLOW). What was there before is taken away where it
        is ours to replace, else the run is refused."""
        for name, code in (("r.h5.new", 6), ("r_p.csv.new", 6), ("r.h5.checkpoint.new", 0)):
            for target in ("precious", "nothing"):
                with self.subTest(name + " to " + target):
                    write(self.path("s.yaml"), b"step: 5 ms\nduration: 0.02 s\nbodies: [{name: b, shape: {sphere: {radius: 0.1}}}]\n"
                                               b"probes: [{name: p, kind: body, body: b}]\n")
                    write(self.path("precious"), b"mine")
                    os.symlink(target, self.path(name))
                    result = self.run_scree("run", "s.yaml", "--out", "r.h5", "--force")
                    self.assertEqual(result.code, code, result.err)
                    self.assertEqual(read(self.path("precious")), b"mine")
                    self.assertFalse(os.path.lexists(self.path("nothing")))
                    for left in os.listdir(self.dir):
                        os.remove(self.path(left))


def USED(data, dice):
    """Places that hold something."""
    places = [i for i in (dice.randrange(len(data)) for _ in range(400)) if data[i]]
    return places or [0]


if __name__ == "__main__":
    main()
