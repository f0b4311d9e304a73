#!/usr/bin/env python3
"""Transmissions from books, each beside its closed form: Scotch yoke, double Cardan joint, differential, screw press that locks
itself, toggle clamp, Watt's governor, cam and follower, Oldham coupling, and gears in a closed loop."""
import csv
import math

from command import CommandTest, main

STEP = 0.005  # s
G = 9.81
STILL = "[0, 0, 0]"


def body(name, mass, place, inertia=0.01):
    return "  - {name: %s, mass: %.15g, position: [%.15g, %.15g, %.15g], inertia: [%g, 0, 0, %g, 0, %g]}" % (name, mass, *place, inertia, inertia, inertia)


def joint(kind, name, a, b, anchor, axis="[0, 1, 0]", more=""):
    return "  - {name: %s, kind: %s, bodies: [%s, %s], anchor: [%.15g, %.15g, %.15g], axis: %s%s}" % (name, kind, a, b, *anchor, axis, more)


def motor(value, kind="position"):
    return ', motor: {kind: %s, value: "${%s}"}' % (kind, value)


class Transmissions(CommandTest):
    def play(self, bodies, joints, probes, duration=2.0, gravity="[0, 0, -9.81]", more=""):
        """The rows of the probes named, as dictionaries; 'j:NAME' is one of a joint."""
        with open(self.path("m.yaml"), "w", encoding="utf-8") as file:
            file.write("step: %g s\nduration: %g s\ngravity: %s\nbodies:\n%s\njoints:\n%s\n%sprobes:\n%s\n" % (
                STEP, duration, gravity, "\n".join(bodies), "\n".join(joints), more, "\n".join(
                    "  - {name: %s, kind: %s}" % (p.split(":")[-1], "joint, joint: " + p[2:] if ":" in p else "body, body: " + p) for p in probes)))
        result = self.run_scree("run", "m.yaml", "--out", "m.h5", "--force", "--threads", "1")
        self.assertEqual(result.code, 0, result.err)
        self.assertNotIn("warning", result.err)
        tables = []
        for p in probes:
            with open(self.path("m_%s.csv" % p.split(":")[-1]), encoding="utf-8") as file:
                lines = list(csv.reader(file))
            names = [column.split(" ")[0] for column in lines[0]]
            tables.append([dict(zip(names, map(float, line))) for line in lines[1:]])
        return tables

    def test_a_scotch_yoke(self):
        """x = r cos(w t); the crank's torque is m r^2 w^2 sin cos, at the middle of the velocities that a step changes."""
        w, r, m = 5, 0.3, 2
        yoke, crank = self.play(
            [body("crank", 1, (0, 0, 0)), body("yoke", m, (r, 0, 0))],
            [joint("hinge", "c", "world", "crank", (0, 0, 0), "[0, -1, 0]", motor("%g * t" % w)), joint("slider", "s", "world", "yoke", (0, 0, 0), "[1, 0, 0]"),
             joint("point_on_plane", "p", "yoke", "crank", (r, 0, 0), "[1, 0, 0]")], ["yoke", "j:c"], gravity=STILL)
        self.assertLess(max(abs(q["x"] - r * math.cos(w * q["time"])) for q in yoke), 1e-9)
        most = m * r * r * w * w / 2
        for q in crank[5:]:
            turn = w * (q["time"] - STEP)
            self.assertAlmostEqual(q["motor"], most * math.sin(2 * turn), delta=2e-4 * most)

    def test_two_cardan_joints_turn_evenly(self):
        bend, length = math.radians(30), 0.5
        c, s = math.cos(bend), math.sin(bend)
        across, end = "[%.15g, 0, %.15g]" % (-s, c), (length * c, 0, length * s)
        first, last = self.play(
            [body("in", 1, (-0.2, 0, 0)), body("mid", 1, (length * c / 2, 0, length * s / 2)), body("out", 1, (length * c + 0.2, 0, length * s))],
            [joint("hinge", "i", "world", "in", (-0.2, 0, 0), "[1, 0, 0]", motor("3 * t")), joint("hinge", "o", "world", "out", (end[0] + 0.2, 0, end[2]), "[1, 0, 0]"),
             joint("universal", "u1", "in", "mid", (0, 0, 0), more=", axis_b: " + across), joint("universal", "u2", "mid", "out", end, across, ", axis_b: [0, 1, 0]")],
            ["j:i", "j:o"], 4)
        self.assertLess(max(abs(p["position"] - q["position"]) for p, q in zip(first, last)), 1e-9)
        self.assertGreater(last[-1]["position"], 11.9)

    def test_a_differential_shares_its_torque(self):
        """Both wheels get the moment k, the carrier T - 2 k, and it turns with their mean."""
        a, b, c, torque = 0.02, 0.05, 0.03, 1.0
        k = torque / (2 + 0.5 * c * (1 / a + 1 / b))
        bodies = [body("a", 1, (0, 0.1, 0), a), body("b", 1, (0, -0.1, 0), b), body("c", 1, (0, 0, 0), c)]
        joints = [joint("hinge", "ha", "world", "a", (0, 0.1, 0)), joint("hinge", "hb", "world", "b", (0, -0.1, 0)),
                  joint("hinge", "hc", "world", "c", (0, 0, 0), more=motor("%g" % torque, "torque")), "  - {name: d, kind: differential, bodies: [a, b, c], axis: [0, 1, 0]}"]
        for table, expected in zip(self.play(bodies, joints, ["j:ha", "j:hb", "j:hc"], 1), (k / a, k / b, 0.5 * (k / a + k / b))):
            self.assertAlmostEqual(table[-1]["speed"], expected, delta=1e-6 * expected)

    def test_a_screw_locks_itself(self):
        """Friction above W p/(2 pi) holds the load; below it the load sinks with what is left."""
        pitch, mass = 0.01, 500
        for part in (0.95, 1.05):
            friction = part * mass * G * pitch / (2 * math.pi)
            (nut,) = self.play([body("nut", mass, (0, 0, 1), 1)], [joint("screw", "s", "world", "nut", (0, 0, 1), "[0, 0, 1]", ", pitch: %g, friction: %.15g" % (pitch, friction))], ["nut"])
            sinks = (1 - part) * mass * G / (mass + (2 * math.pi / pitch) ** 2) if part < 1 else 0.0
            self.assertAlmostEqual(nut[-1]["z"] - 1, -sinks * 0.5 * 2**2, delta=1e-5 * sinks + 1e-12)

    def test_a_toggle_clamp(self):
        """Two rods near their line press with F/(2 tan a); 2 F at the middle of one of them is F at the knee."""
        rod, a, stiffness, force = 0.5, math.radians(4), 1e6, 50
        x, z = rod * math.cos(a), rod * math.sin(a)
        (ram,) = self.play(
            [body("r1", 0.1, (x / 2, 0, z / 2), 1e-4), body("r2", 0.1, (1.5 * x, 0, z / 2), 1e-4), body("ram", 1, (2 * x, 0, 0))],
            [joint("hinge", "a", "world", "r1", (0, 0, 0)), joint("hinge", "b", "r1", "r2", (x, 0, z)), joint("hinge", "c", "r2", "ram", (2 * x, 0, 0)),
             joint("slider", "s", "world", "ram", (2 * x, 0, 0), "[1, 0, 0]", ", spring: {stiffness: %g, rest: 0}, damping: 3000" % stiffness)],
            ["j:s"], 4, STILL, "forces:\n  - {body: r1, force: [0, 0, %g]}\n" % (-2 * force))
        q = ram[-1]["position"]
        self.assertAlmostEqual(stiffness * q, force / (2 * math.tan(math.acos((2 * x + q) / (2 * rod)))), delta=1e-3 * stiffness * q)
        self.assertGreater(stiffness * q, 7 * force)

    def test_watts_governor(self):
        """Balls m on rods of length L, a sleeve M below them: cos a = (1 + M/m) g/(w^2 L), but for the arcs of a step, of order (w h)^2/12."""
        rod, m, sleeve, w, a = 0.3, 0.5, 1.0, 14.0, math.radians(35)
        x, z = rod * math.sin(a), rod * math.cos(a)
        bodies = [body("shaft", 1, (0, 0, 0)), body("sleeve", sleeve, (0, 0, -2 * z), 1e-3)]
        joints = [joint("hinge", "spin", "world", "shaft", (0, 0, 0), "[0, 0, 1]", motor("%g" % w, "speed")), joint("cylindrical", "sl", "shaft", "sleeve", (0, 0, 0), "[0, 0, 1]", ", damping: 30")]
        for k, s in ((0, 1), (1, -1)):
            bodies.append(body("b%d" % k, m, (s * x, 0, -z), 1e-6))
            joints += [joint("hinge", "t%d" % k, "shaft", "b%d" % k, (0, 0, 0)),
                       "  - {name: e%d, kind: distance, bodies: [b%d, sleeve], anchor: [%.15g, 0, %.15g], anchor_b: [0, 0, %.15g]}" % (k, k, s * x, -z, -2 * z)]
        (low,) = self.play(bodies, joints, ["sleeve"], 20)
        self.assertAlmostEqual(-low[-1]["z"] / (2 * rod), (1 + sleeve / m) * G / (w * w * rod), delta=(w * STEP) ** 2 / 12)

    def test_a_cam(self):
        """The follower's place is the lift, and the torque its force times the slope of the lift."""
        m, w, rise = 3, 4, 0.02
        points = [[2 * math.pi * k / 72, rise * (1 - math.cos(2 * math.pi * k / 72))] for k in range(73)]
        follower, shaft = self.play(
            [body("cam", 1, (0, 0, 0)), body("fol", m, (0, 0, 1))],
            [joint("hinge", "h", "world", "cam", (0, 0, 0), more=motor("%g * t" % w)), joint("slider", "s", "world", "fol", (0, 0, 1), "[0, 0, 1]"),
             "  - {name: c, kind: cam, bodies: [cam, fol], axis: [0, 1, 0], axis_b: [0, 0, 1], closed: true, points: %s}" % points], ["fol", "j:h"], 4)
        self.assertLess(max(abs(q["z"] - 1 - rise * (1 - math.cos(w * q["time"]))) for q in follower), 1e-5 * rise * 3)
        for q in shaft[4:]:
            turn = w * (q["time"] - STEP)
            self.assertAlmostEqual(q["motor"], m * (G + rise * w * w * math.cos(turn)) * rise * math.sin(turn), delta=5e-3 * m * G * rise)

    def test_an_oldham_coupling(self):
        """Shafts that are e apart turn evenly; the disc goes round the circle over e as its diameter, twice a turn."""
        e = 0.1
        first, last, disc = self.play(
            [body("in", 1, (0, 0, 0)), body("disc", 1, (e, 0, 0.05)), body("out", 1, (e, 0, 0.1))],
            [joint("hinge", "i", "world", "in", (0, 0, 0), "[0, 0, 1]", motor("3 * t")), joint("hinge", "o", "world", "out", (e, 0, 0.1), "[0, 0, 1]"),
             joint("slider", "s1", "in", "disc", (0, 0, 0), "[1, 0, 0]"), joint("slider", "s2", "disc", "out", (e, 0, 0.1), "[0, 1, 0]")], ["j:i", "j:o", "disc"], 3, STILL)
        self.assertLess(max(abs(p["position"] - q["position"]) for p, q in zip(first, last)), 1e-9)
        self.assertLess(max(abs(math.hypot(q["x"] - e / 2, q["y"]) - e / 2) for q in disc), 1e-6)

    def test_gears_in_a_loop(self):
        """Two pairs of wheels between the same shafts: of the same ratio they turn as one, of others nothing can turn."""
        bodies = [body("a", 1, (0, 0, 0), 0.1), body("b", 1, (1, 0, 0), 0.2)]
        for back, speed in ((-0.5, 1 / (0.1 + 0.2 * 4)), (-0.5001, 0.0)):
            joints = [joint("hinge", "ha", "world", "a", (0, 0, 0), more=motor("1", "torque")), joint("hinge", "hb", "world", "b", (1, 0, 0))] + [
                "  - {name: %s, kind: gear, bodies: [%s], axis: [0, 1, 0], ratio: %g}" % one for one in (("g1", "a, b", -2), ("g2", "b, a", back))]
            (shaft,) = self.play(bodies, joints, ["j:ha"], 1)
            self.assertAlmostEqual(shaft[-1]["speed"], speed, delta=1e-6)


main()
