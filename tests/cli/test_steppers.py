#!/usr/bin/env python3
"""Steppers and links from scene files: what runs, what is reported, what is refused."""
import csv
import json
import math
import os

from command import SANITIZED, CommandTest, main

SCENE = """
step: 2 ms
duration: 0.2 s
stepper: {stepper}
bodies:
  - {{name: a, shape: {{box: {{size: [0.5, 0.04, 0.04]}}}}, position: [0.25, 0, 0], collides_with: 0}}
  - {{name: b, shape: {{box: {{size: [0.5, 0.04, 0.04]}}}}, position: [0.75, 0, 0], collides_with: 0}}
joints:
  - {{kind: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}}
  - {{kind: hinge, bodies: [a, b], anchor: [0.5, 0, 0], axis: [0, 1, 0]}}
  - {{kind: strut, bodies: [world, b], anchor: [1, 0, 0.5], anchor_b: [1, 0, 0], spring: {{stiffness: 20, rest: 0.5}},
     damping: 1}}
{more}
"""

SMOOTH = ("hht", "generalized-alpha", "newmark", "trapezoidal", "euler-implicit", "euler-linearized", "explicit")


class Steppers(CommandTest):
    def scene(self, stepper, more=""):
        path = self.path("scene.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE.format(stepper=stepper, more=more))
        return path

    def test_all_run(self):
        names = self.run_scree("list", "steppers", "--names").out.split()
        self.assertIn("hht", names)
        kinetic = {}
        for name in names:
            result = self.run_scree("run", self.scene(name), "--json")
            self.assertEqual(result.code, 0, result.err)
            summary = json.loads(result.out.splitlines()[-1])
            self.assertEqual(summary["stepper"], name)
            self.assertEqual(summary["nonconverged_steps"], 0)
            kinetic[name] = summary["energy"]["kinetic"]
        for name in names:
            self.assertLess(abs(kinetic[name] - kinetic["hht"]), 0.02 * kinetic["hht"], name)

    def test_options(self):
        good = self.scene("{name: hht, options: {alpha: -0.1, newton: modified, linear_solver: minres}}")
        self.assertEqual(self.run_scree("run", good).code, 0)
        for stepper, words in (
                ("hth", ["did you mean", "hht"]), ("{name: hht, options: {alpha: 0.5}}", ["alpha"]),
                ("{name: hht, options: {alhpa: 0}}", ["alpha"]),
                ("{name: nonsmooth, options: {linear_solver: direct}}", ["linear_solver"])):
            result = self.run_scree("run", self.scene(stepper))
            self.assertEqual(result.code, 3, stepper)
            self.assertIn("scene.yaml:4:", result.err)
            for word in words:
                self.assertIn(word, result.err)

    def test_refused(self):
        """What has corners is refused, with what can take it."""
        path = self.scene("hht", "  - {kind: rope, bodies: [world, b], anchor: [1, 0, 1], anchor_b: [1, 0, 0]}")
        result = self.run_scree("run", path)
        self.assertEqual(result.code, 3)
        self.assertIn("pulls alone", result.err)
        self.assertIn("nonsmooth", result.err)

    def test_lists(self):
        lists = json.loads(self.run_scree("list", "steppers", "--json").out)
        self.assertTrue(any(o["key"] == "alpha" for s in lists for o in s["options"]))
        self.assertEqual(self.run_scree("list", "linear-solvers", "--names").out.split(), ["direct", "minres", "mumps"])

    def test_sheet(self):
        """The page has what the command says; a pair that cannot work is refused with what can."""
        sheet = self.run_scree("list", "sheet").out
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "sheet.md"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("\n\n" + sheet), "docs/sheet.md: write it again by `scree list sheet`")
        pairs = json.loads(self.run_scree("list", "sheet", "--json").out)
        names = self.run_scree("list", "sheet", "--names").out.splitlines()
        self.assertEqual([p["stepper"] + " " + p["solver"] for p in pairs if p["works"]], names)
        for pair in pairs:
            self.assertEqual(pair["reason"] == "", pair["works"])
        result = self.run_scree("run", self.scene("hht"), "--set", "stepper={name: nonsmooth, options: {linear_solver: minres}}")
        self.assertEqual(result.code, 3)
        self.assertIn("name one of `scree list solvers`", result.err)
        result = self.run_scree("run", self.scene("hht"), "--solver", "apgd")
        self.assertEqual(result.code, 3)
        self.assertIn("solver apgd is for hard contacts", result.err)

    def test_same_bits(self):
        """The same bits for any number of threads and after a checkpoint: every smooth stepper with every linear solver, loops with
        redundant rows, springs at contacts and a beam."""
        more = """
  - {kind: hinge, bodies: [world, a], anchor: [0, 0.1, 0], axis: [0, 1, 0]}
flexible:
  - {name: rod, kind: beam, start: [0, 1, 0], end: [0.5, 1, 0], radius: 8 mm, young: 1e9, density: 1000, elements: 3, ends: [world, free]}
"""
        balls = """
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}, position: [0, 0, -0.3]}
  - {name: ball, shape: {sphere: {radius: 0.05}}, density: 2000, position: [0, 2, -0.2502], velocity: [0.1, 0, 0]}
  - {name: other, shape: {sphere: {radius: 0.05}}, density: 2000, position: [0.0999, 2, -0.25]}"""
        solvers = self.run_scree("list", "linear-solvers", "--names").out.split()
        self.assertIn("direct", solvers)
        out = self.path("run.h5")
        for name in self.run_scree("list", "steppers", "--names").out.split()[1:]:
            for solver in solvers:
                scene = self.scene("{name: %s, options: {linear_solver: %s, contact: penalty}}" % (name, solver), more)
                with open(scene, encoding="utf-8") as file:
                    text = file.read().replace("\nbodies:", balls)
                if name == "explicit":  # it must follow the rod's swings
                    text = text.replace("step: 2 ms", "step: 10 us")
                with open(scene, "w", encoding="utf-8") as file:
                    file.write(text)

                def last(*words):
                    result = self.run_scree(*words, "--json")
                    self.assertEqual(result.code, 0, result.err)
                    return json.loads(result.out.splitlines()[-1])
                end = 0.004 if SANITIZED and name == "explicit" else 0.04
                whole = last("run", scene, "--duration", str(end), "--threads", "1")
                self.assertGreater(whole["worst_penetration"], 0.0)
                last("run", scene, "--out", out, "--force", "--duration", str(end / 2), "--threads", "3")
                rest = last("resume", out, "--duration", str(end), "--threads", "2")
                self.assertEqual(rest["state_hash"], whole["state_hash"], name + " with " + solver)

    def test_no_equilibrium(self):
        """What is not found is told by the exit code, with and without --json."""
        path = self.scene("hht")
        good = self.run_scree("statics", path)
        self.assertEqual(good.code, 0, good.err)
        for words in ([], ["--json"]):
            cut = self.run_scree("statics", path, "--max-iter", "1", *words)
            self.assertEqual(cut.code, 4, cut.out)
            self.assertIn("no equilibrium", cut.err)
            if words:
                self.assertIs(json.loads(cut.out)["converged"], False)
        # A body that nothing holds falls for ever.
        free = self.path("free.yaml")
        with open(free, "w", encoding="utf-8") as file:
            file.write("gravity: [0, 0, -9.81]\nstep: 1 ms\nduration: 1 s\nbodies:\n"
                       "  - {name: ball, shape: {sphere: {radius: 0.1}}, density: 1000, position: [0, 0, 1]}\n")
        for words in (["statics", free, "--max-iter", "50"], ["modes", free, "--static"]):
            lost = self.run_scree(*words)
            self.assertNotEqual(lost.code, 0, words)
            self.assertIn("equilibrium", lost.err)

    def push(self, stepper, force, step, more=""):
        """(place, velocity) of 1 kg after 1 s, and the summary."""
        text = """
gravity: [0, 0, 0]
step: %g
duration: 1 s
stepper: %s
bodies:
  - {name: b, shape: {sphere: {radius: 0.1}}, mass: 1}
forces:
  - {body: b, force: [%s, 0, 0]%s}
probes:
  - {name: b, kind: body, body: b}
"""
        with open(self.path("push.yaml"), "w", encoding="utf-8") as file:
            file.write(text % (step, stepper, force, more))
        result = self.run_scree("run", "push.yaml", "--json", "--force", "--out", "push.h5")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("push_b.csv"), encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        return float(last["x [m]"]), float(last["vx [m/s]"]), json.loads(result.out.splitlines()[-1])

    def test_forces_of_a_scene(self):
        """Smooth steppers took half of every force of a scene, as the first step of nonsmooth does. 1 N for 1 s; t^2 N; 1 N for a half of it."""
        for stepper in ("nonsmooth",) + SMOOTH:
            first = stepper in ("explicit", "euler-linearized", "euler-implicit")
            x, v, run = self.push(stepper, "1", 0.01)
            self.assertAlmostEqual(v, 1.0, delta=1e-9, msg=stepper)
            self.assertAlmostEqual(x, 0.5, delta=0.006 if first else 1e-9, msg=stepper)
            self.assertAlmostEqual(run["ledger"]["forces"], 0.5, delta=0.006, msg=stepper)
            errors = [self.push(stepper, "'${t^2}'", step)[1] - 1 / 3 for step in (0.02, 0.01)]
            self.assertLess(abs(errors[1]), 0.006, stepper)
            if stepper not in ("newmark", "euler-implicit"):
                self.assertGreater(errors[0] / errors[1], 3.8, stepper)
            v = self.push(stepper, "1", 0.01, ", start: 0.25, stop: 0.75")[1]
            self.assertAlmostEqual(v, 0.5, delta=1e-9, msg=stepper)

    def test_forces_at_rest(self):
        """A force at the tip of a cantilever: P x^3/3EI, x the middle of the last piece, which the force acts at."""
        with open(self.path("tip.yaml"), "w", encoding="utf-8") as file:
            file.write("""
gravity: [0, 0, 0]
step: 1 ms
duration: 1 s
forces:
  - {body: 'rod[9]', force: [0, 0, 1]}
flexible:
  - {name: rod, kind: beam, end: [1, 0, 0], radius: 5 mm, young: 2e11, density: 7800, elements: 10, ends: [world, free]}
""")
        result = self.run_scree("statics", "tip.yaml", "--json")
        self.assertEqual(result.code, 0, result.err)
        stiff = 2e11 * math.pi * 0.005**4 / 4
        x = 0.975
        self.assertAlmostEqual(json.loads(result.out)["bodies"][-1]["displacement"][2] * stiff, x**3 / 3, delta=1e-4)

    def test_turning(self):
        """Steps in which motion bends more than the order of a stepper follows are warned of, though the energy hardly tells; what turns steadily
        is not, however fast."""
        tumbling = ("gravity: [0, 0, 0]\nstep: %g\nduration: 1 s\nstepper: %s\nbodies:\n  - {name: a, shape: {box: {size: [0.1, 0.2, 0.4]}}, "
                    "mass: 2, position: [0, 0, 0], angular: %s}\n")
        beam = ("gravity: [0, 0, 0]\nstep: %g\nduration: 0.2 s\nstepper: %s\nflexible:\n  - {name: a, kind: block, lower: [-0.2, -0.05, -0.05], "
                "upper: [0.2, 0.05, 0.05], cells: [2, 1, 1], young: 1e8, density: 1000, angular: %s}\n")
        path = self.path("turn.yaml")
        for scene, h, stepper, angular, warned in (
                (tumbling, 0.005, "hht", "[6, 7, 3]", False), (tumbling, 0.04, "hht", "[6, 7, 3]", True),
                (tumbling, 0.02, "trapezoidal", "[6, 7, 3]", True), (tumbling, 0.02, "{name: explicit, options: {method: rk4}}", "[6, 7, 3]", False),
                (tumbling, 0.02, "hht", "[0, 0, 300]", False), (tumbling, 0.0005, "euler-linearized", "[6, 7, 3]", False),
                (beam, 0.001, "euler-linearized", "[0, 0, 30]", True), (beam, 0.001, "hht", "[0, 0, 30]", False),
                (beam, 0.005, "hht", "[0, 0, 30]", True)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(scene % (h, stepper, angular))
            result = self.run_scree("run", path, "--json")
            self.assertEqual(result.code, 0, result.err)
            summary = json.loads(result.out.splitlines()[-1])
            self.assertEqual(summary["worst_turning"] > summary["turning_allowed"], warned, (h, stepper, angular, summary["worst_turning"]))
            self.assertEqual("the order of" in result.err, warned, result.err)

    def test_few_modes(self):
        """A mechanism has as many swings as joints leave; what was beyond these was rounding, in millions of Hz."""
        path = self.scene("hht")
        free = json.loads(self.run_scree("modes", path, "--json").out)
        self.assertEqual(len(free["frequencies"]), 2)
        self.assertTrue(free["converged"])
        asked = self.run_scree("modes", path, "--count", "5")
        self.assertEqual(asked.code, 0, asked.err)
        self.assertIn("joints leave 2", asked.err)
        held = self.scene("hht", "  - {kind: hinge, bodies: [world, a], anchor: [0, 0, 0.3], axis: [0, 1, 0]}\n"
                          "  - {kind: hinge, bodies: [world, b], anchor: [0.7, 0, 0.3], axis: [0, 1, 0]}")
        self.assertEqual(json.loads(self.run_scree("modes", held, "--json").out)["frequencies"], [])
        # A swing of small bodies on springs that are joints: sqrt(k/m), to all digits.
        path = self.path("strut.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("gravity: [0, 0, 0]\nstep: 1 ms\nduration: 1 s\nbodies:\n"
                       "  - {name: a, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: [0, 0, 0]}\njoints:\n"
                       "  - {kind: slider, bodies: [world, a], axis: [0, 0, 1], anchor: [0, 0, 0]}\n"
                       "  - {kind: strut, bodies: [world, a], anchor: [0, 0, 1], anchor_b: [0, 0, 0],\n"
                       "     spring: {stiffness: 8e5, rest: 1}}\n")
        found = self.run_scree("modes", path, "--json")
        self.assertEqual(found.code, 0, found.err)
        found = json.loads(found.out)["frequencies"]
        self.assertEqual(len(found), 1)
        self.assertAlmostEqual(found[0], math.sqrt(4e5) / (2 * math.pi), delta=1e-6)

    def test_flexible(self):
        """Beams and blocks from a scene; statics and modes against closed forms."""
        path = self.path("rod.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("""
gravity: [0, 0, -9.81]
step: 2 ms
duration: 0.1 s
flexible:
  - {name: rod, kind: beam, end: [1, 0, 0], radius: 2 mm, young: 2e11, density: 7800, elements: 20,
     ends: [world, free]}
  - {name: pad, kind: block, lower: [0, 1, 0], upper: [0.2, 1.1, 0.1], cells: [2, 1, 1], young: 1e6,
     density: 1000, held: [x-]}
""")
        statics = json.loads(self.run_scree("statics", path, "--json").out)
        self.assertTrue(statics["converged"])
        tip = [b for b in statics["bodies"] if b["body"] == "rod[19]"][0]["displacement"][2]
        area, inertia = math.pi * 0.002**2, math.pi * 0.002**4 / 4
        sag = 7800 * area * 9.81 / (8 * 2e11 * inertia)
        self.assertLess(abs(tip + sag), 0.06 * sag)  # the last body's centre is short of the end
        modes = json.loads(self.run_scree("modes", path, "--count", "2", "--json").out)["frequencies"]
        first = 1.8751**2 * math.sqrt(2e11 * inertia / (7800 * area)) / (2 * math.pi)
        for frequency in modes:
            self.assertLess(abs(frequency - first), 0.01 * first)
        for name in ("hht", "nonsmooth"):
            result = self.run_scree("run", path, "--set", "stepper=" + name, "--json")
            self.assertEqual(result.code, 0, result.err)
        for change, word in (("flexible.0.radius=0.1", "2.2 radii"), ("flexible.0.ends=[world, rood]", "rood"),
                             ("flexible.1.held=[w-]", "w-"), ("flexible.1.cells=[2, 1, 0.5]", "cells")):
            result = self.run_scree("modes", path, "--set", change)
            self.assertEqual(result.code, 3, change)
            self.assertIn(word, result.err)


if __name__ == "__main__":
    main()
