#!/usr/bin/env python3
"""Machines from books, each beside its closed form: straight-line linkages, a pantograph, a lift of scissors, planetary and worm
gears, block and tackle, a parallel robot, an arm with stops, a Cardan joint, beads over a drum, and a Geneva drive whose parts
touch."""
import csv
import math

from command import CommandTest, main

THIN = 1e-6  # kg m2, that rods have about their axes


def point(p):
    return "[%.15g, %.15g, %.15g]" % tuple(p)


def rod(name, p, q, mass=1.0):
    """A thin rod in the xz plane."""
    length = math.dist(p, q)
    x, z = (q[0] - p[0]) / length, (q[2] - p[2]) / length
    about = mass * length**2 / 12
    return "  - {name: %s, mass: %g, position: %s, inertia: [%.15g, 0, %.15g, %.15g, 0, %.15g]}" % (
        name, mass, point([(a + b) / 2 for a, b in zip(p, q)]), about * z * z + THIN, -about * x * z, about + THIN, about * x * x + THIN)


def ball(name, p, mass, inertia=1e-3):
    return "  - {name: %s, mass: %g, position: %s, inertia: [%g, 0, 0, %g, 0, %g]}" % (name, mass, point(p), inertia, inertia, inertia)


def joint(kind, name, bodies, anchor, axis="[0, 1, 0]", more=""):
    return "  - {name: %s, kind: %s, bodies: [%s], anchor: %s, axis: %s%s}" % (name, kind, ", ".join(bodies), point(anchor), axis, more)


def hinge(name, a, b, anchor, more=""):
    return joint("hinge", name, (a, b), anchor, more=more)


def motor(value, kind="position"):
    return ', motor: {kind: %s, value: "${%s}"}' % (kind, value)


class Linkages(CommandTest):
    def play(self, bodies, joints, probes, duration=2.0, step="5 ms", gravity="[0, 0, -9.81]", materials=""):
        """The rows of the probes named; 'j:NAME' is one of a joint."""
        with open(self.path("m.yaml"), "w", encoding="utf-8") as file:
            file.write("step: %s\nduration: %g s\ngravity: %s\n%sbodies:\n%s\njoints:\n%s\nprobes:\n%s\n" % (
                step, duration, gravity, materials, "\n".join(bodies), "\n".join(joints), "\n".join(
                    "  - {name: %s, kind: %s}" % (p.split(":")[-1], "joint, joint: " + p[2:] if ":" in p else "body, body: " + p) for p in probes)))
        result = self.run_scree("run", "m.yaml", "--out", "m.h5", "--force", "--threads", "1")
        self.assertEqual(result.code, 0, result.err)
        self.assertNotIn("warning", result.err)
        rows = []
        for p in probes:
            with open(self.path("m_%s.csv" % p.split(":")[-1]), encoding="utf-8") as file:
                rows.append([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
        return rows

    def test_peaucellier_draws_a_line(self):
        a, b, c = (0, 0, 0), (1, 0, 0), (2, 0, 0)
        x = (9 - 2.25 + 4) / 4
        z = math.sqrt(9 - x * x)
        d, e, f = (x, 0, z), (x, 0, -z), (2 * x - 2, 0, 0)
        bodies = [rod("bc", b, c), rod("ad", a, d), rod("ae", a, e), rod("cd", c, d), rod("ce", c, e), rod("fd", f, d), rod("fe", f, e), ball("pen", f, 0.5)]
        joints = [hinge("B", "world", "bc", b, motor("0.5 * sin(2 * t)")), hinge("A1", "world", "ad", a), hinge("A2", "world", "ae", a),
                  hinge("C1", "bc", "cd", c), hinge("C2", "bc", "ce", c), hinge("D1", "ad", "cd", d), hinge("D2", "ad", "fd", d),
                  hinge("E1", "ae", "ce", e), hinge("E2", "ae", "fe", e), hinge("F1", "fd", "fe", f), hinge("F2", "fd", "pen", f)]
        (pen,) = self.play(bodies, joints, ["pen"])
        self.assertLess(max(abs(r[1] - f[0]) for r in pen), 1e-6)
        self.assertGreater(max(abs(r[3]) for r in pen), 0.8)

    def test_a_pantograph_doubles(self):
        o, p, q, r, m, n = (0, 0, 0), (1, 0, 1), (2, 0, 0), (1, 0, 0), (0.5, 0, 0.5), (1.5, 0, 0.5)
        bodies = [rod("op", o, p, 2), rod("pq", p, q, 2), rod("mr", m, r), rod("nr", n, r), ball("pen", r, 0.1), ball("copy", q, 0.1)]
        joints = [hinge("O", "world", "op", o), hinge("P", "op", "pq", p), hinge("M", "op", "mr", m), hinge("N", "pq", "nr", n), hinge("R", "mr", "nr", r),
                  hinge("S", "mr", "pen", r), hinge("Q", "pq", "copy", q),
                  joint("planar", "hand", ("world", "pen"), r, more=motor("0.2 * sin(3 * t)") + ", second: {" + motor("0.15 * (cos(3 * t) - 1)")[2:] + "}")]
        pen, copy = self.play(bodies, joints, ["pen", "copy"])
        self.assertLess(max(max(abs(2 * a[1] - b[1]), abs(2 * a[3] - b[3])) for a, b in zip(pen, copy)), 1e-6)
        self.assertGreater(max(abs(row[1] - 1) for row in pen), 0.19)

    def test_the_force_under_a_lift_of_scissors(self):
        """n crosses under a weight W, bars at an angle a: n W / tan a at the foot."""
        n, angle, mass = 4, math.radians(30), 1e-3
        c, s = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        bodies, joints = [], []
        for k in range(n):
            low, high = 2 * s * k, 2 * s * (k + 1)
            bodies += [rod("p%d" % k, (0, 0, low), (2 * c, 0, high), mass), rod("q%d" % k, (2 * c, 0, low), (0, 0, high), mass)]
            joints.append(hinge("m%d" % k, "p%d" % k, "q%d" % k, (c, 0, low + s)))
            if k:
                joints += [hinge("l%d" % k, "q%d" % (k - 1), "p%d" % k, (0, 0, low)), hinge("r%d" % k, "p%d" % (k - 1), "q%d" % k, (2 * c, 0, low))]
        foot, top = (2 * c, 0, 0), (0, 0, 2 * s * n)
        bodies += [ball("foot", foot, 1e-3, THIN), ball("top", top, 100, 1)]
        joints += [hinge("base", "world", "p0", (0, 0, 0)), joint("slider", "drive", ("world", "foot"), foot, "[1, 0, 0]", ", motor: {kind: position, value: 0}"),
                   hinge("f", "foot", "q0", foot), hinge("t", "q%d" % (n - 1), "top", top), joint("slider", "guide", ("world", "top"), top, "[0, 0, 1]")]
        (drive,) = self.play(bodies, joints, ["j:drive"], 0.5)
        want = 9.81 * n / math.tan(angle) * (100 + mass * n)  # the centre of the bars rises by half of what the top does
        self.assertAlmostEqual(-drive[-1][3] / want, 1.0, places=6)

    def test_gears(self):
        """Planets between a sun of 20 and a fixed ring of 60 teeth: the carrier has 20/80 of the sun's speed."""
        bodies = [ball("sun", (0, 0, 0), 1), ball("carrier", (0, 0, 0), 1), ball("planet", (0.2, 0, 0), 0.5)]
        joints = [joint("hinge", "s", ("world", "sun"), (0, 0, 0), "[0, 0, 1]", motor("4", "speed")), joint("hinge", "c", ("world", "carrier"), (0, 0, 0), "[0, 0, 1]"),
                  joint("hinge", "p", ("carrier", "planet"), (0.2, 0, 0), "[0, 0, 1]"),
                  "  - {kind: gear, bodies: [sun, planet, carrier], axis: [0, 0, 1], ratio: -1}",
                  "  - {kind: gear, bodies: [planet, world, carrier], axis: [0, 0, 1], ratio: '${1 / 3}'}"]
        c, p = self.play(bodies, joints, ["j:c", "j:p"], 2.0, gravity="[0, 0, 0]")
        self.assertAlmostEqual(c[-1][1], 2.0, places=9)
        self.assertAlmostEqual(p[-1][1], -6.0, places=9)

    def test_a_worm_lifts(self):
        """A worm of 1:40 and a drum of 0.15 m lift 40 kg: it takes 40 g 0.15 / 40 N m."""
        bodies = [ball("worm", (0, 0, 0), 1), ball("wheel", (0, 0, 0.2), 5, 0.1), ball("load", (0.3, 0, -1), 40, 1)]
        joints = [joint("hinge", "w", ("world", "worm"), (0, 0, 0), "[1, 0, 0]", motor("40", "speed")), hinge("v", "world", "wheel", (0, 0, 0.2)),
                  "  - {kind: gear, bodies: [worm, wheel], axis: [1, 0, 0], axis_b: [0, 1, 0], ratio: '${1 / 40}'}",
                  "  - {kind: rack_pinion, bodies: [wheel, load], axis: [0, 1, 0], axis_b: [0, 0, 1], ratio: 0.15}",
                  joint("slider", "s", ("world", "load"), (0.3, 0, -1), "[0, 0, 1]")]
        w, s = self.play(bodies, joints, ["j:w", "j:s"])
        self.assertAlmostEqual(w[-1][3], 40 * 9.81 * 0.15 / 40, places=8)
        self.assertAlmostEqual(s[-1][1], 80 / 40 * 0.15, places=8)

    def test_block_and_tackle(self):
        """m1 a1 = m1 g - T, m2 a2 = m2 g - 2 T, a1 = -2 a2; 3 and 2 kg: a1 = 4/7 g."""
        bodies = [ball("a", (0, 0, -2), 3), ball("b", (1, 0, -3), 2)]
        joints = ["  - {kind: pulley, bodies: [a, b], anchor: [0, 0, -2], anchor_b: [1, 0, -3], sheaves: [[0, 0, 0], [1, 0, 0]], ratio: 2}"]
        a, b = self.play(bodies, joints, ["a", "b"], 0.5)
        self.assertAlmostEqual(a[-1][3], -2 - 9.81 * 4 / 7 * 0.125, places=6)
        self.assertAlmostEqual(b[-1][3], -3 + 9.81 * 2 / 7 * 0.125, places=6)

    def test_an_arm_against_its_stops(self):
        """A motor of 500 N m presses a bucket against its stop, the others lie on theirs: what the stops bear."""
        bodies = [ball("boom", (1.5, 0, 1), 200, 100), ball("stick", (4, 0, 1), 100, 30), ball("bucket", (5.25, 0, 1), 50, 3)]
        turn = [("hinge", "a", ("world", "boom"), (0, 0, 1), -10), ("hinge", "b", ("boom", "stick"), (3, 0, 1), -20), ("hinge", "c", ("stick", "bucket"), (5, 0, 1), -90)]
        upper, drives = (60, 0, 30), ("", "", ", motor: {kind: speed, value: 1, limit: 500}")
        joints = [joint(*t[:4], "[0, -1, 0]", ", limits: [%d deg, %d deg]%s" % (t[4], u, d)) for t, u, d in zip(turn, upper, drives)]
        a, b, c = self.play(bodies, joints, ["j:a", "j:b", "j:c"], 4.0)
        self.assertAlmostEqual(c[-1][3], 500.0, places=6)
        self.assertAlmostEqual(c[-1][7], 50 * 9.81 * 0.25 - 500, places=2)  # -10 - 20 + 30 degrees: it is level
        reach = 2.0 * math.cos(math.radians(30)) + 0.25
        self.assertAlmostEqual(b[-1][7] / (9.81 * (100 * math.cos(math.radians(30)) + 50 * reach)), 1.0, places=5)
        self.assertAlmostEqual(a[-1][1], math.radians(-10), places=8)

    def test_a_parallel_robot(self):
        """Six legs of the lengths that a motion of the platform wants: it makes that motion."""
        bodies, joints = [ball("top", (0, 0, 1), 50, 4)], []

        def length(i, t):
            turn = 0.1 * math.sin(2 * t)
            x, y, z = tops[i]
            c, s = math.cos(turn), math.sin(turn)
            return math.dist((0.05 * math.sin(2 * t) + c * x - s * y, 0.03 * math.sin(3 * t) + s * x + c * y, z + 0.1 * math.sin(t)), bases[i])

        angles = [math.radians(120 * (i // 2)) for i in range(6)]
        side = [-1 if i % 2 == 0 else 1 for i in range(6)]
        bases = [(math.cos(a + math.radians(10 * s)), math.sin(a + math.radians(10 * s)), 0) for a, s in zip(angles, side)]
        tops = [(0.6 * math.cos(a + math.radians(50 * s)), 0.6 * math.sin(a + math.radians(50 * s)), 1) for a, s in zip(angles, side)]
        for i, (b, t) in enumerate(zip(bases, tops)):
            whole = math.dist(b, t)
            u = [(t[k] - b[k]) / whole for k in range(3)]
            flat = math.hypot(u[0], u[1])
            across = (-u[1] / flat, u[0] / flat, 0)
            third = (u[1] * across[2] - u[2] * across[1], u[2] * across[0] - u[0] * across[2], u[0] * across[1] - u[1] * across[0])
            low, high = ([b[k] + part * whole * u[k] for k in range(3)] for part in (0.3, 0.7))
            bodies += [ball("low%d" % i, low, 2, 0.05), ball("high%d" % i, high, 2, 0.05)]
            table = ", ".join("[%.3f, %.12g]" % (k * 0.01, length(i, k * 0.01) - whole) for k in range(201))
            joints += [joint("universal", "u%d" % i, ("world", "low%d" % i), b, point(across), ", axis_b: " + point(third)),
                       joint("slider", "s%d" % i, ("low%d" % i, "high%d" % i), low, point(u), ", motor: {kind: position, table: [%s]}" % table),
                       joint("ball", "b%d" % i, ("high%d" % i, "top"), t)]
        (top,) = self.play(bodies, joints, ["top"], 2.0)
        for r in top:
            t = r[0]
            self.assertLess(math.dist(r[1:4], (0.05 * math.sin(2 * t), 0.03 * math.sin(3 * t), 1 + 0.1 * math.sin(t))), 2e-5)
            self.assertAlmostEqual(2 * math.atan2(r[7], r[4]), 0.1 * math.sin(2 * t), places=4)

    def test_bennetts_loop(self):
        """Four hinges in space, with three rows more than they need: tan(a/2) tan(b/2) is constant. At the end of a step these rows
        contradict each other in terms of third order, which is no reason to find no solution; and what that is, is said."""
        alpha, beta, crank = math.radians(40), math.radians(70), math.radians(60)
        constant = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
        lengths, twists = (1.0, math.sin(beta) / math.sin(alpha)), (alpha, beta)
        turn = 2 * math.atan(constant / math.tan(crank / 2))
        place, x, z, pins = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), []

        def along(p, s, q, c=1.0):
            return tuple(c * a + s * b for a, b in zip(p, q))

        def cross(p, q):
            return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
        for k, angle in enumerate((crank, turn, -crank)):
            pins.append((place, z))
            x = along(x, math.sin(angle), cross(z, x), math.cos(angle))
            z = along(z, -math.sin(twists[k % 2]), cross(z, x), math.cos(twists[k % 2]))
            place = along(place, lengths[k % 2], x)
        pins.append((place, z))
        self.assertAlmostEqual(math.hypot(*place), lengths[1], places=12)
        bodies, joints, names = [], [], ["world", "a", "b", "c", "world"]
        for k in range(3):
            p, q = pins[k][0], pins[k + 1][0]
            e = along(along(q, -1, p), 0, p, 1 / math.dist(p, q))
            j = [[math.dist(p, q)**2 / 12 * ((r == c) - e[r] * e[c]) + 1e-4 * (r == c) for c in range(3)] for r in range(3)]
            bodies.append("  - {name: %s, mass: 1, position: %s, inertia: %s}" % (
                names[k + 1], point(along(p, 0.5, along(q, -1, p))), "[%s]" % ", ".join("%.17g" % j[r][c] for r in range(3) for c in range(r, 3))))
        for k, (p, axis) in enumerate(pins):
            start = (", start: %.17g" % (crank, turn)[k]) if k < 2 else ""
            joints.append(joint("hinge", "h%d" % k, names[k:k + 2], p, point(axis), start + (motor("1", "speed") if k == 0 else "")))
        a, b = self.play(bodies, joints, ["j:h0", "j:h1"], 20.0, gravity="[0, 0, 0]")
        self.assertAlmostEqual(a[-1][1] - crank, 20.0, places=6)
        for first, second in zip(a, b):
            gap = math.sin(first[1] / 2) * math.sin(second[1] / 2) - constant * math.cos(first[1] / 2) * math.cos(second[1] / 2)
            self.assertLess(abs(gap), 1e-5)
        s = self.lines(self.run_scree("run", "m.yaml", "--set", "duration=2", "--out", "again.h5", "--json"))[-1]
        self.assertEqual(s["nonconverged_steps"], 0)
        self.assertLess(s["worst_joint_error"], 1e-6)
        self.assertLess(s["ledger"]["error_part"], 1e-4)
        self.assertTrue(0 < s["joint_contradiction"] < 1e-6, s["joint_contradiction"])
        text = self.run_scree("run", "m.yaml", "--set", "duration=2", "--out", "once.h5").out
        self.assertRegex(text, r"rows of joints contradict each other by up to .* at .*'h\d'")

    def test_machines_of_any_size(self):
        """A four-bar linkage that falls has the same angles at any size and mass, under a gravity that goes with its size."""
        angles = []
        for size, mass in ((1.0, 1.0), (1e-4, 1.0), (1e-6, 1e-12), (1e6, 1e12)):
            a, p, q, b = [tuple(size * x for x in pin) for pin in ((0, 0, 0), (0.1, 0, 0.3), (0.8, 0, 0.7), (1, 0, 0))]
            bodies = []
            for name, start, end in (("ap", a, p), ("pq", p, q), ("bq", b, q)):
                about = mass * (math.dist(start, end)**2 / 12 + 1e-4 * size * size)
                bodies.append("  - {name: %s, mass: %g, position: %s, inertia: [%.17g, 0, 0, %.17g, 0, %.17g]}" % (
                    name, mass, point((s + e) / 2 for s, e in zip(start, end)), about, about, about))
            joints = [hinge("A", "world", "ap", a), hinge("P", "ap", "pq", p), hinge("Q", "pq", "bq", q), hinge("B", "world", "bq", b)]
            (last,) = self.play(bodies, joints, ["j:B"], 2.0, gravity="[0, 0, %.17g]" % (-9.81 * size))
            angles.append([row[1] for row in last])
        for one in angles[1:]:
            self.assertLess(max(abs(x - y) for x, y in zip(one, angles[0])), 1e-6)
        self.assertGreater(max(abs(x) for x in angles[0]), 0.5)

    def test_a_spring_swings_on(self):
        """A wheel on a spring and a rack that it drives: after 75 swings with 53 steps each the last is as high as the first."""
        bodies = [ball("wheel", (0, 0, 0), 1, 0.05), ball("rack", (0.3, 0, 0), 2)]
        joints = [hinge("h", "world", "wheel", (0, 0, 0), ", spring: {stiffness: 40, rest: 0.3}"),
                  joint("slider", "s", ("world", "rack"), (0.3, 0, 0), "[1, 0, 0]"),
                  "  - {kind: rack_pinion, bodies: [wheel, rack], axis: [0, 1, 0], axis_b: [1, 0, 0], ratio: 0.1}"]
        (h,) = self.play(bodies, joints, ["j:h"], 20.0, gravity="[0, 0, 0]")
        self.assertAlmostEqual(max(row[1] for row in h[-400:]), 0.6, places=3)

    def test_motors_that_contradict_each_other(self):
        """Two wheels in gear, each driven at a speed of its own: there is no solution, and that is not hidden as a small error."""
        with open(self.path("m.yaml"), "w", encoding="utf-8") as file:
            file.write("duration: 0.1\ngravity: [0, 0, 0]\nbodies:\n%s\n%s\njoints:\n%s\n%s\n"
                       "  - {kind: gear, bodies: [a, b], axis: [0, 0, 1], ratio: -1}\n" % (
                           ball("a", (0, 0, 0), 1), ball("b", (1, 0, 0), 1),
                           joint("hinge", "p", ("world", "a"), (0, 0, 0), "[0, 0, 1]", motor("1", "speed")),
                           joint("hinge", "q", ("world", "b"), (1, 0, 0), "[0, 0, 1]", motor("-1.01", "speed"))))
        result = self.run_scree("run", "m.yaml", "--out", "m.h5")
        self.assertEqual(result.code, 5, result.err)
        self.assertIn("motors and joints contradict each other", result.err)

    def test_a_cardan_joint(self):
        """Shafts 30 degrees apart: tan b = cos 30 tan a, speeds from cos 30 to 1 / cos 30 of the first one's."""
        c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
        bodies = [ball("one", (-1, 0, 0), 1, 0.01), ball("two", (c, 0, s), 1, 0.01)]
        joints = [joint("hinge", "i", ("world", "one"), (-1, 0, 0), "[1, 0, 0]", motor("5", "speed")), joint("hinge", "o", ("world", "two"), (c, 0, s), point((c, 0, s))),
                  "  - {name: u, kind: universal, bodies: [one, two], anchor: [0, 0, 0], axis: [0, 1, 0], axis_b: %s}" % point((-s, 0, c))]
        one, two = self.play(bodies, joints, ["j:i", "j:o"], 3.0)
        for a, b in zip(one, two):
            off = b[1] - math.atan2(c * math.sin(a[1]), math.cos(a[1]))
            self.assertLess(abs((off + math.pi) % (2 * math.pi) - math.pi), 1e-5)
        self.assertAlmostEqual(min(b[2] for b in two[1:]), 5 * c, places=2)
        self.assertAlmostEqual(max(b[2] for b in two[1:]), 5 / c, places=2)

    def test_beads_over_a_drum(self):
        """Euler's law: a load below exp(mu pi) of the other is held, one above slips. 53 beads of 1 g between 10 kg and more."""
        mu, reach, pitch = 0.3, 0.21, 0.02
        arc, part = math.pi * reach, math.exp(mu * math.pi)

        def place(s):
            if 0 <= s <= arc:
                return (-reach * math.cos(s / reach), 0, reach * math.sin(s / reach))
            return (-reach, 0, s) if s < 0 else (reach, 0, arc - s)
        at = [place(-0.2 + pitch * i) for i in range(int((arc + 0.4) / pitch) + 1)]
        ends = [(p[0], 0, p[2] - 0.1) for p in (at[0], at[-1])]
        lines = [("b%d" % i, "b%d" % (i + 1), p, q) for i, (p, q) in enumerate(zip(at, at[1:]))]
        lines += [("b0", "left", at[0], ends[0]), ("b%d" % (len(at) - 1), "right", at[-1], ends[1])]
        joints = ["  - {kind: distance, bodies: [%s, %s], anchor: %s, anchor_b: %s}" % (a, b, point(p), point(q)) for a, b, p, q in lines]
        # Beads slide and do not roll.
        joints += ["  - {kind: parallel, bodies: [world, b%d], anchor: %s, axis: [0, 1, 0], friction: 1000}" % (i, point(p)) for i, p in enumerate(at)]
        for ratio in (0.85, 1.2):
            loads = (10.0, 10.0 * part * ratio)
            bodies = ["  - {name: drum, kind: fixed, shape: {cylinder: {radius: 0.2, length: 0.2}}, rotation: {axis: [1, 0, 0], angle: 90 deg}}"]
            bodies += ["  - {name: b%d, shape: {sphere: {radius: 0.01}}, mass: 0.001, position: %s}" % (i, point(p)) for i, p in enumerate(at)]
            bodies += [ball("left", ends[0], loads[0], 0.01), ball("right", ends[1], loads[1], 0.01)]
            left, right = self.play(bodies, joints, ["left", "right"], 0.3, "1 ms", materials="materials:\n  default: {friction: %g}\n" % mu)
            want = max(0.0, 9.81 * (loads[1] - part * loads[0]) / (loads[1] + part * loads[0]))
            self.assertLess(abs(left[-1][10] / 0.3 - want), 0.1 * want + 1e-4)
            self.assertLess(abs(right[-1][10] / 0.3 + want), 0.1 * want + 1e-4)

    def test_a_geneva_drive(self):
        """A pin in slots turns a wheel by a quarter for each turn of the crank, but for the play of 5 mm at 0.7 m."""
        radius, begin, half, wall = math.sqrt(0.5), 1 - math.sqrt(0.5) - 0.08, 0.045, 0.1
        parts = []
        for k in range(8):
            turn = math.radians(135 + 90 * (k // 2))
            middle, off = (radius + begin) / 2, (half + wall / 2) * (-1 if k % 2 else 1)
            place = (middle * math.cos(turn) - off * math.sin(turn), middle * math.sin(turn) + off * math.cos(turn), 0)
            parts.append("{shape: {box: {size: [%.12g, %g, 0.1]}}, position: %s, rotation: {axis: [0, 0, 1], angle: %.12g}}" % (
                radius - begin, wall, point(place), turn))
        pin = "{shape: {cylinder: {radius: 0.04, length: 0.2}}, position: %s}" % point((-radius, 0, 0))
        same = "mass: 1, material: steel, inertia: [0.05, 0, 0, 0.05, 0, 0.05]"
        bodies = ["  - {name: crank, %s, shape: {compound: {parts: [%s]}}}" % (same, pin),
                  "  - {name: wheel, %s, position: [1, 0, 0], shape: {compound: {parts: [%s]}}}" % (same, ", ".join(parts))]
        joints = [joint("hinge", "c", ("world", "crank"), (0, 0, 0), "[0, 0, 1]", motor("2 * pi / 1.5", "speed")),
                  joint("hinge", "w", ("world", "wheel"), (1, 0, 0), "[0, 0, 1]", ", friction: 0.5")]
        (w,) = self.play(bodies, joints, ["j:w"], 3.0, "2 ms", "[0, 0, 0]", "materials: {steel: {friction: 0.1}}\n")
        at = {round(r[0], 3): math.degrees(r[1]) for r in w}
        for t, want in ((1.2, -90), (2.7, -180)):
            self.assertAlmostEqual(next(v for k, v in at.items() if k >= t), want, delta=1.0)


if __name__ == "__main__":
    main()
