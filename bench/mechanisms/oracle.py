#!/usr/bin/python3
"""The mechanisms of this folder after 10 s (the squeezer: 0.03 s), integrated by other means: coordinates of their own,
equations written by hand, and scipy's integrators (20 CPU seconds). What the scenes must come to, without a line of Scree
in it; the study `mechanisms` and its test have the numbers. A list of times in place of the last one gives a row for each
quantity."""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

G = 9.81


def solve(rate, start, seconds, method="DOP853", tight=1e-12):
    times = np.atleast_1d(seconds)
    done = solve_ivp(rate, (0.0, times[-1]), start, method=method, rtol=tight, atol=tight, t_eval=times)
    assert done.success, done.message
    return done.y if np.ndim(seconds) else done.y[:, -1]


def pendulum(seconds):
    """x and y of the bob; a: its angle from -x, counter-clockwise."""
    a, _ = solve(lambda t, y: [y[1], G * np.cos(y[0])], [0.0, 0.0], seconds)
    return -np.cos(a), -np.sin(a)


def four_bars(n, seconds):
    """x and y of the first crank's top, and their rates. All cranks stay parallel: with their angle a from the vertical, clockwise,
    2 T = ((n + 1)/3 + n) a'^2 and V = ((n + 1)/2 + n) g cos a."""
    inertia, lever = (n + 1) / 3 + n, (n + 1) / 2 + n
    a, w = solve(lambda t, y: [y[1], lever * G * np.sin(y[0]) / inertia], [0.0, 1.0], seconds)
    return np.sin(a), np.cos(a), w * np.cos(a), -w * np.sin(a)


def governor(seconds):
    """(s, w): height of the slider and speed of the shaft. Coordinates s and the angle p of the rods from straight
    down, and the angular momentum about z, which is kept. A rod with its ball has its hinge at radius 0.05, height 1."""
    shaft, slide = 0.3 * 2e-4 / 12, 3.0 * 0.02 / 12
    across, along = 0.3 * (1 + 1e-4) / 12, 0.3 * 2e-4 / 12
    parts = ((0.3, 0.5), (5.0, 1.0))  # mass, distance from the hinge
    swing = sum(m * l * l for m, l in parts) + across

    def spin(p):  # moment of inertia about z, and its derivative
        i, d = shaft + slide, 0.0
        for m, l in parts:
            r = 0.05 + l * np.sin(p)
            i += 2 * m * r * r
            d += 4 * m * r * l * np.cos(p)
        i += 2 * (across * np.sin(p) ** 2 + along * np.cos(p) ** 2)
        d += 4 * (across - along) * np.sin(p) * np.cos(p)
        return i, d

    p0 = np.pi / 3
    kept = spin(p0)[0] * 2 * np.pi

    def rate(t, y):
        s, p, vs, vp = y
        i, di = spin(p)
        # Of each of the two springs, from the slider's corner to the middle of the rod.
        dx, dz = 0.5 * np.sin(p), 1.0 - 0.5 * np.cos(p) - s
        d = np.hypot(dx, dz)
        d_p, d_s = (dx * 0.5 * np.cos(p) + dz * 0.5 * np.sin(p)) / d, -dz / d
        pull = 8e5 * (d - 0.5) + 4e4 * (d_p * vp + d_s * vs)
        lift = sum(m * l for m, l in parts) * G * np.sin(p)
        return [vs, vp, -G - 2 * pull * d_s / 3.0, (0.25 * kept ** 2 * di / i ** 2 - lift - pull * d_p) / swing]

    s, p, _, _ = solve(rate, [0.5, p0, 0.0, 0.0], seconds, "Radau", 1e-10)
    return s, kept / spin(p)[0]


# ---- Andrews' squeezer: seven bodies in a plane, places and angles, ten hinges ---------------------------------------

SQUEEZER_START = (-0.0617138900142764496, 0.455279819163070380, 0.487364979543842550, 1.23054744454982119)


def squeezer(seconds):
    """Angles of the crank, the triangle and the two arms. M q'' + J'l = f and J q'' = -d(J q')/dt q' in 21 coordinates:
    nothing draws places back to the hinges, which in 0.05 s part by next to nothing."""
    beta, gamma, delta, eps = SQUEEZER_START
    phi = 0.222668390165885884
    turned = lambda angle, x, y: np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)])
    a, b = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273])
    p = turned(beta, 0.007, 0)
    f = p + turned(beta, -0.028, 0)
    g = a + turned(delta, 0.04, 0)
    h = a + turned(eps, 0, -0.04)
    centre = np.array([turned(beta, 0.00092, 0), p + turned(beta, -0.0115, 0), b + turned(gamma, 0.01043, -0.01874),
                       g + turned(phi + delta, 0, -(0.02 - 0.01421)), a + turned(delta, 0.02308, 0.00916),
                       h + turned(eps - phi, 0.02 - 0.01421, 0), a + turned(eps, -0.00449, -0.01228)])
    mass = np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498])
    inertia = np.array([2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5])
    hinges = [(None, 0, np.zeros(2)), (0, 1, p), (1, 2, f), (1, 3, f), (1, 5, f), (None, 2, b), (3, 4, g), (None, 4, a),
              (5, 6, h), (None, 6, a)]
    held = [(i, k, None if i is None else at - centre[i], at - centre[k]) for i, k, at in hinges]
    fixed, pulled = np.array([0.014, 0.072]), b + turned(gamma, 0.02, -0.018) - centre[2]
    weight = np.repeat(mass, 3)
    weight[2::3] = inertia

    def rate(t, y):
        q, v = y[:21], y[21:]
        matrix, right = np.zeros((41, 41)), np.zeros(41)
        matrix[np.arange(21), np.arange(21)] = weight
        right[2] = 0.033
        arm = turned(q[8], *pulled)
        span = fixed - q[6:8] - arm
        force = 4530 * (np.linalg.norm(span) - 0.07785) * span / np.linalg.norm(span)
        right[6:8] += force
        right[8] += arm[0] * force[1] - arm[1] * force[0]
        for n, (i, k, of_i, of_k) in enumerate(held):
            rows = slice(21 + 2 * n, 23 + 2 * n)
            for body, local, sign in ((i, of_i, -1), (k, of_k, 1)):
                if body is None:
                    continue
                r = turned(q[3 * body + 2], *local)
                matrix[rows, 3 * body:3 * body + 2] = sign * np.eye(2)
                matrix[rows, 3 * body + 2] = sign * np.array([-r[1], r[0]])
                right[rows] += sign * r * v[3 * body + 2] ** 2
        matrix[:21, 21:] = matrix[21:, :21].T
        return np.concatenate([v, np.linalg.solve(matrix, right)[:21]])

    start = np.zeros(42)
    start[0:21:3], start[1:21:3] = centre[:, 0], centre[:, 1]
    angle = solve(rate, start, seconds, tight=1e-10)[2:21:3]
    return tuple(first + angle[k] for first, k in zip(SQUEEZER_START, (0, 2, 4, 6)))


# ---- Bricard: one coordinate along the curve of its configurations -------------------------------------------------

POINT = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
AXIS = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)
CENTRE = 0.5 * (POINT[:5] + POINT[1:])


def turn(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def chain(q):
    """Rotations and places of the rods, and axes and points of the hinges, by the product of exponentials; the last
    rotation and place are those of the ground at the loop's end."""
    r, x, bodies, axes = np.eye(3), np.zeros(3), [], []
    for k in range(6):
        axes.append((r @ AXIS[k], r @ POINT[k] + x))
        step = turn(AXIS[k], q[k])
        x = r @ (POINT[k] - step @ POINT[k]) + x
        r = r @ step
        bodies.append((r, x))
    return bodies, axes


def closure(q):
    (r, x), axes = chain(q)[0][-1], chain(q)[1]
    w = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    jacobian = np.array([np.concatenate([e, np.cross(p, e)]) for e, p in axes]).T
    return np.concatenate([w, x]), jacobian


def measure(q, along):
    """Potential and twice the kinetic energy with q' = along."""
    bodies, axes = chain(q)
    potential = kinetic = 0.0
    spin, drift = np.zeros(3), np.zeros(3)  # of the rod: v(x) = drift + spin x x
    for k in range(5):
        e, p = axes[k]
        spin = spin + along[k] * e
        drift = drift - along[k] * np.cross(e, p)
        r, x = bodies[k]
        c = r @ CENTRE[k] + x
        v = drift + np.cross(spin, c)
        rod = r @ (POINT[k + 1] - POINT[k])
        thick, long = 0.02 / 12, 1.01 / 12
        kinetic += v @ v + long * (spin @ spin - (spin @ rod) ** 2) + thick * (spin @ rod) ** 2
        potential += G * c[1]
    return potential, kinetic


def bricard(seconds):
    """x, y, z of the end of the second rod, P3."""
    ds, count, q = 0.004, 2500, np.zeros(6)
    before = np.linalg.svd(closure(q)[1])[2][-1]
    tables = []
    for sign in (1.0, -1.0):
        q, tangent, rows = np.zeros(6), sign * before, []
        for k in range(count + 1):
            for _ in range(4):  # back to the curve, across the tangent
                error, jacobian = closure(q)
                q = q - np.linalg.lstsq(np.vstack([jacobian, tangent]), np.append(error, 0.0), rcond=None)[0]
            now = np.linalg.svd(closure(q)[1])[2][-1]
            tangent = now * np.sign(now @ tangent)
            rows.append(np.concatenate([q, measure(q, tangent), [sign * k * ds]]))
            if k < count:  # the middle's tangent, so that s is the length to higher order
                half = np.linalg.svd(closure(q + 0.5 * ds * tangent)[1])[2][-1]
                q = q + ds * half * np.sign(half @ tangent)
        tables.append(rows)
    # s is what the curve measures, by chords; tangents are unit vectors.
    table = np.array(tables[1][:0:-1] + tables[0])
    chord = np.linalg.norm(np.diff(table[:, :6], axis=0), axis=1)
    bend = np.linalg.norm(np.diff(np.diff(table[:, :6], axis=0), axis=0), axis=1)
    bend = np.concatenate([bend[:1], 0.5 * (bend[1:] + bend[:-1]), bend[-1:]])
    s = np.concatenate([[0.0], np.cumsum(chord + bend ** 2 / (24 * chord))])
    s -= s[count]
    angles, potential, mass = CubicSpline(s, table[:, :6]), CubicSpline(s, table[:, 6]), CubicSpline(s, table[:, 7])

    def rate(t, y):
        return [y[1], -(0.5 * mass(y[0], 1) * y[1] ** 2 + potential(y[0], 1)) / mass(y[0])]

    place = solve(rate, [0.0, 0.0], seconds, tight=1e-11)[0]
    assert np.max(np.abs(place)) < 0.98 * s[-1]
    rods = [chain(angles(one))[0][1] for one in np.atleast_1d(place)]
    ends = np.array([r @ POINT[2] + x for r, x in rods])
    return ends.T if np.ndim(seconds) else ends[0]


if __name__ == "__main__":
    for name, result in (("pendulum", pendulum(10)), ("four-bars, n = 2", four_bars(2, 10)),
                         ("four-bars, n = 40", four_bars(40, 10)), ("squeezer", squeezer(0.03)), ("bricard", bricard(10)), ("governor", governor(10))):
        print("%-18s" % name, *("%.10f" % x for x in result))
