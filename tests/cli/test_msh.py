#!/usr/bin/env python3
"""Flexible parts from files of gmsh: both formats give what a block of the same tetrahedra does, faults are told with their line."""
import itertools
import json

from command import CommandTest, main

TYPE = {4: 4, 10: 11}
CELLS, SIZE = (4, 1, 1), 0.1
PART = "rayleigh: 1 ms, young: 1e6, poisson: 0.3, density: 1000, held: [x-]}"


def mesh():
    """Nodes and tetrahedra of a block, in the order in which the scene makes them."""
    n = [c + 1 for c in CELLS]
    nodes = [(x * SIZE, y * SIZE, z * SIZE) for z in range(n[2]) for y in range(n[1]) for x in range(n[0])]
    tetrahedra = []
    for z, y, x in itertools.product(*(range(c) for c in reversed(CELLS))):
        for order in itertools.permutations(range(3)):
            at, corners = [x, y, z], [x + n[0] * (y + n[1] * z)]
            for axis in order:
                at[axis] += 1
                corners.append(at[0] + n[0] * (at[1] + n[1] * at[2]))
            tetrahedra.append(corners)
    return nodes, tetrahedra


def quadratic():
    """The same with nodes in the middle of the edges, in the order of gmsh."""
    nodes, tetrahedra = mesh()
    middle = {}
    for t in tetrahedra:
        for a, b in ((0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1)):
            edge = tuple(sorted((t[a], t[b])))
            if edge not in middle:
                middle[edge] = len(nodes)
                nodes.append(tuple(0.5 * (x + y) for x, y in zip(nodes[edge[0]], nodes[edge[1]])))
            t.append(middle[edge])
    return nodes, tetrahedra


def format_2(nodes, tetrahedra, head="2.2 0 8"):
    lines = ["$MeshFormat", head, "$EndMeshFormat", "$PhysicalNames", "1", '3 1 "bar"', "$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += ["%d %.17g %.17g %.17g" % (10 + 3 * k, *p) for k, p in enumerate(nodes)]
    lines += ["$EndNodes", "$Elements", str(len(tetrahedra) + 1), "1 2 2 0 1 10 13 16"]
    lines += [" ".join([str(k + 2), str(TYPE[len(t)]), "2 0 1"] + [str(10 + 3 * c) for c in t]) for k, t in enumerate(tetrahedra)]
    return "\n".join(lines + ["$EndElements", ""])


def format_4(nodes, tetrahedra):
    half = len(nodes) // 2
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes", "2 %d 1 %d" % (len(nodes), len(nodes))]
    for first, last in ((0, half), (half, len(nodes))):
        lines += ["3 1 0 %d" % (last - first)] + [str(k + 1) for k in range(first, last)]
        lines += ["%.17g %.17g %.17g" % p for p in nodes[first:last]]
    lines += ["$EndNodes", "$Elements", "2 %d 1 %d" % (len(tetrahedra) + 1, len(tetrahedra) + 1), "2 1 2 1", "1 1 2 3",
              "3 1 %d %d" % (TYPE[len(tetrahedra[0])], len(tetrahedra))]
    lines += [" ".join([str(k + 2)] + [str(c + 1) for c in t]) for k, t in enumerate(tetrahedra)]
    return "\n".join(lines + ["$EndElements", ""])


class Msh(CommandTest):
    def put(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def displacements(self, part, named=False):
        path = self.put("scene.yaml", "flexible:\n  - {name: bar, %s, %s\n" % (part, PART))
        result = self.run_scree("statics", path, "--json")
        self.assertEqual(result.code, 0, result.err)
        bodies = json.loads(result.out)["bodies"]
        return {b["body"]: b["displacement"] for b in bodies} if named else [b["displacement"] for b in bodies]

    def test_as_a_block(self):
        block = self.displacements("kind: block, lower: [0, 0, 0], upper: [0.4, 0.1, 0.1], cells: [4, 1, 1]")
        self.assertLess(block[-1][2], -1e-3)
        for text in (format_2(*mesh()), format_4(*mesh())):
            self.put("bar.msh", text)
            found = self.displacements("kind: mesh, file: bar.msh")
            self.assertEqual(len(found), len(block))
            for a, b in zip(found, block):
                for x, y in zip(a, b):
                    self.assertLess(abs(x - y), 1e-9)

    def test_scaled_and_moved(self):
        nodes, tetrahedra = mesh()
        self.put("bar.msh", format_4([tuple(1000 * x - 5 for x in p) for p in nodes], tetrahedra))
        found = self.displacements("kind: mesh, file: bar.msh, scale: 0.001, start: [0.005, 0.005, 0.005]")
        block = self.displacements("kind: block, lower: [0, 0, 0], upper: [0.4, 0.1, 0.1], cells: [4, 1, 1]")
        self.assertLess(abs(found[-1][2] - block[-1][2]), 1e-8)

    def test_quadratic(self):
        block = self.displacements("kind: block, lower: [0, 0, 0], upper: [0.4, 0.1, 0.1], cells: [4, 1, 1], order: 2", True)
        nodes, tetrahedra = quadratic()
        where = {tuple(round(x, 9) for x in p): k for k, p in enumerate(nodes)}
        for text in (format_2(nodes, tetrahedra), format_4(nodes, tetrahedra)):
            self.put("bar.msh", text)
            found = self.displacements("kind: mesh, file: bar.msh", True)
            self.assertEqual(len(found), len(block))
            for k in range(81):
                if k % 9 == 0:
                    continue
                place = tuple(round(0.05 * n, 9) for n in (k % 9, k // 9 % 3, k // 27))
                for x, y in zip(found["bar[%d]" % where[place]], block["bar[%d]" % k]):
                    self.assertLess(abs(x - y), 1e-9)

    def test_numbers(self):
        for change, what in (("poisson: 0.5", "poisson"), ("young: -1e6", "young"), ("density: 0", "density"),
                             ("order: 3", "order"), ("law: rubber", "neo-hookean"), ("mass: heavy", "consistent")):
            part = "{name: bar, kind: block, lower: [0, 0, 0], upper: [1, 1, 1], cells: [1, 1, 1], young: 1e6, density: 1000}"
            key = change.split(":")[0]
            words = [w for w in part[1:-1].split(", ")]
            if any(w.startswith(key) for w in words):
                part = "{" + ", ".join(change if w.startswith(key) else w for w in words) + "}"
            else:
                part = part[:-1] + ", " + change + "}"
            path = self.put("bad.yaml", "flexible:\n  - %s\n" % part)
            result = self.run_scree("check", path)
            self.assertEqual(result.code, 3, change)
            self.assertRegex(result.err, r"bad\.yaml:2:\d+: .*%s" % what)

    def test_keys_of_other_kinds(self):
        for part, key in (("kind: beam, end: [1, 0, 0], radius: 0.01, law: neo-hookean", "law"), ("kind: cable, end: [1, 0, 0], radius: 0.01, mass: consistent", "mass"),
                          ("kind: cable, end: [1, 0, 0], radius: 0.01, order: 2", "order"), ("kind: cable, end: [1, 0, 0], section: [1, 1]", "section"),
                          ("kind: mesh, file: bar.msh, order: 2", "order"), ("kind: block, lower: [0, 0, 0], upper: [1, 1, 1], cells: [1, 1, 1], ends: [world, free]", "ends")):
            path = self.put("bad.yaml", "flexible:\n  - {name: p, young: 1e6, density: 1000, %s}\n" % part)
            result = self.run_scree("check", path)
            self.assertEqual(result.code, 3, part)
            self.assertRegex(result.err, r"bad\.yaml:2:\d+: %s: .*kinds that do" % key)

    def test_faults(self):
        nodes, tetrahedra = mesh()
        good = format_2(nodes, tetrahedra)
        flat = format_2(nodes, [[0, 1, 2, 3]])
        folded = quadratic()
        middle = folded[1][0][4]
        folded[0][middle] = tuple(0.9 * a + 0.1 * b for a, b in zip(folded[0][folded[1][0][0]], folded[0][folded[1][0][1]]))
        mixed = good.replace("3 4 2 0 1", "3 11 2 0 1", 1)
        for text, line, what in (
                ("", 1, "$MeshFormat"),
                (format_2(nodes, tetrahedra, "2.2 1 8"), 2, "binary"),
                (format_2(nodes, tetrahedra, "4 0 8"), 2, "4.1"),
                (good.replace(" 4 2 0 1 ", " 11 2 0 1 ", 1), 34, "ten nodes"),
                (good.replace(" 4 2 0 1 ", " 5 2 0 1 ", 1), 34, "no tetrahedra"),
                (good.replace("1 2 2 0 1 10 13 16\n2 4 2 0 1 10", "1 2 2 0 1 10 13 16\n2 4 2 0 1 11"), 34, "not there"),
                (good.replace("10 0 0 0", "10 0 nan 0"), 10, "finite"),
                (good.replace("$Nodes\n20", "$Nodes\n2000001"), 9, "1000000"),
                (flat, 34, "no volume"),
                (format_2(*folded), 34 + len(folded[0]) - len(nodes), "folded"),
                (mixed, 35, "four and of ten"),
                (format_2(nodes, []), 35, "no tetrahedra")):
            self.put("bad.msh", text)
            path = self.put("bad.yaml", "flexible:\n  - {name: bar, kind: mesh, file: bad.msh, %s\n" % PART)
            result = self.run_scree("check", path)
            self.assertEqual(result.code, 3, what)
            self.assertIn(what, result.err)
            self.assertIn("bad.msh:%d:" % line, result.err)


if __name__ == "__main__":
    main()
