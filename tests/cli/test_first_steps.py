#!/usr/bin/env python3
"""What new users meet first: messages that say what to do, units, names of directories."""
import json
import os
import struct

from command import CommandTest, main

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


class FirstSteps(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def test_missing_directory(self):
        result = self.run_scree("run", "bouncing-ball", "--duration", "0.01", "--out", "no/such/x.h5")
        self.assertEqual(result.code, 6, result.err)
        self.assertIn("no/such/x.h5: the directory no/such is not there; make it first", result.err)
        if os.path.isdir("/proc"):  # a directory in which nothing can be made
            result = self.run_scree("run", "settle", "--duration", "0.01", "--out", "/proc/x.h5")
            self.assertEqual((result.code, result.err.count("is not there")), (6, 0), result.err)

    def test_unquoted_expression(self):
        scene = self.write("a.yaml", "parameters: {r: 0.1}\nbodies:\n"
                                     "  - {name: b, shape: {sphere: {radius: ${r}}}}\n")
        result = self.run_scree("check", scene)
        self.assertEqual(result.code, 3)
        self.assertIn("a.yaml:3:40: an expression inside { } or [ ] needs quotes", result.err)
        # The same with quotes is fine; another fault of YAML keeps the parser's words.
        scene = self.write("b.yaml", "parameters: {r: 0.1}\nbodies:\n"
                                     "  - {name: b, shape: {sphere: {radius: '${r}'}}}\n")
        self.assertEqual(self.run_scree("check", scene).code, 0)
        scene = self.write("c.yaml", "parameters: {r: 0.1}\nbodies:\n"
                                     "  - {name: b, position: [1, '${r}', shape: {sphere: 1]}\n")
        self.assertIn("c.yaml:3:", self.run_scree("check", scene).err)
        self.assertIn("not YAML or JSON", self.run_scree("check", scene).err)

    def test_scale_of_a_mesh_is_a_length(self):
        with open(self.path("cube.stl"), "wb") as file:
            file.write(b" " * 80 + struct.pack("<I", 12))
            for a, b, c, d in FACES:
                for triangle in ((a, b, c), (a, c, d)):
                    file.write(struct.pack("<12fH", 0, 0, 0, *[x for k in triangle for x in CUBE[k]], 0))
        found = []
        for scale in ("1 mm", "0.001", "0.1 cm"):
            scene = self.write("m.yaml", "duration: 1 ms\nstep: 1 ms\nbodies:\n  - {name: b, shape: "
                               f"{{mesh: {{file: cube.stl, scale: {scale}}}}}, density: 1000}}\n")
            result = self.run_scree("run", scene, "--json")
            self.assertEqual(result.code, 0, result.err)
            found.append(json.loads(result.out.splitlines()[-1])["state_hash"])
        self.assertEqual(len(set(found)), 1)
        scene = self.write("m.yaml", "bodies:\n  - {name: b, shape: {mesh: {file: cube.stl, scale: 1 kg}}}\n")
        self.assertIn("scale: '1 kg' has the wrong unit; a value in m is expected", self.run_scree("check", scene).err)

    def test_units(self):
        units = {u["name"]: u for u in json.loads(self.check(["list", "units", "--json"], 0).out)}
        self.assertEqual((units["kN"]["factor"], units["kN"]["si"]), (1000.0, "m kg s^-2"))
        names = self.check(["list", "units", "--names"], 0).out.split()
        self.assertEqual(sorted(names), sorted(units))
        # Each is understood by the reader: gravity takes products of all that make m/s^2.
        scene = self.write("u.yaml", "gravity: [0, 0, '-9.81 N/kg']\nbodies:\n"
                                     "  - {name: b, shape: {sphere: {radius: 2 cm}}, mass: 3 g}\n")
        self.assertEqual(self.run_scree("check", scene).code, 0)


if __name__ == "__main__":
    main()
