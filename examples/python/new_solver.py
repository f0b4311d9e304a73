"""A solver of one's own, in Python, on a problem file: the projected Gauss-Seidel method for exact
Coulomb friction, against those of the library. The judge is the library's own residual.

    python3 new_solver.py [FILE.hdf5]       an FCLIB problem; without one a step of a scene is taken"""
import os
import sys
import tempfile

import numpy as np

import scree


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


def step_of_a_scene(path):
    """A few boxes in a heap, saved as FCLIB, as `scree run --export-problem` does."""
    world = scree.World()
    world.add_body(shape=world.half_space(), kind="fixed")
    for i in range(4):
        world.add_body(shape=world.box((0.2, 0.15, 0.1)), position=(0.06 * i, 0.04 * i, 0.1 + 0.2 * i))
    stepper = world.stepper()
    for _ in range(20):
        stepper.step(0.005)
    stepper.problem().save(path, title="a heap of boxes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "heap.hdf5")
        if len(sys.argv) < 2:
            step_of_a_scene(path)
        problem = scree.Problem.load(path)
        print(f"{problem.block_count} contacts, {problem.row_count} rows, {problem.form} form")
        g, sweeps = gauss_seidel(problem)
        mine = problem.residual(g)
        print(f"this one   E {mine.error:.2e}  R {mine.residual:.2e}  after {sweeps} sweeps")
        for name in ("auto", "apgd", "ipm"):
            found = problem.solve(name, tolerance=1e-8)
            print(f"{name:10s} E {found.error:.2e}  R {found.residual:.2e}  {found.outcome}, model "
                  f"{'coulomb' if found.info.model == scree.MODEL_COULOMB else 'relaxed'}")
        best = problem.solve("auto", tolerance=1e-10)
        u, w = problem.velocities(g)[0], problem.velocities(best.g)[0]
        print(f"velocities differ by {np.abs(u - w).max():.1e} m/s")
        return mine.error < 1e-6


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
