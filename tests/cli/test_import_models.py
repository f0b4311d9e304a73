#!/usr/bin/python3
"""`scree import` on models in the style of well-known ones: what becomes of them against a second reader, every thing that
is left out with its place, and that they stand on the ground."""
import os

import numpy as np

from command import SOURCE, CommandTest, main
from robots import read_robot, read_scene

MODELS = os.path.join(SOURCE, "tests", "models")

# What must be told, with line and column. Losses end the import unless they are allowed.
LOSSES = {
    "quadruped.xml": [],
    "copies.xml": [],
    "odd.xml": [],
    "gripper.urdf": [],
    "tendons.xml": ["6:123: joint 'ja': a spring by time constant", "8:37: joint 'jb': a limit of a ball joint",
                    "16:5: <spatial> tendon that pulls", "18:5: <fixed> tendon that is limited", "21:5: <muscle>",
                    "27:5: <plugin>", "29:5: <position> that is not at a hinge or slide", "31:12: <pair>"],
    "loops.xml": ["15:36: joints tied by a curve", "17:5: <tendon> in <equality>", "19:5: <distance> in <equality>"],
    "included.xml": ["included_act.xml:1:55: damping of an actuator by its ratio to the critical one"],
}
NOTES = {
    "quadruped.xml": ["41:13: joint 'FR_k' begins at 0, outside of its limits", "51:13: keyframe 0 home: not used"],
    "gripper.urdf": ["16:101: <safety_controller>", "16:179: <calibration>", "20:3: <transmission>", "21:68: <selfCollide>", "22:11: <plugin>"],
    "tendons.xml": ["23:5: <damper>", "25:5: <adhesion>", "28:5: <motor> that is not at a hinge or slide"],
}


class Models(CommandTest):
    def test_losses_are_told_with_their_place(self):
        for name, losses in LOSSES.items():
            with self.subTest(model=name):
                result = self.run_scree("import", os.path.join(MODELS, name), "--out", "o.yaml", "--force")
                self.assertEqual(result.code, 3 if losses else 0, result.err)
                for loss in losses + (NOTES.get(name, []) if not losses else []):
                    self.assertIn(loss, result.err)
                result = self.run_scree("import", os.path.join(MODELS, name), "--out", "o.yaml", "--force", "--allow-unsupported")
                self.assertEqual(result.code, 0, result.err)
                for told in losses + NOTES.get(name, []):
                    self.assertIn(told, result.err)

    def test_mass_freedom_and_inertia(self):
        for name in LOSSES:
            with self.subTest(model=name):
                path = os.path.join(MODELS, name)
                result = self.run_scree("import", path, "--out", "o.yaml", "--force", "--json", "--allow-unsupported")
                told, want = self.lines(result)[0], read_robot(path)
                _, got = read_scene(self.path("o.yaml"))
                self.assertEqual(told["degrees_of_freedom"], want["degrees_of_freedom"])
                self.assertAlmostEqual(told["mass"] / want["mass"], 1.0, places=12)
                self.assertLess(np.abs(got["center"] - want["center"]).max(), 1e-9 * (1 + np.abs(want["center"]).max()))
                self.assertLess(np.abs(got["inertia"] - want["inertia"]).max(), 1e-8 * np.abs(want["inertia"]).max())

    def test_on_the_ground(self):
        """Half a second on a floor: joints hold, nothing is thrown about."""
        for name, options, height in (("quadruped.xml", ["--keyframe", "home"], None), ("copies.xml", [], None), ("odd.xml", [], None),
                                      ("gripper.urdf", [], 0.0), ("included.xml", ["--allow-unsupported"], None), ("loops.xml", ["--allow-unsupported"], 0.5)):
            with self.subTest(model=name):
                result = self.run_scree("import", os.path.join(MODELS, name), "--out", "o.yaml", "--force", *options)
                self.assertEqual(result.code, 0, result.err)
                with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
                    file.write("include: o.yaml\nduration: 0.5\noverlap: 1\nprobes: [{name: e, kind: energy, every: 0.01}]\n")
                    if height is not None:
                        file.write("bodies: [{name: floor, kind: fixed, shape: {half_space: {}}, position: [0, 0, %g]}]\n" % height)
                result = self.run_scree("run", "s.yaml", "--json", "--force", "--out", "r.h5", "--threads", "1")
                self.assertEqual(result.code, 0, result.err)
                s = self.lines(result)[-1]
                self.assertLess(s["worst_joint_error"], 2e-3)
                with open(self.path("r_e.csv"), encoding="utf-8") as file:
                    head, *rows = [line.split(",") for line in file.read().splitlines()]
                kinetic = [float(row[next(k for k, title in enumerate(head) if title.startswith("kinetic"))]) for row in rows]
                # a fall of half a second is 4.9 m/s
                self.assertLess(max(kinetic), 0.5 * 25 * read_robot(os.path.join(MODELS, name))["mass"])

    def test_a_held_body_without_a_shape(self):
        """A mocap body that nothing touches, with a weld to it: a fixed body without a shape."""
        with open(self.path("m.xml"), "w", encoding="utf-8") as file:
            file.write('<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size="0.1" contype="0" conaffinity="0"/></body>'
                       '<body name="tool" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody>'
                       '<equality><weld body1="hand" body2="tool"/></equality></mujoco>')
        result = self.run_scree("import", "m.xml", "--out", "m.yaml")
        self.assertEqual(result.code, 0, result.err)
        result = self.run_scree("run", "m.yaml", "--duration", "0.5", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertLess(self.lines(result)[-1]["worst_joint_error"], 1e-9)


if __name__ == "__main__":
    main()
