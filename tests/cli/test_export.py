#!/usr/bin/python3
"""`scree export`: what is written is what was recorded, read back by h5py and csv."""
import csv
import json
import math
import os
import sys

from command import CommandTest, main

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: it needs python3-h5py")
    sys.exit(0)

# Bodies come and go, every finite shape is there, materials have names.
SCENE = """
step: 5 ms
duration: 0.4 s
recording: {every: 20 ms}
materials: {steel: {friction: 0.3}, 'wet, "sand"': {friction: 0.8}}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: block, material: steel, shape: {box: {size: [0.2, 0.3, 0.4]}}, density: 1000, position: [0, 0, 0.2]}
  - {name: egg, shape: {ellipsoid: {radii: [0.1, 0.15, 0.2]}}, position: [1, 0, 0.2]}
  - {name: pill, shape: {capsule: {radius: 0.1, length: 0.2}}, position: [2, 0, 0.2]}
  - {name: can, shape: {cylinder: {radius: 0.1, length: 0.4}}, position: [3, 0, 0.2]}
  - {name: hat, shape: {cone: {radius: 0.2, height: 0.4}}, position: [4, 0, 0.101]}
emitters:
  - {rate: 50, number: 10, region: {box: {lower: [-3, -1, 0.3], upper: [-1, 1, 0.8]}},
     body: {material: 'wet, "sand"', mass: 2, shape: {sphere: {radius: 0.05}}}}
drains: [{lower: [-9, -9, -9], upper: [-2, 9, 9], start: 0.3}]
"""


def text(value):
    return value.decode() if isinstance(value, bytes) else value


class Export(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        result = self.run_scree("run", "scene.yaml", "--out", "run.h5", "--json")
        self.assertEqual((result.code, result.err), (0, ""))
        self.summary = self.lines(result)[-1]
        with h5py.File(self.path("run.h5"), "r") as file:
            self.index = file["frames/index"][:]
            self.time = file["frames/time"][:]
            self.pose = file["bodies/pose"][:]
            self.velocity = file["bodies/velocity"][:]
            self.ids = file["bodies/id"][:]
            self.pair = file["contacts/bodies"][:]
            self.value = file["contacts/values"][:]

    def frame(self, i):
        _, body, bodies, contact, contacts = (int(x) for x in self.index[i])
        return slice(body, body + bodies), slice(contact, contact + contacts)

    def series(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            series = json.load(file)
        self.assertEqual(series["file-series-version"], "1.0")
        return series["files"]

    def grid(self, name, corners, kind):
        """The datasets of a VTKHDF file, after a look at what VTK 9.2 wants."""
        with h5py.File(self.path(name), "r") as file:
            self.assertEqual(list(file), ["VTKHDF"])
            root = file["VTKHDF"]
            self.assertEqual(list(root.attrs["Version"]), [1, 0])
            self.assertEqual(text(root.attrs["Type"]), "UnstructuredGrid")
            kind_of = root.attrs.get_id("Type").get_type()
            self.assertEqual((kind_of.get_size(), kind_of.get_cset(), kind_of.is_variable_str()), (16, 0, False))
            points, cells = int(root["NumberOfPoints"][0]), int(root["NumberOfCells"][0])
            self.assertEqual(root["Points"].shape, (points, 3))
            self.assertEqual(int(root["NumberOfConnectivityIds"][0]), corners * cells)
            numpy.testing.assert_array_equal(root["Offsets"][:], corners * numpy.arange(cells + 1))
            self.assertEqual(set(root["Types"][:]), {kind} if cells else set())
            ids = root["Connectivity"][:]
            self.assertEqual(len(ids), corners * cells)
            if corners == 1:
                numpy.testing.assert_array_equal(ids, numpy.arange(points))
            elif cells:
                self.assertTrue(0 <= ids.min() and ids.max() < points)
            group = root["PointData" if corners == 1 else "CellData"]
            for field in group.values():
                self.assertEqual(field.shape[0], cells)
            fields = {name: field[:] for name, field in group.items()}
            units = {name: text(field.attrs.get("unit", b"")) for name, field in group.items()}
            return root["Points"][:], ids, fields, units, {k: v[0] for k, v in root["FieldData"].items()}

    def test_vtkhdf(self):
        result = self.check(["export", "run.h5", "--out", "out", "--json"], 0)
        told = self.lines(result)[0]
        self.assertEqual(told["open"], ["out_bodies.hdf.series", "out_contacts.hdf.series"])
        self.assertEqual((told["frames"], told["files"]), (len(self.time), 2 * len(self.time) + 2))
        bodies, contacts = self.series("out_bodies.hdf.series"), self.series("out_contacts.hdf.series")
        self.assertEqual([f["time"] for f in bodies], list(self.time))
        self.assertEqual([f["name"] for f in contacts], [f"out_contacts_{i:04}.hdf" for i in range(len(self.time))])
        seen = 0
        for i, (b, c) in enumerate(zip(bodies, contacts)):
            rows, touch = self.frame(i)
            points, _, fields, units, data = self.grid(b["name"], 1, 1)
            self.assertEqual((data["Time"], data["Step"]), (self.time[i], self.index[i][0]))
            numpy.testing.assert_array_equal(points, self.pose[rows, :3])
            numpy.testing.assert_array_equal(fields["Orientation"], self.pose[rows, 3:])
            numpy.testing.assert_array_equal(fields["Velocity"], self.velocity[rows, :3])
            numpy.testing.assert_array_equal(fields["AngularVelocity"], self.velocity[rows, 3:])
            numpy.testing.assert_array_equal(fields["Body"], self.ids[rows, 0])
            self.assertEqual((units["Mass"], units["Velocity"], units["Size"]), ("kg", "m/s", "m"))
            force = numpy.zeros((len(points), 3))
            where = {int(place): row for row, place in enumerate(self.ids[rows, 0])}
            for (p, q), value in zip(self.pair[touch], self.value[touch]):
                force[where[int(p)]] -= value[6:9]
                force[where[int(q)]] += value[6:9]
            numpy.testing.assert_allclose(fields["ContactForce"], force, rtol=1e-4, atol=1e-3)
            points, _, fields, units, _ = self.grid(c["name"], 1, 1)
            numpy.testing.assert_array_equal(points.astype("f4"), self.value[touch, :3])
            numpy.testing.assert_array_equal(fields["Normal"], self.value[touch, 3:6])
            numpy.testing.assert_array_equal(fields["Force"], self.value[touch, 6:9])
            numpy.testing.assert_array_equal(fields["Gap"], self.value[touch, 9])
            numpy.testing.assert_array_equal(fields["BodyB"], self.pair[touch, 1])
            square = fields["NormalForce"] ** 2 + fields["TangentialForce"] ** 2
            numpy.testing.assert_allclose(square, (fields["Force"].astype("f8") ** 2).sum(axis=1), rtol=1e-4)
            self.assertEqual((units["Force"], units["Gap"], units["Normal"]), ("N", "m", ""))
            seen += len(points)
        self.assertGreater(seen, 20)

    def test_what_does_not_change(self):
        """Size, mass, kind, material and shape of built and of emitted bodies."""
        self.check(["export", "run.h5", "--out", "o.hdf", "--what", "bodies", "--from", "0.27", "--to", "0.28"], 0)
        self.assertFalse(os.path.exists(self.path("o_contacts.hdf.series")))
        (entry,) = self.series("o_bodies.hdf.series")
        _, _, f, _, _ = self.grid(entry["name"], 1, 1)
        self.assertEqual(len(f["Body"]), 6 + 10)
        self.assertEqual(list(f["Kind"]), [1] + 15 * [0])
        self.assertEqual(list(f["Material"]), [0, 1, 0, 0, 0, 0] + 10 * [2])
        self.assertEqual(list(f["Shape"]), [7, 2, 1, 3, 4, 5] + 10 * [0])
        numpy.testing.assert_allclose(f["Mass"][1], 24.0)
        numpy.testing.assert_allclose(f["Mass"][6:], 2.0)
        numpy.testing.assert_allclose(f["Diameter"][6:], 0.1)
        numpy.testing.assert_allclose(f["Size"][:7], [[0, 0, 0], [.2, .3, .4], [.2, .3, .4], [.2, .2, .4], [.2, .2, .4],
                                                      [.4, .4, .4], [.1, .1, .1]], rtol=1e-6)

    def test_surfaces(self):
        """Closed surfaces, turned outwards, whose volume is that of the shape but for the facets."""
        self.check(["export", "run.h5", "--out", "s", "--surface", "--every", "100"], 0)
        (entry,) = self.series("s_surfaces.hdf.series")
        points, ids, f, _, _ = self.grid(entry["name"], 3, 5)
        corner = points.astype("f8")[ids.reshape(-1, 3)]
        volume = {1: 0.024, 2: 4 / 3 * math.pi * 0.003, 3: math.pi * (0.002 + 4 / 3 * 0.001), 4: math.pi * 0.004,
                  5: math.pi * 0.04 * 0.4 / 3}
        for body, exact in volume.items():
            t = corner[f["Body"] == body]
            t = t - t.mean(axis=(0, 1))
            found = numpy.einsum("ij,ij->i", t[:, 0], numpy.cross(t[:, 1], t[:, 2])).sum() / 6
            self.assertLess(abs(found / exact - 1), 1e-6 if body == 1 else 0.04, body)
            self.assertLessEqual(found, exact * (1 + 1e-6))
            edges = {}
            for triangle in t.round(5):
                for k in range(3):
                    a, b = tuple(triangle[k]), tuple(triangle[(k + 1) % 3])
                    edges[a, b] = edges.get((a, b), 0) + 1
            self.assertTrue(all(edges.get((b, a)) == n for (a, b), n in edges.items()), body)
        floor = corner[f["Body"] == 0]
        self.assertEqual(len(floor), 2)
        self.assertEqual(abs(floor[:, :, 2]).max(), 0)
        self.assertLess(floor[:, :, 0].min(), -0.2)

    def test_containers_face_inwards(self):
        with open(self.path("box.yaml"), "w", encoding="utf-8") as file:
            file.write("duration: 10 ms\nbodies:\n"
                       "  - {kind: fixed, shape: {box_container: {size: [2, 3, 4], open: none}}}\n"
                       "  - {kind: fixed, position: [0, 0, 0], shape: {cylinder_container: {radius: 1, length: 4, open: top}}}\n")
        result = self.run_scree("run", "box.yaml", "--out", "box.h5")
        self.assertEqual(result.code, 0, result.err)
        self.check(["export", "box.h5", "--what", "surfaces", "--every", "9"], 0)
        (entry,) = self.series("box_surfaces.hdf.series")
        points, ids, f, _, _ = self.grid(entry["name"], 3, 5)
        t = points.astype("f8")[ids.reshape(-1, 3)]
        flux = numpy.einsum("ij,ij->i", t[:, 0], numpy.cross(t[:, 1], t[:, 2])) / 6
        self.assertAlmostEqual(flux[f["Body"] == 0].sum(), -24.0, places=5)
        area = numpy.linalg.norm(numpy.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1) / 2
        self.assertAlmostEqual(area[f["Body"] == 1].sum(), 8 * math.pi + math.pi, delta=0.2)

    def test_csv(self):
        self.check(["export", "run.h5", "--out", "t.csv"], 0)
        tables = {}
        for name in ("bodies", "contacts", "steps"):
            with open(self.path(f"t_{name}.csv"), encoding="utf-8", newline="") as file:
                tables[name] = list(csv.DictReader(file))
        bodies = tables["bodies"]
        self.assertEqual(len(bodies), len(self.pose))
        for key, column in (("x [m]", 0), ("Orientation_w", 3), ("Orientation_z", 6)):
            numpy.testing.assert_array_equal([float(row[key]) for row in bodies], self.pose[:, column])
        numpy.testing.assert_array_equal(numpy.array([row["Velocity_z [m/s]"] for row in bodies], dtype="f4"),
                                         self.velocity[:, 2])
        self.assertEqual({row["Material"] for row in bodies}, {"default", "steel", 'wet, "sand"'})
        self.assertEqual({row["Kind"] for row in bodies}, {"fixed", "dynamic"})
        self.assertIn("half_space", {row["Shape"] for row in bodies})
        self.assertEqual([int(row["frame"]) for row in bodies],
                         [i for i, row in enumerate(self.index) for _ in range(int(row[2]))])
        contacts = tables["contacts"]
        self.assertEqual(len(contacts), len(self.value))
        numpy.testing.assert_array_equal(numpy.array([row["Force_z [N]"] for row in contacts], dtype="f4"), self.value[:, 8])
        self.assertEqual(len(tables["steps"]), self.summary["steps"])
        self.assertEqual(float(tables["steps"][-1]["time [s]"]), self.summary["simulated_seconds"])
        self.assertEqual(sorted(n for n in os.listdir(self.dir) if n.startswith("t")),
                         ["t_bodies.csv", "t_contacts.csv", "t_steps.csv"])

    def test_usage(self):
        def refuse(arguments, code, err):
            before = sorted(os.listdir(self.dir))
            self.check(["export", *arguments], code, f"scree export: {err}\n", "")
            self.assertEqual(sorted(os.listdir(self.dir)), before)
        refuse(["run.h5", "--what", "bodie"], 2, "--what: there is no 'bodie'; did you mean 'bodies'? allowed are bodies, "
               "contacts, steps, surfaces")
        refuse(["run.h5", "--format", "xml"], 2, "--format needs one of vtkhdf|csv, not 'xml'")
        refuse(["run.h5", "--format", "csv", "--surface"], 2, "CSV holds bodies, contacts and steps; surfaces are written "
               "as VTKHDF")
        refuse(["run.h5", "--what", "steps"], 2, "VTKHDF holds bodies, contacts and surfaces; the log of steps is written "
               "as CSV")
        refuse(["run.h5", "--every", "0"], 2, "--every 0 is out of range: 1 to 1000000000")
        refuse(["run.h5", "--out", "no/such"], 6, "no/such_bodies.hdf.series: cannot write it: directory 'no': No such file or directory")
        refuse(["run.h5", "--out", "./"], 2, "--out ./ names a directory; a stem is expected: ./run")
        refuse(["run.h5", "--from", "7"], 3, "run.h5: no frame lies within 7 s to inf s; 21 frames go from 0 s to 0.4 s")

    def test_full_disk(self):
        """Nothing is left that is not whole."""
        for arguments in (["--out", "f"], ["--out", "f.csv"]):
            result = self.run_on_full_disk(4096, "export", "run.h5", *arguments)
            self.assertEqual(result.code, 6, result.err)
            self.assertIn("cannot be", result.err)
            self.assertEqual([n for n in os.listdir(self.dir) if n.startswith("f")], [])


if __name__ == "__main__":
    main()
