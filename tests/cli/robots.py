"""A second, independent reader of URDF and MJCF for the tests of `scree import`: total mass, degrees of freedom, centre
of mass and inertia at the start, from xml.etree and numpy alone; and the same from a scene that was written."""
import itertools
import math
import os
import xml.etree.ElementTree as ET

import numpy as np
import yaml


def numbers(text):
    return [float(x) for x in text.replace(",", " ").split()]


def turn(axis, angle):
    """Rodrigues' formula."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def from_quaternion(q):
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def z_to(direction):
    d = np.asarray(direction, float) / np.linalg.norm(direction)
    axis = np.cross([0, 0, 1], d)
    s = np.linalg.norm(axis)
    if s < 1e-12:
        return np.eye(3) if d[2] > 0 else turn([1, 0, 0], math.pi)
    return turn(axis, math.atan2(s, d[2]))


class Sum:
    """Masses in the world: total, centre, inertia about the centre."""

    def __init__(self):
        self.mass, self.first, self.second = 0.0, np.zeros(3), np.zeros((3, 3))

    def add(self, mass, center, inertia):
        self.mass += mass
        self.first += mass * center
        self.second += inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))

    def result(self, freedom):
        c = self.first / self.mass
        return {"mass": self.mass, "center": c, "degrees_of_freedom": freedom,
                "inertia": self.second - self.mass * (c @ c * np.eye(3) - np.outer(c, c))}


def tetrahedra(vertices, faces):
    """Volume, centre and inertia of density 1 about it, of a closed mesh, by tetrahedra to the origin."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b, c in faces:
        p = [np.zeros(3), vertices[a], vertices[b], vertices[c]]
        v = np.dot(p[1], np.cross(p[2], p[3])) / 6.0
        s = sum(p)
        volume += v
        first += v * s / 4.0
        second += v / 20.0 * (np.outer(s, s) + sum(np.outer(x, x) for x in p))
    if volume < 0:
        volume, first, second = -volume, -first, -second
    c = first / volume
    covariance = second - volume * np.outer(c, c)
    return volume, c, np.trace(covariance) * np.eye(3) - covariance


def read_mesh(path):
    """OBJ, or STL in its binary form."""
    vertices, faces = [], []
    if path.lower().endswith(".stl"):
        with open(path, "rb") as file:
            data = file.read()
        record = np.dtype([("numbers", "<f4", 12), ("more", "<u2")])
        corners = np.frombuffer(data, record, int.from_bytes(data[80:84], "little"), 84)["numbers"][:, 3:].astype(float)
        return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                vertices.append([float(x) for x in words[1:4]])
            elif words and words[0] == "f":
                k = [int(w.split("/")[0]) - 1 for w in words[1:]]
                faces.extend([k[0], k[i], k[i + 1]] for i in range(1, len(k) - 1))
    return np.array(vertices), faces


def solid(kind, size):
    """Volume and inertia of density 1."""
    if kind in ("sphere", "ellipsoid"):
        a = list(size[:1]) * 3 if kind == "sphere" else size
        v = 4 / 3 * math.pi * a[0] * a[1] * a[2]
        return v, np.diag([v / 5 * (a[1] ** 2 + a[2] ** 2), v / 5 * (a[0] ** 2 + a[2] ** 2), v / 5 * (a[0] ** 2 + a[1] ** 2)])
    if kind == "box":
        a, v = size, 8 * size[0] * size[1] * size[2]
        return v, np.diag([v / 3 * (a[1] ** 2 + a[2] ** 2), v / 3 * (a[0] ** 2 + a[2] ** 2), v / 3 * (a[0] ** 2 + a[1] ** 2)])
    r, l = size[0], size[1]
    v = 2 * math.pi * r * r * l
    across, along = v * (r * r / 4 + l * l / 3), v * r * r / 2
    if kind == "capsule":
        half = 2 / 3 * math.pi * r ** 3
        own = half * (0.4 - 9 / 64) * r * r + half * (l + 3 / 8 * r) ** 2
        across, along, v = across + 2 * own, along + 0.8 * half * r * r, v + 2 * half
    return v, np.diag([across, across, along])


# ---- URDF -------------------------------------------------------------------------------------------------------------

def origin(element):
    e = element.find("origin")
    r, p = np.eye(3), np.zeros(3)
    if e is not None:
        p = np.array(numbers(e.get("xyz", "0 0 0")))
        a = numbers(e.get("rpy", "0 0 0"))
        r = turn([0, 0, 1], a[2]) @ turn([0, 1, 0], a[1]) @ turn([1, 0, 0], a[0])
    return r, p


def read_urdf(path):
    with open(path, encoding="utf-8") as file:
        root = ET.fromstring(file.read().strip())
    links = {e.get("name"): e for e in root.findall("link")}
    joints = root.findall("joint")
    children = {j.find("child").get("link") for j in joints}
    total, freedom = Sum(), 0

    def mass_of(name):
        e = links[name].find("inertial")
        return float(e.find("mass").get("value")) if e is not None else 0.0

    def welded(name):
        yield name
        for j in joints:
            if j.find("parent").get("link") == name and j.get("type") == "fixed":
                yield from welded(j.find("child").get("link"))

    def start_of(j):
        if j.find("mimic") is not None:
            m = j.find("mimic")
            other = next(o for o in joints if o.get("name") == m.get("joint"))
            return float(m.get("offset", 0)) + float(m.get("multiplier", 1)) * start_of(other)
        if j.get("type") in ("revolute", "prismatic"):
            l = j.find("limit")
            return min(max(0.0, float(l.get("lower", 0))), float(l.get("upper", 0)))
        return 0.0

    def visit(name, r, p, held):
        nonlocal freedom
        e = links[name].find("inertial")
        if e is not None and not held:
            ri, pi = origin(e)
            i = e.find("inertia")
            v = {k: float(i.get(k, 0)) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
            t = np.array([[v["ixx"], v["ixy"], v["ixz"]], [v["ixy"], v["iyy"], v["iyz"]], [v["ixz"], v["iyz"], v["izz"]]])
            rw = r @ ri
            total.add(float(e.find("mass").get("value")), p + r @ pi, rw @ t @ rw.T)
        for j in joints:
            if j.find("parent").get("link") != name:
                continue
            rj, pj = origin(j)
            rc, pc = r @ rj, p + r @ pj
            kind, q = j.get("type"), start_of(j)
            axis = numbers(j.find("axis").get("xyz")) if j.find("axis") is not None else [1, 0, 0]
            if kind in ("revolute", "continuous"):
                rc = rc @ turn(axis, q)
            elif kind == "prismatic":
                pc = pc + rc @ (np.array(axis) / np.linalg.norm(axis)) * q
            freedom += {"fixed": 0, "planar": 3, "floating": 6}.get(kind, 1)
            visit(j.find("child").get("link"), rc, pc, held and kind == "fixed")

    for name in links:
        if name not in children:
            held = name == "world" or sum(mass_of(x) for x in welded(name)) == 0.0
            freedom += 0 if held else 6
            visit(name, np.eye(3), np.zeros(3), held)
    return total.result(freedom)


# ---- MJCF -------------------------------------------------------------------------------------------------------------

class Mjcf:
    def __init__(self, path):
        self.folder = os.path.dirname(path)
        self.root = ET.parse(path).getroot()
        self.expand(self.root)
        self.total, self.freedom = Sum(), 0
        self.unit, self.sequence, self.meshdir = math.pi / 180, "xyz", ""
        self.inertia_from, self.total_mass, self.world, self.groups = "auto", 0.0, False, [0, 5]
        for e in self.root.findall("compiler"):
            self.unit = {"radian": 1.0}.get(e.get("angle"), math.pi / 180)
            self.sequence = e.get("eulerseq", self.sequence)
            self.meshdir = e.get("meshdir", self.meshdir)
            self.inertia_from = e.get("inertiafromgeom", self.inertia_from)
            self.total_mass = float(e.get("settotalmass", 0))
            self.autolimits = e.get("autolimits", "true") == "true"
            self.world = e.get("coordinate") == "global"
            self.groups = [int(x) for x in e.get("inertiagrouprange", "0 5").split()]
        self.classes = {}
        for e in self.root.findall("default"):
            self.learn(e, {}, "main")
        for e in self.root.findall("worldbody"):
            self.contents(e, np.eye(3), np.zeros(3), "main", True, None, np.eye(3), np.zeros(3))

    def expand(self, e):
        for c in list(e):
            if c.tag == "include":
                other = ET.parse(os.path.join(self.folder, c.get("file"))).getroot()
                self.expand(other)
                at = list(e).index(c)
                e.remove(c)
                for k, x in enumerate(list(other)):
                    e.insert(at + k, x)
            else:
                self.expand(c)

    def learn(self, e, outer, name):
        own = {k: dict(v) for k, v in outer.items()}
        for c in e:
            if c.tag != "default":
                own.setdefault(c.tag, {}).update(c.attrib)
        self.classes[name] = own
        for c in e.findall("default"):
            self.learn(c, own, c.get("class"))

    def attributes(self, e, around):
        a = dict(self.classes.get(e.get("class", around), {}).get(e.tag, {}))
        own = dict(e.attrib)
        if any(k in own for k in ("quat", "axisangle", "euler", "xyaxes", "zaxis")):
            for k in ("quat", "axisangle", "euler", "xyaxes", "zaxis"):
                a.pop(k, None)
        a.update(own)
        return a

    def pose(self, a):
        p = np.array(numbers(a.get("pos", "0 0 0")))
        if "quat" in a:
            return from_quaternion(numbers(a["quat"])), p
        if "axisangle" in a:
            x = numbers(a["axisangle"])
            return turn(x[:3], x[3] * self.unit), p
        if "euler" in a:
            r = np.eye(3)
            for letter, angle in zip(self.sequence, numbers(a["euler"])):
                one = turn([letter.lower() == c for c in "xyz"], angle * self.unit)
                r = r @ one if letter.islower() else one @ r
            return r, p
        if "xyaxes" in a:
            x = np.array(numbers(a["xyaxes"]))
            u = x[:3] / np.linalg.norm(x[:3])
            v = x[3:] - u * (u @ x[3:])
            v /= np.linalg.norm(v)
            return np.column_stack([u, v, np.cross(u, v)]), p
        if "zaxis" in a:
            return z_to(numbers(a["zaxis"])), p
        return np.eye(3), p

    def geom(self, a):
        """Mass, centre and inertia in the frame of its body; None: it has none."""
        kind = a.get("type", "sphere")
        if kind in ("plane", "hfield") or float(a.get("mass", 1)) == 0.0:
            return None
        if not self.groups[0] <= int(a.get("group", 0)) <= self.groups[1]:
            return None
        r, p = self.pose(a)
        size = numbers(a.get("size", "0"))
        c = np.zeros(3)
        if kind == "mesh":
            asset = next(m for m in self.root.iter("mesh") if m.get("name") == a["mesh"])
            scale = np.array(numbers(asset.get("scale", "1 1 1")))
            if asset.get("file"):
                path = os.path.join(self.folder, self.meshdir, asset.get("file"))
                if not os.path.exists(path):
                    return None
                v, faces = read_mesh(path)
            else:
                v = np.array(numbers(asset.get("vertex"))).reshape(-1, 3)
                faces = hull_faces(v * scale)
            volume, c, inertia = tetrahedra(v * scale, faces)
            volume, inertia = abs(volume), inertia * (1 if volume > 0 else -1)  # mirrored
            turned = from_quaternion(numbers(asset.get("refquat", "1 0 0 0"))).T
            c = turned @ (c - np.array(numbers(asset.get("refpos", "0 0 0"))))
            inertia = turned @ inertia @ turned.T
        else:
            if "fromto" in a and kind in ("capsule", "cylinder", "box", "ellipsoid"):
                x = np.array(numbers(a["fromto"]))
                half = np.linalg.norm(x[3:] - x[:3]) / 2
                r, p = z_to(x[:3] - x[3:]), (x[:3] + x[3:]) / 2
                size = [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
            volume, inertia = solid(kind, size)
        density = float(a["mass"]) / volume if "mass" in a else float(a.get("density", 1000))
        return density * volume, p + r @ c, density * r @ inertia @ r.T

    def contents(self, e, r, p, around, static, body, fr, fp):
        """r, p: of the body; fr, fp: of the frame in it that e is."""
        for c in e:
            if c.tag == "geom" and body is not None:
                g = self.geom(self.attributes(c, around))
                if g:
                    body["geoms"].append((g[0], fp + fr @ g[1], fr @ g[2] @ fr.T))
            elif c.tag == "inertial" and body is not None and ("diaginertia" in c.attrib or "fullinertia" in c.attrib):
                ri, pi = self.pose(c.attrib)
                d = numbers(c.get("diaginertia", "0 0 0"))
                t = np.diag(d)
                if c.get("fullinertia"):
                    x = numbers(c.get("fullinertia"))
                    t = np.array([[x[0], x[3], x[4]], [x[3], x[1], x[5]], [x[4], x[5], x[2]]])
                body["inertial"] = (float(c.get("mass")), pi, ri @ t @ ri.T)
            elif c.tag == "body":
                self.body(c, r @ fr, p + r @ fp, c.get("childclass", around), static)
            elif c.tag == "frame":
                r2, p2 = self.pose(c.attrib)
                self.contents(c, r, p, c.get("childclass", around), static, body, fr @ r2, fp + fr @ p2)
            elif c.tag == "replicate":
                step, angles = (np.array(numbers(c.get(key, "0 0 0"))) for key in ("offset", "euler"))
                at = np.zeros(3)
                for k in range(int(c.get("count"))):
                    rk, _ = self.pose({"euler": " ".join(repr(float(x)) for x in k * angles)})
                    self.contents(c, r, p, c.get("childclass", around), static, body, fr @ rk, fp + fr @ at)
                    at = at + rk @ step

    def body(self, e, r, p, around, static):
        rl, pl = self.pose(e.attrib)
        if self.world:
            r, p = np.eye(3), np.zeros(3)
        r, p = r @ rl, p + r @ pl
        back = (rl.T, -rl.T @ pl) if self.world else (np.eye(3), np.zeros(3))
        joints = [c for c in e if c.tag in ("joint", "freejoint")]
        for c in joints:
            a = self.attributes(c, around) if c.tag == "joint" else {"type": "free"}
            kind = a.get("type", "hinge")
            self.freedom += {"free": 6, "ball": 3}.get(kind, 1)
            if kind in ("free", "ball"):
                continue
            unit = self.unit if kind == "hinge" else 1.0
            ref = float(a.get("ref", 0)) * unit
            q = ref
            limited = a.get("limited", "auto")
            if limited == "true" or (limited == "auto" and "range" in a):
                low, high = (x * unit for x in numbers(a["range"]))
                q = min(max(ref, low), high)
            axis = back[0] @ np.array(numbers(a.get("axis", "0 0 1")))
            axis = axis / np.linalg.norm(axis)
            anchor = back[1] + back[0] @ np.array(numbers(a.get("pos", "0 0 0")))
            if kind == "slide":
                p = p + r @ axis * (q - ref)
            else:
                at = p + r @ anchor
                r = r @ turn(axis, q - ref)
                p = at - r @ anchor
        static = static and not joints
        own = {"geoms": [], "inertial": None}
        if static:
            self.contents(e, r, p, around, True, own, *back)
            return
        self.contents(e, r, p, around, False, own, *back)
        use = own["inertial"] if own["inertial"] and self.inertia_from != "true" else None
        for m, c, i in [use] if use else own["geoms"]:
            self.total.add(m, p + r @ c, r @ i @ r.T)

    def result(self):
        t = self.total
        if self.total_mass > 0:
            f = self.total_mass / t.mass
            t.mass, t.first, t.second = t.mass * f, t.first * f, t.second * f
        return t.result(self.freedom)


def hull_faces(v):
    """Triangles of the hull of a few points: planes through three of them with all others on one side, as fans."""
    planes = {}
    for a, b, c in itertools.permutations(range(len(v)), 3):
        normal = np.cross(v[b] - v[a], v[c] - v[a])
        size = np.linalg.norm(normal)
        if size > 1e-14 and all(normal @ (x - v[a]) < 1e-12 * size for x in v):
            on = tuple(i for i, x in enumerate(v) if abs(normal @ (x - v[a])) < 1e-12 * size)
            planes[on] = normal / size
    faces = []
    for on, normal in planes.items():
        middle = v[list(on)].mean(axis=0)
        x = v[on[0]] - middle
        y = np.cross(normal, x)
        order = sorted(on, key=lambda i: math.atan2(y @ (v[i] - middle), x @ (v[i] - middle)))
        faces += [(order[0], order[i], order[i + 1]) for i in range(1, len(order) - 1)]
    return faces


def read_robot(path):
    return Mjcf(path).result() if path.endswith(".xml") else read_urdf(path)


# ---- scenes -----------------------------------------------------------------------------------------------------------

def read_scene(path):
    """The same from a scene of `scree import`: all that moves, parts together."""
    with open(path, encoding="utf-8") as file:
        scene = yaml.safe_load(file)
    total = Sum()
    for b in scene.get("bodies", []):
        if b.get("kind") == "fixed":
            continue
        r = from_quaternion([float(x) for x in b.get("rotation", [1, 0, 0, 0])])
        p = np.array([float(x) for x in b.get("position", [0, 0, 0])])
        c = np.array([float(x) for x in b.get("center", [0, 0, 0])])
        x = [float(v) for v in b["inertia"]]
        t = np.array([[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]])
        total.add(float(b["mass"]), p + r @ c, r @ t @ r.T)
    return scene, total.result(0)
