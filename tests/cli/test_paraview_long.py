#!/usr/bin/python3
"""ParaView itself opens what `scree export` writes, and finds in it what was recorded."""
import json
import shutil
import subprocess
import sys

from command import CommandTest, main

# Runs inside pvpython, which has a Python and an HDF5 of its own. Glyphs are turned by VTK, which
# shows that it takes the quaternions as we write them.
INSIDE = """
import json, sys
from paraview.simple import *
from paraview import vtk
from vtkmodules.vtkCommonMath import vtkQuaterniond
answer = {}
for name in sys.argv[1:]:
    reader = OpenDataFile(name)
    times = list(reader.TimestepValues)
    frames = []
    for time in times:
        UpdatePipeline(time=time, proxy=reader)
        grid = servermanager.Fetch(reader)
        frame = {"points": grid.GetNumberOfPoints(), "cells": grid.GetNumberOfCells(), "arrays": {}}
        for data in (grid.GetPointData(), grid.GetCellData()):
            for i in range(data.GetNumberOfArrays()):
                a = data.GetArray(i)
                frame["arrays"][a.GetName()] = [list(a.GetTuple(k)) for k in range(a.GetNumberOfTuples())]
        frame["x"] = [list(grid.GetPoint(k)) for k in range(grid.GetNumberOfPoints())]
        frame["field"] = {grid.GetFieldData().GetArray(i).GetName(): grid.GetFieldData().GetArray(i).GetTuple(0)[0]
                          for i in range(grid.GetFieldData().GetNumberOfArrays())}
        if "Orientation" in frame["arrays"] and frame["points"] == len(frame["arrays"]["Orientation"]):
            turned = []
            for q in frame["arrays"]["Orientation"]:
                m = [[0.0] * 3 for _ in range(3)]
                vtkQuaterniond(*q).ToMatrix3x3(m)
                turned.append([row[0] for row in m])
            frame["turned"] = turned
        frames.append(frame)
    answer[name] = {"times": times, "frames": frames}
print("ANSWER" + json.dumps(answer))
"""


def rotate(q, x):
    w, a = q[0], q[1:]
    t = [2 * (a[1] * x[2] - a[2] * x[1]), 2 * (a[2] * x[0] - a[0] * x[2]), 2 * (a[0] * x[1] - a[1] * x[0])]
    return [x[0] + w * t[0] + a[1] * t[2] - a[2] * t[1], x[1] + w * t[1] + a[2] * t[0] - a[0] * t[2],
            x[2] + w * t[2] + a[0] * t[1] - a[1] * t[0]]


class ParaView(CommandTest):
    def test_paraview(self):
        import h5py
        result = self.run_scree("run", "clumps", "--duration", "0.6", "--out", "run.h5")
        self.assertEqual(result.code, 0, result.err)
        self.check(["export", "run.h5", "--surface", "--every", "9"], 0)
        with open(self.path("inside.py"), "w", encoding="utf-8") as file:
            file.write(INSIDE)
        names = [f"run_{part}.hdf.series" for part in ("bodies", "contacts", "surfaces")]
        process = subprocess.run(["pvpython", "inside.py", *names], cwd=self.dir, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=600, check=False)
        out = process.stdout.decode()
        self.assertIn("ANSWER", out, process.stderr.decode())
        answer = json.loads(out[out.index("ANSWER") + 6:])
        with h5py.File(self.path("run.h5"), "r") as file:
            index, time = file["frames/index"][:], file["frames/time"][:]
            pose, value = file["bodies/pose"][:], file["contacts/values"][:]
        for name in names:
            self.assertEqual(answer[name]["times"], list(time[::9]))
        touched = 0
        for k, i in enumerate(range(0, len(time), 9)):
            step, body, bodies, contact, contacts = (int(x) for x in index[i])
            frame = answer[names[0]]["frames"][k]
            self.assertEqual((frame["points"], frame["cells"]), (bodies, bodies))
            self.assertEqual(frame["x"], pose[body:body + bodies, :3].tolist())
            self.assertEqual(frame["arrays"]["Orientation"], pose[body:body + bodies, 3:].tolist())
            self.assertEqual(frame["field"], {"Time": time[i], "Step": step})
            for q, x in zip(frame["arrays"]["Orientation"], frame["turned"]):
                for a, b in zip(rotate(q, [1, 0, 0]), x):
                    self.assertAlmostEqual(a, b, places=12)
            frame = answer[names[1]]["frames"][k]
            self.assertEqual(frame["points"], contacts)
            if contacts:
                self.assertEqual(frame["arrays"]["Force"], value[contact:contact + contacts, 6:9].astype("f8").tolist())
            touched += contacts
            frame = answer[names[2]]["frames"][k]
            self.assertGreater(frame["cells"], 1000)
            self.assertEqual(len(frame["arrays"]["Velocity"]), frame["cells"])
        self.assertGreater(touched, 100)


if __name__ == "__main__":
    if not shutil.which("pvpython"):
        print("skipped: it needs ParaView (tools/setup --paraview)")
        sys.exit(0)
    main()
