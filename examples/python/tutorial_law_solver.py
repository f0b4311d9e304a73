"""The second tutorial: a contact law and a solver of one's own, in Python, tried on FCLIB files. Cells begin
with "# %%", as notebook editors know them.

    python3 tutorial_law_solver.py [FILE.hdf5 ...]    without files: steps of runs with the law, saved here"""
# %% A law: friction that depends on the speed and on what has been (rate and state)
#   mu = m0 + a ln(v/v0) + b ln(v0 s/d),   ds/dt = 1 - s v/d       s: the age of the contact, s; d: a way, m
# At a steady speed s = d/v, so mu = m0 + (a - b) ln(v/v0): with b > a faster sliding has less friction.
import glob
import os
import sys
import tempfile

import numpy as np

import scree

m0, a, b, v0, d = 0.6, 0.01, 0.02, 1e-3, 2e-3


def speed_of(contacts):
    return np.maximum(np.linalg.norm(contacts["slide"], axis=1), 1e-6)


def friction(world, h, contacts):
    """Before the solve: what the contacts of this step bear."""
    age = contacts["state"][:, 0]
    age[age == 0] = d / v0                                # a new contact
    contacts["friction"] = m0 + a * np.log(speed_of(contacts) / v0) + b * np.log(v0 * age / d)


def grow_old(world, h, contacts):
    """After it: the age, exact for a step of steady speed."""
    v = speed_of(contacts)
    contacts["state"][:, 0] = d / v + (contacts["state"][:, 0] - d / v) * np.exp(-v * h / d)


# %% A block that is dragged over a floor with this law
def dragged_block(speed):
    world = scree.World()
    rock = world.add_material(law="user")
    floor = world.add_body(shape=world.half_space(), kind="fixed", material=rock)
    block = world.add_body(shape=world.box((0.1, 0.1, 0.05)), position=(0, 0, 0.05), material=rock)
    world.add_joint(kind="slider", body_b=block, axis=(1, 0, 0), anchor=(0, 0, 0.05), motor="speed", motor_value=speed,
                    compliance=1)                         # soft across: the floor bears the weight
    world.set_law_function(friction, grow_old)
    return world, floor, world.stepper(tolerance_residual=1e-7)


for speed in (0.01, 0.05):
    world, floor, stepper = dragged_block(speed)
    for _ in range(1200):
        stepper.step(0.001)
    force, _ = stepper.get_contact_force(floor)
    mu, wanted = -force[0] / force[2], m0 + (a - b) * np.log(speed / v0)
    print(f"at {speed} m/s mu is {mu:.4f}; the steady state of the law {wanted:.4f}")
    assert abs(mu - wanted) < 2e-3


# %% A normal force of one's own: a spring that stiffens, n = k x^2 at a compression x
def cushion(world, h, contacts, k=4e6):
    x = np.maximum(-(contacts["gap"] + h * np.minimum(contacts["approach"], 0)), 1e-6)   # where the step will end
    contacts["stiffness"] = 2 * k * x
    contacts["push"] = k * x**2 + 2 * k * x * (-contacts["gap"] - x)                     # the tangent there, at this gap


world = scree.World()
soft = world.add_material(law="user")
world.add_body(shape=world.half_space(), kind="fixed", material=soft)
ball = world.add_body(shape=world.sphere(0.1), mass=4.0, position=(0, 0, 0.1), material=soft)
world.set_law_function(cushion)
stepper = world.stepper(tolerance_residual=1e-8)
for _ in range(8000):
    stepper.step(0.0005)
x = 0.1 - ball.position[2]
print(f"the ball has sunk in by {1e3 * x:.3f} mm, where k x^2 is {4e6 * x * x:.2f} N; it weighs {4 * 9.81:.2f} N")
assert abs(4e6 * x * x / (4 * 9.81) - 1) < 0.02


# %% A law that is wrong is reported by the step, which then has not been
def typo(world, h, contacts):
    contacts["fricton"] = 0.3


world.set_law_function(typo)
before = world.hash
try:
    stepper.step(0.0005)
    raise SystemExit("a wrong law went through")
except ValueError as error:
    print("refused:", error)
assert world.hash == before


# %% A solver: projected Gauss-Seidel for exact Coulomb friction
def gauss_seidel(problem, tolerance=1e-8, sweeps=2000):
    """Block by block: g_i <- P_K(g_i - rho_i (u_i + shift(u_i) e_n)), rho_i = 1 / the largest eigenvalue
    of N_ii. A fixed point is a solution of the exact law (De Saxcé): g in K, u + mu |u_T| e_n in K*."""
    matrix, r = problem.delassus()
    n = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    sets, rows = problem.sets, problem.block_rows
    rho = [1 / np.linalg.eigvalsh(0.5 * (n[a:b, a:b] + n[a:b, a:b].T))[-1] for a, b in zip(rows[:-1], rows[1:])]
    g = np.zeros(problem.row_count)
    for sweep in range(1, sweeps + 1):
        for i, (a, b) in enumerate(zip(rows[:-1], rows[1:])):
            u = n[a:b] @ g + r[a:b]
            u[0] += sets[i].shift(u)
            g[a:b] = sets[i].project(g[a:b] - rho[i] * u)
        if sweep % 10 == 0 and problem.residual(g).error < tolerance:
            break
    return g, sweep


# %% FCLIB files to try it on: steps of runs with the law, each contact with its own mu
def save_steps(folder):
    """A heap of boxes and a handful of balls in motion, as `scree run --export-problem` saves them."""
    for name, count in (("boxes", 4), ("balls", 12)):
        world = scree.World()
        rock = world.add_material(law="user")
        world.add_body(shape=world.half_space(), kind="fixed", material=rock)
        for i in range(count):
            if name == "boxes":
                world.add_body(shape=world.box((0.2, 0.15, 0.1)), position=(0.06 * i, 0.04 * i, 0.1 + 0.2 * i), material=rock)
            else:
                world.add_body(shape=world.sphere(0.05), position=(0.07 * (i % 3), 0.06 * (i // 3 % 2), 0.06 + 0.12 * (i // 6)),
                               velocity=(0.2, 0, 0), material=rock)
        world.set_law_function(friction, grow_old)
        stepper = world.stepper()
        for _ in range(60):
            stepper.step(0.002)
        stepper.problem().save(os.path.join(folder, f"{name}.hdf5"), title=f"{name}, rate and state friction")


with tempfile.TemporaryDirectory() as folder:
    files = sys.argv[1:]
    if not files:
        save_steps(folder)
        files = sorted(glob.glob(os.path.join(folder, "*.hdf5")))
    for path in files:
        problem = scree.Problem.load(path)
        mus = sorted({round(s.mu, 4) for s in problem.sets})
        print(f"{os.path.basename(path)}: {problem.block_count} contacts, {problem.row_count} rows, {problem.form} form, "
              f"mu {mus[0]} … {mus[-1]}")
        g, sweeps = gauss_seidel(problem)
        mine = problem.residual(g)  # the judge is the library's residual, the same one for all
        print(f"  this one   E {mine.error:.2e}  R {mine.scaled:.2e}  after {sweeps} sweeps")
        for name in ("auto", "ipm"):
            found = problem.solve(name, tolerance=1e-8)
            print(f"  {name:10s} E {found.error:.2e}  R {found.residual:.2e}  {found.outcome}, model "
                  f"{'coulomb' if found.info.model == scree.MODEL_COULOMB else 'relaxed'}")
        best = problem.solve("auto", tolerance=1e-10)
        u, w = problem.velocities(g)[0], problem.velocities(best.g)[0]
        print(f"  velocities differ by {np.abs(u - w).max():.1e} m/s")
        assert mine.error < 1e-6
