#!/usr/bin/env python3
"""`scree fmu`: the archive, its description, and the library in it, stepped through ctypes as an importing program does."""
import ctypes
import json
import os
import xml.etree.ElementTree as xml
import zipfile

from command import CommandTest, main

SCENE = """
parameters: {m: 2}
step: 5 ms
duration: 2 s
gravity: [0, 0, -10]
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, mass: '${m}', position: [0, 0, 2]}
  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [1, 0, 0.1]}
probes:
  - {name: floor, kind: force, body: floor}
"""
LOGGER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p), ("finished", ctypes.c_void_p),
                ("environment", ctypes.c_void_p)]


class Unit:
    """An FMU that was unpacked to a folder."""

    def __init__(self, archive, folder):
        with zipfile.ZipFile(archive) as file:
            assert file.testzip() is None
            file.extractall(folder)
        self.root = xml.parse(os.path.join(folder, "modelDescription.xml")).getroot()
        self.reference = {v.get("name"): int(v.get("valueReference")) for v in self.root.iter("ScalarVariable")}
        self.lib = ctypes.CDLL(os.path.join(folder, "binaries", "linux64", "scree.so"))
        self.lib.fmi2Instantiate.restype = ctypes.c_void_p
        self.lib.fmi2GetVersion.restype = ctypes.c_char_p
        self.said = []
        self.logger = LOGGER(lambda e, name, status, category, form, text: self.said.append(text.decode()))
        self.callbacks = Callbacks(self.logger, None, None, None, None)
        uri = "file://" + os.path.abspath(folder).replace(" ", "%20") + "/resources"
        self.c = ctypes.c_void_p(self.lib.fmi2Instantiate(b"one", 1, self.root.get("guid").encode(), uri.encode(),
                                                          ctypes.byref(self.callbacks), 0, 0))

    def get(self, name):
        value, reference = ctypes.c_double(), ctypes.c_uint(self.reference[name])
        status = self.lib.fmi2GetReal(self.c, ctypes.byref(reference), ctypes.c_size_t(1), ctypes.byref(value))
        assert status == 0, self.said
        return value.value

    def set(self, name, value):
        return self.lib.fmi2SetReal(self.c, ctypes.byref(ctypes.c_uint(self.reference[name])), ctypes.c_size_t(1),
                                    ctypes.byref(ctypes.c_double(value)))

    def step(self, time, step):
        return self.lib.fmi2DoStep(self.c, ctypes.c_double(time), ctypes.c_double(step), 1)


class Fmu(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def unit(self, *options):
        path = self.write("two things.yaml", SCENE)
        self.check(["fmu", path, "--out", self.path("a.fmu"), "--force", *options], 0)
        with zipfile.ZipFile(self.path("a.fmu")) as file:
            if b"__asan_init" in file.read("binaries/linux64/scree.so"):
                self.skipTest("a library with a sanitizer cannot be loaded into this program")
        unit = Unit(self.path("a.fmu"), self.path("un packed"))
        self.assertTrue(unit.c.value, unit.said)
        self.assertEqual(unit.lib.fmi2GetVersion(), b"2.0")
        self.assertEqual(unit.lib.fmi2SetupExperiment(unit.c, 0, ctypes.c_double(0), ctypes.c_double(0), 0, ctypes.c_double(0)), 0)
        self.assertEqual(unit.lib.fmi2EnterInitializationMode(unit.c), 0)
        self.assertEqual(unit.lib.fmi2ExitInitializationMode(unit.c), 0)
        return unit

    def test_forces_and_motion(self):
        """Held up by 20 N the ball stays, with 30 N it rises by a t^2/2; the floor bears the box."""
        unit = self.unit()
        self.assertEqual(unit.set("ball.force.z", 20.0), 0)
        for k in range(20):
            self.assertEqual(unit.step(0.05 * k, 0.05), 0)
        self.assertAlmostEqual(unit.get("ball.position.z"), 2.0, delta=1e-9)
        self.assertAlmostEqual(unit.get("floor.fz"), -10.0, delta=1e-3)
        unit.set("ball.force.z", 30.0)
        for k in range(20, 40):
            self.assertEqual(unit.step(0.05 * k, 0.05), 0)
        self.assertAlmostEqual(unit.get("ball.velocity.z"), 5.0, delta=0.02)
        self.assertAlmostEqual(unit.get("ball.position.z"), 4.5, delta=0.02)
        unit.lib.fmi2FreeInstance(unit.c)

    def test_repeat(self):
        """A step from a saved state gives the same bits again, also from its bytes and after a reset."""
        unit = self.unit("--set", "m=3")
        unit.set("box.force.x", 8.0)
        unit.step(0.0, 0.1)
        state = ctypes.c_void_p()
        self.assertEqual(unit.lib.fmi2GetFMUstate(unit.c, ctypes.byref(state)), 0)
        ends = []
        for k in range(3):
            unit.set("box.force.x", 8.0 if k != 1 else 2.0)
            self.assertEqual(unit.step(0.1, 0.1), 0)
            ends.append((unit.get("box.position.x"), unit.get("box.velocity.x"), unit.get("ball.velocity.z")))
            self.assertEqual(unit.lib.fmi2SetFMUstate(unit.c, state), 0)
        self.assertEqual(ends[0], ends[2])
        self.assertNotEqual(ends[0][0], ends[1][0])
        size = ctypes.c_size_t()
        unit.lib.fmi2SerializedFMUstateSize(unit.c, state, ctypes.byref(size))
        room, copy = ctypes.create_string_buffer(size.value), ctypes.c_void_p()
        self.assertEqual(unit.lib.fmi2SerializeFMUstate(unit.c, state, room, size), 0)
        self.assertEqual(unit.lib.fmi2DeSerializeFMUstate(unit.c, room, size, ctypes.byref(copy)), 0)
        self.assertEqual(unit.lib.fmi2SetFMUstate(unit.c, copy), 0)
        unit.set("box.force.x", 8.0)
        unit.step(0.1, 0.1)
        self.assertEqual(unit.get("box.position.x"), ends[0][0])
        self.assertEqual(unit.lib.fmi2Reset(unit.c), 0)
        self.assertEqual(unit.get("ball.position.z"), 2.0)
        for one in (state, copy):
            unit.lib.fmi2FreeFMUstate(unit.c, ctypes.byref(one))
        unit.lib.fmi2FreeInstance(unit.c)

    def test_refusals(self):
        unit = self.unit()
        self.assertEqual(unit.step(0.0, 0.0123), 3)
        self.assertIn("whole number", unit.said[-1])
        self.assertEqual(unit.step(0.5, 0.1), 3)
        self.assertIn("begin at the time", unit.said[-1])
        self.assertEqual(unit.set("ball.position.z", 1.0), 3)
        self.assertIn("is no input", unit.said[-1])
        self.assertEqual(unit.set("ball.force.z", float("nan")), 3)
        unit.lib.fmi2FreeInstance(unit.c)
        with self.subTest("not its resources"):
            self.assertFalse(unit.lib.fmi2Instantiate(b"x", 1, b"", b"file:///nowhere", ctypes.byref(unit.callbacks), 0, 0))

    def test_odd_libraries(self):
        """What is not a unit's library is told, and no archive is made around it; a pipe is not waited for."""
        self.write("scene.yaml", SCENE)
        os.mkfifo(self.path("pipe"))
        with open(self.path("text.so"), "w", encoding="utf-8") as file:
            file.write("fmi2DoStep")
        for library, code in (("/dev/zero", 6), ("pipe", 6), (".", 6), ("none", 6), ("text.so", 3), ("scene.yaml", 3)):
            result = self.run_scree("fmu", "scene.yaml", "--library", library, "--out", "x.fmu")
            self.assertEqual(result.code, code, (library, result.err))
            self.assertIn("library" if code == 6 else "fmi2DoStep", result.err)
            self.assertFalse(os.path.exists(self.path("x.fmu")), library)

    def test_odd_orders(self):
        """What importing programs get wrong is refused with fmi2Error, and changes nothing: order, null, numbers, steps, freed instances."""
        unit = self.unit()
        lib, c, none = unit.lib, unit.c, ctypes.c_void_p()
        reals = (ctypes.c_double * 2)(5.0, 7.0)
        both = (ctypes.c_uint * 2)(unit.reference["ball.force.x"], 1000000)
        count = ctypes.c_size_t(2)
        # The second value is wrong: neither is taken.
        self.assertEqual(lib.fmi2SetReal(c, both, count, reals), 3)
        self.assertEqual(unit.get("ball.force.x"), 0.0)
        self.assertIn("value reference", unit.said[-1])
        both[1] = unit.reference["ball.position.x"]
        self.assertEqual(lib.fmi2SetReal(c, both, count, reals), 3)
        self.assertEqual(unit.get("ball.force.x"), 0.0)
        for function in (lib.fmi2SetReal, lib.fmi2GetReal):
            self.assertEqual(function(c, none, count, reals), 3)
            self.assertEqual(function(c, both, count, none), 3)
            self.assertEqual(function(none, both, count, reals), 3)
            self.assertEqual(function(c, none, ctypes.c_size_t(0), none), 0)
        for step in (0.0, -0.1, float("nan"), float("inf"), 1e300):
            self.assertEqual(unit.step(0.0, step), 3, step)
        for time in (-0.1, float("nan")):
            self.assertEqual(unit.step(time, 0.1), 3, time)
        self.assertEqual(unit.get("ball.position.z"), 2.0)
        # Order.
        self.assertEqual(lib.fmi2EnterInitializationMode(c), 3)
        self.assertEqual(lib.fmi2ExitInitializationMode(c), 3)
        self.assertEqual(unit.step(0.0, 0.1), 0)
        state = ctypes.c_void_p()
        self.assertEqual(lib.fmi2GetFMUstate(c, ctypes.byref(state)), 0)
        self.assertEqual(lib.fmi2Terminate(c), 0)
        self.assertEqual(unit.step(0.1, 0.1), 3)
        self.assertEqual(lib.fmi2Terminate(c), 3)
        self.assertEqual(unit.set("ball.force.x", 1.0), 3)
        self.assertEqual(lib.fmi2Reset(c), 0)
        self.assertEqual(unit.step(0.0, 0.1), 3)  # not initialized again
        self.assertEqual(unit.set("ball.force.x", 4.0), 0)  # a start value
        self.assertEqual(lib.fmi2EnterInitializationMode(c), 0)
        self.assertEqual(lib.fmi2ExitInitializationMode(c), 0)
        self.assertEqual(unit.step(0.0, 0.1), 0)
        self.assertAlmostEqual(unit.get("ball.velocity.x"), 0.2, delta=1e-9)
        # States: of a running instance in one that was reset, null, damaged bytes.
        self.assertEqual(lib.fmi2Reset(c), 0)
        self.assertEqual(lib.fmi2SetFMUstate(c, state), 0)
        self.assertEqual(unit.step(0.1, 0.1), 0)
        self.assertEqual(lib.fmi2SetFMUstate(c, none), 3)
        self.assertEqual(lib.fmi2GetFMUstate(c, none), 3)
        size, copy = ctypes.c_size_t(), ctypes.c_void_p()
        self.assertEqual(lib.fmi2SerializedFMUstateSize(c, none, ctypes.byref(size)), 3)
        self.assertEqual(lib.fmi2SerializedFMUstateSize(c, state, ctypes.byref(size)), 0)
        room = ctypes.create_string_buffer(size.value)
        self.assertEqual(lib.fmi2SerializeFMUstate(c, state, room, ctypes.c_size_t(size.value - 1)), 3)
        self.assertEqual(lib.fmi2SerializeFMUstate(c, state, room, size), 0)
        before = unit.get("ball.position.z")
        for cut in (0, 7, 8, 9, 100, size.value // 2, size.value - 1):
            if lib.fmi2DeSerializeFMUstate(c, room, ctypes.c_size_t(cut), ctypes.byref(copy)) == 0:
                self.assertEqual(lib.fmi2SetFMUstate(c, copy), 3, cut)
            self.assertEqual(unit.get("ball.position.z"), before)
        self.assertEqual(lib.fmi2DeSerializeFMUstate(c, room, ctypes.c_size_t(2**64 - 1), ctypes.byref(copy)), 3)
        for one in (state, copy, state, copy):
            self.assertEqual(lib.fmi2FreeFMUstate(c, ctypes.byref(one)), 0)
        # A second instance lives its own life; a description of another FMU is refused.
        uri = "file://" + os.path.abspath(self.path("un packed")).replace(" ", "%20") + "/resources"
        lib.fmi2Instantiate.restype = ctypes.c_void_p
        self.assertFalse(lib.fmi2Instantiate(b"x", 1, b"scree-of-another", uri.encode(), ctypes.byref(unit.callbacks), 0, 0))
        self.assertIn("guid", unit.said[-1])
        other = ctypes.c_void_p(lib.fmi2Instantiate(b"two", 1, unit.root.get("guid").encode(), uri.encode(), None, 0, 0))
        self.assertTrue(other.value)
        self.assertEqual(lib.fmi2EnterInitializationMode(other), 0)
        self.assertEqual(lib.fmi2ExitInitializationMode(other), 0)
        self.assertEqual(lib.fmi2DoStep(other, ctypes.c_double(0.0), ctypes.c_double(0.5), 1), 0)
        self.assertEqual(unit.get("ball.position.z"), before)
        lib.fmi2FreeInstance(c)
        lib.fmi2FreeInstance(c)
        lib.fmi2FreeInstance(none)
        self.assertEqual(unit.step(0.2, 0.1), 3)
        self.assertEqual(lib.fmi2Reset(c), 3)
        self.assertEqual(lib.fmi2DoStep(other, ctypes.c_double(0.5), ctypes.c_double(0.5), 1), 0)
        lib.fmi2FreeInstance(other)

    def test_long_sums(self):
        """Times that were added up step by step are off by rounding; they are taken."""
        unit = self.unit()
        time = 0.0
        for _ in range(3000):
            self.assertEqual(unit.step(time, 0.005), 0, unit.said)
            time += 0.005
        unit.lib.fmi2FreeInstance(unit.c)

    def test_description(self):
        unit = self.unit()
        root = unit.root
        self.assertEqual(root.get("fmiVersion"), "2.0")
        self.assertEqual(root.find("CoSimulation").get("modelIdentifier"), "scree")
        self.assertEqual(float(root.find("DefaultExperiment").get("stepSize")), 0.005)
        variables = list(root.iter("ScalarVariable"))
        self.assertEqual(sum(v.get("causality") == "input" for v in variables), 12)
        self.assertEqual(len(list(root.find("ModelStructure/Outputs"))), len(variables) - 12)
        units = {u.get("name") for u in root.iter("Unit")}
        for v in variables:
            self.assertIn(v.find("Real").get("unit"), units | {None})
        unit.lib.fmi2FreeInstance(unit.c)

    def test_files(self):
        """It keeps what is there, and bad scenes are reported with their place."""
        path = self.write("s.yaml", SCENE)
        result = self.check(["fmu", path, "--out", self.path("s.fmu"), "--json"], 0)
        self.assertEqual(json.loads(result.out)["inputs"], 12)
        self.assertNotEqual(self.run_scree("fmu", path, "--out", self.path("s.fmu")).code, 0)
        bad = self.write("bad.yaml", "bodies: [{name: a, shap: 1}]\n")
        result = self.run_scree("fmu", bad)
        self.assertEqual(result.code, 3)
        self.assertIn("bad.yaml:1:", result.err)


if __name__ == "__main__":
    main()
