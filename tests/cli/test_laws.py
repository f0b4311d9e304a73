#!/usr/bin/env python3
"""Contact laws from scenes: what is refused, with its place, and that a law's state survives a checkpoint and threads."""
import random
import re

from command import SANITIZED, CommandTest, main

SCENE = """step: 1 ms
duration: 20 ms
materials:
  m: {%s}
bodies:
  - {name: floor, kind: fixed, material: m, shape: {half_space: {}}}
  - {name: ball, material: m, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.05]}
"""

FAULTS = [
    ("law: rigid, cohesion: 3", "cohesion", "the law rigid has no cohesion; it is one of: power"),
    ("law: rigid, compliance: 1e-6", "compliance", "the law rigid has no compliance"),
    ("law: compliant", "law", "the law compliant needs a compliance above 0"),
    ("law: power", "law", "the law power needs a stiffness above 0"),
    ("law: rigid-cohesive", "law", "needs a cohesion or a cohesion_energy"),
    ("law: elastoplastic, compliance: 1e-6", "law", "needs a yield_force"),
    ("law: bond", "law", "needs a cohesion"),
    ("law: compliant, compliance: 1e-6, restitution: 0.5", "restitution", "the law compliant has no restitution"),
    ("law: power, stiffness: 1e6, exponent: 0.5", "exponent", "it must be at least 1"),
    ("law: hertz", "law", "rigid"),
    ("law: liquid-bridge", "law", "needs a bridge_volume above 0"),
    ("law: liquid-bridge, bridge_volume: 1e-9", "law", "needs a surface_tension above 0"),
    ("bridge_volume: 1e-9", "bridge_volume", "bridge_volume needs `law:` liquid-bridge"),
    ("law: liquid-bridge, bridge_volume: 1e-9, surface_tension: -1", "surface_tension", ""),
    ("law: liquid-bridge, bridge_volume: 1e-9, surface_tension: 0.07, cohesion: 3", "cohesion", "has no cohesion"),
    ("stiffness: 1e6", "stiffness", "stiffness needs `law:` power"),
    ("bond_bending: 1", "bond_bending", "bond_bending needs `law:` bond"),
    ("yield_force: -1 N", "yield_force", ""),
    ("bond_shear: -1 N", "bond_shear", ""),
    ("cohesion_energy: -1", "cohesion_energy", ""),
    ("friction: 0.2, friction_kinetic: 0.3", "friction_kinetic", "must not be above friction"),
    ("friction: 0.2, dilatancy: 0.3", "dilatancy", "must not be above friction"),
    ("flow_across: 2", "flow_across", "needs a friction_across"),
    ("flow_across: -2", "flow_across", ""),
    ("friction_across: 0.3, direction: [1, 0, 0], flow_across: 1e-5", "flow_across", "between 0.001 and 1000"),
    ("stribeck_speed: 1", "stribeck_speed", "needs a friction_kinetic"),
    ("friction_across: 0.3", "friction_across", "needs a direction"),
    ("direction: [1, 0, 0]", "direction", "needs a friction_across"),
    ("friction_across: 0.3, direction: [1, 0, 0], rolling: 1 mm", "friction_across", "does not go with rolling"),
    ("restitution_law: moreau", "restitution_law", "poisson"),
    ("friction: -0.5", "friction", ""),
    ("restitution: 1.5", "restitution", ""),
    ("restitution: -0.1", "restitution", ""),
    ("law: bond, cohesion: -3", "cohesion", ""),
    ("law: compliant, compliance: -1e-6", "compliance", ""),
    ("law: bond, cohesion: 3, cohesion_energy: 1", "cohesion_energy", "the law bond has no cohesion_energy"),
    ("law: bond, cohesion: 3, yield_force: 1", "yield_force", "the law bond has no yield_force"),
    ("law: power, stiffness: 1e6, compliance: 1e-6", "compliance", "the law power has no compliance"),
    ("law: rigid, damping: 1 ms", "damping", "the law rigid has no damping"),
    ("law: compliant-cohesive, compliance: 1e-6", "law", "needs a cohesion or a cohesion_energy"),
    ("law: elastoplastic, compliance: 1e-6, yield_force: 3, hardening: -1", "hardening", ""),
    ("law: liquid-bridge, bridge_volume: -1e-9, surface_tension: 0.07", "bridge_volume", ""),
    ("rolling: -1 mm", "rolling", ""),
    ("friction: .nan", "friction", ""),
    ("friction: .inf", "friction", ""),
    ("friction_across: 0.3, direction: [0, 0, 0]", "friction_across", "direction that is not 0"),
    ("law: rigid-cohesive, cohesion: 3, bridge_volume: 1e-9", "bridge_volume", "the law rigid-cohesive has no bridge_volume"),
    ("law: rigid_cohesive, cohesion: 3", "law", "did you mean 'rigid-cohesive'?"),
    ("law: jkr", "law", "allowed: usual, rigid, compliant, power"),
    ("law: [rigid]", "law", "a text is expected, not a list"),
    ("law: power, stiffness: 1e6, exponent: 0", "exponent", "it must be at least 1"),
    ("law: power, stiffness: 1e6, exponent: 11", "exponent", "at most 10"),
    ("law: power, stiffness: 1e6, hardening: 3", "hardening", "it is one of: elastoplastic"),
    ("law: power, stiffness: 1e6 N/m", "stiffness", "no unit is expected here"),
    ("law: power, stiffness: 1e400", "stiffness", "is not finite"),
    ("law: compliant, compliance: 1e-6 N", "compliance", "a value in m/N is expected"),
    ("law: compliant, compliance: 1e-6, cohesion: 3", "cohesion", "it is one of: power, rigid-cohesive, compliant-cohesive, elastoplastic, bond"),
    ("law: compliant, compliance: 1e-6, restitution_law: newton", "restitution_law", "the law compliant has no restitution"),
    ("restitution: 0.5, compliance: 1e-6", "restitution", "restitution does not go with a compliance"),
    ("law: bond, cohesion: 3, cohesion_range: 1 mm", "cohesion_range", "the law bond has no cohesion_range"),
    ("law: bond, bond_shear: 3", "law", "the law bond needs a cohesion above 0"),
    ("law: bond, cohesion: 3, bond_bend: 1", None, "did you mean 'bond_bending'?"),
    ("law: bond, cohesion: 3, bond_bending: 1 N", "bond_bending", "a value in N m is expected"),
    ("law: user, cohesion: 3", "cohesion", "the law user has no cohesion"),
    ("law: elastoplastic, compliance: 1e-6, yield_force: 3, restitution: 0.1", "restitution", "the law elastoplastic has no restitution"),
    ("law: liquid-bridge, bridge_volume: 1e-9, surface_tension: 0.07, contact_angle: 100 deg", "contact_angle", "at most 1.5708"),
    ("friction: 0.5, friction_kinetic: 0", "friction_kinetic", "it must be above 0"),
    ("friction: 0, friction_viscous: 0.1", "friction", "need one above 0"),
    ("friction: 0, dilatancy: 0.1", "dilatancy", "must not be above friction, 0"),
    ("friction_across: 0.3, direction: [1, 0]", "direction", "a list of 3 numbers is expected"),
    ("surface_velocity: 1", "surface_velocity", "a list of 3 numbers is expected"),
    ("surface_velocity: [1e300, 0, 0]", "surface_velocity", "at most 1e6 m/s"),
    ("friction_across: 0.3, direction: [1e-300, 0, 0]", "direction", "between 1e-100 and 1e100"),
    ("friction_across: 0.3, direction: [1e300, 0, 0]", "direction", "between 1e-100 and 1e100"),
    ("rolling: 1e30", "rolling", "at most 1e+06"),
    ("spinning: 1e300", "spinning", "at most 1e+06"),
    ("friction_viscous: 1e30", "friction_viscous", "at most 10000"),
    ("law: compliant, compliance: 1e300", "compliance", "at most 1e+06"),
    ("law: compliant, compliance: 1e-6, compliance_tangent: 100", "compliance_tangent", "at most 1e6 times the compliance"),
    ("law: power, stiffness: 1e-300", "stiffness", "at least 1e-20"),
    ("law: bond, cohesion: 3, bond_shear: 1e30", "bond_shear", "at most 1e6 times the cohesion"),
    ("law: bond, cohesion: 3, bond_bending: 1e30", "bond_bending", "at most 1e6 times the cohesion"),
    ("cohesion_range: 1 mm", "cohesion_range", "needs a cohesion or a cohesion_energy"),
    ("law: power, stiffness: 1e6, cohesion_range: 1 mm", "cohesion_range", "needs a cohesion or a cohesion_energy"),
    ("law: bond, cohesion: 3, bond_twisting: 1e300", "bond_twisting", "at most 1e6 times the cohesion"),
]

# A block of balls that touch, on a belt, one of them in a hinge with a brake: some 150 contacts, enough that threads share them.
BLOCK = """step: 2 ms
duration: %g s
gravity: [1, 0.5, -9.6]
materials:
  default: {friction: 0.6, friction_kinetic: 0.3, law: %s}
  belt: {friction: 0.6, friction_kinetic: 0.3, surface_velocity: [0.3, 0.1, 0], law: %s}
solver: {tolerance_residual: 1e-4, iteration_limit: 5000}
bodies:
  - {name: floor, kind: fixed, material: belt, shape: {half_space: {}}}
  - name: ball
    for: {i: 4, j: 4, k: 4}
    shape: {sphere: {radius: 0.05}}
    position: ['${0.1 * i}', '${0.1 * j}', '${0.05 + 0.1 * k}']
    velocity: ['${-0.1 * i + 0.05 * k}', '${-0.1 * j}', 0]
joints: [{kind: hinge, bodies: [world, 'ball[5]'], anchor: [0, 0.1, 0.15], axis: [1, 0, 0], motor: {kind: speed, value: 0, limit: 0.02}}]
"""
LAWS = ["liquid-bridge, bridge_volume: 1e-7, surface_tension: 5", "power, stiffness: 1e7, cohesion: 5", "rigid-cohesive, cohesion: 5, cohesion_range: 1 mm",
        "rigid-cohesive, cohesion_energy: 20, rolling: 1 mm", "bond, cohesion: 40, bond_bending: 1",
        "compliant-cohesive, compliance: 1e-6, compliance_tangent: 1e-6, cohesion: 5",
        "elastoplastic, compliance: 1e-6, yield_force: 30, hardening: 1e5, cohesion: 5",
        "bond, cohesion: 300, bond_bending: 10, bond_twisting: 10, compliance: 1e-6, compliance_tangent: 1e-6, damping: 1 ms",
        "rigid", "rigid, restitution: 0.5", "rigid, restitution: 0.5, restitution_law: newton", "compliant, compliance: 1e-6, compliance_tangent: 1e-6, damping: 1 ms",
        "rigid, rolling: 1 mm, spinning: 1 mm, dilatancy: 0.2", "rigid, friction_across: 0.2, direction: [1, 0, 0], flow_across: 4", "rigid, stribeck_speed: 0.3, friction_viscous: 0.1"]

# Many contacts of one colour: they are swept in lanes, where such a law has no place.
EGGS = """step: 2 ms
duration: 0.04 s
gravity: [3, 0, -9.81]
materials:
  default: {friction: 0.2, dilatancy: 0.1, rolling: 2 mm, spinning: 1 mm}
solver: {name: gs, tolerance_residual: 1e-6}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - name: egg
    shape: {ellipsoid: {radii: [0.05, 0.04, 0.03]}}
    lattice: {count: [8, 8, 1], pitch: [0.2, 0.2, 0.2], origin: [0, 0, 0.03]}
"""

# Glued boxes, and apart from them one that dilates: what the law of one needs must not be the fate of all.
BESIDE = """step: 1 ms
duration: 20 ms
materials:
  glue: {law: bond, cohesion: 60, bond_shear: 50, bond_bending: 0.4, bond_twisting: 0.4, compliance: 1e-7, compliance_tangent: 1e-7, damping: 2 ms}
  sled: {friction: 0.3, dilatancy: 0.1}
solver: {tolerance_residual: 1e-5, iteration_limit: 5000}
bodies:
  - {name: floor, kind: fixed, material: sled, shape: {half_space: {}}}
  - {name: glued, for: {i: 6, j: 3}, shape: {box: {size: [0.1, 0.1, 0.05]}}, material: glue, position: ['${0.1 * i}', 0, '${0.025 + 0.05 * j}']}
  - {name: sled, shape: {box: {size: [0.1, 0.05, 0.03]}}, material: sled, position: [-0.5, 0, 0.015], velocity: [1, 0.5, 0], angular: [0, 0, 2]}
"""

# Sizes L, times T = sqrt(L): with forces as L^3 (and all others by their units) runs are alike. Balls of 10 um to 10 m.
SCALED = """step: %(t)r
duration: '${100 * %(t)r}'
gravity: [1, 0.5, -9.6]
materials:
  default: {friction: 0.5, law: %(law)s}
  belt: {friction: 0.5, surface_velocity: ['${0.3 * %(T)r}', 0, 0], law: %(law)s}
solver: {tolerance_residual: 1e-6, iteration_limit: 20000}
bodies:
  - {name: floor, kind: fixed, material: belt, shape: {half_space: {}}}
  - {name: ball, for: {i: 2, j: 2, k: 2}, shape: {sphere: {radius: '${0.05 * %(L)r}'}},
     position: ['${0.1 * %(L)r * i}', '${0.1 * %(L)r * j}', '${%(L)r * (0.05 + 0.1 * k)}'], velocity: ['${0.1 * %(T)r * k}', 0, 0]}
probes: [{name: one, kind: body, body: 'ball[5]'}]
"""
# Of each key its value at L = 1 and the power of L that it has.
SCALES = ["rigid", "rigid, restitution: 0.5", "rigid-cohesive, cohesion: 0.5^3, cohesion_range: 0.02^1", "rigid-cohesive, cohesion_energy: 2^2",
          "compliant, compliance: 1e-4^-2, compliance_tangent: 1e-4^-2, damping: 0.001^0.5", "power, stiffness: 1e6^1.5",
          "compliant-cohesive, compliance: 1e-4^-2, cohesion: 0.5^3", "elastoplastic, compliance: 1e-4^-2, yield_force: 3^3, hardening: 1e3^2",
          "bond, cohesion: 200^3, bond_bending: 10^4, compliance: 1e-4^-2, compliance_tangent: 1e-4^-2",
          "liquid-bridge, bridge_volume: 1e-8^3, surface_tension: 1^2", "rigid, rolling: 0.002^1, spinning: 0.001^1",
          "rigid, friction_kinetic: 0.3, stribeck_speed: 0.1^0.5, friction_viscous: 0.1^-0.5"]


def crushed_heap():
    """Balls and a cube that fall on each other, crushed at 5 N."""
    draw = random.Random(3).uniform
    lines = ["step: 5 ms", "duration: 0.3 s", "gravity: [2, 0, -9.5]", "solver: {tolerance_residual: 1e-6}",
             "materials:", "  default: {friction: 0.5, law: elastoplastic, compliance: 1e-5, yield_force: 5, hardening: 1000}",
             "bodies:", "  - {name: floor, kind: fixed, shape: {half_space: {}}}"]
    r = 0.05
    for k in range(14):
        at = [(k % 2 - 0.5) * 2.25 * r + draw(-0.1, 0.1) * r, (k // 2 % 2 - 0.5) * 2.25 * r + draw(-0.1, 0.1) * r, r * 1.001 + k // 4 * 2.06 * r]
        speed = [draw(-0.3, 0.3), draw(-0.3, 0.3), draw(-0.3, 0.1)]
        turn = [draw(-3, 3), draw(-3, 3), draw(-3, 3)]
        lines.append("  - {name: b%d, shape: {sphere: {radius: %r}}, density: 1000, position: %r, velocity: %r, angular: %r}" % (k, r, at, speed, turn))
    lines.append("  - {name: cube, shape: {box: {size: [0.15, 0.1, 0.05]}}, density: 1000, position: [0, 0, 0.51205], rotation: {axis: [1, 0.3, 0], angle: 5 deg}}")
    return "\n".join(lines) + "\n"


class Laws(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_faults_have_their_place(self):
        for keys, key, text in FAULTS:
            with self.subTest(keys=keys):
                self.write("bad.yaml", SCENE % keys)
                result = self.run_scree("check", "bad.yaml")
                self.assertEqual(result.code, 3, result.err)
                self.assertIn(text, result.err)
                if key:
                    column = len("  m: {") + (", " + keys).index(", %s: " % key) + len(key) + 3
                    self.assertIn("bad.yaml:4:%d: " % column, result.err)

    def test_a_law_without_its_function_has_its_place(self):
        self.write("user.yaml", SCENE % "law: user")
        result = self.run_scree("run", "user.yaml")
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("user.yaml:4:12: the law user needs a function of yours", result.err)
        self.assertEqual(result.err.count("needs a function"), 1)

    def test_pairs_are_looked_at_too(self):
        self.write("pair.yaml", SCENE % "friction: 0.5" + "pairs: [{between: [m, m], law: bond}]\n")
        result = self.run_scree("check", "pair.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("pair.yaml:8:", result.err)
        self.write("pair.yaml", SCENE % "friction: 0.5" + "pairs: [{between: [m, m], friction_across: 0.2}]\n")
        result = self.run_scree("check", "pair.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("needs a direction of one of the two", result.err)

    def test_a_pair_is_given_once(self):
        twice = SCENE % "friction: 0.5" + "pairs:\n  - {between: [m, m], friction: 0.1}\n  - {between: [m, m], friction: 0.2}\n"
        self.write("twice.yaml", twice)
        result = self.run_scree("check", "twice.yaml")
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("twice.yaml:10:15: between: there is a pair of these two materials already, in line 9", result.err)
        line = SCENE % "friction: 0.5" + "pairs: [{between: [m, m], friction: 0.1}, {between: [m, m], friction: 0.2}]\n"
        self.write("line.yaml", line)
        result = self.run_scree("check", "line.yaml")
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("line.yaml:8:53: between: there is a pair of these two materials already, in line 8", result.err)
        self.write("once.yaml", "include: twice.yaml\npairs: [{between: [m, m], friction: 0.3}]\n")
        self.write("twice.yaml", twice.rsplit("\n", 2)[0] + "\n")
        self.assertEqual(self.run_scree("check", "once.yaml").code, 0)

    def test_solvers_that_have_no_flow(self):
        """A flow of its own wants the exact model and a solver that takes it: told before the run, at the key."""
        turned = "friction_across: 0.2, direction: [1, 0, 0], flow_across: 4"
        for keys, solver, text in (("dilatancy: 0.2", "name: ipm", "dilatancy: solver ipm: it does not take a flow"),
                                   ("dilatancy: 0.2", "name: apgd", "dilatancy: the relaxed model has a flow of its own"),
                                   ("dilatancy: 0.2", "model: relaxed", "take the model coulomb, or remove the key"),
                                   (turned, "name: ags", "flow_across: solver ags: it does not take a flow"),
                                   (turned, "name: admm", "flow_across: solver admm: it does not take a flow that turns"),
                                   ("dilatancy: 0.2", "name: admm", ""), (turned, "name: nsgs", "")):
            with self.subTest(keys=keys, solver=solver):
                self.write("flow.yaml", SCENE % keys + "solver: {%s}\n" % solver)
                result = self.run_scree("check", "flow.yaml")
                self.assertEqual(result.code, 3 if text else 0, result.err)
                self.assertIn(text, result.err)
                if text:
                    self.assertIn("flow.yaml:4:%d: " % (len("  m: {") + keys.rindex(":") + 3), result.err)

    def test_keys_that_a_mixture_leaves_out_are_told(self):
        wet = "law: liquid-bridge, bridge_volume: 1e-9, surface_tension: 0.07"
        for one, other, law, key in (("law: power, stiffness: 1e7", "compliance: 1e-6", "power", "compliance"), (wet, "compliance: 1e-6", "liquid-bridge", "compliance"),
                                     ("law: power, stiffness: 1e7", wet, "liquid-bridge", "stiffness"), ("law: rigid-cohesive, cohesion: 3", "compliance: 1e-6", "", "")):
            with self.subTest(one=one, other=other):
                self.write("mixed.yaml", (SCENE % one).replace("bodies:", "  f: {%s}\nbodies:" % other).replace("fixed, material: m", "fixed, material: f"))
                result = self.run_scree("check", "mixed.yaml")
                self.assertEqual(result.code, 0, result.err)
                if law:
                    self.assertIn("where materials 'm' and 'f' meet their law is %s, the later one, which has no %s: it is left out" % (law, key), result.err)
                else:
                    self.assertEqual(result.err, "")

    def test_what_refuses_a_step_has_its_place(self):
        """Whether a solver or stepper takes the contacts is known when they are there."""
        for line, column, text in (("solver: {name: direct}", 16, "solver direct: it has contacts with friction"),
                                   ("solver: {name: sap, model: relaxed}", 16, "solver sap: it is for compliant contacts"),
                                   ("stepper: hht", 10, "stepper 'hht' has no hard contacts"),
                                   ("stepper: {name: hht}", 17, "stepper 'hht' has no hard contacts"),
                                   ("solver: {stepper: hht}", 19, "stepper 'hht' has no hard contacts")):
            self.write("step.yaml", SCENE % "law: bond, cohesion: 3" + line + "\n")
            result = self.run_scree("run", "step.yaml")
            self.assertEqual(result.code, 3, result.err)
            self.assertIn("step.yaml:8:%d: " % column, result.err)
            self.assertIn(text, result.err)

    def test_springs_refuse_what_they_do_not_know(self):
        springs = "stepper: {name: explicit, options: {contact: penalty}}\n"
        for keys in ("cohesion: 3", "rolling: 1 mm", "law: liquid-bridge, bridge_volume: 1e-9, surface_tension: 0.07", "surface_velocity: [1, 0, 0]"):
            self.write("springs.yaml", springs + SCENE % ("restitution: 0.5, " + keys))
            result = self.run_scree("check", "springs.yaml")
            self.assertEqual(result.code, 3, result.err)
            self.assertIn("springs.yaml:5:%d: %s: " % (len("  m: {restitution: 0.5, ") + keys.index(":") + 3, keys.split(":")[0]), result.err)
            self.assertIn("know friction and restitution alone", result.err)
        self.write("springs.yaml", springs + SCENE % "restitution: 0.5, friction: 0.2")
        self.assertEqual(self.run_scree("check", "springs.yaml").code, 0)

    def test_bonds_that_are_none_are_told(self):
        bond = SCENE % "law: bond, cohesion: 3"
        self.write("bond.yaml", bond)
        result = self.run_scree("check", "bond.yaml")
        self.assertEqual((result.code, result.err), (0, ""))
        self.write("bond.yaml", bond.replace("[0, 0, 0.05]", "[0, 0, 0.0502]"))
        for verb in ("check", "run"):
            result = self.run_scree(verb, "bond.yaml")
            self.assertEqual(result.code, 0, result.err)
            self.assertIn("nothing is glued", result.err)
            self.assertIn("the nearest two are 0.0002 m apart, 0.2 % of the smaller diameter", result.err)

    def test_rigid_glue_that_is_not_determined_is_told(self):
        cubes = """materials: {default: {law: bond, cohesion: 50%s}}
bodies:
  - {kind: fixed, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, 0.05]}
  - {name: cube, for: {i: %d}, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: ['${0.1 * i}', 0, -0.05]}
"""
        for compliance, count, told in (("", 2, True), (", compliance: 1e-7", 2, False), ("", 1, False)):
            self.write("cubes.yaml", cubes % (compliance, count))
            result = self.run_scree("check", "cubes.yaml")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual("law bond without compliance holds 2 bodies by 18 rows, more than 6 each" in result.err, told, result.err)

    def test_same_bits_with_threads_and_after_resume(self):
        whole, limit = (0.012, "200") if SANITIZED else (0.06, "5000")
        for law in LAWS:
            with self.subTest(law=law):
                self.write("law.yaml", (BLOCK % (whole, law, law)).replace("5000", limit))
                hashes = []
                for threads in ("1", "2") if SANITIZED else ("1", "2", "4"):
                    result = self.run_scree("run", "law.yaml", "--threads", threads, "--json")
                    self.assertEqual(result.code, 0, result.err)
                    self.assertGreaterEqual(self.lines(result)[-1]["contacts"], 100)
                    hashes.append(self.lines(result)[-1]["state_hash"])
                result = self.run_scree("run", "law.yaml", "--duration", str(whole / 2), "--out", "part.h5", "--force", "--json")
                self.assertEqual(result.code, 0, result.err)
                result = self.run_scree("resume", "part.h5", "--duration", str(whole), "--json")
                self.assertEqual(result.code, 0, result.err)
                hashes.append(self.lines(result)[-1]["state_hash"])
                self.assertEqual(len(set(hashes)), 1, hashes)

    def test_extrapolated_sweeps_arrive_at_caps(self):
        self.write("crushed.yaml", crushed_heap())
        for step in (50, 53):
            result = self.run_scree("run", "crushed.yaml", "--threads", "1", "--export-problem", str(step), "--export-to", "crushed-%d.hdf5" % step)
            self.assertEqual(result.code, 0, result.err)
            result = self.run_scree("solve", "crushed-%d.hdf5" % step, "--solver", "ags", "--model", "relaxed", "--tol", "1e-9", "--strict", "--json")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(self.lines(result)[-1]["outcome"], "solved")

    def test_all_sizes_are_alike(self):
        sizes = (1.0,) if SANITIZED else (1.0, 1e-4, 1e-2, 100.0)
        for law in SCALES:
            ends = []
            for size in sizes:
                keys = re.sub(r"([0-9.e-]+)\^([0-9.-]+)", lambda m: repr(float(m[1]) * size ** float(m[2])), law)
                self.write("size.yaml", SCALED % {"t": 1e-3 * size ** 0.5, "T": size ** 0.5, "L": size, "law": keys})
                result = self.run_scree("run", "size.yaml", "--out", "size.h5", "--force", "--json")
                self.assertEqual(result.code, 0, result.err)
                self.assertEqual(self.lines(result)[-1]["nonconverged_steps"], 0)
                with open(self.path("size_one.csv"), encoding="utf-8") as file:
                    end = [float(x) for x in file.read().splitlines()[-1].split(",")]
                ends.append([x / size for x in end[1:4]] + [v / size ** 0.5 for v in end[8:11]])
            with self.subTest(law=law):
                for end in ends:
                    for a, b in zip(end, ends[0]):
                        self.assertLess(abs(a - b), 1e-5, ends)

    def test_many_that_roll_and_dilate_are_solved(self):
        self.write("eggs.yaml", EGGS)
        result = self.run_scree("run", "eggs.yaml", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.lines(result)[-1]["nonconverged_steps"], 0)

    def test_one_that_dilates_beside_glue(self):
        self.write("beside.yaml", BESIDE)
        result = self.run_scree("run", "beside.yaml", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.lines(result)[-1]["nonconverged_steps"], 0)
        self.assertLess(self.lines(result)[-1]["iterations"], 2000)

    def test_pairs_by_the_tree_have_the_same_bits(self):
        hashes = set()
        for threads in ("1", "2", "4"):
            result = self.run_scree("run", "rubble", "--threads", threads, "--json", "--set", "n=300", "--duration", "0.1")
            self.assertEqual(result.code, 0, result.err)
            hashes.add(self.lines(result)[-1]["state_hash"])
        self.assertEqual(len(hashes), 1)
        result = self.run_scree("run", "rubble", "--json", "--set", "n=300", "--duration", "0.1", "--set", "pairwise_theta=0")
        self.assertEqual(result.code, 0, result.err)
        self.assertNotIn(self.lines(result)[-1]["state_hash"], hashes)
        result = self.run_scree("run", "rubble", "--set", "pairwise_theta=2")
        self.assertEqual(result.code, 3)


if __name__ == "__main__":
    main()
