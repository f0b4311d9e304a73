#!/usr/bin/env python3
"""`scree info` on recordings and scenes (on problems: test_solve.py)."""
import json
import os
import signal
import subprocess

from command import SCREE, CommandTest, main, wait_until


class Info(CommandTest):
    def info(self, name):
        text = self.check(["info", name], 0).out
        self.assertLessEqual(text.count("\n"), 24)
        return json.loads(self.check(["info", name, "--json"], 0).out), text

    def test_recording(self):
        run = self.lines(self.run_scree("run", "settle", "--set", "n=40", "--duration", "0.5", "--out", "r.h5", "--json"))[-1]
        found, text = self.info("r.h5")
        for key in ("steps", "iterations", "nonconverged_steps", "worst_residual", "worst_penetration", "simulated_seconds",
                    "worst_penetration_percent", "relaxation_gap", "bodies"):
            self.assertEqual(found[key], run[key], key)
        solver = found["solver"]  # with the keys of scene files
        self.assertEqual((solver["model"], solver["tolerance_residual"], solver["iteration_limit"]), (run["model"], 0.1, 1000))
        self.assertEqual(found["recording"], {"every": 1 / 60, "contacts": True, "checkpoint": 10})
        self.assertEqual((found["content"], found["state"], found["checkpoint"]), ("recording", "complete", True))
        self.assertEqual(found["kinds"], {"dynamic": 40, "fixed": 1, "prescribed": 0})
        self.assertEqual(found["shapes"], {"sphere": 40, "box_container": 1})
        self.assertEqual((found["frames"], found["first_frame"], found["last_frame"]), (31, 0, run["simulated_seconds"]))
        self.assertEqual(found["kinetic_energy"], run["energy"]["kinetic"])
        self.assertEqual(found["changes"], ["n=40", "duration=0.5"])
        self.assertEqual(found["probes"], ["floor", "energy"])
        for part in ("state         complete at 0.5 s of 0.5 s", "bodies        41: 40 dynamic 1 fixed", "r_floor.csv\n"):
            self.assertIn(part, text)
        os.remove(self.path("r_floor.csv"))
        self.assertIn("floor: r_floor.csv (missing)", self.check(["info", "r.h5"], 0).out)

    def test_running_and_stopped(self):
        process = subprocess.Popen([SCREE, "run", "settle", "--set", "n=100", "--duration", "600", "--out", "k.h5"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: os.path.exists(self.path("k.h5")) and os.path.exists(self.path("k.h5.checkpoint")), process))
        found, text = self.info("k.h5")
        self.assertEqual(found["state"], "running")
        self.assertIn("state         running at", text)
        process.send_signal(signal.SIGKILL)
        process.wait()
        found, text = self.info("k.h5")
        self.assertEqual((found["state"], found["checkpoint"]), ("stopped", True))
        self.assertIn("; scree resume goes on from its checkpoint", text)

    def mesh(self, name, triangles):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("solid x\n")
            for t in triangles:
                file.write("facet normal 0 0 0\nouter loop\n" + "".join("vertex %r %r %r\n" % tuple(p) for p in t)
                           + "endloop\nendfacet\n")
            file.write("endsolid x\n")

    def test_mesh(self):
        p = [[100.0 * (i & 1), 100.0 * (i >> 1 & 1), 100.0 * (i >> 2)] for i in range(8)]
        faces = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
        cube = [t for a, b, c, d in faces for t in ((p[a], p[b], p[c]), (p[a], p[c], p[d]))]
        self.mesh("cube.STL", cube)
        found, text = self.info("cube.STL")
        self.assertEqual((found["content"], found["triangles"], found["closed"]), ("mesh", 12, True))
        self.assertAlmostEqual(found["volume"], 1e6)
        self.assertEqual(found["upper"], [100, 100, 100])
        self.assertEqual(found["notes"], ["it is 100 m large: are these millimetres? Then its scale is 0.001"])
        self.assertIn("closed        yes\n", text)
        # A hole, a doubled and a turned triangle, a vertex in the middle of an edge.
        a, b, c = cube[2]
        middle = [0, 0, 30]
        broken = [(a, c, b), cube[0], cube[1], cube[3], cube[3], (p[0], p[1], p[5]), (p[0], p[5], middle),
                  (middle, p[5], p[4])] + cube[6:10]
        self.mesh("broken.stl", [[[0.001 * x for x in q] for q in t] for t in broken])
        found, text = self.info("broken.stl")
        self.assertEqual((found["closed"], found["holes"], found["open_edges"]), (False, 1, 4))
        self.assertEqual((found["doubled"], found["t_junctions"], found["flipped"], found["slivers"]), (1, 1, 1, 0))
        self.assertIn("notes         not closed: 4 open edges, 1 hole; it is a thin surface without mass\n", text)
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write("bodies: [{name: part, kind: fixed, shape: {mesh: {file: broken.stl}}}]\n")
        out = self.check(["check", "s.yaml"], 0).out
        self.assertIn("s.yaml:1:10: 'part': mesh: 1 doubled triangle left out\n", out)
        self.assertTrue(out.endswith("s.yaml: fine; 1 body\n"))
        self.assertIn("s.yaml:1:10: 'part': mesh: 1 doubled triangle left out",
                      json.loads(self.check(["check", "s.yaml", "--json"], 0).out)["notes"])
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write("bodies: [{name: part, shape: {mesh: {file: broken.stl}}}]\n")
        self.assertIn("a mesh that is not closed (4 open edges, 1 holes) has no mass", self.run_scree("check", "s.yaml").err)
        with open(self.path("none.ply"), "w", encoding="utf-8") as file:
            file.write("nothing")
        self.assertIn("scree info: none.ply: is no mesh: ", self.run_scree("info", "none.ply").err)

    def test_scene(self):
        found, text = self.info("bouncing-ball")
        self.assertEqual((found["content"], found["bodies"], found["duration"]), ("scene", 2, 5))
        self.assertEqual(found["kinds"], {"dynamic": 1, "fixed": 1, "prescribed": 0})
        self.assertIn("gravity       0 0 -9.81 m/s^2", text)
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write("title: mine\nbodies: [{shape: {sphere: {radius: 1}}, mass: 3}, {shape: {sphere: {radius: 2}}, mass: 4, "
                       "position: [9, 0, 0]}]\n")
        found, text = self.info("s.yaml")
        self.assertEqual((found["title"], found["mass"]), ("mine", 7))
        self.assertIn("bodies        2: 2 dynamic; 7 kg, diameters 2 to 4 m", text)
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write("titel: mine\n")
        self.check(["info", "s.yaml"], 3, "scree info: s.yaml:1:1: unknown key 'titel'; did you mean 'title'?\n", "")
        self.check(["info", "setle"], 6, "scree info: setle: cannot be opened: No such file or directory; no scene of the "
                   "gallery has that name either\n", "")

    def test_problem(self):
        self.packing("p.hdf5")
        self.assertEqual(json.loads(self.check(["info", "p.hdf5", "--json"], 0).out)["content"], "problem")


if __name__ == "__main__":
    main()
