"""Mechanisms as text of scenes, for studies of orders: bodies and joints; the body that is looked at is `one`."""
import math

BAR = "  - {name: %s, shape: {box: {size: [%g, 0.02, 0.02]}}, position: [%.17g, 0, %.17g], rotation: [%.17g, 0, %.17g, 0], " \
      "velocity: [%g, 0, 0], angular: [0, %g, 0], collides_with: 0}\n"
HINGE = "  - {kind: hinge, bodies: [%s, %s], anchor: [%.17g, 0, %.17g], axis: [0, 1, 0]}\n"


def bar(name, length, x, z, angle=0.0, speed=0.0, spin=0.0):
    return BAR % (name, length, x, z, math.cos(angle / 2), math.sin(angle / 2), speed, spin)


def ellipsoid():
    tilt, a, c = 0.2, 0.1, 0.05
    return "bodies:\n  - {kind: fixed, shape: {half_space: {}}}\n" \
           "  - {name: one, shape: {ellipsoid: {radii: [%g, %g, %g]}}, position: [0, 0, %.17g], rotation: [%.17g, 0, %.17g, 0]}\n" \
           % (a, c, c, math.hypot(a * math.sin(tilt), c * math.cos(tilt)), math.cos(tilt / 2), math.sin(tilt / 2))


def top():
    tilt, arm, spin = 0.5, 0.06, 100.0
    s, c = math.sin(tilt), math.cos(tilt)
    return "bodies:\n  - {name: one, shape: {cylinder: {radius: 0.05, length: 0.02}}, position: [%.17g, 0, %.17g], " \
           "rotation: [%.17g, 0, %.17g, 0], angular: [%.17g, 0, %.17g]}\njoints:\n" \
           "  - {kind: ball, bodies: [world, one], anchor: [0, 0, 0]}\n" \
           % (arm * s, arm * c, math.cos(tilt / 2), math.sin(tilt / 2), spin * s, spin * c)


def crank():
    r, length, spin = 0.1, 0.3, 3.0
    far = math.sqrt(length ** 2 - r ** 2)
    return "bodies:\n" + bar("crank", r, 0, r / 2, math.pi / 2, spin * r / 2, spin) + \
        bar("rod", length, far / 2, r / 2, math.asin(r / length), spin * r) + bar("one", 0.06, far, 0, 0, spin * r) + \
        "joints:\n" + HINGE % ("world", "crank", 0, 0) + HINGE % ("crank", "rod", 0, r) + HINGE % ("rod", "one", far, 0) + \
        "  - {kind: slider, bodies: [world, one], anchor: [0, 0, 0], axis: [1, 0, 0]}\n"
