"""The scenes that engines are compared on, the same numbers for each: drops of spheres, a pyramid of boxes, a chain
with a heavy end; and what is measured on the frames that an engine leaves."""
import math

import numpy
from scipy.spatial import cKDTree

RADIUS, DENSITY, FRICTION, GRAVITY = 0.05, 2000.0, 0.3, 9.81
DURATION, EVERY = 2.0, 0.02  # s; of a drop, and of its frames
ROWS, EDGE, APART = 20, 0.2, 0.02  # the pyramid: boxes in the lowest row, their size, the gap between two of a row
LINKS, LINK, LINK_MASS, END_MASS = 20, 0.1, 0.1, 10.0  # the chain: how many, m, kg


def side(n):
    """Of the square floor that n spheres fall on."""
    return (n * 4 / 3 * math.pi * RADIUS ** 3 / 0.6) ** (1 / 3)


def height(n):
    m = math.floor((side(n) - 0.008) / 0.11)
    return 0.11 * (math.ceil(n / m ** 2) + 4)


def drop(n):
    """A loose lattice above the floor, each coordinate moved by up to 4 mm."""
    width = side(n)
    m = math.floor((width - 0.008) / 0.11)
    k = numpy.arange(n)
    place = numpy.stack([(k % m + 0.5) * width / m - width / 2, (k // m % m + 0.5) * width / m - width / 2,
                         0.06 + 0.11 * (k // (m * m))], axis=1)
    return place + numpy.random.default_rng(n).uniform(-0.004, 0.004, (n, 3))


def overlap(place, width):
    """The worst one in a frame, in percent of a diameter: spheres with each other, the floor and the walls."""
    pairs = cKDTree(place).query_pairs(2 * RADIUS, output_type="ndarray")
    depth = [0.0]
    if len(pairs):
        depth.append(2 * RADIUS - numpy.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1).min())
    depth.append(RADIUS - place[:, 2].min())
    depth.append(RADIUS - (width / 2 - numpy.abs(place[:, :2])).min())
    return 100 * max(depth) / (2 * RADIUS)


def judge_drop(frames, width):
    """(worst over the run, worst after 1 s) of frames that are EVERY apart."""
    worst = [overlap(frame, width) for frame in frames]
    late = int(round(1.0 / EVERY)) - 1
    return max(worst), max(worst[late:])


def boxes():
    """Centres of the pyramid's boxes."""
    return numpy.array([[(k - 0.5 * (ROWS - row - 1)) * (EDGE + APART), 0, (row + 0.5) * EDGE]
                        for row in range(ROWS) for k in range(ROWS - row)])


def judge_pyramid(frames):
    """mm that the box that moved most is away from where it began."""
    return 1e3 * numpy.linalg.norm(frames[-1] - boxes(), axis=1).max()
