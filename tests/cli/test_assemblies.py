#!/usr/bin/env python3
"""Scenes as parts of scenes: places, names, parameters, and what is refused."""
import math
import os

from command import SOURCE, main
from gallery import GalleryTest, column

PENDULUM = """
parameters: {length: 0.5, w: 0}
duration: 9
gravity: [1, 2, 3]
materials: {brass: {friction: 0.4}}
shapes: {bob: {sphere: {radius: '${0.1 * length}'}}}
bodies:
  - {name: bob, shape: bob, material: brass, mass: 1, position: ['${length}', 0, 0], velocity: [0, 0, '${w * length}'],
     angular: [0, '${-w}', 0]}
joints:
  - {name: pin, kind: hinge, bodies: [world, bob], anchor: [0, 0, 0], axis: [0, 1, 0]}
probes:
  - {name: bob, kind: body, body: bob}
  - {name: pin, kind: joint, joint: pin}
"""


class Assemblies(GalleryTest):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def table(self, name):
        import csv
        with open(self.path(name), encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_a_turned_copy_moves_as_the_first(self):
        """Two pendulums in gravity along the axis of their hinges: the same motion, turned and moved."""
        self.write("sub/pendulum.yaml", PENDULUM)
        self.write("scene.yaml", """
gravity: [0, 0, 0]
duration: 0.5
assemblies:
  - {file: sub/pendulum.yaml, name: a, set: {w: 2}}
  - {file: sub/pendulum.yaml, name: b, position: [3, 4, 5], rotation: {axis: [1, 2, 3], angle: 40 deg}, set: {w: 2}}
  - {for: {i: 2}, file: sub/pendulum.yaml, name: 'c${i}', position: ['${5 * (i + 1)}', 9, 0], set: {w: '${i + 1}', length: 1 m}}
""")
        result = self.run_scree("run", "scene.yaml", "--out", "r.h5", "--force", "--json")
        self.assertEqual(result.code, 0, result.err)
        a, b = self.table("r_a.bob.csv"), self.table("r_b.bob.csv")
        t = column(a, "time")[-1]
        end = [0.5 * math.cos(2 * t), 0.0, 0.5 * math.sin(2 * t)]
        for k, x in enumerate("xyz"):
            self.assertAlmostEqual(column(a, x)[-1], end[k], places=4)
        n = [c / math.sqrt(14) for c in (1, 2, 3)]
        angle = math.radians(40)

        def turned(v):
            cross = [n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]]
            dot = sum(x * y for x, y in zip(n, v))
            return [v[i] * math.cos(angle) + cross[i] * math.sin(angle) + n[i] * dot * (1 - math.cos(angle)) for i in range(3)]
        own = [column(a, x)[-1] for x in "xyz"]
        for k, x in enumerate("xyz"):
            self.assertAlmostEqual(column(b, x)[-1], (3, 4, 5)[k] + turned(own)[k], places=9)
        for i in range(2):
            c = self.table("r_c%d.bob.csv" % i)
            self.assertAlmostEqual(column(c, "x")[-1] - 5 * (i + 1), math.cos((i + 1) * t), places=3)
        self.assertTrue(os.path.exists(self.path("r_c1.pin.csv")))

    def test_what_depends_on_time_turns_along(self):
        """A force, a torque and a path that are functions of time, with parameters of the assembly, in a turned one."""
        self.write("sub/pushed.yaml", """
parameters: {f: 1}
bodies:
  - {name: ball, shape: {sphere: {radius: 0.1}}, mass: 1}
  - {name: cart, kind: prescribed, position: [0, 3, 0], shape: {sphere: {radius: 0.1}},
     motion: {path: {displacement: ['${f * t}', 0, 0]}}}
forces:
  - {body: ball, force: ['${f * (1 + 0 * t)}', 0, 0], torque: [0, 0, '${0.001 * f * (1 + 0 * t)}']}
probes:
  - {name: ball, kind: body, body: ball}
  - {name: cart, kind: body, body: cart}
""")
        self.write("scene.yaml", """
gravity: [0, 0, 0]
step: 1 ms
duration: 0.5
assemblies:
  - {file: sub/pushed.yaml, name: a, set: {f: 2}}
  - {file: sub/pushed.yaml, name: b, position: [0, 0, 5], rotation: {axis: [0, 0, 1], angle: 90 deg}, set: {f: 4}}
""")
        result = self.run_scree("run", "scene.yaml", "--out", "r.h5", "--force", "--json")
        self.assertEqual(result.code, 0, result.err)
        a, b = self.table("r_a.ball.csv"), self.table("r_b.ball.csv")
        self.assertAlmostEqual(column(a, "vx")[-1], 1.0, places=2)
        self.assertAlmostEqual(column(b, "vx")[-1], 0.0, places=9)
        self.assertAlmostEqual(column(b, "vy")[-1], 2.0, places=2)
        a, b = self.table("r_a.cart.csv"), self.table("r_b.cart.csv")
        self.assertAlmostEqual(column(a, "x")[-1], 1.0, places=2)
        self.assertAlmostEqual(column(b, "x")[-1], -3.0, places=9)
        self.assertAlmostEqual(column(b, "y")[-1], 2.0, places=2)

    def test_names_inside_reach_out(self):
        self.write("wheel.yaml", "bodies: [{name: tyre, shape: {sphere: {radius: 0.1}}}]\n"
                   "joints: [{name: axle, kind: hinge, bodies: [chassis, tyre], anchor: [0, 0, 0]}]\n")
        self.write("axle.yaml", "assemblies: [{file: wheel.yaml, name: left, position: [0, 1, 0]}, "
                   "{file: wheel.yaml, name: right, position: [0, -1, 0]}]\n")
        self.write("car.yaml", "bodies: [{name: chassis, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 5]}]\n"
                   "duration: 0.02\n"
                   "assemblies: [{file: axle.yaml, name: front}, {file: axle.yaml, name: back, position: [-2, 0, 0]}]\n"
                   "schedule: [{at: 0.01, joint: back.left.axle, motor: {kind: speed, value: 1}}]\n"
                   "exclude: [{bodies: [front.left.tyre, back.left.tyre]}]\n")
        result = self.check(["check", "car.yaml"], 0)
        self.assertIn("5 bodies", result.out)
        self.assertEqual(self.run_scree("run", "car.yaml").code, 0)

    def test_a_recording_holds_all_files(self):
        self.write("sub/pendulum.yaml", PENDULUM)
        self.write("scene.yaml", "duration: 0.05\nassemblies: [{file: sub/pendulum.yaml, name: a}]\n")
        self.assertEqual(self.run_scree("run", "scene.yaml", "--out", "r.h5").code, 0)
        os.remove(self.path("sub/pendulum.yaml"))
        self.assertEqual(self.run_scree("resume", "r.h5", "--duration", "0.1").code, 0)

    def test_faults(self):
        self.write("pendulum.yaml", PENDULUM)
        self.write("flow.yaml", "bodies: [{shape: {sphere: {radius: 1}}}]\ndrains: [{lower: [0, 0, 0], upper: [1, 1, 1]}]\n")
        # What an assembly cannot have is refused, not left out.
        for key, value in (("flexible", "[{kind: beam}]"), ("events", "[{at: 1}]"), ("periodic", "{x: 1}"), ("from", "r.h5")):
            self.write(key + ".yaml", "%s: %s\n" % (key, value))
        self.write("self.yaml", "assemblies: [{file: self.yaml, name: a}]\n")
        self.write("typo.yaml", "bodes: []\n")
        self.write("far.yaml", "bodies: [{name: a, shape: {sphere: {radius: 1}}}]\n"
                   "probes: [{name: p, kind: energy}]\n")
        for entry, message in (
                ("{file: pendulum.yaml, name: a, set: {lenght: 1}}",
                 "scene.yaml:1:51: the assembly has no parameter 'lenght'; did you mean 'length'?"),
                ("{file: none.yaml}", "scene.yaml:1:21: cannot read 'none.yaml': No such file or directory"),
                ("{file: flow.yaml}", "flow.yaml:2:9: drains: not in an assembly"),
                ("{file: flexible.yaml}", "flexible.yaml:1:11: flexible: not in an assembly"),
                ("{file: events.yaml}", "events.yaml:1:9: events: not in an assembly"),
                ("{file: periodic.yaml}", "periodic.yaml:1:11: periodic: not in an assembly"),
                ("{file: from.yaml}", "from.yaml:1:7: from: not in an assembly"),
                ("{file: self.yaml}", "self.yaml:1:21: assemblies: more than 16 deep; does a file contain itself?"),
                ("{file: typo.yaml}", "typo.yaml:1:1: unknown key 'bodes'; did you mean 'bodies'?"),
                ("{file: far.yaml}", "far.yaml:2:10: probe: in an assembly there are the kinds body, force and joint"),
                ("{file: pendulum.yaml, name: a, colour: red}", "scene.yaml:1:45: unknown key 'colour'"),
                ("{file: pendulum.yaml}, {file: pendulum.yaml}", "there is 'brass' already; give the assembly a name")):
            with self.subTest(entry=entry):
                self.write("scene.yaml", "assemblies: [%s]\n" % entry)
                result = self.run_scree("check", "scene.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertIn(message, result.err)

    def test_safe(self):
        self.write("home/scene.yaml", "assemblies: [{file: ../pendulum.yaml, name: a}]\n")
        self.write("pendulum.yaml", PENDULUM)
        result = self.run_scree("check", "--safe", "home/scene.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("it is outside the folder of the scene", result.err)

    def test_robots(self):
        robot = os.path.join(SOURCE, "tests", "models", "arm.urdf")
        self.write("scene.yaml", "duration: 0.05\nassemblies:\n"
                   "  - {for: {i: 2}, file: '%s', name: 'r${i}', position: ['${2 * i}', 0, 1], fixed_base: true}\n"
                   "joints: [{kind: rope, bodies: [r0.fore, r1.fore], anchor: [0, 0, 1], anchor_b: [2, 0, 1], length: 3}]\n" % robot)
        result = self.run_scree("run", "scene.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.err.count("<transmission>"), 1)


class Exclude(GalleryTest):
    SCENE = """duration: 0.3
gravity: [0, 0, 0]
bodies:
  - {for: {i: 3}, name: ball, shape: {sphere: {radius: 0.1}}, position: ['${0.15 * i}', 0, 0]}
  - {name: bullet, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5], velocity: [0, 0, -4]}
probes: [{name: bullet, kind: body, body: bullet}]
"""

    def run_with(self, exclude):
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(self.SCENE + exclude)
        return self.run_scree("run", "scene.yaml", "--out", "r.h5", "--force")

    def test_what_is_excluded_does_not_touch(self):
        self.assertIn("overlaps", self.run_with("").err)
        self.assertIn("'ball[0]' overlaps", self.run_with("exclude: [{bodies: ['ball[1]', 'ball[2]']}]").err)
        result = self.run_with("exclude: [{bodies: [ball]}]")
        self.assertEqual(result.code, 0, result.err)
        import csv
        with open(self.path("r_bullet.csv"), encoding="utf-8") as file:
            stopped = column(list(csv.reader(file)), "z")[-1]
        self.assertGreater(stopped, -0.5)
        self.assertEqual(self.run_with("exclude: [{bodies: [ball]}, {for: {i: 3}, bodies: [bullet, 'ball[${i}]']}]").code, 0)
        with open(self.path("r_bullet.csv"), encoding="utf-8") as file:
            self.assertAlmostEqual(column(list(csv.reader(file)), "z")[-1], 0.5 - 4 * 0.3, places=6)

    def test_faults(self):
        for exclude, message in (("exclude: [{bodies: [ball, bal]}]", "there is no body 'bal'; did you mean 'ball'?"),
                                 ("exclude: [{bodies: [bullet]}]", "scene.yaml:7:20: bodies: two bodies or more are expected"),
                                 ("exclude: [{bodies: ball}]", "scene.yaml:7:20: bodies: a list of names is expected, as [a, b]")):
            result = self.run_with(exclude)
            self.assertEqual(result.code, 3)
            self.assertIn(message, result.err)


if __name__ == "__main__":
    main()
