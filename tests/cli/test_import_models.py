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

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_actuators_share_what_a_class_says(self):
        """Of which kind the actuator of the class is does not matter: gains and biases are those of MuJoCo's functions mjs_setTo…"""
        bodies = "".join('<body pos="%d 0 0"><joint name="j%d" axis="0 1 0"/><geom size="0.1"/></body>' % (k, k) for k in range(6))
        self.write("a.xml", '<mujoco><default><general gainprm="8" biastype="affine" biasprm="0 -8 -0.5"/>'
                   '<default class="k"><position kp="30"/></default></default><worldbody>' + bodies + '</worldbody><actuator>'
                   '<position joint="j0"/><general joint="j1"/><velocity joint="j2"/><position class="k" joint="j3" kv="2"/>'
                   '<general class="k" joint="j4" biasprm="0 -20"/><motor joint="j5"/></actuator></mujoco>')
        result = self.run_scree("import", "a.xml", "--out", "a.yaml")
        self.assertEqual(result.code, 0, result.err)
        scene, _ = read_scene(self.path("a.yaml"))
        motors = {j["name"]: j.get("motor") or {} for j in scene["joints"]}
        gains = [(motors["j%d" % k].get("stiffness", 0), motors["j%d" % k].get("damping", 0)) for k in range(6)]
        self.assertEqual(gains, [(8, 0.5), (8, 0.5), (0, 8), (30, 2), (20, 0.5), (0, 0)])

    def test_what_would_act_is_a_loss(self):
        body = '<body><joint name="j"/><geom name="g" %s/></body>'
        models = {
            "sum.xml": ("<mujoco><worldbody>" + body % 'size="0.1"' + '</worldbody><actuator>\n<intvelocity joint="j" kp="3"/></actuator>'
                        '<keyframe><key ctrl="1"/></keyframe></mujoco>', "2:1: <intvelocity>: a control that is summed up over time"),
            "shell.xml": ('<mujoco><asset>\n<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" inertia="shell"/></asset><worldbody>'
                          + body % 'type="mesh" mesh="m"' + "</worldbody></mujoco>", "2:49: mesh 'm': mass and inertia of a shell"),
            "gazebo.urdf": ('<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
                            '</link><gazebo reference="a">\n<gravity>false</gravity></gazebo><gazebo>\n<static>true</static></gazebo></robot>',
                            "2:1: <gravity> in <gazebo>"),
        }
        for name, (text, loss) in models.items():
            with self.subTest(model=name):
                self.write(name, text)
                result = self.run_scree("import", name, "--out", "o.yaml", "--force", *(["--keyframe", "0"] if name == "sum.xml" else []))
                self.assertEqual(result.code, 3, result.err)
                self.assertIn(name + ":" + loss, result.err)

    def test_no_word_of_urdf_is_dropped_in_silence(self):
        self.write("w.urdf", '<robot name="w"><link name="a"><inertial>\n<mass value="1" unit="g"/>\n<inertia ixx="1" iyy="1" izz="1" ixY="1"/></inertial>'
                   '<collision><geometry>\n<sphere radius="0.1" raduis="2"/></geometry></collision></link><link name="b"><inertial><mass value="1"/>'
                   '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
                   '\n<axis xyz="0 0 1" frame="world"/></joint></robot>')
        result = self.run_scree("import", "w.urdf", "--out", "w.yaml")
        self.assertEqual(result.code, 0, result.err)
        for told in ("2:17: attribute 'unit' of <mass>", "3:34: attribute 'ixY' of <inertia>", "4:22: attribute 'raduis' of <sphere>", "5:19: attribute 'frame' of <axis>"):
            self.assertIn("w.urdf:" + told, result.err)
        self.write("t.urdf", '<robot name="t"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision><geometry>'
                   '<sphere radius="0.1"/>\n<box size="1 1 1"/></geometry></collision></link></robot>')
        result = self.run_scree("import", "t.urdf", "--out", "t.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("t.urdf:2:1: a second shape in a <geometry>, <box>", result.err)

    def test_limits_that_say_something_else_are_told(self):
        link = '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        joint = '\n<joint name="j%s" type="%s"><parent link="a"/><child link="%s"/>%s</joint>'
        self.write("l.urdf", '<robot name="l">' + "".join(link % n for n in "abcde") + joint % ("b", "revolute", "b", '<limit effort="1" velocity="1"/>')
                   + joint % ("c", "prismatic", "c", '<limit lower="0.1" upper="0.1"/>') + joint % ("d", "continuous", "d", '<limit lower="-1" upper="1"/>')
                   + joint % ("e", "floating", "e", '<limit lower="-1" upper="1"/>') + "</robot>")
        result = self.run_scree("import", "l.urdf", "--out", "l.yaml")
        self.assertEqual(result.code, 0, result.err)
        for told in ("2:69: joint 'jb': lower and upper are 0 where they are not given: it does not move",
                     "3:70: joint 'jc': lower and upper are the same", "4:71: joint 'jd': lower and upper limit nothing at a continuous joint",
                     "5:1: joint 'je': a floating joint has no limit"):
            self.assertIn("l.urdf:" + told, result.err)

    def test_parts_between_joints_are_told(self):
        self.write("p.xml", '<mujoco><worldbody>\n<body name="b"><joint type="slide" axis="1 0 0"/><joint axis="0 1 0"/><joint axis="1 0 0" range="-30 30"/>'
                   '<geom size="0.1"/></body></worldbody></mujoco>')
        result = self.run_scree("import", "p.xml", "--out", "p.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("p.xml:2:1: between the joints of body 'b' there are ", result.err)

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
