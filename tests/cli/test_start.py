#!/usr/bin/env python3
"""Beginning from what is there (--from, csv of exports), and what changes with time (t, events)."""
import csv
import json
import math
import os

from command import CommandTest, main

SETTLED = """
step: 5 ms
duration: 0.4 s
recording: {every: 50 ms}
bodies:
  - {name: ground, kind: fixed, shape: {half_space: {}}}
  - {name: gate, kind: fixed, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, 0.95]}
  - {name: grain, shape: {sphere: {radius: 0.05}}, lattice: {count: [3, 3, 2], pitch: [0.11, 0.11, 0.11], origin: [-0.11, -0.11, 1.06]}}
"""
TIMED = """
step: 5 ms
duration: 1 s
parameters: {w: 3}
gravity: [0, 0, 0]
bodies:
  - {name: free, shape: {sphere: {radius: 0.1}}, mass: 2}
  - {name: late, shape: {sphere: {radius: 0.1}}, position: [0, 5, 0], mass: 2}
  - {name: arm, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [3, 0, 1],
     motion: {path: {displacement: ['${0.1 * sin(w * t)}', 0, '${1 + t^2} cm'], rotation: [0, 0, '${90 * t} deg']}}}
forces:
  - {body: free, force: ['${4 * cos(w * t)}', 0, 0], torque: [0, 0, '${t} mN m']}
  - {body: late, force: ['${2 + t}', 0, 0], start: 0.25 s, stop: 0.75 s}
probes:
  - {name: free, kind: body, body: free}
  - {name: late, kind: body, body: late}
  - {name: arm, kind: body, body: arm}
"""
EVENTS = """
step: 5 ms
duration: 2 s
bodies:
  - {name: ground, kind: fixed, shape: {half_space: {}}}
  - {name: shelf, kind: fixed, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, 0.95]}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.1]}
events:
  - {name: open, at: 0.3 s, remove: shelf}
  - {name: float, when: '${z < 0.5}', body: ball, gravity: [0, 0, 2]}
  - {name: enough, when: '${vz > 0}', after: 0.4 s, body: ball, end: true}
probes:
  - {name: ball, kind: body, body: ball}
"""


class SceneTest(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_scene(self, *words):
        result = self.run_scree("run", *words, "--json")
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out.splitlines()[-1]), result.err

    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [{key.split(" [")[0]: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def remove(self, name, missing=False):
        if not missing or os.path.exists(self.path(name)):
            os.remove(self.path(name))


class Start(SceneTest):
    def test_from(self):
        self.write("settled.yaml", SETTLED)
        self.run_scene("settled.yaml", "--out", "settled.h5")
        # The same world without its gate goes on where the other was, at its end or at a time.
        self.write("open.yaml", SETTLED.replace("[0, 0, 0.95]", "[3, 0, 0.95]") +
                   "probes: [{name: first, kind: body, body: 'grain[4]'}, {name: all, kind: group, body: grain}]\n")
        for time, frame in ((None, 8), (0.1, 2)):
            with self.subTest(time=time):
                mark = f"@{time}" if time else ""
                summary, said = self.run_scene("open.yaml", "--from", f"settled.h5{mark}", "--out", "open.h5", "--force",
                                               "--duration", "0.2")
                self.assertIn("18 of 18 dynamic bodies begin where they are in settled.h5", said)
                self.check(["export", "settled.h5", "--format", "csv", "--out", "table", "--force"], 0, out=None)
                with open(self.path("table_bodies.csv"), encoding="utf-8") as file:
                    there = [row for row in csv.DictReader(file) if int(row["frame"]) == frame and row["Kind"] == "dynamic"]
                first = self.rows("open_first.csv")[0]
                for column in ("x", "y", "z"):
                    self.assertEqual(first[column], float(there[4][column + " [m]"]))
                self.assertLess(self.rows("open_all.csv")[-1]["z"], 0.99)  # they fall
        # What the run depends on is in its recording: without checkpoint and source the same bits.
        for name in ("open.h5.checkpoint", "settled.h5"):
            self.remove(name)
        self.remove("open.h5.checkpoint.old", missing=True)
        result = self.run_scree("resume", "open.h5", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(json.loads(result.out.splitlines()[-1])["state_hash"], summary["state_hash"])

    def test_from_is_refused(self):
        self.write("settled.yaml", SETTLED)
        self.run_scene("settled.yaml", "--out", "settled.h5")
        self.write("other.yaml", "bodies: [{shape: {sphere: {radius: 0.1}}}, {name: b, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}]\n")
        for words, code, wanted in (
                (["settled.yaml", "--from", "settled.h5@7"], 3, "the recording is from 0 to 0.4 s"),
                (["settled.yaml", "--from", "none.h5"], 6, "none.h5"),
                (["other.yaml", "--from", "settled.h5"], 3, "no dynamic body of the scene has the name"),
                (["settled.yaml", "--from", "settled.h5", "--safe"], 3, "not trusted")):
            with self.subTest(words=words):
                result = self.run_scree("run", *words)
                self.assertEqual(result.code, code, result.err)
                self.assertIn(wanted, result.err)
                self.assertEqual(result.out, "")

    def test_csv_of_an_export(self):
        self.write("settled.yaml", SETTLED)
        self.run_scene("settled.yaml", "--out", "settled.h5")
        self.check(["export", "settled.h5", "--format", "csv", "--out", "table"], 0, out=None)
        self.write("again.yaml", "bodies:\n - {name: ground, kind: fixed, shape: {half_space: {}}}\n"
                   " - {name: grain, csv: {file: table_bodies.csv}}\nprobes: [{name: all, kind: group}]\n")
        self.run_scene("again.yaml", "--duration", "0.005", "--out", "again.h5")
        start = self.rows("again_all.csv")[0]
        self.assertEqual(start["bodies"], 18)
        self.assertAlmostEqual(start["mass"], 18 * 1000 * 4 / 3 * math.pi * 0.05 ** 3, places=9)
        self.assertAlmostEqual(start["z min"], 1.05, delta=1e-6)
        self.write("first.yaml", "bodies: [{name: grain, csv: {file: table_bodies.csv, frame: 0, number: 3}, shape: {box: {size: [1, 1, 1]}}}]\n"
                   "overlap: 1\n")
        self.assertEqual(self.run_scene("first.yaml", "--duration", "0.005")[0]["bodies"], 3)
        self.write("none.yaml", "bodies: [{csv: {file: table_bodies.csv, frame: 77}}]\n")
        result = self.run_scree("check", "none.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("no dynamic body in frame 77", result.err)
        self.write("plain.csv", "x,y,z,radius\n0,0,1,0.1\n")
        self.write("plain.yaml", "bodies: [{csv: {file: plain.csv, frame: 1}}]\n")
        self.assertIn("it has no frames", self.run_scree("check", "plain.yaml").err)
        self.write("boxes.yaml", SETTLED.replace("{sphere: {radius: 0.05}}", "{box: {size: [0.1, 0.1, 0.1]}}"))
        self.run_scene("boxes.yaml", "--out", "boxes.h5", "--duration", "0.01")
        self.check(["export", "boxes.h5", "--format", "csv", "--out", "boxes"], 0, out=None)
        self.write("boxed.yaml", "bodies: [{csv: {file: boxes_bodies.csv}}]\n")
        self.assertIn("boxes_bodies.csv:4:1: a box: only spheres", self.run_scree("check", "boxed.yaml").err)


class Time(SceneTest):
    def test_forces_and_paths(self):
        """Against integrals: second order in the step."""
        self.write("timed.yaml", TIMED)
        errors = []
        for step in ("10 ms", "5 ms"):
            self.run_scene("timed.yaml", "--out", "timed.h5", "--force", "--set", f"step={step}")
            end = self.rows("timed_free.csv")[-1]
            errors.append(abs(end["x"] - 2 / 9 * (1 - math.cos(3))))
            self.assertAlmostEqual(end["vx"], 2 / 3 * math.sin(3), delta=1e-4)
            inertia = 0.4 * 2 * 0.01
            self.assertAlmostEqual(end["wz"], 0.5e-3 / inertia, delta=1e-5)
            late = self.rows("timed_late.csv")[-1]
            self.assertAlmostEqual(late["vx"], (2 * 0.5 + 0.5 * (0.75 ** 2 - 0.25 ** 2)) / 2, places=9)
            arm = self.rows("timed_arm.csv")[-1]
            self.assertAlmostEqual(arm["x"], 3 + 0.1 * math.sin(3), places=12)
            self.assertAlmostEqual(arm["z"], 1.01, places=12)  # it began in place
            self.assertAlmostEqual(arm["qz"], math.sin(math.pi / 4), places=12)
        self.assertLess(errors[0], 1e-4)
        self.assertAlmostEqual(errors[0] / errors[1], 4, delta=0.2)

    def test_a_parameter_named_t_is_none(self):
        self.write("timed.yaml", TIMED.replace("{w: 3}", "{w: 3, t: 0}"))
        self.run_scene("timed.yaml", "--out", "timed.h5")
        self.assertAlmostEqual(self.rows("timed_free.csv")[-1]["vx"], 2.0, delta=0.006)  # constant

    def test_faults(self):
        for old, new, wanted in (("start: 0.25 s", "start: '${t}'", "the time t is known in force and torque only"),
                                 ("cos(w * t)", "cos(q * t)", "no parameter 'q'"),
                                 ("${2 + t}", "${2 / t}", "not finite"),
                                 ("radius: 0.1", "radius: '${t}'", "no parameter 't'")):
            with self.subTest(new=new):
                self.write("timed.yaml", TIMED.replace(old, new, 1))
                result = self.run_scree("check", "timed.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertRegex(result.err, r"timed.yaml:\d+:\d+: .*" + wanted)
        self.write("timed.yaml", TIMED.replace("${4 * cos(w * t)}", "${log(0.5 - t)}"))
        result = self.run_scree("run", "timed.yaml")
        self.assertEqual(result.code, 3)
        self.assertRegex(result.err, r"timed.yaml:\d+:\d+: .*not finite")


class Events(SceneTest):
    def test_events(self):
        self.write("events.yaml", EVENTS)
        summary, _ = self.run_scene("events.yaml", "--out", "events.h5")
        rows = self.rows("events_ball.csv")
        falls = [row["time"] for row in rows if row["vz"] < -1e-6]
        self.assertAlmostEqual(falls[0], 0.305, delta=1e-6)  # the shelf went at 0.3 s
        low = next(row["time"] for row in rows if row["z"] < 0.5)
        self.assertAlmostEqual(low, 0.3 + math.sqrt(2 * 0.6 / 9.81), delta=0.006)
        after = [row for row in rows if row["time"] > low + 0.01]
        self.assertGreater(after[5]["vz"], after[0]["vz"])  # gravity points up
        self.assertLess(summary["simulated_seconds"], 2)  # ended on its way up
        self.assertGreater(rows[-1]["vz"], 0)
        self.assertLess(rows[-3]["vz"], 1e-9)
        # A run that goes on has what was done before.
        self.run_scene("events.yaml", "--out", "half.h5", "--duration", "0.5")
        result = self.run_scree("resume", "half.h5", "--duration", "2", "--json")
        self.assertEqual(json.loads(result.out.splitlines()[-1])["state_hash"], summary["state_hash"])

    def test_motor(self):
        """A motor starts when a ball has fallen, in place of the one that the scene has."""
        self.write("motor.yaml", """
step: 5 ms
duration: 1 s
bodies:
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0]}
  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}}
joints:
  - {name: axle, kind: hinge, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 0, 1], motor: {kind: speed, value: '${1 + 0 * t}'}}
events:
  - {when: '${z < -1}', body: ball, joint: axle, motor: {kind: speed, value: -2}}
probes:
  - {name: arm, kind: body, body: arm}
""")
        summary, _ = self.run_scene("motor.yaml", "--out", "motor.h5")
        fell = math.sqrt(2 / 9.81)
        for row in self.rows("motor_arm.csv")[1:]:
            if abs(row["time"] - fell) > 0.012:
                self.assertAlmostEqual(row["wz"], 1.0 if row["time"] < fell else -2.0, delta=1e-6)
        self.run_scene("motor.yaml", "--out", "half.h5", "--duration", "0.6")
        result = self.run_scree("resume", "half.h5", "--duration", "1", "--json")
        self.assertEqual(json.loads(result.out.splitlines()[-1])["state_hash"], summary["state_hash"])
        with open(self.path("motor.yaml"), encoding="utf-8") as file:
            text = file.read()
        for old, new, wanted in (("joint: axle", "joint: axel", "did you mean 'axle'"),
                                 ("value: -2", "value: '${t}'", "a constant value"),
                                 ("joint: axle, motor", "motor", "go together")):
            self.write("wrong.yaml", text.replace(old, new, 1))
            self.assertIn(wanted, self.run_scree("check", "wrong.yaml").err)

    def test_faults(self):
        for old, new, wanted in (("at: 0.3 s, ", "", "one of `at` and `when` is expected"),
                                 ("at: 0.3 s, ", "at: 0.3 s, when: '${t > 1}', ", "one of `at` and `when` is expected"),
                                 ("remove: shelf", "name: x", "twice|already|duplicate"),
                                 ("remove: shelf", "remove: shelv", "did you mean 'shelf'"),
                                 (", remove: shelf", "", "nothing is to happen"),
                                 ("${z < 0.5}", "${q < 0.5}", "no parameter 'q'"),
                                 ("${z < 0.5}", "${z < }", "a number or a name is expected"),
                                 ("body: ball, gravity", "gravity", "no parameter 'z'")):
            with self.subTest(new=new):
                self.write("events.yaml", EVENTS.replace(old, new, 1))
                result = self.run_scree("check", "events.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertRegex(result.err, r"events.yaml:\d+:\d+: .*(" + wanted + ")")


if __name__ == "__main__":
    main()
