#!/usr/bin/env python3
"""Symbolic links: as outputs they stay what they are (`run --out /dev/stdout --force` by root took the system's own link away),
and what lies beside a recording is found through a link to it."""
import os

from command import CommandTest, main

SMALL = ["settle", "--set", "n=20", "--solver", "gs", "--set", "recording.every=0.01", "--duration", "0.2"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Links(CommandTest):
    def make(self, *more):
        result = self.run_scree("run", *SMALL, *more)
        self.assertEqual(result.code, 0, result.err)

    def test_outputs(self):
        """Every verb that writes, with --force and without: the link stays, and so does what it leads to, which is there or is not."""
        self.make("--out", "r.h5", "--export-problem", "40", "--export-to", "p.hdf5")
        with open(self.path("m.urdf"), "w", encoding="utf-8") as file:
            file.write('<robot name="m"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
                       'iyz="0"/></inertial></link></robot>')
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write("duration: 0.02 s\nbodies: [{name: b, shape: {sphere: {radius: 0.1}}}]\n")
        with open(self.path("kept"), "w", encoding="utf-8") as file:
            file.write("mine")
        verbs = [("run", *SMALL, "--out"), ("run", *SMALL, "--export-problem", "1", "--export-to"),
                 ("salvage", "r.h5", "--out"), ("solve", "p.hdf5", "--out"), ("generate", "packing", "--spheres", "8", "--out"),
                 ("render", "r.h5", "--size", "32x32", "--samples", "1", "--out"), ("export", "r.h5", "--html"),
                 ("import", "m.urdf", "--out"), ("fmu", "s.yaml", "--out"), ("plot", "r.h5", "--out")]
        for target in ("kept", "nothing"):
            for verb in verbs:
                name = {"render": "l.png", "plot": "l.png", "import": "l.yaml", "fmu": "l.fmu", "export": "l.html"}.get(verb[0], "l.h5")
                os.symlink(target, self.path(name))
                before = sorted(os.listdir(self.dir))
                for force in ((), ("--force",)):
                    with self.subTest(" ".join((*verb[:2], target, *force))):
                        result = self.run_scree(*verb, name, *force)
                        self.assertEqual(result.code, 6, result.err)
                        self.assertIn(name + ": is a symbolic link, which is neither followed nor replaced; name the file itself",
                                      result.err)
                        self.assertEqual(sorted(os.listdir(self.dir)), before)
                        self.assertEqual(os.readlink(self.path(name)), target)
                        self.assertEqual(read(self.path("kept")), b"mine")
                os.remove(self.path(name))

    def test_recordings(self):
        """A run goes on from the checkpoint and the tables of the recording that the link leads to; it began from 0 before."""
        self.make("--out", "straight.h5")
        os.mkdir(self.path("there"))
        self.make("--out", "there/r.h5")
        os.symlink("there/r.h5", self.path("link.h5"))
        self.check(["verify", "link.h5"], 0, "", "link.h5: 21 frames, 40 steps, 2 probes, 2 checkpoints: intact\n")
        result = self.run_scree("resume", "link.h5", "--duration", "0.4")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.run_scree("resume", "straight.h5", "--duration", "0.4").code, 0)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(["link.h5", "there"] + [
            n.replace("r", "straight", 1) for n in os.listdir(self.path("there"))]))
        for probe in ("energy", "floor"):
            self.assertEqual(read(self.path(f"there/r_{probe}.csv")), read(self.path(f"straight_{probe}.csv")))
        self.assertEqual(self.run_scree("plot", "link.h5", "--what", "floor", "--out", "e.png").code, 0)
        table = self.path("there/r_floor.csv")
        with open(table, "r+b") as file:
            file.truncate(100)
        for verb in (["verify", "link.h5"], ["resume", "link.h5"], ["plot", "link.h5", "--what", "floor", "--out", "f.png"]):
            result = self.run_scree(*verb)
            self.assertEqual(result.code, 3, result.out)
            self.assertIn("r_floor.csv", result.err)

    def test_half_a_recording(self):
        """What the checkpoint knows of must be there, through a link too."""
        self.make("--out", "r.h5")
        os.symlink("r.h5", self.path("l.h5"))
        os.truncate(self.path("r.h5"), os.path.getsize(self.path("r.h5")) * 3 // 4)
        direct, through = self.run_scree("verify", "r.h5"), self.run_scree("verify", "l.h5")
        self.assertEqual((direct.code, through.code), (3, 3))
        self.assertEqual(through.err.replace(self.dir + "/", ""), direct.err)


if __name__ == "__main__":
    main()
