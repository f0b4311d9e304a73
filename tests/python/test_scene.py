#!/usr/bin/env python3
"""Scenes and runs: the same bits as the command, dicts, recordings as arrays, probes, states, many at once."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np

import scree

COMMAND = os.environ["SCREE_COMMAND"]
BALL = {"step": 0.005, "duration": 0.5, "recording": {"every": 0.05},
        "bodies": [{"name": "ground", "kind": "fixed", "shape": {"half_space": {}}},
                   {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.5]}],
        "probes": [{"name": "fall", "kind": "body", "body": "ball"}]}


def by_command(*arguments):
    done = subprocess.run([COMMAND, "run", *arguments, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().split("\n")[-1])


def read_png(path):
    """8-bit rgb, by hand: the tests have no library for pictures."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            size = struct.unpack(">II", data[at + 8:at + 16])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    width, height = size
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    out = np.zeros((height, 3 * width), int)
    for y in range(height):
        row, above = raw[y, 1:].astype(int), out[y - 1] if y else np.zeros(3 * width, int)
        for x in range(3 * width):
            a, b, c = (out[y, x - 3] if x > 2 else 0), above[x], (above[x - 3] if x > 2 else 0)
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            out[y, x] = (row[x] + (0, a, b, (a + b) // 2, paeth)[raw[y, 0]]) % 256
    return out.astype(np.uint8).reshape(height, width, 3)


class Bits(unittest.TestCase):
    def test_same_bits_as_the_command(self):
        for name, sets in (("dominoes", ["duration=0.2"]), ("hopper", ["duration=0.05"]), ("arch", ["duration=0.05"])):
            with self.subTest(name):
                sim = scree.Sim(name, sets=sets)
                sim.run()
                said = by_command(name, *(word for change in sets for word in ("--set", change)))
                self.assertEqual(sim.state_hash, said["state_hash"])
                self.assertEqual(sim.summary.steps, said["steps"])

    def test_parameters(self):
        said = by_command("incline", "--set", "duration=0.1", "--set", "solver.model=relaxed")
        sim = scree.Sim("incline", sets=["solver.model=relaxed"], duration=0.1)
        sim.run()
        self.assertEqual(sim.state_hash, said["state_hash"])
        # One change alone, and a dict of them, are taken as well.
        for sets in ("solver.model=relaxed", {"solver.model": "relaxed"}):
            sim = scree.Sim("incline", sets=sets, duration=0.1)
            sim.run()
            self.assertEqual(sim.state_hash, said["state_hash"])

    def test_dict_and_file_are_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.json")
            with open(path, "w") as file:
                json.dump(BALL, file)
            said = by_command(path)
        sim = scree.Sim({**BALL, "bodies": [BALL["bodies"][0], {**BALL["bodies"][1], "position": np.array([0, 0, 0.5])}]})
        sim.run()
        self.assertEqual(sim.state_hash, said["state_hash"])


class Faults(unittest.TestCase):
    def test_place_and_all_faults(self):
        with self.assertRaises(scree.InputError) as caught:
            scree.Scene.from_text("step: 0.01\nbodies:\n  - shap: 1\n  - shape: {cube: 1}\n", "wrong.yaml").check()
        self.assertIn("wrong.yaml:3:", str(caught.exception))
        self.assertGreaterEqual(len(caught.exception.faults), 2)
        with self.assertRaises(scree.Error):
            scree.Scene("no-such-scene")
        with self.assertRaisesRegex(ValueError, "finite"):
            scree.Scene({"step": float("nan")})

    def test_overlaps(self):
        scene = {**BALL, "bodies": [BALL["bodies"][0], {**BALL["bodies"][1], "position": [0, 0, 0.01]}]}
        with self.assertRaisesRegex(scree.InputError, "overlaps"):
            scree.Sim(scene)
        scree.Sim(scene, check_overlap=False).step()


class Recordings(unittest.TestCase):
    def test_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            sim = scree.Sim(BALL, path)
            heights = [sim.world.positions[1, 2]] + [sim.world.positions[1, 2] for _ in sim]
            summary = sim.finish()
            self.assertEqual(summary.steps, 100)
            sim.close()
            recording = scree.Recording(path)
            self.assertEqual(len(recording), 11)
            np.testing.assert_allclose(recording.times, np.arange(11) * 0.05, atol=1e-9)
            np.testing.assert_array_equal(recording.positions("ball")[:, 2], np.array(heights)[::10])
            frame = recording[-1]
            self.assertEqual(frame.step, 100)
            self.assertEqual(frame.positions.shape, (2, 3))
            self.assertAlmostEqual(recording.get_body(recording.body("ball")).mass, 1000 * 4 / 3 * np.pi * 1e-3)
            np.testing.assert_allclose(recording.steps["time"][-1], 0.5)
            table = recording.probe("fall")
            np.testing.assert_allclose(table["z [m]"], heights)
            self.assertEqual(recording.verify().faults, 0)
            info = recording.export(os.path.join(folder, "table"), format="csv")
            self.assertGreater(info.files, 0)
            held = recording.world
            recording.close()
            self.assertEqual(held.body_count, 2)  # the recording lives as long as its world
            with self.assertRaises(scree.FileError):
                scree.Sim(BALL, path)
            with self.assertRaises(scree.Error):
                scree.Recording(os.path.join(folder, "none.h5"))

    def test_pictures(self):
        """Pixels are those of the command; a run that is not recorded is drawn alike."""
        with tempfile.TemporaryDirectory() as folder:
            path, picture = os.path.join(folder, "d.h5"), os.path.join(folder, "d.png")
            sim = scree.Sim("dominoes", path, sets=["duration=0.05"])
            sim.run()
            live = sim.render((160, 90), samples=1, colour="height")
            sim.finish()
            recording = scree.Recording(path)
            pixels = recording.render(-1, (160, 90), samples=1, colour="height")
            self.assertEqual(pixels.shape, (90, 160, 3))
            self.assertGreater(pixels.std(), 5)
            self.assertLess(np.abs(live.astype(int) - pixels).mean(), 1.0)  # contacts and speeds are rounded in a file
            subprocess.run([COMMAND, "render", path, "--size", "160x90", "--samples", "1", "--color", "height", "--out", picture],
                           check=True, capture_output=True)
            self.assertEqual(read_png(picture).tobytes(), pixels.tobytes())
            with self.assertRaisesRegex(scree.ArgumentError, "did you mean 'speed'"):
                recording.render(colour="sped")
            with self.assertRaises(scree.ArgumentError):
                sim.render(follow="nobody")

    def test_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.h5")
            sim = scree.Sim(BALL, path)
            sim.run(until=0.2)
            sim.checkpoint()
            sim.close()
            again = scree.Sim.resume(path)
            self.assertAlmostEqual(again.time, 0.2)
            again.run()
            wanted = scree.Sim(BALL)
            wanted.run()
            self.assertEqual(again.state_hash, wanted.state_hash)


class States(unittest.TestCase):
    def test_save_restore(self):
        for name in ("hopper", "heap"):  # emitters, drains, probes of flow
            sim = scree.Sim(name, sets=["duration=1"])
            for _ in range(30):
                sim.step()
            blob = sim.save()
            for _ in range(30):
                sim.step()
            wanted, probes = sim.state_hash, {p: sim.probe(p) for p in sim.probes}
            other = scree.Sim(name, sets=["duration=1"])
            for run in (sim, other):
                run.restore(blob)
                for _ in range(30):
                    run.step()
                self.assertEqual(run.state_hash, wanted)
                self.assertEqual(str({p: run.probe(p) for p in run.probes}), str(probes))
                self.assertEqual(run.summary.steps, 60)

    def test_refused(self):
        sim = scree.Sim(BALL)
        blob = sim.save()
        for wrong in (b"", blob[:100], blob[:-8] + b"12345678", b"x" * len(blob)):
            with self.assertRaises(scree.InputError):
                sim.restore(wrong)
        with self.assertRaises(scree.InputError):
            scree.Sim("dominoes").restore(blob)
        sim.step()
        with tempfile.TemporaryDirectory() as folder:
            recorded = scree.Sim(BALL, os.path.join(folder, "r.h5"))
            with self.assertRaises(scree.UnsupportedError):
                recorded.restore(blob)


class Many(unittest.TestCase):
    def test_bits_do_not_depend_on_threads_or_neighbours(self):
        one = scree.Sim("dominoes")
        for _ in range(40):
            one.step()
        for threads in (1, 2):
            many = scree.vector("dominoes", 5, threads=threads)
            seen, infos = many.step(steps=40)
            self.assertEqual(set(many.hashes), {one.state_hash})
            self.assertEqual(seen.shape, (5, one.world.body_limit, 13))
            np.testing.assert_allclose(infos["time"], one.time)

    def test_threads_cost_no_more_work(self):
        """64 grippers on two threads take hardly more CPU time than on one, so that two cores are nearly twice as
        fast: nothing is shared that one waits for. Least of many tries, in turns; wall time is the machine's."""
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench", "python"))
        import overhead
        one = two = np.inf
        for _ in range(10):
            _, single, _, double = overhead.scaling(64, 20, 6)
            one, two = min(one, single), min(two, double)
            if two < 1.3 * one:
                break
        self.assertLess(two, 1.3 * one)

    def test_reset_of_some(self):
        many = scree.vector(BALL, 4, threads=1, observe=lambda sim: sim.body("ball").position)
        start = many.reset()
        later, _ = many.step(steps=10)
        self.assertTrue((later[:, 2] < start[:, 2]).all())
        mixed = many.reset(np.array([True, False, True, False]))
        np.testing.assert_array_equal(mixed[[0, 2]], start[[0, 2]])
        np.testing.assert_array_equal(mixed[[1, 3]], later[[1, 3]])

    def test_actions_and_variants(self):
        def act(sim, action):
            sim.body("ball").set_force((action, 0, 0))

        many = scree.vector({**BALL, "gravity": [0, 0, 0]}, 3, act=act, observe=lambda sim: sim.body("ball").velocity)
        seen, _ = many.step(np.array([0.0, 1.0, 2.0]), steps=20)
        mass = 1000 * 4 / 3 * np.pi * 1e-3
        np.testing.assert_allclose(seen[:, 0], np.array([0, 1, 2]) * 0.1 / mass, rtol=1e-9)
        many = scree.vector(BALL, 2, vary=lambda i: {"sets": [f"bodies.1.position.2={0.5 + i}"]})
        self.assertAlmostEqual(many.observe()[1, 1, 2], 1.5)
        with self.assertRaises(TypeError):
            scree.vector(scree.Scene(BALL), 2)

    def test_environment(self):
        class Push(scree.gym.Environment):
            scene = {**BALL, "gravity": [0, 0, 0]}
            steps_per_action = 5
            time_limit = 0.09

            def act(self, action):
                self.sim.body("ball").set_force((action, 0, 0))

            def observe(self):
                return self.sim.body("ball").velocity

        environment = Push()
        first, _ = environment.reset(seed=1)
        results = [environment.step(1.0) for _ in range(4)]
        self.assertEqual([r[3] for r in results], [False, False, False, True])
        self.assertGreater(results[-1][0][0], 0)
        again, _ = environment.reset(seed=1)
        np.testing.assert_array_equal(first, again)


if __name__ == "__main__":
    unittest.main()
