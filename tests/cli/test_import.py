#!/usr/bin/python3
"""`scree import`: robots in URDF and MJCF against a second reader, what is reported, what is refused, and that they run."""
import glob
import math
import os
import re

import numpy as np
import yaml

from command import SOURCE, CommandTest, main
from robots import read_robot, read_scene

MODELS = os.path.join(SOURCE, "tests", "models")
SHARED = os.path.join(os.environ.get("SCREE_SHARED", os.path.join(os.path.dirname(SOURCE), "shared")), "models")
OWN = [os.path.join(MODELS, name) for name in ("arm.urdf", "creature.xml", "picker.urdf", "nested.xml", "palm.xml")]
# What MuJoCo 2.2.2 itself makes of them: mass, centre, inertia xx, yy, zz, xy, xz, yz.
MUJOCO = {
    "nested.xml": [15.1975134978, 0.03011873732, 0.02070928681, 0.6544024412, 0.7704043328, 1.078696295, 0.8872837478, -0.2701005227, -0.09516654605, -0.04130971242],
    "palm.xml": [0.831415926536, 0, 0, 0.4757796714, 0.008439551514, 0.007984333726, 0.00196829767, -0.0001052576784, 0.0001282985514, -2.30180349e-05],
}


AWKWARD = """<mujoco model="awkward">
  <compiler angle="radian" eulerseq="zyx" autolimits="false"/>
  <default>
    <geom density="500" friction="0.7 0.01 0.001"/>
    <joint damping="0.1" armature="0.01"/>
    <default class="arm">
      <geom type="capsule" size="0.03"/>
      <joint axis="0 1 0" range="-1 1"/>
      <default class="tip"><geom mass="0.2"/><joint damping="0.5" limited="true"/></default>
    </default>
  </default>
  <worldbody>
    <body name="base" pos="0 0 1" euler="0.1 0.2 0.3">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.05"/>
      <geom type="sphere" size="0.05" pos="0 0 0.1" mass="0" contype="0" conaffinity="0"/>
      <body name="upper" pos="0.1 0 0" childclass="arm">
        <joint name="shoulder"/>
        <geom fromto="0 0 0 0.3 0 0"/>
        <body name="fore" pos="0.3 0 0" xyaxes="1 0 0 0 1 0">
          <joint name="elbow" class="tip"/>
          <geom class="tip" fromto="0 0 0 0.2 0 0"/>
          <body pos="0.2 0 0"><inertial pos="0.01 0 0" mass="0.3" fullinertia="0.001 0.002 0.002 0.0001 0 0"/></body>
        </body>
      </body>
      <body name="lower" pos="-0.1 0 0">
        <joint name="slide" type="slide" axis="0 0 1" range="-0.1 0.1" limited="true" stiffness="100" springref="0.02"/>
        <joint name="spin" axis="0 0 1"/>
        <geom type="cylinder" size="0.03 0.05"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="elbow" joint2="shoulder" polycoef="0 0.5 0 0 0"/>
  </equality>
  <tendon><fixed name="coupled"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed></tendon>
  <actuator>
    <motor joint="shoulder" gear="50" ctrlrange="-1 1"/>
    <position joint="elbow" kp="20"/>
    <velocity joint="spin" kv="2"/>
    <position tendon="coupled" kp="5"/>
  </actuator>
</mujoco>
"""


class Against(CommandTest):
    """Total mass, degrees of freedom, centre and inertia of the second reader."""

    def compare(self, path, *options):
        result = self.run_scree("import", path, "--out", "robot.yaml", "--force", "--json", *options)
        self.assertEqual(result.code, 0, result.err)
        told = self.lines(result)[0]
        _, got = read_scene(self.path("robot.yaml"))
        want = read_robot(path)
        self.assertEqual(told["degrees_of_freedom"], want["degrees_of_freedom"])
        self.assertAlmostEqual(told["mass"] / want["mass"], 1.0, places=12)
        self.assertAlmostEqual(got["mass"] / want["mass"], 1.0, places=12)
        scale = np.abs(want["inertia"]).max()
        self.assertLess(np.abs(got["center"] - want["center"]).max(), 1e-9 * (1 + np.abs(want["center"]).max()))
        self.assertLess(np.abs(got["inertia"] - want["inertia"]).max(), 1e-8 * scale)

    def test_own_models(self):
        for path in OWN:
            with self.subTest(model=os.path.basename(path)):
                self.compare(path)

    def test_what_mujoco_makes_of_them(self):
        for name, want in MUJOCO.items():
            self.assertEqual(self.run_scree("import", os.path.join(MODELS, name), "--out", "robot.yaml", "--force").code, 0)
            _, got = read_scene(self.path("robot.yaml"))
            i = got["inertia"]
            for a, b in zip([got["mass"], *got["center"], i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]], want):
                self.assertAlmostEqual(a, b, delta=1e-9 * max(map(abs, want)), msg=name)

    def test_models_of_others(self):
        paths = sorted(glob.glob(os.path.join(SHARED, "*", "*")))
        if not paths:
            self.skipTest("there are no models of others")
        without_mass = ("05-visual", "06-flexible")
        for path in paths:
            name = os.path.basename(path)
            with self.subTest(model=name):
                result = self.run_scree("import", path, "--allow-unsupported", "--density", "1000", "--json")
                self.assertEqual(result.code, 0, result.err)
                if "hammock" in name or any(x in name for x in without_mass):
                    continue  # no body of it is whole, or none has a mass
                if "cube_3x3x3" in name:
                    continue  # its meshes are not there
                self.compare(path, "--allow-unsupported")


class Runs(CommandTest):
    def run_on_floor(self, path, *options, height=0.0):
        self.assertEqual(self.run_scree("import", path, "--out", "robot.yaml", "--force", *options).code, 0)
        with open(self.path("robot.yaml"), encoding="utf-8") as file:
            scene = yaml.safe_load(file)
        extra = {"include": "robot.yaml", "duration": 1, "overlap": 1,
                 "probes": [{"name": "all", "kind": "group", "every": 0.01}]}
        if not any("half_space" in str(b.get("shape")) for b in scene["bodies"]):
            extra["bodies"] = [{"name": "ground", "kind": "fixed", "shape": {"half_space": {}}, "position": [0, 0, height]}]
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            yaml.safe_dump(extra, file)
        result = self.run_scree("run", "scene.yaml", "--json", "--force", "--out", "run.h5", "--threads", "1")
        self.assertEqual(result.code, 0, result.err)
        s = self.lines(result)[-1]
        with open(self.path("run_all.csv"), encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().splitlines()]
        speed = [k for k, title in enumerate(rows[0]) if re.match("v[xyz] ", title)]
        worst = max(abs(float(row[k])) for row in rows[1:] for k in speed if row[k] != "nan")
        self.assertLess(worst, 15.0, path)  # the fall of 1 s is 9.8 m/s
        return s

    def test_own_models_fall_and_stay_whole(self):
        for path, height in zip(OWN, (-0.5, 0.0, -0.5, 0.0, 0.0)):
            with self.subTest(model=os.path.basename(path)):
                s = self.run_on_floor(path, height=height)
                self.assertLessEqual(s["nonconverged_steps"], 2)

    def test_models_of_others_fall(self):
        for name in ("mjcf/humanoid.xml", "mjcf/car.xml", "mjcf/half_cheetah.xml", "urdf/urdf_tutorial_07-physics.urdf"):
            path = os.path.join(SHARED, name)
            if os.path.exists(path):
                with self.subTest(model=name):
                    self.run_on_floor(path, "--allow-unsupported", height=-2.0)

    def test_include(self):
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write("include: %s\nduration: 0.1\n" % OWN[0])
        result = self.run_scree("run", "scene.yaml")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("arm.urdf:42:3: <transmission> in <robot>: not imported", result.err)


class Scene(CommandTest):
    """What single things become."""

    def imported(self, text, name="robot.xml", *options):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        result = self.run_scree("import", name, "--out", "out.yaml", "--force", *options)
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("out.yaml"), encoding="utf-8") as file:
            return yaml.safe_load(file), result

    def joint(self, scene, name):
        return next(j for j in scene["joints"] if j.get("name") == name)

    def test_creature(self):
        result = self.run_scree("import", OWN[1], "--out", "c.yaml")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("c.yaml"), encoding="utf-8") as file:
            scene = yaml.safe_load(file)
        gate = self.joint(scene, "gate")
        self.assertEqual((gate["kind"], gate["bodies"], gate["friction"], gate["damping"]), ("hinge", ["world", "gate"], 0.05, 0.1))
        self.assertAlmostEqual(gate["spring"]["rest"], np.pi / 9)
        neck = self.joint(scene, "neck_z+neck_y")
        self.assertEqual(neck["kind"], "universal")
        self.assertAlmostEqual(neck["start"], np.pi / 36)
        self.assertEqual(neck["second"]["limits"][0], -np.pi / 9)
        hips = self.joint(scene, "hip_x_0+hip_y_0")
        self.assertEqual(hips["armature"], 0.01)
        self.assertEqual(hips["second"]["motor"], {"kind": "position", "value": 0, "stiffness": 40, "damping": 2, "limit": 15})
        self.assertEqual(self.joint(scene, "hip_x_1+hip_y_1")["motor"], {"kind": "speed", "value": 0, "damping": 12})
        self.assertEqual(self.joint(scene, "cart_x+cart_y+cart_turn")["kind"], "planar")
        self.assertEqual(self.joint(scene, "piston")["motor"], {"kind": "position", "value": 0, "stiffness": 100, "damping": 5})
        self.assertEqual(self.joint(scene, "string")["kind"], "rope")
        self.assertEqual(self.joint(scene, "bungee")["spring"]["stiffness"], 5)
        self.assertEqual(self.joint(scene, "tail.spring")["damping"], [0, 0, 0, 0.3, 0.3, 0.3])
        self.assertEqual([p["kind"] for p in scene["probes"]], ["body", "joint", "body"])
        self.assertIn({"bodies": ["torso", "shin_0", "shin_0.part2"]}, scene["exclude"])
        balloon = next(f for f in scene["forces"] if f["body"] == "balloon")
        self.assertAlmostEqual(balloon["force"][2], 9.8 * 2 * 4 / 3 * np.pi * 1e-3)
        laws = {tuple(p["between"]): p for p in scene["pairs"]}
        self.assertEqual(laws[("creature.surface1", "creature.surface3")]["friction"], 0.9)
        self.assertEqual(laws[("creature.surface1", "creature.surface4")]["rolling"], 0.1)

    def test_awkward(self):
        """Nested defaults, another order of Euler angles, limits that are not switched on, masses and densities mixed, an
        inertia that is not diagonal, two joints at one body, and things that Scree does not have, told with their lines."""
        with open(self.path("a.xml"), "w", encoding="utf-8") as file:
            file.write(AWKWARD)
        result = self.run_scree("import", "a.xml", "--out", "a.yaml")
        self.assertEqual(result.code, 3)
        self.assertIn("a.xml:41:5: <position> that is not at a hinge or slide", result.err)
        self.assertIn("a.xml:34:5: 'elbow' follows 'shoulder'", result.err)
        self.assertFalse(os.path.exists(self.path("a.yaml")))
        result = self.run_scree("import", "a.xml", "--out", "a.yaml", "--allow-unsupported")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("a.yaml"), encoding="utf-8") as file:
            text = file.read()
        # Rz(0.1) Ry(0.2) Rx(0.3); q = qz qy qx
        c, s = [math.cos(x / 2) for x in (0.1, 0.2, 0.3)], [math.sin(x / 2) for x in (0.1, 0.2, 0.3)]
        w, x = c[0] * c[1] * c[2] + s[0] * s[1] * s[2], c[0] * c[1] * s[2] - s[0] * s[1] * c[2]
        base = text[text.index("name: base"):text.index("name: upper")]
        got = [float(v) for v in re.search(r"rotation: \[([^\]]*)\]", base).group(1).split(",")]
        self.assertAlmostEqual(got[0], w, places=12)
        self.assertAlmostEqual(got[1], x, places=12)
        self.assertAlmostEqual(float(re.search(r"mass: (\S+)", base).group(1)), 500 * 0.2 * 0.2 * 0.1, places=9)
        fore = text[text.index("name: fore"):text.index("name: lower")]
        self.assertAlmostEqual(float(re.search(r"mass: (\S+)", fore).group(1)), 0.5, places=12)
        self.assertAlmostEqual(float(re.search(r"center: \[([^,]*),", fore).group(1)), (0.2 * 0.1 + 0.3 * 0.21) / 0.5, places=12)
        shoulder = text[text.index("name: shoulder"):text.index("name: elbow")]
        self.assertNotIn("limits", shoulder)
        self.assertIn("damping: 0.1", shoulder)
        elbow = text[text.index("name: elbow"):]
        self.assertIn("limits: [-1, 1]", elbow)
        self.assertIn("damping: 0.5", elbow)
        self.assertIn("kind: cylindrical", elbow)

    def test_keyframe(self):
        result = self.run_scree("import", OWN[1], "--out", "c.yaml", "--keyframe", "crouch")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("c.yaml"), encoding="utf-8") as file:
            scene = yaml.safe_load(file)
        self.assertEqual(self.joint(scene, "knee_0")["motor"], {"kind": "torque", "value": 15})
        self.assertEqual(self.joint(scene, "knee_0")["start"], -1)
        self.assertEqual(next(b for b in scene["bodies"] if b["name"] == "torso")["position"], [0.2, 0, 1.1])

    def test_arm(self):
        result = self.run_scree("import", OWN[0], "--out", "a.yaml")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("a.yaml"), encoding="utf-8") as file:
            scene = yaml.safe_load(file)
        self.assertEqual(self.joint(scene, "shoulder")["limits"], [0.3, 2.5])
        self.assertEqual(self.joint(scene, "shoulder")["start"], 0.3)
        self.assertEqual(self.joint(scene, "right_grip.follows")["ratio"], -1)
        # The base rubs by its own coefficient, the mast on it by the common one: two parts of a body.
        self.assertEqual(scene["exclude"], [{"bodies": ["base", "base.part2", "upper", "fore"]}])
        mesh = next(p for b in scene["bodies"] if b["name"] == "base" for p in b["shape"]["compound"]["parts"] if "mesh" in p["shape"])
        self.assertEqual(mesh["shape"]["mesh"]["stretch"], [0.1, -0.1, 0.1])
        self.assertTrue(os.path.exists(os.path.join(self.dir, mesh["shape"]["mesh"]["file"])))

    def test_fingers_that_follow(self):
        """A slide, a hinge and a slide that follow a slide: they move as they should."""
        inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
        text = '<robot name="r"><link name="base"/>' + "".join('<link name="%s">%s</link>' % (x, inertial) for x in "abcd")
        for name, kind, mimic in (("a", "prismatic", ""), ("b", "prismatic", '<mimic joint="a" multiplier="-2"/>'),
                                  ("c", "revolute", '<mimic joint="a" multiplier="3" offset="0.1"/>'),
                                  ("d", "prismatic", '<mimic joint="c" multiplier="0.5"/>')):
            text += ('<joint name="%s" type="%s"><parent link="base"/><child link="%s"/><origin xyz="0 %d 0"/><axis xyz="1 0 0"/>'
                     '<limit lower="-9" upper="9" effort="1" velocity="1"/>%s</joint>' % (name, kind, name, ord(name), mimic))
        scene, _ = self.imported(text + "</robot>", "r.urdf")
        self.assertEqual([self.joint(scene, x + ".follows")["kind"] for x in "bcd"], ["lever", "rack_pinion", "rack_pinion"])
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write("include: out.yaml\nduration: 0.5\ngravity: [0, 0, 0]\nforces: [{body: a, force: [5, 0, 0]}]\n"
                       "probes: [" + ", ".join("{name: %s, kind: joint, joint: %s}" % (x, x) for x in "abcd") + "]\n")
        result = self.run_scree("run", "scene.yaml", "--out", "r.h5")
        self.assertEqual(result.code, 0, result.err)
        q = {}
        for x in "abcd":
            with open(self.path("r_%s.csv" % x), encoding="utf-8") as file:
                q[x] = float(file.read().splitlines()[-1].split(",")[1])
        self.assertGreater(q["a"], 0.05)
        self.assertAlmostEqual(q["b"], -2 * q["a"], places=6)
        self.assertAlmostEqual(q["c"], 3 * q["a"] + 0.1, places=6)
        self.assertAlmostEqual(q["d"], 0.5 * q["c"], places=6)

    def test_what_is_only_seen_needs_no_mesh(self):
        text = """<mujoco><asset><mesh file="skin.obj"/></asset><worldbody><geom type="mesh" mesh="skin" contype="0" conaffinity="0"/>
          <body name="b"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
          <geom type="mesh" mesh="skin" contype="0" conaffinity="0"/><geom size="0.1"/></body></worldbody></mujoco>"""
        scene, result = self.imported(text)
        self.assertEqual(result.err, "")
        self.assertEqual([b["name"] for b in scene["bodies"]], ["b"])

    def test_rules_of_touching(self):
        text = """<mujoco><worldbody><geom name="f" type="plane"/>
          <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" contype="2" conaffinity="0"/></body>
          <body name="b" pos="0 0 2"><freejoint/><geom size="0.1" contype="0" conaffinity="2"/></body>
          <body name="c" pos="0 0 3"><freejoint/><geom size="0.1" contype="1" conaffinity="0"/></body></worldbody></mujoco>"""
        scene, _ = self.imported(text)
        bodies = {b["name"]: b for b in scene["bodies"]}

        def meet(a, b):
            p, q = bodies[a], bodies[b]
            return bool(p.get("category", 1) & q.get("collides_with", 2**32 - 1)
                        and q.get("category", 1) & p.get("collides_with", 2**32 - 1))
        self.assertEqual([meet(*x) for x in ("ab", "ac", "bc", "af", "bf", "cf")], [True, False, False, False, False, True])


class Faults(CommandTest):
    def refused(self, text, message, name="r.urdf", code=3, *options):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        result = self.run_scree("import", name, *options)
        self.assertEqual(result.code, code, result.err)
        self.assertIn("scree import: " + message, result.err)
        self.assertEqual(result.out, "")

    def test_a_range_from_the_joint(self):
        """A control of 0 is held within inheritrange times the range of the joint about its middle."""
        text = """<mujoco><compiler angle="degree" autolimits="true"/><worldbody><body><joint name="j" axis="0 1 0" range="10 40"/>
          <geom type="box" size="0.1 0.1 0.1"/></body></worldbody><actuator><position joint="j" kp="5" %s/></actuator></mujoco>"""
        for said, degrees in (("", 0.0), ('inheritrange="1"', 10.0), ('inheritrange="0.5"', 17.5)):
            with open(self.path("m.xml"), "w", encoding="utf-8") as file:
                file.write(text % said)
            result = self.run_scree("import", "m.xml", "--out", "m.yaml", "--force")
            self.assertEqual(result.code, 0, result.err)
            with open(self.path("m.yaml"), encoding="utf-8") as file:
                motor = yaml.safe_load(file)["joints"][0]["motor"]
            self.assertAlmostEqual(float(motor["value"]), math.radians(degrees), places=12)

    def test_xml(self):
        self.refused("<robot name='x'>", "r.urdf:1:17: not XML: no element found")
        self.refused('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "r.urdf:1:25: entity 'a': files that declare entities are not read")
        self.refused("<a/>", "r.urdf:1:1: <a>: a robot is <robot> (URDF) or <mujoco> (MJCF)")
        self.refused("<a>" * 300, "r.urdf:1:601: elements nested more than 200 deep")

    def test_urdf(self):
        link = '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        two = link % "a" + link % "b"
        joint = '\n<joint name="j" type="%s"><parent link="a"/><child link="b"/>%s</joint></robot>'
        for text, message in (
                (two + joint % ("ball", ""), "r.urdf:2:17: joint 'j': type 'ball'; allowed: fixed, revolute"),
                (two + joint % ("revolute", ""), "r.urdf:2:1: joint 'j': a revolute joint needs a <limit>"),
                (two + joint % ("continuous", '<axis xyz="0 0 0"/>'), "r.urdf:2:76: joint 'j': its axis has no direction"),
                (two + joint % ("revolute", '<limit lower="1" upper="0"/>'), "joint 'j': its lower limit 1 is above the upper one, 0"),
                (two + joint % ("fixed", '<origin xyz="0 0"/>'), "r.urdf:2:73: xyz: 2 numbers; 3 are expected"),
                (two + joint % ("fixed", '<origin xyz="0 0 nan"/>'), "r.urdf:2:73: xyz: 'nan' is no finite number"),
                (two + '</robot>', None),
                (link % "a" + joint % ("fixed", ""), "joint 'j': there is no link 'b'"),
                (link % "a" + link % "a" + "</robot>", "link 'a' is given twice"),
                (two + '\n<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
                       '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>', "is in a loop of joints"),
                ('<link name="a"><inertial><mass value="-1"/></inertial></link></robot>', "mass: -1 is below 0"),
                (link % "a" + '<link name="b"/>' + joint % ("continuous", ""), "'b' can move but has no mass"),
                ('<xacro:macro name="m"/></robot>', "this is a template of xacro")):
            with self.subTest(message=message):
                if message:
                    self.refused('<robot name="r">' + text, "r.urdf:" if not message.startswith("r.urdf") else message)
                    self.assertIn(message, self.run_scree("import", "r.urdf").err)

    def test_surfaces_of_urdf(self):
        """What a material cannot have is refused or reported; below 0 it was left out and above the most cut, without a word."""
        text = ('<robot name="r"><link name="a"><contact>%s</contact><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
                'ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="1"/></geometry></collision></link>'
                '<gazebo reference="a">%s</gazebo></robot>')
        for name in ("lateral_friction", "rolling_friction", "spinning_friction", "restitution"):
            self.refused(text % (f'<{name} value="-0.5"/>', ""), f"r.urdf:1:{43 + len(name)}: <{name}>: -0.5 is below 0")
        for name in ("mu1", "mu"):
            self.refused(text % ("", f"<{name}>-1</{name}>"), "r.urdf:1:")
            self.assertIn(f"<{name}>: -1 is below 0", self.run_scree("import", "r.urdf").err)
        with open(self.path("r.urdf"), "w", encoding="utf-8") as file:
            file.write(text % ('<restitution value="7"/><rolling_friction value="3"/>', "<mu1>1e9</mu1>"))
        result = self.run_scree("import", "r.urdf")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("<restitution>: 7 is taken as 1, the most that a material has", result.err)
        self.assertIn("<mu1>: 1e+09 is taken as 100, the most that a material has", result.err)
        self.assertNotIn("rolling", result.err)

    def test_mjcf(self):
        head = '<mujoco><worldbody><body name="b">'
        tail = '</body></worldbody></mujoco>'
        for text, message in (
                ('<geom size="0"/>', "r.xml:1:41: geom: a size of 1 number above 0 is expected"),
                ('<geom type="blob"/>', "r.xml:1:41: geom: there is no type 'blob'"),
                ('<geom class="x" size="1"/>', "r.xml:1:41: there is no class 'x'; there are none"),
                ('<geom type="mesh" mesh="m"/>', "r.xml:1:53: there is no mesh 'm' in <asset>"),
                ('<joint axis="0 0 0"/><geom size="1"/>', "r.xml:1:42: joint 'model.joint1': its axis has no direction"),
                ('<joint limited="true"/><geom size="1"/>', "it is limited, but its range is 0 … 0"),
                ('<freejoint/>', "'b' can move but has no mass"),
                ('<composite type="grid"/>', "r.xml:1:35: <composite> in <body>"),
                ('<geom size="1" friction="1 -2"/>', "r.xml:1:50: friction: -2 is below 0"),
                ('<geom size="1" contype="1.5"/>', "contype and conaffinity: bits from 0"),
                ('<body name="b"/>', "body 'b' is given twice")):
            with self.subTest(message=message):
                self.refused(head + text + tail, "r.xml:1:", "r.xml")
                self.assertIn(message, self.run_scree("import", "r.xml").err)
        with open(self.path("r.xml"), "w", encoding="utf-8") as file:
            file.write(head + '<geom size="1" friction="200"/>' + tail)
        result = self.run_scree("import", "r.xml")
        self.assertEqual((result.code, result.err.count("friction: 200 is taken as 100, the most that a material has")), (0, 1), result.err)

    def test_what_is_not_there_is_told_and_may_be_left_out(self):
        text = """<mujoco><asset><mesh name="m" file="none.stl"/></asset>
          <option viscosity="1"/><include file="gone.xml"/><worldbody><body name="b"><freejoint/><geom size="0.1"/>
          <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
        with open(self.path("r.xml"), "w", encoding="utf-8") as file:
            file.write(text)
        strict = self.run_scree("import", "r.xml")
        self.assertEqual(strict.code, 3)
        loose = self.run_scree("import", "r.xml", "--allow-unsupported")
        self.assertEqual(loose.code, 0, loose.err)
        for message in ("r.xml:1:31: mesh 'none.stl' is not there; the shape is left out", "r.xml:2:19: the air or water around",
                        "r.xml:2:43: include 'gone.xml' is not there; it is left out"):
            self.assertIn(message, strict.err)
            self.assertIn(message, loose.err)
            self.assertIn("#   " + message, loose.out)

    def test_out_is_kept(self):
        with open(self.path("out.yaml"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.assertEqual(self.run_scree("import", OWN[0], "--out", "out.yaml").code, 6)
        with open(self.path("out.yaml"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_safe(self):
        with open(self.path("r.xml"), "w", encoding="utf-8") as file:
            file.write('<mujoco><include file="/etc/passwd"/><worldbody/></mujoco>')
        result = self.run_scree("import", "r.xml", "--safe")
        self.assertEqual(result.code, 3)
        self.assertIn("it is outside the folder of the scene", result.err)


if __name__ == "__main__":
    main()
