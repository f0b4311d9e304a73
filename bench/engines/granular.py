"""Input of LIGGGHTS and LAMMPS for a drop: Hertz contacts with damping and friction that remembers its slip. Young's
modulus is softened as their users do, so that a step of a tenth of a millisecond is stable: 15 to 20 % of the time
that a Rayleigh wave takes to cross a sphere."""
import numpy

import scenes

YOUNG, POISSON, RESTITUTION, STEP = 2e8, 0.3, 0.1, 1.5e-4


def steps():
    return round(scenes.DURATION / STEP), round(scenes.EVERY / STEP)


def write_data(path, place, width, height):
    """The spheres, in the format of read_data for atom_style sphere."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("spheres\n\n%d atoms\n1 atom types\n\n" % len(place))
        for axis, low, high in (("x", -width, width), ("y", -width, width), ("z", -0.1, height)):
            file.write("%.9g %.9g %slo %shi\n" % (low, high, axis, axis))
        file.write("\nAtoms\n\n")
        for k, p in enumerate(place):
            file.write("%d 1 %.9g %.9g %.9g %.9g %.9g\n" % (k + 1, 2 * scenes.RADIUS, scenes.DENSITY, *p))


def common(frames):
    count, often = steps()
    dump = "dump frames all custom %d frames.txt x y z\ndump_modify frames sort id first no\n" % often if frames else ""
    return dump + "thermo 100000\ntimestep %g\nrun %d\n" % (STEP, count)


HEAD = """units si
atom_style %s
boundary f f f
newton off
communicate single vel yes
%s
neighbor 0.01 bin
neigh_modify delay 0
"""


def liggghts(width, frames):
    walls = "".join("fix wall%d all wall/gran model hertz tangential history primitive type 1 %s %.9g\n" % (k, *wall)
                    for k, wall in enumerate([("zplane", 0.0)] + [(a, s * width / 2) for a in ("xplane", "yplane")
                                                                  for s in (-1, 1)]))
    return HEAD % ("granular", "read_data data.txt") + """fix m1 all property/global youngsModulus peratomtype %g
fix m2 all property/global poissonsRatio peratomtype %g
fix m3 all property/global coefficientRestitution peratomtypepair 1 %g
fix m4 all property/global coefficientFriction peratomtypepair 1 %g
pair_style gran model hertz tangential history
pair_coeff * *
%sfix motion all nve/sphere
fix weight all gravity %g vector 0 0 -1
""" % (YOUNG, POISSON, RESTITUTION, scenes.FRICTION, walls, scenes.GRAVITY) + common(frames)


def lammps(width, frames):
    model = "hertz/material %g %g %g tangential mindlin NULL 1.0 %g damping tsuji" % (
        YOUNG, RESTITUTION, POISSON, scenes.FRICTION)
    walls = "".join("fix wall%d all wall/gran granular %s %s %s\n" % (k, model, axis, ends) for k, (axis, ends) in enumerate(
        [("zplane", "0 NULL")] + [(a, "%.9g %.9g" % (-width / 2, width / 2)) for a in ("xplane", "yplane")]))
    head = HEAD.replace("communicate single vel yes", "comm_modify vel yes")
    return head % ("sphere", "read_data data.txt") + "pair_style granular\npair_coeff * * %s\n" % model + walls + \
        "fix motion all nve/sphere\nfix weight all gravity %g vector 0 0 -1\n" % scenes.GRAVITY + common(frames)


def read_frames(path, n):
    """Frames of a dump: nine lines of heading, then a line per sphere."""
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    size = n + 9
    return [numpy.loadtxt(lines[k + 9:k + size]) for k in range(0, len(lines) - size + 1, size)]
