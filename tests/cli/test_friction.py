#!/usr/bin/env python3
"""Friction with all defaults is Coulomb's law: what slides stays on the floor. The relaxation is a choice, and says what it
costs."""
import csv
import re

from command import SOURCE, CommandTest, main

CUBE = """
step: 5 ms
duration: 1 s
materials: {default: {friction: 0.5}}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: thing, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: [0, 0, 0.05], velocity: [6, 0, 0]}
probes: [{name: thing, kind: body, body: thing}]
"""
BALL = CUBE.replace("box: {size: [0.1, 0.1, 0.1]}", "sphere: {radius: 0.05}")
BELT = """
step: 5 ms
duration: 1 s
materials: {default: {friction: 0.6}}
bodies:
  - name: belt
    kind: prescribed
    shape: {box: {size: [20, 1, 0.1]}}
    position: [0, 0, -0.05]
    motion: {constant: {velocity: [2, 0, 0]}}
  - {name: thing, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: [0, 0, 0.05]}
probes: [{name: thing, kind: body, body: thing}]
"""


def readme_scene():
    with open(SOURCE + "/README.md", encoding="utf-8") as file:
        return re.search(r"```yaml\n(title: a ball meets nine pins.*?)```", file.read(), re.S).group(1)


class Friction(CommandTest):
    def run_text(self, text, *options):
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        result = self.run_scree("run", "s.yaml", "--json", *options)
        self.assertEqual(result.code, 0, result.err)
        return self.lines(result)[-1], result.err

    def column(self, probe, name):
        with open(self.path("s_%s.csv" % probe), encoding="utf-8") as file:
            table = list(csv.reader(file))
        k = next(i for i, title in enumerate(table[0]) if title.split(" ")[0] == name)
        return [float(row[k]) for row in table[1:]]

    def test_what_slides_stays_on_the_floor(self):
        for name, text, rest in (("cube", CUBE, 0.05), ("ball", BALL, 0.05), ("belt", BELT, 0.05)):
            with self.subTest(scene=name):
                s, err = self.run_text(text, "--force", "--out", "s.h5")
                self.assertEqual(err, "")
                self.assertEqual((s["model"], s["relaxation_gap"], s["nonconverged_steps"]), ("coulomb", None, 0))
                self.assertLess(max(abs(z - rest) for z in self.column("thing", "z")), 1e-6)
        self.assertAlmostEqual(self.column("thing", "vx")[-1], 2.0, places=6)

    def test_the_ball_of_the_readme_does_not_hop(self):
        s, err = self.run_text(readme_scene(), "--force", "--out", "s.h5", "--duration", "0.4")
        self.assertEqual((err, s["model"]), ("", "coulomb"))
        self.assertLess(max(self.column("ball", "z")) - 0.1, 1e-6)

    def test_the_relaxation_warns_where_it_matters(self):
        s, err = self.run_text(CUBE, "--model", "relaxed")
        self.assertEqual(s["model"], "relaxed")
        self.assertGreater(s["relaxation_gap"], 1.0)
        self.assertGreater(s["worst_lift_percent"], 1.0)
        self.assertRegex(err, "^scree run: warning: friction was relaxed, which pushes sliding contacts apart: at up to .* --model "
                              "coulomb, or leave out solver.model\n$")
        s, err = self.run_text(CUBE.replace("velocity: [6, 0, 0]", "velocity: [0, 0, 0]"), "--model", "relaxed")
        self.assertEqual((err, s["lifted_part"]), ("", 0.0))

    def test_info_says_what_speaks_against_a_run(self):
        self.run_text(CUBE, "--out", "s.h5")
        self.assertIn("doubts        none: ", self.run_scree("info", "s.h5").out)
        self.run_text(CUBE, "--out", "s.h5", "--force", "--model", "relaxed", "--solver", "gs",
                      "--set", "solver={iteration_limit: 1, on_nonconverged: continue}")
        text = self.run_scree("info", "s.h5").out
        self.assertRegex(text, r"doubts +\d+ steps missed their tolerance, the first at 0\.0")
        self.assertIn("friction was relaxed: sliding contacts part at up to", text)

    def test_a_solver_without_the_exact_law_says_so(self):
        s, err = self.run_text(CUBE, "--solver", "spg")
        self.assertEqual(s["model"], "relaxed")
        self.assertIn("spg has only the relaxed model: this run is relaxed", err)
        result = self.run_scree("run", "s.yaml", "--solver", "spg", "--model", "coulomb")
        self.assertEqual(result.code, 2)

    def test_what_is_named_is_not_undone_by_a_change_of_the_solver(self):
        s, _ = self.run_text(CUBE, "--model", "relaxed", "--solver", "gs", "--set", "solver={tolerance_residual: 0.01}")
        self.assertEqual((s["model"], s["solver"]), ("relaxed", "gs"))

    def test_retries_and_methods_are_counted(self):
        s, _ = self.run_text(CUBE, "--set", "solver.tolerance_residual=1e-6")
        self.assertEqual(s["retried_steps"], 0)
        self.assertEqual(sum(s["methods"].values()), s["steps"])
        s, _ = self.run_text(CUBE, "--solver", "nsgs", "--set", "solver={iteration_limit: 1, tolerance_residual: 1e-12}")
        self.assertGreater(s["retried_steps"], 0)
        self.assertEqual(s["nonconverged_steps"], 0)
        s, err = self.run_text(CUBE, "--solver", "nsgs",
                               "--set", "solver={iteration_limit: 1, tolerance_residual: 1e-12, on_nonconverged: continue}")
        self.assertEqual(s["retried_steps"], 0)
        self.assertGreater(s["nonconverged_steps"], 0)
        self.assertIn("did not reach their tolerance", err)


if __name__ == "__main__":
    main()
