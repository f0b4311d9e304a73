#!/usr/bin/env python3
"""Joints of scenes: degrees of freedom and redundant rows by name, motors that follow functions and a schedule, probes,
checkpoints, breaking, and a time budget that ragdolls survive."""
import csv
import math
import os

from command import CommandTest, main

FOUR_BAR = """
bodies:
  - {name: crank, position: [0, 0, 0.15], shape: {box: {size: [0.04, 0.04, 0.3]}}}
  - {name: coupler, position: [0.4, 0, 0.3], shape: {box: {size: [0.8, 0.04, 0.04]}}}
  - {name: rocker, position: [0.8, 0, 0.15], shape: {box: {size: [0.04, 0.04, 0.3]}}}
joints:
  - {name: a, kind: hinge, bodies: [world, crank], anchor: [0, 0, 0], axis: [0, 1, 0]}
  - {name: b, kind: hinge, bodies: [crank, coupler], anchor: [0, 0, 0.3], axis: [0, 1, 0]}
  - {name: c, kind: hinge, bodies: [coupler, rocker], anchor: [0.8, 0, 0.3], axis: [0, 1, 0]}
  - {name: d, kind: hinge, bodies: [rocker, world], anchor: [0.8, 0, 0], axis: [0, 1, 0]}
"""

ROUGH = """
parameters: {rocker: 0.8}
duration: 0.2 s
bodies:
  - {name: crank, shape: {box: {size: [0.3, 0.04, 0.04]}}, position: [0, 0, 0.15], rotation: {axis: [0, 1, 0], angle: -90 deg}}
  - {name: coupler, shape: {box: {size: [0.9, 0.04, 0.04]}}, position: [0.4, 0, 0.4]}
  - {name: rocker, shape: {box: {size: ['${rocker}', 0.04, 0.04]}}, position: [0.9, 0, 0.4], rotation: {axis: [0, 1, 0], angle: -80 deg}}
  - {name: end, shape: {sphere: {radius: 0.01}}, position: [0.05, 0, 0.3]}
joints:
  - {name: a, kind: hinge, frame: bodies, bodies: [world, crank], anchor: [0, 0, 0], anchor_b: [-0.15, 0, 0], axis: [0, 1, 0]}
  - {name: b, kind: hinge, frame: bodies, bodies: [crank, coupler], anchor: [0.15, 0, 0], anchor_b: [-0.45, 0, 0], axis: [0, 1, 0]}
  - {name: c, kind: hinge, frame: bodies, bodies: [coupler, rocker], anchor: [0.45, 0, 0], anchor_b: ['${rocker / 2}', 0, 0], axis: [0, 1, 0]}
  - {name: d, kind: hinge, frame: bodies, bodies: [rocker, world], anchor: ['${-rocker / 2}', 0, 0], anchor_b: [1, 0, 0], axis: [0, 1, 0]}
  - {name: e, kind: fixed, frame: bodies, bodies: [crank, end], anchor: [0.15, 0, 0], anchor_b: [0, 0, 0]}
exclude: [{bodies: [crank, coupler, rocker, end]}]
probes:
  - {name: end, kind: body, body: end}
  - {name: c, kind: joint, joint: c}
"""

ARM = """
step: 5 ms
duration: 1 s
bodies:
  - {name: arm, position: [0.5, 0, 0], mass: 2, shape: {box: {size: [1, 0.1, 0.1]}}}
  - {name: car, position: [0, 3, 0], mass: 8, shape: {box: {size: [0.2, 0.2, 0.2]}}}
joints:
  - {name: shoulder, kind: hinge, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 1, 0], limits: [-2, 2],
     motor: {kind: position, value: "${0.5 * sin(3 * t)}"}}
  - {name: rail, kind: slider, bodies: [world, car], anchor: [0, 3, 0], axis: [1, 0, 0], limits: [-1 m, 1 m], friction: 1 N}
schedule:
  - {at: 0.5 s, joint: rail, motor: {kind: force, value: 81 N}}
  - {at: 0.8 s, joint: shoulder, motor: {kind: speed, table: [[0, 1], [2, 1]]}}
probes:
  - {name: shoulder, kind: joint, joint: shoulder}
  - {name: rail, kind: joint, joint: rail}
"""

DOLLS = """
parameters: {n: 6}
step: 5 ms
duration: 1.5 s
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: torso, for: {i: "${n}"}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.2 + 0.9 * (i % 2)}"], mass: 30,
     angular: ["${sin(3 * i)}", "${1 + cos(2 * i)}", 0], shape: {box: {size: [0.2, 0.35, 0.6]}}}
  - {name: head, for: {i: "${n}"}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.65 + 0.9 * (i % 2)}"], mass: 4, shape: {sphere: {radius: 0.11}}}
  - {name: thigh, for: {i: "${n}", s: 2}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.68 + 0.9 * (i % 2)}"], mass: 7, shape: {capsule: {radius: 0.07, length: 0.26}}}
  - {name: shin, for: {i: "${n}", s: 2}, position: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.25 + 0.9 * (i % 2)}"], mass: 4, shape: {capsule: {radius: 0.05, length: 0.3}}}
joints:
  - {kind: ball, for: {i: "${n}"}, bodies: ["torso[${i}]", "head[${i}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2)}", "${1.52 + 0.9 * (i % 2)}"], limits: [0, 40 deg], second: {limits: [-1, 1]}}
  - {kind: ball, for: {i: "${n}", s: 2}, bodies: ["torso[${i}]", "thigh[${2 * i + s}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.88 + 0.9 * (i % 2)}"], limits: [0, 80 deg], second: {limits: [-0.7, 0.7]}}
  - {kind: hinge, for: {i: "${n}", s: 2}, bodies: ["thigh[${2 * i + s}]", "shin[${2 * i + s}]"], anchor: ["${0.3 * (i % 2)}", "${2 * floor(i / 2) + (2 * s - 1) * 0.1}", "${0.47 + 0.9 * (i % 2)}"], axis: [0, 1, 0], limits: [-0.1, 2.4], friction: 0.5}
"""


class Joints(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def summary(self, *words):
        result = self.run_scree(*words, "--json", "--threads", "1")
        self.assertEqual(result.code, 0, result.err)
        return self.lines(result)[-1]

    def table(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [[float(x) for x in row] for row in list(csv.reader(file))[1:]]

    def test_freedom(self):
        self.write("bar.yaml", FOUR_BAR)
        result = self.run_scree("check", "bar.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("bar.yaml:10:5: 'd': 3 of its 5 rows are redundant", result.out)
        self.assertIn("4 joints, 1 degrees of freedom, 3 redundant rows", result.out)
        s = self.lines(self.run_scree("check", "bar.yaml", "--json"))[-1]
        self.assertEqual((s["degrees_of_freedom"], s["redundant_rows"]), (1, 3))
        # Smooth motion says so too, as its reactions are one choice of many; hard contacts take it as it is.
        smooth = self.run_scree("run", "bar.yaml", "--set", "stepper=hht", "--duration", "0.02")
        self.assertIn("3 of 20 rows are redundant, as joints before imply them: 'd' (3 of 5 rows)", smooth.err)
        self.assertNotIn("warning", smooth.err)  # the motor's first jolt is its work, not an error
        self.assertNotIn("redundant", self.run_scree("run", "bar.yaml", "--duration", "0.02").err)

    def test_many_rows(self):
        """A chain of n links of hinges, closed to a ring: beyond 900 rows too, redundant ones are counted and named."""
        ring = """
parameters: {n: 300}
bodies:
  - {name: link, for: {i: "${n}"}, shape: {box: {size: [0.1, 0.1, 0.1]}},
     position: ["${cos(2 * pi * i / n) * n / 10}", "${sin(2 * pi * i / n) * n / 10}", 0]}
joints:
  - {name: pin, for: {i: "${n}"}, kind: hinge, bodies: ["link[${i}]", "link[${mod(i + 1, n)}]"], axis: [0, 0, 1],
     anchor: ["${cos(2 * pi * (i + 0.5) / n) * n / 10}", "${sin(2 * pi * (i + 0.5) / n) * n / 10}", 0]}
"""
        self.write("ring.yaml", ring)
        for n in (20, 300):
            result = self.run_scree("check", "ring.yaml", "--set", f"n={n}")
            self.assertIn(f"'pin[{n - 1}]': 3 of its 5 rows are redundant", result.out)
            # in its plane: n links of 3 degrees, 2 held by each pin; and 3 of the whole out of it
            self.assertIn(f"{n} joints, {n + 3} degrees of freedom, 3 redundant rows", result.out)

    def test_closing(self):
        """A linkage given roughly: bodies are moved to where the hinges hold, as little as is needed."""
        self.write("bar.yaml", ROUGH)
        result = self.run_scree("check", "bar.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertRegex(result.out, r"joints: 0\.\d+ m apart as given; closed to \d\.\de-1\d m, bodies moved by up to 0\.")
        s = self.summary("run", "bar.yaml", "--out", "bar.h5")
        self.assertLess(s["worst_joint_error"], 1e-5)
        end = self.table("bar_end.csv")
        self.assertAlmostEqual(math.hypot(end[0][1], end[0][3]), 0.3, places=3)  # the crank's pin turns about the origin
        pin = self.table("bar_c.csv")
        self.assertLess(abs(pin[0][1]), 0.05)  # its angle is 0 where the bodies were put together

    def test_loops_that_cannot_close(self):
        self.write("bar.yaml", ROUGH)
        for words in (("check", "bar.yaml"), ("run", "bar.yaml", "--out", "no.h5")):
            result = self.run_scree(*words, "--set", "rocker=3")
            self.assertEqual(result.code, 3)
            self.assertRegex(result.err, r"bar\.yaml:1\d:5: joint: the loop does not close: 0\.\d+ m are left")
        self.assertFalse(os.path.exists(self.path("no.h5")))
        self.write("rod.yaml", "bodies:\n  - {name: a, shape: {sphere: {radius: 0.1}}}\n  - {name: b, position: [1, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                   "joints:\n  - {kind: ball, bodies: [world, a], anchor: [0, 0, 0.5]}\n  - {kind: ball, bodies: [world, b], anchor: [1, 0, 0.5]}\n"
                   "  - {kind: distance, bodies: [a, b], anchor: [0, 0, 0], anchor_b: [1, 0, 0], length: L}\n")
        with open(self.path("rod.yaml"), encoding="utf-8") as file:
            text = file.read()
        for length, code in ((0.9, 0), (1.4, 0), (2.5, 3)):
            self.write("rod2.yaml", text.replace("length: L", f"length: {length}"))
            result = self.run_scree("check", "rod2.yaml")
            self.assertEqual(result.code, code, result.err)
            if code:
                self.assertRegex(result.err, r"rod2\.yaml:7:5: joint: the loop does not close")

    def test_limits_where_they_close(self):
        self.write("bar.yaml", ROUGH.replace("name: a, kind: hinge", "name: a, kind: hinge, start: 2, limits: [0, 1]"))
        result = self.run_scree("check", "bar.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("outside of its limits 0 … 1", result.err)
        self.assertRegex(result.err, r"bar\.yaml:\d+:5: joint")

    def test_bad_joints(self):
        body = "bodies: [{name: a, shape: {sphere: {radius: 1}}}]\n"
        for joint, message in (
                ("{kind: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 0, 0]}", "the axis not of length 0"),
                ("{kind: hinge, bodies: [world, a], anchor: [0, 0, 0], limits: [1, 2]}", "outside of its limits 1 … 2"),
                ("{kind: hinge, bodies: [a, a], anchor: [0, 0, 0]}", "it must join two different bodies"),
                ("{kind: hinge, bodies: [world, a], frame: bodies, anchor: [0, 0, 0]}", "key 'anchor_b' is missing"),
                ("{kind: gear, bodies: [world, a], frame: bodies, anchor_b: [0, 0, 0], ratio: 2}", "a gear is given in the world")):
            self.write("bad.yaml", body + "joints: [" + joint + "]\n")
            result = self.run_scree("run", "bad.yaml", "--out", "no.h5")
            self.assertEqual(result.code, 3, joint)
            self.assertRegex(result.err, r"bad\.yaml:2:\d+: ")
            self.assertIn(message, result.err)
            self.assertFalse(os.path.exists(self.path("no.h5")))
        self.write("mesh.xyz", "nothing\n")
        self.write("bad.yaml", "bodies: [{name: a, shape: {mesh: {file: mesh.xyz}}}]\n")
        result = self.run_scree("run", "bad.yaml", "--out", "no.h5")
        self.assertEqual(result.code, 3)
        self.assertRegex(result.err, r"bad\.yaml:1:\d+: .*(format|STL)")
        self.assertFalse(os.path.exists(self.path("no.h5")))

    def test_motion(self):
        self.write("arm.yaml", ARM)
        s = self.summary("run", "arm.yaml", "--out", "arm.h5")
        self.assertEqual(s["nonconverged_steps"], 0)
        for row in self.table("arm_shoulder.csv"):
            t, q = row[0], row[1]
            expected = 0.5 * math.sin(3 * t) if t <= 0.8 else 0.5 * math.sin(2.4) + t - 0.8
            self.assertAlmostEqual(q, expected, places=6)
        for row in self.table("arm_rail.csv"):
            t, q = row[0], row[1]
            expected = 0.0 if t < 0.5 else 0.5 * 10.0 * (t - 0.5) ** 2
            self.assertAlmostEqual(q, min(expected, 1.0), delta=0.01)
        # Half of it, and on from the checkpoint: the same bits.
        self.summary("run", "arm.yaml", "--out", "half.h5", "--duration", "0.6")
        again = self.summary("resume", "half.h5", "--duration", "1")
        self.assertEqual(again["state_hash"], s["state_hash"])

    def test_schedule_from_the_start(self):
        """An entry at 0 is the joint's motor, also where the joint has another one; later ones follow."""
        for own in ("", ", motor: {kind: speed, value: 1}"):
            self.write("s.yaml", "duration: 0.4\ngravity: [0, 0, 0]\nbodies:\n"
                       "  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, mass: 1}\njoints:\n"
                       f"  - {{name: j, kind: hinge, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 0, 1]{own}}}\nschedule:\n"
                       "  - {at: 0, joint: j, motor: {kind: speed, value: 2}}\n"
                       "  - {at: 0.2, joint: j, motor: {kind: speed, value: -3}}\n"
                       "probes: [{name: j, kind: joint, joint: j}]\n")
            self.summary("run", "s.yaml", "--out", "s.h5", "--force")
            for row in self.table("s_j.csv"):
                if 0.02 < row[0] < 0.19:
                    self.assertAlmostEqual(row[2], 2.0, places=9)
                if row[0] > 0.22:
                    self.assertAlmostEqual(row[2], -3.0, places=9)

    def test_machine_at_rest(self):
        """Bodies without shapes that joints hold against gravity: rounding is no energy that does not add up."""
        body = "  - {name: %s, mass: %g, inertia: [%.17g, 0, %.17g, %.17g, 0, %.17g], position: [%g, 0, 0], center: [%g, 0, 0]}\n"
        own = (0.17035809762866252, -8.146498188515492e-16, 3.839214718245943, 3.839214718245941)
        self.write("rest.yaml", "step: 10 ms\nduration: 0.5\nbodies:\n"
                   + body % ("part", 0.3560471674068432, *(0.01 * one for one in own), 0, 1) + body % ("a", 34.89262240587064, *own, 0, 1)
                   + body % ("b", 35.604716740684324, *own, 0.5, -0.5) + body % ("c", 35.604716740684324, *own, -0.5, -0.5) + "joints:\n"
                   "  - {kind: slider, bodies: [world, part], anchor: [0, 0, 0], axis: [1, 0, 0], armature: 0.1}\n"
                   "  - {kind: hinge, bodies: [part, a], anchor: [0, 0, 0], axis: [0, 0, 1], armature: 0.1}\n"
                   "  - {kind: hinge, bodies: [a, b], anchor: [0.5, 0, 0], axis: [0, 0, 1], armature: 0.1}\n"
                   "  - {kind: hinge, bodies: [b, c], anchor: [-0.5, 0, 0], axis: [0, 0, 1], armature: 0.1}\n")
        self.assertLess(self.summary("run", "rest.yaml")["ledger"]["error_part"], 1e-6)

    def test_a_toggle_at_rest(self):
        """Two links nearly in line, pressed on a stop: what the motor gives while they settle is no energy to judge an error by."""
        high = 2e-3
        half = math.sqrt(0.25 - high * high)
        rod = "  - {name: %s, mass: 1, position: [%.17g, 0, %.17g], inertia: [1e-4, 0, 0, 0.0209, 0, 0.0209]}\n"
        for stop in ("limits: [-0.1, 0]", "limits: [-0.1, 0], limit_compliance: 1e-8", "spring: {stiffness: 1e7}, damping: 1e5"):
            self.write("toggle.yaml", "step: 5 ms\nduration: 2\ngravity: [0, 0, 0]\nbodies:\n"
                       + rod % ("a", half / 2, high / 2) + rod % ("b", 1.5 * half, high / 2)
                       + "  - {name: ram, mass: 3, position: [%.17g, 0, 0], inertia: [0.03, 0, 0, 0.03, 0, 0.03]}\njoints:\n" % (2 * half)
                       + "  - {kind: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {kind: torque, value: 10}}\n"
                       + "  - {kind: hinge, bodies: [a, b], anchor: [%.17g, 0, %.17g], axis: [0, 1, 0]}\n" % (half, high)
                       + "  - {kind: hinge, bodies: [b, ram], anchor: [%.17g, 0, 0], axis: [0, 1, 0]}\n" % (2 * half)
                       + "  - {kind: slider, bodies: [world, ram], anchor: [%.17g, 0, 0], axis: [1, 0, 0], %s}\n" % (2 * half, stop))
            result = self.run_scree("run", "toggle.yaml", "--out", "toggle.h5", "--force")
            self.assertEqual(result.code, 0, result.err)
            self.assertNotIn("warning", result.err)

    def test_gears_and_screws(self):
        """A planetary gear (20 and 60 teeth, ring held), a differential with one wheel braked, a screw pressed against its stop."""
        body = "  - {name: %s, mass: 1, inertia: [0.01, 0, 0, 0.01, 0, 0.01]%s}\n"
        hinge = "  - {name: %s, kind: hinge, bodies: [%s, %s], anchor: [0, 0, 0], axis: [0, 0, 1]%s}\n"
        self.write("g.yaml", "duration: 0.5\ngravity: [0, 0, 0]\nbodies:\n" + "".join(
            body % (one, "") for one in ("sun", "carrier", "planet", "ring", "left", "right", "nut")) + "joints:\n"
            + hinge % ("sun", "world", "sun", ", motor: {kind: speed, value: 8}") + hinge % ("carrier", "world", "carrier", "")
            + hinge % ("planet", "carrier", "planet", "")
            + "  - {kind: gear, bodies: [sun, planet, carrier], axis: [0, 0, 1], axis_b: [0, 0, 1], ratio: -1}\n"
              "  - {kind: gear, bodies: [planet, world, carrier], axis: [0, 0, 1], axis_b: [0, 0, 1], ratio: '${1/3}'}\n"
            + hinge % ("ring", "world", "ring", ", motor: {kind: speed, value: 3}") + hinge % ("left", "world", "left", ", friction: 1000")
            + hinge % ("right", "world", "right", "") + "  - {kind: differential, bodies: [left, right, ring], axis: [0, 0, 1]}\n"
              "  - {name: screw, kind: screw, bodies: [world, nut], anchor: [0, 0, 0], axis: [0, 0, 1], pitch: 0.01,\n"
              "     limits: [-0.5, .inf], motor: {kind: torque, value: -5}}\n"
              "probes:\n" + "".join("  - {name: %s, kind: joint, joint: %s}\n" % (one, one) for one in ("carrier", "right", "screw")))
        self.summary("run", "g.yaml", "--out", "g.h5")
        with open(self.path("g_screw.csv"), encoding="utf-8") as file:
            title, *rows = [row for row in csv.reader(file)]
        self.assertAlmostEqual(self.table("g_carrier.csv")[-1][2], 2.0, places=8)
        self.assertAlmostEqual(self.table("g_right.csv")[-1][2], 6.0, places=8)
        self.assertAlmostEqual(float(rows[-1][1]), -0.5, places=8)
        self.assertAlmostEqual(float(rows[-1][[one.split(" ")[0] for one in title].index("limit")]), 5.0, places=6)

    def test_joints_that_come_apart(self):
        """Two sweeps a step do not hold a heavy chain, which is said; what holds is not spoken of."""
        far = ("--solver", "gs", "--set", "solver.iteration_limit=2", "--set", "solver.on_nonconverged=continue")
        result = self.run_scree("run", "heavy-chain", "--duration", "1", *far)
        self.assertIn("joints came apart by up to ", result.err)
        result = self.run_scree("run", "heavy-chain", "--duration", "1")
        self.assertNotIn("apart", result.err)

    def test_budget(self):
        self.write("dolls.yaml", DOLLS)
        s = self.summary("run", "dolls.yaml", "--set", "solver.time_budget=1e-4", "--set", "solver.budget_clock=cpu")
        self.assertGreater(s["hurried_steps"], 100)
        self.assertLess(s["worst_joint_error"], 0.3)
        self.assertLess(s["energy"]["kinetic"], 2000)
        self.assertGreater(s["energy"]["potential"], 0)
        self.assertGreater(s["slowest_step"], 0)

    def test_a_budget_from_a_time_on(self):
        """Before it begins steps are those without a budget, to the bit; from then on they are cut short."""
        self.write("dolls.yaml", DOLLS)
        budget = ("--set", "solver.time_budget=1e-4", "--set", "solver.budget_clock=cpu", "--set", "solver.budget_from=0.5")
        free = self.summary("run", "dolls.yaml", "--duration", "0.5", "--out", "a.h5")
        before = self.summary("run", "dolls.yaml", "--duration", "0.5", "--out", "b.h5", *budget)
        self.assertEqual((before["state_hash"], before["hurried_steps"], before["over_budget_steps"]), (free["state_hash"], 0, 0))
        after = self.summary("run", "dolls.yaml", "--duration", "1", "--out", "c.h5", *budget)
        self.assertTrue(50 < after["hurried_steps"] <= 100, after["hurried_steps"])

    def test_budget_is_kept(self):
        """Twelve dolls at 5 ms per step with 5 ms of the processor's time each: nearly all steps keep it, and nothing comes apart.
        With a sanitizer the search for contacts alone takes most of that."""
        self.write("dolls.yaml", DOLLS)
        budget = "15ms" if os.environ.get("SCREE_SANITIZER") else "5ms"
        s = self.summary("run", "dolls.yaml", "--set", "n=12", "--set", "solver.time_budget=" + budget, "--set", "solver.budget_clock=cpu")
        self.assertLessEqual(s["over_budget_steps"], 3)
        self.assertLess(s["worst_joint_error"], 0.05)
        self.assertLess(s["energy"]["kinetic"], 4000)


class Exports(CommandTest):
    def test_steps_of_machines_are_problems(self):
        """A step of a machine, and of one with contacts, is saved and solved alone: joints are no part of FCLIB itself."""
        for scene, step, solvers in (("four-bar", "50", ("auto", "direct", "ipm", "prox")), ("walker", "100", ("auto", "ipm", "prox"))):
            result = self.run_scree("run", scene, "--duration", "0.6", "--export-problem", step, "--export-to", scene + ".hdf5")
            self.assertEqual(result.code, 0, result.err)
            for solver in solvers:
                with self.subTest(scene=scene, solver=solver):
                    result = self.run_scree("solve", scene + ".hdf5", "--solver", solver, "--tol", "1e-10", "--json")
                    self.assertEqual(result.code, 0, result.err)
                    self.assertEqual(self.lines(result)[-1]["outcome"], "solved")


if __name__ == "__main__":
    main()
