#!/usr/bin/env python3
"""Periodic boxes from scenes: what is refused, with its place; the same bits for any number of threads and after a resume; what is
recorded lies in the box."""
import csv

from command import CommandTest, main

BOX = """gravity: [0, 0, 0]
step: 1 ms
duration: 20 ms
periodic: {%s}
bodies:
  - {name: ball, shape: {sphere: {radius: 0.05}}, lattice: {count: [3, 3, 3], pitch: [0.15, 0.15, 0.15]}, velocity: [1, 0, 0]}
"""
FAULTS = [
    ("size: [0, 0, 0]", "no direction has a size over 0"),
    ("size: [-1, 1, 1]", "size"),
    ("center: [0, 0, 0]", "key 'size' is missing"),
    ("size: [0.19, 1, 1]", "no body may be as large as half of the box"),
    ("size: [0.5, 0.5, 0], shear_rate: 1", "two different directions"),
    ("size: [1, 1, 1], shear_rate: 1, flow: z", "two different directions"),
    ("size: [1, 1, 1], shear_rate: 1, flow: w", "flow"),
    ("size: [1, 1, 0], stretch_rate: [0, 0, -1]", "a direction without end has no rate of stretch"),
    ("size: [0.45, 0.45, 0.45], rate: 3", "rate"),
]
WALLS = [
    # Body, what is told; none: it is fine.
    ("{kind: fixed, shape: {half_space: {}}, position: [0, 0, -0.5]}", ""),
    ("{kind: fixed, shape: {half_space: {}}, rotation: {axis: [0, 1, 0], angle: 20 deg}, position: [0, 0, -0.5]}", "stands across direction x"),
    ("{kind: fixed, shape: {box: {size: [1.2, 1.2, 0.1]}}, position: [0, 0, -0.5]}", ""),
    ("{kind: fixed, shape: {box: {size: [0.9, 1.2, 0.1]}}, position: [0, 0, -0.5]}", "stands across direction x"),
    ("{kind: fixed, shape: {cylinder: {radius: 0.1, length: 2}}, position: [0, 0, -0.5]}", "stands across direction x"),
    ("{kind: fixed, shape: {sphere: {radius: 0.2}}, position: [0, 0, -0.5]}", ""),
]


class Periodic(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_faults_have_their_place(self):
        for keys, text in FAULTS:
            with self.subTest(keys=keys):
                self.write("bad.yaml", BOX % keys)
                result = self.run_scree("check", "bad.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertIn("bad.yaml:4:", result.err)
                self.assertIn(text, result.err)

    def test_walls_are_the_same_in_every_image(self):
        for wall, text in WALLS:
            with self.subTest(wall=wall):
                self.write("wall.yaml", BOX % "size: [1, 1, 0]" + "  - " + wall + "\n")
                result = self.run_scree("check", "wall.yaml")
                self.assertEqual(result.code, 3 if text else 0, result.err)
                self.assertIn(text, result.err)
        self.write("wall.yaml", BOX % "size: [1, 1, 0], shear_rate: 1, gradient: y" +
                   "  - {kind: fixed, shape: {half_space: {}}, position: [0, 0, -0.5]}\n")
        result = self.run_scree("check", "wall.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("a wall does not go with a periodic box that is sheared", result.err)

    def test_what_does_not_go_with_it(self):
        self.write("pairs.yaml", BOX % "size: [1, 1, 1]" + "gravitational_constant: 1\n")
        result = self.run_scree("check", "pairs.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("pairs.yaml:4:", result.err)
        self.write("smooth.yaml", BOX % "size: [1, 1, 1]" + "stepper: hht\n")
        result = self.run_scree("run", "smooth.yaml")
        self.assertNotEqual(result.code, 0)
        self.assertIn("it knows no periodic boxes; take nonsmooth", result.err)
        self.write("event.yaml", BOX % "size: [1, 1, 0]" + "events: [{at: 1 ms, shear_rate: 3}]\n")
        result = self.run_scree("check", "event.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("event.yaml:7:", result.err)
        # A grain that crosses more than the box in a step: told, not overlooked.
        self.write("fast.yaml", BOX.replace("[1, 0, 0]", "[400, 0, 0]") % "size: [1, 1, 1]" +
                   "  - {name: still, shape: {sphere: {radius: 0.05}}, position: [0.5, 0.5, 0.5]}\n")
        result = self.run_scree("run", "fast.yaml")
        self.assertNotEqual(result.code, 0)
        self.assertIn("take a larger box or a shorter step", result.err)

    def test_same_bits_for_threads_and_after_a_resume(self):
        small = ["--set", "k=5", "--set", "strain=1.5"]
        hashes = set()
        for threads in ("1", "2", "4"):
            result = self.run_scree("run", "simple-shear", "--json", "--threads", threads, *small)
            self.assertEqual(result.code, 0, result.err)
            hashes.add(self.lines(result)[-1]["state_hash"])
        result = self.run_scree("run", "simple-shear", "--json", "--out", "run.h5", *small, "--set", "recording.checkpoint=0",
                                "--duration", "0.1")
        self.assertEqual(result.code, 0, result.err)
        result = self.run_scree("resume", "run.h5", "--json", "--duration", "0.15")
        self.assertEqual(result.code, 0, result.err)
        hashes.add(self.lines(result)[-1]["state_hash"])
        self.assertEqual(len(hashes), 1)

    def test_what_is_shown_lies_in_the_box(self):
        self.write("fly.yaml", (BOX % "size: [0.5, 0.5, 0.5], center: [1, 0, 0]").replace("20 ms", "2 s") +
                   "  - {name: single, shape: {sphere: {radius: 0.05}}, position: [0.4, 0.4, 0.4], velocity: [1, 0, 0]}\n"
                   "probes: [{name: one, kind: body, body: single}]\nrecording: {every: 0.1}\n")
        self.assertEqual(self.run_scree("run", "fly.yaml", "--out", "fly.h5").code, 0)
        self.assertEqual(self.run_scree("export", "fly.h5", "--format", "csv", "--what", "bodies").code, 0)
        with open(self.path("fly_bodies.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        x = next(i for i, name in enumerate(rows[0]) if name.split()[0] == "x")
        at = [float(row[x]) for row in rows[1:]]
        self.assertTrue(all(0.75 - 1e-9 <= one <= 1.25 + 1e-9 for one in at))
        with open(self.path("fly_one.csv"), encoding="utf-8") as file:
            path = [float(row[1]) for row in list(csv.reader(file))[1:]]
        self.assertAlmostEqual(path[-1], 2.4, places=9)  # its own way has no jumps


if __name__ == "__main__":
    main()
