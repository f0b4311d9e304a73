#!/usr/bin/python3
"""`belt` of a body: shoes around wheels, their pitch and places against closed forms, hinges that hold, and faults."""
import math

from command import CommandTest, main

SCENE = """step: 4 ms
duration: %g s
gravity: [0, 0, %g]
bodies:
  - {name: shoe, mass: 0.1, shape: {box: {size: [%g, 0.12, 0.02]}}, position: %s, rotation: {axis: [0, 0, 1], angle: 30 deg},
     belt: {number: %d, wheels: %s, height: %r, pin: pin}}
joints: []
probes:
"""


class Belt(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def lay(self, number, wheels, height, length=0.03, position=(0, 0, 0)):
        """Centres of the shoes in the belt's plane."""
        text = SCENE % (0.004, 0, length, list(position), number, [list(w) for w in wheels], height)
        text += "".join("  - {name: s%d, kind: body, body: 'shoe[%d]'}\n" % (i, i) for i in range(number))
        text += "  - {name: last, kind: joint, joint: 'pin[%d]'}\n" % (number - 1)
        self.write("b.yaml", text)
        result = self.run_scree("run", "b.yaml", "--out", "b.h5", "--force", "--json")
        self.assertEqual(result.code, 0, result.err)
        summary = self.lines(result)[-1]
        self.assertEqual(summary["bodies"], number)
        self.assertLess(summary["worst_joint_error"], 1e-12)
        places, turns = [], []
        for i in range(number):
            with open(self.path("b_s%d.csv" % i), encoding="utf-8") as file:
                row = [float(x) for x in file.read().splitlines()[-1].split(",")]
            x, y, z = (row[1 + k] - position[k] for k in range(3))
            c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
            self.assertAlmostEqual(-s * x + c * y, 0.0, places=12)
            places.append((c * x + s * y, z))
            turns.append(row[4:8])
        return places, turns

    def pitches(self, places):
        return [math.dist(a, b) for a, b in zip(places, places[1:] + places[:1])]

    def test_two_equal_wheels(self):
        """22 shoes straight above and below, 8 around each wheel: the pitch is that of a polygon of 16."""
        p, m, k, height = 0.06, 22, 8, 0.0105
        circle = p / (2 * math.sin(math.pi / (2 * k)))
        radius = circle * math.cos(math.pi / (2 * k)) - height
        places, turns = self.lay(2 * (m + k), [(-m * p / 2, 0, radius), (m * p / 2, 0, radius), (0, 0, 0.05)], height, position=(1, 2, 3))
        below = sorted(x for x, z in places if abs(z + circle) < 1e-9)
        above = sorted(x for x, z in places if abs(z - circle) < 1e-9)
        for row in (below, above):
            self.assertEqual(len(row), m)
            for i, x in enumerate(row):
                self.assertAlmostEqual(x, (i + 0.5 - m / 2) * p, places=9)
        around = [(x, z) for x, z in places if x > m * p / 2]
        self.assertEqual(len(around), k)
        for x, z in around:
            self.assertAlmostEqual(math.hypot(x - m * p / 2, z), radius + height, places=9)
        # z of a shoe points outwards: down below, up above
        for (x, z), q in zip(places, turns):
            if abs(abs(z) - circle) < 1e-9:
                self.assertAlmostEqual(1 - 2 * (q[1] ** 2 + q[2] ** 2), math.copysign(1.0, z), places=9)

    def test_wheels_of_any_size(self):
        """No shoe comes nearer to a wheel than its height, and some rest on each wheel of the hull."""
        wheels = [(0, 0, 0.2), (0.7, 0.1, 0.08), (0.5, 0.5, 0.12), (0.35, 0.2, 0.05)]
        places, _ = self.lay(50, wheels, 0.012)
        for k, (x, z, r) in enumerate(wheels):
            nearest = min(math.hypot(px - x, pz - z) for px, pz in places) - r - 0.012
            self.assertGreater(nearest, -1e-12)
            if k < 3:
                self.assertLess(nearest, 1e-9)
            else:
                self.assertGreater(nearest, 0.05)
        self.assertLess(max(self.pitches(places)) / min(self.pitches(places)), 1.1)

    def test_one_wheel(self):
        places, _ = self.lay(12, [(0.1, 0.2, 0.3)], 0.01)
        for x, z in places:
            self.assertAlmostEqual(math.hypot(x - 0.1, z - 0.2), 0.31, places=12)

    def test_in_an_assembly(self):
        self.lay(12, [(0.1, 0.2, 0.3)], 0.01)
        self.write("a.yaml", "step: 4 ms\nduration: 4 ms\ngravity: [0, 0, 0]\nassemblies:\n  - {file: b.yaml, name: left, position: [1, 2, 3], "
                   "rotation: {axis: [1, 1, 0], angle: 40 deg}}\nprobes: [{name: pin, kind: joint, joint: 'left.pin[0]'}]\n")
        result = self.run_scree("run", "a.yaml", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertLess(self.lines(result)[-1]["worst_joint_error"], 1e-12)

    def test_it_is_driven(self):
        """A track of 40 shoes around two wheels: the shoes on the ground stand still while the wheels roll over them."""
        self.write("t.yaml", """step: 4 ms
duration: 0.6 s
materials: {default: {friction: 0.8}}
bodies:
  - {name: ground, kind: fixed, shape: {half_space: {}}}
  - {name: frame, mass: 20, shape: {box: {size: [0.6, 0.1, 0.05]}}, position: [0, 0.4, 0.1248]}
  - {for: {i: 2}, name: wheel, mass: 3, shape: {cylinder: {radius: 0.1, length: 0.1}}, position: ['${0.8 * i - 0.4}', 0, 0.1248],
     rotation: {axis: [1, 0, 0], angle: -90 deg}}
  - {name: shoe, mass: 0.2, shape: {box: {size: [0.05, 0.12, 0.02]}}, position: [0, 0, 0.1248], belt: {number: 40, wheels: [[-0.4, 0, 0.1], [0.4, 0, 0.1]], height: 0.0107, pin: pin, damping: 0.01}}
joints:
  - {for: {i: 2}, name: axle, kind: hinge, bodies: [frame, 'wheel[${i}]'], anchor: ['${0.8 * i - 0.4}', 0, 0.1248], axis: [0, 1, 0], motor: {kind: speed, value: '${3 * clamp(5 * t, 0, 1)}', limit: 60}}
  - {name: upright, kind: planar, bodies: [world, frame], anchor: [0, 0, 0.1248], axis: [0, 1, 0]}
exclude: [{bodies: [frame, wheel, shoe]}]
probes:
  - {name: frame, kind: body, body: frame}
""")
        result = self.run_scree("run", "t.yaml", "--out", "t.h5", "--force", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertLess(self.lines(result)[-1]["worst_joint_error"], 1e-3)
        with open(self.path("t_frame.csv"), encoding="utf-8") as file:
            rows = [[float(x) for x in line.split(",")] for line in file.read().splitlines()[1:]]
        first, last = [row for row in rows if row[0] >= 0.3 - 1e-9][0], rows[-1]
        speed = abs(last[1] - first[1]) / (last[0] - first[0])
        self.assertTrue(3 * 0.1 < speed < 3 * 0.116, speed)

    def test_faults(self):
        def told(change, fault):
            text = (SCENE % (0.004, 0, 0.03, [0, 0, 0], 20, [[0, 0, 0.1]], 0.01)).replace("joints: []\nprobes:\n", "")
            self.assertIn(change[0], text)
            self.write("f.yaml", text.replace(*change))
            result = self.run_scree("check", "f.yaml")
            self.assertEqual(result.code, 3, result.err)
            self.assertIn(fault, result.err)

        told(("[[0, 0, 0.1]]", "[]"), "6:33: wheels: from 1 to 64 of them are expected")
        told(("[[0, 0, 0.1]]", "[[0, 0, -0.1]]"), "6:34: wheels: the radius -0.1 is below 0")
        told(("[[0, 0, 0.1]]", "[[0, 0]]"), "6:34")
        told(("number: 20", "number: 2"), "6:21: number: 2 is out of range")
        told(("number: 20", "number: 120"), "f.yaml:6:12: belt: 120 shoes have a pitch of 0.0057")
        told(("mass: 0.1", "kind: fixed"), "f.yaml:6:12: belt: a dynamic body with a shape is expected")
        told(("height: 0.01", "height: -1"), "height: -1 m is out of range")
        told(("belt: {", "lattice: {count: [1, 1, 1], pitch: [1, 1, 1]}, belt: {"), "one of lattice, random, csv and belt is expected")


if __name__ == "__main__":
    main()
