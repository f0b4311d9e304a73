#!/usr/bin/env python3
"""Cone problems from arrays: closed forms, the command's answers, matrices out and in."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import scree

try:
    import scipy.sparse
except ImportError:
    scipy = None

COMMAND = os.environ["SCREE_COMMAND"]


def random_problem(seed=1, contacts=4, mu=0.6):
    draw = np.random.default_rng(seed)
    h = draw.normal(size=(12, 3 * contacts))
    return h.T @ h / 12, draw.normal(size=3 * contacts) - np.tile([1.0, 0, 0], contacts), mu


class Solve(unittest.TestCase):
    def test_sticking_contact(self):
        """W = 2 I: inside the cone g = -q/2."""
        solution = scree.solve(2 * np.eye(3), [-1, 0.1, 0.2], 0.5, tolerance=1e-12)
        self.assertTrue(solution.solved)
        np.testing.assert_allclose(solution.g, (0.5, -0.05, -0.1), atol=1e-12)

    def test_sliding_contact(self):
        """Exact Coulomb, W = I: u_n = 0, so g_n = 1 and |g_T| = mu."""
        solution = scree.solve(np.eye(3), [-1, 3, 0], 0.5, tolerance=1e-10)
        np.testing.assert_allclose(solution.g, (1, -0.5, 0), atol=1e-8)
        relaxed = scree.solve(np.eye(3), [-1, 3, 0], 0.5, tolerance=1e-10, model="relaxed")
        # The projection of -q on the cone: along (1, -0.5)/sqrt(1.25).
        np.testing.assert_allclose(relaxed.g, np.array([1, -0.5, 0]) * 2.5 / 1.25, atol=1e-7)

    def test_matrix_comes_back(self):
        w, q, mu = random_problem()
        problem = scree.Problem.local(w, q, mu)
        n, r = problem.delassus()
        np.testing.assert_allclose(n.toarray() if hasattr(n, "toarray") else n, w, atol=1e-15)
        np.testing.assert_allclose(r, q)
        g = np.arange(12.0)
        np.testing.assert_allclose(problem.velocities(g)[0], w @ g + q)
        unsymmetric = w.copy()
        unsymmetric[0, 5] += 0.1
        n, _ = scree.Problem.local(unsymmetric, q, mu).delassus()
        np.testing.assert_allclose(n.toarray() if hasattr(n, "toarray") else n, unsymmetric, atol=1e-15)

    def test_bodies_form_of_a_step(self):
        world = scree.World()
        world.add_body(shape=world.half_space(), kind="fixed")
        for i in range(3):
            world.add_body(shape=world.box((0.5, 0.5, 0.5)), position=(0, 0, 0.5 + i))
        stepper = world.stepper(tolerance_residual=1e-9)
        stepper.step(0.005)
        problem = stepper.problem()
        n, r = problem.delassus()
        g = stepper.impulses
        np.testing.assert_allclose(n @ g + r, problem.velocities(g)[0], atol=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step.hdf5")
            problem.save(path, g=g, title="three boxes")
            loaded = scree.Problem.load(path)
            self.assertEqual(loaded.info["title"], "three boxes")
            self.assertEqual(loaded.row_count, problem.row_count)
            said = json.loads(subprocess.run([COMMAND, "solve", path, "--json", "--solver", "ipm", "--tol", "1e-8"],
                                             capture_output=True, text=True, check=True).stdout)
            mine = loaded.solve("ipm", tolerance=1e-8)
            self.assertEqual(mine.outcome, said["outcome"])
            self.assertAlmostEqual(mine.error, said["error"], places=15)

    def test_global_form(self):
        draw = np.random.default_rng(3)
        h = draw.normal(size=(6, 6))
        m = np.diag([2.0, 2, 2, 1, 1, 1])
        f, w = draw.normal(size=6), np.zeros(6)
        problem = scree.Problem.global_(m, h, f, w, [0.3, 0.7])
        n, r = problem.delassus()
        np.testing.assert_allclose(n.toarray() if hasattr(n, "toarray") else n, h.T @ np.linalg.solve(m, h), atol=1e-12)
        np.testing.assert_allclose(r, h.T @ np.linalg.solve(m, f), atol=1e-12)
        solution = problem.solve(tolerance=1e-10)
        self.assertTrue(solution.solved)
        self.assertLess(problem.residual(solution.g).error, 1e-9)

    @unittest.skipIf(scipy is None, "scipy is not installed")
    def test_scipy(self):
        w, q, mu = random_problem(5)
        dense = scree.solve(w, q, mu, tolerance=1e-10)
        for form in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
            np.testing.assert_array_equal(scree.solve(form(w), q, mu, tolerance=1e-10).g, dense.g)

    def test_sets(self):
        sets = [scree.Set.coulomb(0.5), scree.Set.ray(), scree.Set.interval(-1, 1), scree.Set.free(1)]
        n = sum(s.dim for s in sets)
        solution = scree.solve(np.eye(n), -np.arange(1.0, n + 1), sets, tolerance=1e-10)
        np.testing.assert_allclose(solution.g[3:], (4, 1, 6), atol=1e-9)
        with self.assertRaisesRegex(ValueError, "rows"):
            scree.solve(np.eye(4), np.zeros(4), sets)
        np.testing.assert_allclose(scree.Set.coulomb(1.0).project([0, 1, 0]), (0.5, 0.5, 0))
        with self.assertRaises(ValueError):
            scree.Set.coulomb(-1)

    def test_progress_stops_and_raises(self):
        w, q, mu = random_problem(2, 3)
        problem = scree.Problem.local(w, q, mu)
        seen = []
        problem.solve("apgd", tolerance=1e-14, check_interval=1, progress=lambda p: seen.append(p.iteration))
        self.assertGreater(len(seen), 0)
        with self.assertRaises(KeyError):
            problem.solve("apgd", tolerance=1e-14, check_interval=1, progress=lambda p: {}["x"])

    def test_faults(self):
        with self.assertRaises(scree.Error):
            scree.Problem.load("/no/such/file.hdf5")
        w, q, mu = random_problem()
        with self.assertRaisesRegex(scree.Error, "nosuch"):
            scree.Problem.local(w, q, mu).solve("nosuch")
        with self.assertRaises(ValueError):
            scree.Problem.local(w, q[:-1], mu)
        with self.assertRaises(scree.Error):
            scree.Problem.local(w * np.nan, q, mu)
        self.assertIn("apgd", scree.solvers())
        self.assertTrue(any(o.key for o in scree.solver_options("apgd")))


if __name__ == "__main__":
    unittest.main()
