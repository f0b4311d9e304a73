#!/usr/bin/env python3
"""Recordings of runs that had ended, cut short: `verify` tells it, `salvage` saves all that is there."""
import os
import random
import unittest

from command import CommandTest, main

RUN = ["settle", "--set", "n=100", "--solver", "gs", "--set", "recording.every=0.002", "--duration", "0.3"]
SHARES = [0.0001, 0.003, 0.01, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Cut(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("x"))
        result = self.run_scree("run", *RUN, "--out", "r.h5")
        self.assertEqual((result.code, result.err), (0, ""))
        self.whole = read(self.path("r.h5"))
        self.checkpoints = {end: read(self.path("r.h5.checkpoint" + end)) for end in ("", ".old")}
        self.told = self.lines(self.run_scree("verify", "r.h5", "--json"))[0]
        self.tables = self.export("r.h5")

    def export(self, name):
        """Rows of bodies and contacts by their time, rows of steps."""
        result = self.run_scree("export", name, "--format", "csv", "--out", "x/out", "--force")
        self.assertEqual((result.code, result.err), (0, ""))
        tables = []
        for kind in ("bodies", "contacts"):
            rows = {}
            for line in read(self.path(f"x/out_{kind}.csv")).splitlines()[1:]:
                rows.setdefault(line.split(b",")[1], []).append(line.split(b",", 1)[1])
            tables.append(rows)
        return tables + [read(self.path("x/out_steps.csv")).splitlines()]

    def place(self, data, checkpoints):
        write(self.path("c.h5"), data)
        for end, bytes_ in self.checkpoints.items():
            if checkpoints:
                write(self.path("c.h5.checkpoint" + end), bytes_)
            elif os.path.exists(self.path("c.h5.checkpoint" + end)):
                os.remove(self.path("c.h5.checkpoint" + end))

    def salvage(self):
        result = self.run_scree("salvage", "c.h5", "--out", "s.h5", "--force", "--json")
        if result.code:
            self.assertEqual(result.code, 3)
            return None, result
        saved = self.lines(result)[0]
        self.assertEqual(saved["frames"] + saved["lost_frames"], self.told["frames"])
        self.assertEqual(saved["steps"] + saved["lost_steps"], self.told["steps"])
        self.assertEqual(self.run_scree("verify", "s.h5").code, 0)
        return saved, result

    def compare(self, saved):
        """What was saved is what the whole one has."""
        if not saved["frames"]:
            return
        bodies, contacts, steps = self.export("s.h5")
        self.assertEqual(len(bodies), saved["frames"])
        for time, rows in bodies.items():
            self.assertEqual(rows, self.tables[0][time])
        for time, rows in contacts.items():
            self.assertEqual(rows, self.tables[1][time])
        self.assertEqual(len(steps) - 1, saved["steps"])
        self.assertEqual(steps, self.tables[2][:len(steps)])

    def test_shares(self):
        before, some, all_ = 0, 0, 0
        for share in SHARES:
            size = int(len(self.whole) * share)
            # What is there, by another way: the whole structure, and rows that are overwritten.
            self.place(self.whole[:size] + b"\xaa" * (len(self.whole) - size), True)
            there, _ = self.salvage()
            for checkpoints in (True, False):
                with self.subTest(share=share, checkpoints=checkpoints):
                    self.place(self.whole[:size], checkpoints)
                    verified = self.run_scree("verify", "c.h5")
                    self.assertEqual(verified.code, 3)
                    self.assertRegex(verified.err, "truncated|shorter|structure is damaged")
                    saved, result = self.salvage()
                    if not saved: # not even the scene is there
                        self.assertLess(share, 0.01)
                        self.assertRegex(result.err, "truncated|scene is not whole|not a recording")
                        continue
                    self.compare(saved)
                    if there and (checkpoints or share > 0.9):
                        self.assertEqual((saved["frames"], saved["steps"]), (there["frames"], there["steps"]))
                    if saved["lost_frames"]:
                        self.assertIn("lost: c.h5: frames ", result.err)
                    if checkpoints:
                        self.assertGreaterEqual(saved["frames"], before)
                        before = saved["frames"]
                    some += 0 < saved["frames"] < self.told["frames"]
                    all_ += saved["frames"] == self.told["frames"] and saved["steps"] == self.told["steps"]
        self.assertGreater(some, 3)
        self.assertGreaterEqual(all_, 4)

    def test_scene_of_ones_own(self):
        """The scene is cut off, its structure is in the checkpoint: a scene that is given takes its place."""
        self.place(self.whole[:3000], True)
        _, result = self.salvage()
        self.assertIn("its scene is not whole", result.err)
        result = self.run_scree("salvage", "c.h5", "--out", "s.h5", "--scene", "settle", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.lines(result)[0]["frames"], 0)

    def test_flips_in_structure(self):
        """Without a checkpoint: what the rest of the structure leads to is saved, and is right."""
        numbers = random.Random(5)
        saved_some = 0
        for _ in range(30):
            data = bytearray(self.whole)
            at = numbers.randrange(48, 16000)
            data[at] ^= 1 << numbers.randrange(8)
            self.place(bytes(data), False)
            result = self.run_scree("salvage", "c.h5", "--out", "s.h5", "--force", "--json")
            self.assertIn(result.code, (0, 3))
            if result.code:
                continue
            self.compare(self.lines(result)[0])
            saved_some += self.lines(result)[0]["frames"] > 0
        self.assertGreater(saved_some, 0)

    def test_checkpoint_of_another_run(self):
        """Its structure is not laid over a recording that tells the name of its own run."""
        result = self.run_scree("run", *RUN, "--set", "n=60", "--out", "o.h5")
        self.assertEqual(result.code, 0)
        self.place(self.whole[:int(len(self.whole) * 0.7)], False)
        alone, _ = self.salvage()
        for end in self.checkpoints:
            write(self.path("c.h5.checkpoint" + end), read(self.path("o.h5.checkpoint" + end)))
        self.assertIn("truncated", self.run_scree("info", "c.h5").err)
        saved, _ = self.salvage()
        self.assertEqual(saved, alone)
        self.compare(saved)


if __name__ == "__main__":
    main()
