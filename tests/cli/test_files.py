#!/usr/bin/python3
"""Problem files made by another hand (h5py), with answers that are known."""
import json
import sys

from command import CommandTest, main

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: it needs python3-h5py")
    sys.exit(0)


def local_problem(path, w, q, mu):
    """A local FCLIB file: u = W r + q, 3-D contacts."""
    w = numpy.array(w, dtype=float)
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = numpy.array([3], dtype="i4")
        matrix = group.create_group("W")
        columns = [numpy.flatnonzero(w[:, j]) for j in range(w.shape[1])]
        values = [w[rows, j] for j, rows in enumerate(columns)]
        for key, value in (("m", w.shape[0]), ("n", w.shape[1]), ("nz", -1),
                           ("nzmax", sum(map(len, columns)))):
            matrix[key] = numpy.array([value], dtype="i4")
        matrix["p"] = numpy.cumsum([0] + [len(rows) for rows in columns]).astype("i4")
        matrix["i"] = numpy.concatenate(columns).astype("i4")
        matrix["x"] = numpy.concatenate(values)
        vectors = group.create_group("vectors")
        vectors["q"] = numpy.array(q, dtype=float)
        vectors["mu"] = numpy.array(mu, dtype=float)


class Files(CommandTest):
    def solvers(self, coulomb=False):
        table = json.loads(self.run_scree("list", "solvers", "--json").out)
        return [s["name"] for s in table if not coulomb or "coulomb" in s["models"]]

    def solution(self, name, solver, model):
        local_problem(self.path("p.hdf5"), *name)
        result = self.run_scree("solve", "p.hdf5", "--solver", solver, "--model", model, "--tol",
                                "1e-10", "--json", "--strict", "--force", "--out", "o.hdf5")
        if result.code == 3 and "refuses" in result.err:
            return None
        self.assertEqual(result.code, 0, solver + ": " + result.err)
        (answer,) = self.lines(result)
        self.assertEqual(answer["model"], model)
        with h5py.File(self.path("o.hdf5"), "r") as file:
            group = file["solution"] if "solution" in file else file["fclib_local/solution"]
            return answer, group["r"][:].ravel(), group["u"][:].ravel()

    def test_sticking(self):
        """Pushed down at 2 m/s and sideways by less than friction holds: it stops."""
        for solver in self.solvers():
            with self.subTest(solver=solver):
                found = self.solution((numpy.diag([0.5, 0.5, 0.5]), [-2, 0.3, -0.4], [0.7]), solver,
                                      "relaxed")
                if found:
                    numpy.testing.assert_allclose(found[1], [4, -0.6, 0.8], atol=1e-6)
                    numpy.testing.assert_allclose(found[2], 0, atol=1e-6)
                    self.assertEqual(found[0]["contacts"], 1)
                    self.assertLess(found[0]["relaxation_gap"], 1e-6)

    def test_sliding_by_coulomb(self):
        """W = I, q = (-1, 3, 0), mu 0.5: r_n = 1, r_t = -0.5, u = (0, 2.5, 0)."""
        count = 0
        for solver in self.solvers(coulomb=True):
            with self.subTest(solver=solver):
                found = self.solution((numpy.eye(3), [-1, 3, 0], [0.5]), solver, "coulomb")
                if found:
                    count += 1
                    numpy.testing.assert_allclose(found[1], [1, -0.5, 0], atol=1e-6)
                    numpy.testing.assert_allclose(found[2], [0, 2.5, 0], atol=1e-6)
                    self.assertIsNone(found[0]["relaxation_gap"])
        self.assertGreaterEqual(count, 3)

    def test_sliding_relaxed(self):
        """The same, relaxed: the projection of (1, -3, 0) on the cone, r = (2, -1, 0), so that it
        takes off at mu times the speed of sliding: u = (1, 2, 0)."""
        for solver in self.solvers():
            with self.subTest(solver=solver):
                found = self.solution((numpy.eye(3), [-1, 3, 0], [0.5]), solver, "relaxed")
                if found:
                    numpy.testing.assert_allclose(found[1], [2, -1, 0], atol=1e-6)
                    numpy.testing.assert_allclose(found[2], [1, 2, 0], atol=1e-6)

    def test_one_fast_row(self):
        """A contact that opens at 1e9 m/s makes whatever is left of the other one small: that is told."""
        for speed, told in ((3.0, False), (1e9, True)):
            local_problem(self.path("p.hdf5"), numpy.eye(6), [-0.1, 0, 0, speed, 0, 0], [0.3, 0.3])
            result = self.run_scree("solve", "p.hdf5")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual("leaves an approach of 0.1 m/s, where it is 0.1 m/s without any impulse" in result.err, told, result.err)
        answer = json.loads(self.run_scree("solve", "p.hdf5", "--tol", "1e-13", "--json").out)
        self.assertLess(answer["penetration_speed"], 1e-3)

    def test_infeasible(self):
        """Two walls close in on a body that cannot give way."""
        w = numpy.zeros((6, 6))
        w[numpy.ix_([0, 3], [0, 3])] = [[1, -1], [-1, 1]]
        for k in (1, 2, 4, 5):
            w[k, k] = 1
        local_problem(self.path("p.hdf5"), w, [-1, 0, 0, -1, 0, 0], [0.3, 0.3])
        proven = 0
        for solver in self.solvers():
            with self.subTest(solver=solver):
                result = self.run_scree("solve", "p.hdf5", "--solver", solver, "--json", "--strict",
                                        "--time-limit", "2")
                if result.code == 3:
                    self.assertIn("refuses", result.err)
                    continue
                (answer,) = self.lines(result)
                self.assertNotEqual(answer["outcome"], "solved")
                self.assertEqual(result.code, 5 if answer["outcome"] == "infeasible" else 4)
                proven += result.code == 5
        self.assertGreaterEqual(proven, 1)

    def existence(self, problem, model, code):
        local_problem(self.path("p.hdf5"), *problem)
        result = self.run_scree("solve", "p.hdf5", "--check-existence", "--model", model, "--json",
                                "--force", "--out", "o.hdf5")
        self.assertEqual((result.code, result.err), (code, ""))
        with h5py.File(self.path("o.hdf5"), "r") as file:
            text = file["fclib_local/info/math_info"][()]
        text = text if isinstance(text, bytes) else bytes(text)
        (answer,) = self.lines(result)
        return answer, text.decode()

    def test_existence(self):
        """A certificate is impulses that move nothing and gain; a witness a velocity inside."""
        w = numpy.zeros((6, 6))
        w[numpy.ix_([0, 3], [0, 3])] = [[1, -1], [-1, 1]]
        for k in (1, 2, 4, 5):
            w[k, k] = 1
        q = numpy.array([-1, 0, 0, -1, 0, 0])
        for model in ("relaxed", "coulomb"):
            for skew in (0, 1e-3):
                w[1, 2] = skew
                answer, text = self.existence((w, q, [0.3, 0.3]), model, 5)
                self.assertEqual((answer["existence"], answer["model"]), ("none", model))
                d = numpy.array(answer["certificate"])
                self.assertLess(abs(w.T @ d).max(), 1e-8 * abs(d).max())
                self.assertLess(q @ d, 0)
                for k in (0, 3):
                    self.assertLessEqual(numpy.hypot(d[k + 1], d[k + 2]), 0.3 * d[k] + 1e-12)
                self.assertIn("certificate that there is no solution", text)
                stored = dict(pair.split(":") for pair in text.split("): ")[-1].split())
                numpy.testing.assert_array_equal([float(stored.get(str(k), 0)) for k in range(6)], d)
            w[1, 2] = 0
            answer, text = self.existence((w, -q, [0.3, 0.3]), model, 0)
            self.assertEqual(answer["existence"], "exists")
            u = numpy.array(answer["witness_local_velocity"])
            for k in (0, 3):
                self.assertGreaterEqual(u[k] - 0.3 * numpy.hypot(u[k + 1], u[k + 2]) + 1e-12,
                                        answer["margin"])
            self.assertGreater(answer["margin"], 0)
            self.assertIn("witness u", text)
            answer, _ = self.existence((w, 0 * q, [0.3, 0.3]), model, 0)
            self.assertEqual(answer["existence"], "unknown")
            self.assertLessEqual(answer["margin"], 0)
            self.assertLess(abs(answer["margin_bound"]), 1e-6)

    def test_existence_text(self):
        local_problem(self.path("p.hdf5"), numpy.eye(3), [-2, 0.3, -0.4], [0.7])
        result = self.run_scree("solve", "p.hdf5", "--check-existence")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("existence     exists (coulomb model)\n", result.out)
        self.check(["solve", "p.hdf5", "--check-existence", "--solver", "ipm"], 2,
                   "scree solve: --check-existence solves nothing, so --solver has no meaning with it\n", "")

    def test_solve_stores_certificate(self):
        w = numpy.zeros((6, 6))
        w[numpy.ix_([0, 3], [0, 3])] = [[1, -1], [-1, 1]]
        for k in (1, 2, 4, 5):
            w[k, k] = 1
        w[1, 2] = 1e-5
        local_problem(self.path("p.hdf5"), w, [-1, 0, 0, -1, 0, 0], [0.3, 0.3])
        result = self.run_scree("solve", "p.hdf5", "--solver", "ipm", "--json", "--force", "--out", "o.hdf5")
        self.assertEqual(result.code, 5)
        (answer,) = self.lines(result)
        self.assertEqual(answer["outcome"], "infeasible")
        self.assertLess(abs(w.T @ answer["certificate"]).max(), 1e-8)
        with h5py.File(self.path("o.hdf5"), "r") as file:
            self.assertIn(b"certificate that there is no solution",
                          bytes(file["fclib_local/info/math_info"][()]))

    def test_bad_values(self):
        for problem, part in (
            ((numpy.eye(3), [numpy.nan, 0, 0], [0.5]), "/fclib_local/vectors/q"),
            ((numpy.eye(3), [-1, 0, 0], [-0.5]), "/fclib_local/vectors/mu"),
            ((numpy.diag([numpy.inf] * 3), [-1, 0, 0], [0.5]), "/fclib_local/W"),
            ((numpy.eye(3), [-1, 0], [0.5]), "/fclib_local/vectors/q"),
            ((numpy.eye(3), [-1, 0, 0], [0.5, 0.5]), "/fclib_local/"),
        ):
            with self.subTest(part=part):
                local_problem(self.path("p.hdf5"), *problem)
                result = self.run_scree("solve", "p.hdf5", "--json")
                self.assertEqual((result.code, result.out), (3, ""))
                self.assertTrue(result.err.startswith("scree solve: p.hdf5: " + part), result.err)


if __name__ == "__main__":
    main()
