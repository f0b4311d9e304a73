#!/usr/bin/env python3
"""scree solve, info and generate on good files and on bad ones."""
import json
import math
import os
import random
import signal
import struct
import subprocess

from command import SCREE, CommandTest, main

KEYS = ["problem", "contacts", "solver", "model", "outcome", "iterations", "error", "residual",
        "relaxation_gap", "seconds", "setup_seconds"]
# A friction coefficient whose bytes are found again in the file.
MU = 0.31415926535897931


class Solve(CommandTest):
    def test_json(self):
        name = self.packing()
        made = json.loads(self.run_scree("generate", "packing", "--size", "3x3x3", "--force", "--out", name,
                                         "--json").out)
        result = self.check(["solve", name, "--solver", "gs", "--json", "--tol", "1e-7"], 0)
        (answer,) = self.lines(result)
        self.assertEqual(list(answer)[:len(KEYS)], KEYS)
        self.assertEqual(answer["problem"], name)
        self.assertEqual(answer["contacts"], made["contacts"])
        self.assertEqual((answer["solver"], answer["model"], answer["outcome"]),
                         ("gs", "coulomb", "solved"))
        self.assertLessEqual(answer["error"], 1e-7)
        self.assertLessEqual(answer["residual"], 100 * 1e-7)
        self.assertGreater(answer["iterations"], 0)
        self.assertLessEqual(answer["setup_seconds"], answer["seconds"])

    def test_any_name(self):
        name = self.packing()
        for odd in (b'a"b\\c\n\td.hdf5', "größe 文.hdf5".encode(), b"\xff\xc0\xaf\xed\xa0\x80.hdf5",
                    b"-dash.hdf5"):
            os.rename(os.path.join(os.fsencode(self.dir), os.fsencode(name)),
                      os.path.join(os.fsencode(self.dir), odd))
            name = os.fsdecode(odd)
            (answer,) = self.lines(self.check(["solve", "--solver", "gs", "--json", "--", name], 0))
            if b"\xff" not in odd:
                self.assertEqual(answer["problem"], name)

    def test_default_solver_and_fallback(self):
        name = self.packing()
        names = self.run_scree("list", "solvers", "--names").out.split()
        (answer,) = self.lines(self.run_scree("solve", name, "--json"))
        self.assertEqual(answer["solver"], "auto" if "auto" in names else "apgd")
        result = self.check(["solve", name, "--solver", "apgd", "--json"], 0, "scree solve: apgd has "
                            "no exact Coulomb model; it solves the relaxed one\n")
        self.assertEqual(self.lines(result)[0]["model"], "relaxed")
        self.check(["solve", name, "--solver", "apgd", "--model", "relaxed", "--json"], 0)
        result = self.check(["solve", name, "--solver", "gs", "--model", "relaxed", "--json"], 0)
        self.assertEqual(self.lines(result)[0]["model"], "relaxed")
        result = self.run_scree("solve", name, "--solver", "apgd", "--model", "coulomb")
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertTrue(result.err.startswith(
            "scree solve: apgd has only the relaxed model; the coulomb model is in "), result.err)
        self.assertIn("gs", result.err)

    def test_without_friction_there_is_nothing_to_fall_back_from(self):
        name = self.packing("p.hdf5", "--mu", "0")
        self.check(["solve", name, "--solver", "apgd", "--json"], 0)

    def test_looser_costs_no_more(self):
        # A tower of planks, two by two across: sweeps stop gaining there.
        scene = "step: 5 ms\nduration: 10 ms\nbodies:\n  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
        for i in range(24):
            size = [0.12, 0.024, 0.008] if i % 2 == 0 else [0.024, 0.12, 0.008]
            for side in (-0.048, 0.048):
                at = [0, side] if i % 2 == 0 else [side, 0]
                scene += "  - {shape: {box: {size: %s}}, position: %s}\n" % (size, [*at, (i + 0.5) * 0.008])
        with open(self.path("tower.yaml"), "w", encoding="utf-8") as file:
            file.write(scene)
        result = self.run_scree("run", "tower.yaml", "--out", "t.h5", "--export-problem", "2", "--export-to", "t.hdf5")
        self.assertEqual(result.code, 0, result.err)
        iterations = []
        for tolerance in ("1e-8", "1e-4"):
            result = self.run_scree("solve", "t.hdf5", "--tol", tolerance, "--json")
            (answer,) = self.lines(result)
            self.assertEqual(answer["outcome"], "solved")
            iterations.append(answer["iterations"])
        self.assertLessEqual(iterations[1], 2 * iterations[0] + 10)

    def test_strict(self):
        name = self.packing()
        message = ("scree solve: gs ran out of iterations before E = 1e-12 and R = 1e-10; what is "
                   "reported is its best iterate\n")
        arguments = ["solve", name, "--solver", "gs", "--max-iter", "3", "--tol", "1e-12", "--json"]
        (answer,) = self.lines(self.check(arguments, 0, message))
        self.assertEqual((answer["outcome"], answer["iterations"]), ("iteration_limit", 3))
        self.check([*arguments, "--strict"], 4, message)
        (answer,) = self.lines(self.run_scree("solve", name, "--solver", "gs", "--tol", "1e-300",
                                              "--time-limit", "0.05", "--json", "--strict"))
        self.assertIn(answer["outcome"], ("time_limit", "stalled"))

    def test_several_solvers(self):
        name = self.packing()
        result = self.check(["solve", name, "--solver", "gs,apgd,gs", "--model", "relaxed", "--json"],
                            0)
        self.assertEqual([a["solver"] for a in self.lines(result)], ["gs", "apgd"])
        result = self.run_scree("solve", name, "--solver", "all", "--json", "--time-limit", "5")
        names = self.run_scree("list", "solvers", "--names").out.split()
        self.assertEqual([a["solver"] for a in self.lines(result)], names)
        self.check(["solve", name, "--solver", "gs,apgd", "--out", "o.hdf5"], 2,
                   "scree solve: --out keeps one solution; name one solver, not 2\n", "")

    def test_settings_reach_the_solver(self):
        name = self.packing()
        run = lambda *more: self.lines(self.check(
            ["solve", name, "--json", "--solver", "gs", "--model", "relaxed", *more], 0))[0]
        plain, slow = run(), run("--set", "omega=0.2")
        self.assertNotEqual(plain["iterations"], slow["iterations"])
        self.assertEqual(run("--set", "gs.omega=0.2")["iterations"], slow["iterations"])
        self.assertEqual(run("--set", "omega=1", "--set=omega=0.2")["iterations"],
                         slow["iterations"])

    def test_threads_give_the_same_bits(self):
        name = self.packing()
        one, two = (self.lines(self.check(["solve", name, "--json", "--solver", "gs", "--threads",
                                           threads], 0))[0] for threads in ("1", "2"))
        for key in ("iterations", "error", "residual", "relaxation_gap"):
            self.assertEqual(one[key], two[key])

    def test_table(self):
        name = self.packing()
        out = self.check(["solve", name, "--solver", "gs"], 0).out.splitlines()
        self.assertEqual(len(out), 4)
        self.assertTrue(out[0].startswith("packing.hdf5: "))
        self.assertEqual(out[1].split(), ["solver", "model", "outcome", "E", "R", "relax.gap",
                                          "approach", "iterations", "time"])
        self.assertEqual(out[3].split()[:3], ["gs", "coulomb", "solved"])
        self.assertEqual(len(out[3]), len(out[1]))

    def test_verbose(self):
        result = self.run_scree("solve", self.packing(), "--solver", "gs", "--verbose")
        self.assertRegex(result.err, r"^gs +iteration +0 +\d+\.\d+ s  E \d\.\d+e[-+]\d+  R ")

    def test_plot(self):
        name = self.packing('a "b" `c` \\d {e_f} $g\n.hdf5')
        result = self.run_scree("solve", name, "--solver", "gs,apgd", "--plot", "c'\"`id` .png")
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("c'\"`id` .png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.check(["solve", name, "--plot", "c.bmp"], 2,
                   "scree solve: c.bmp: a plot's name ends in .png, .svg or .pdf\n", "")
        self.assertEqual(sorted(os.listdir(self.dir)), sorted([name, "c'\"`id` .png"]))

    def test_plot_without_gnuplot(self):
        name = self.packing()
        result = self.run_scree("solve", name, "--plot", "c.png", environment={"PATH": self.dir})
        self.assertEqual((result.code, result.out), (6, ""))
        self.assertEqual(result.err, "scree solve: gnuplot is not there, and plots are drawn by it; "
                         "install the Debian package gnuplot-nox\n")
        with open(self.path("gnuplot"), "w") as file:
            file.write("#!/bin/sh\necho 'line 0: no such terminal' >&2\nexit 1\n")
        os.chmod(self.path("gnuplot"), 0o755)
        result = self.run_scree("solve", name, "--solver", "gs", "--plot", "c.png",
                                environment={"PATH": self.dir + ":/bin"})
        self.assertEqual((result.code, result.err),
                         (6, "scree solve: c.png: gnuplot failed: line 0: no such terminal\n"))
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(["gnuplot", name]))

    def test_interrupt(self):
        self.check(["generate", "packing", "--spheres", "3000", "--mu", "0.8", "--masses", "random",
                    "--out", "big.hdf5"], 0)
        process = subprocess.Popen([SCREE, "solve", "big.hdf5", "--solver", "gs", "--tol", "1e-15",
                                    "--json", "--verbose"], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 7)
        self.assertEqual(json.loads(out)["detail"], "interrupted")
        self.assertIn(b"gs was interrupted after", err)


class Out(CommandTest):
    def test_solution_is_kept(self):
        name = self.packing()
        self.assertEqual(json.loads(self.check(["info", name, "--json"], 0).out)["has_solution"],
                         False)
        self.check(["solve", name, "--solver", "gs", "--out", "solved.hdf5"], 0)
        before, after = (json.loads(self.check(["info", f, "--json"], 0).out)
                         for f in (name, "solved.hdf5"))
        self.assertEqual(after["has_solution"], True)
        for key in ("title", "description", "contacts", "rows", "mu_least", "mu_most", "bodies"):
            self.assertEqual(before[key], after[key])
        runs = [self.lines(self.check(["solve", f, "--solver", "gs", "--json"], 0))[0]
                for f in (name, "solved.hdf5")]
        self.assertEqual(runs[0]["iterations"], runs[1]["iterations"])
        self.assertEqual(runs[0]["error"], runs[1]["error"])

    def test_warm_start(self):
        name = self.packing()
        self.check(["solve", name, "--solver", "gs", "--warm-start"], 3,
                   f"scree solve: {name}: there is no solution in it to start with\n", "")
        self.check(["solve", name, "--solver", "gs", "--tol", "1e-9", "--out", "solved.hdf5"], 0)
        cold, warm = (self.lines(self.check(["solve", "solved.hdf5", "--solver", "gs", "--json",
                                             *more], 0))[0] for more in ([], ["--warm-start"]))
        self.assertGreater(cold["iterations"], 0)
        self.assertEqual(warm["iterations"], 0)
        self.assertLess(warm["error"], 1e-8)

    def test_in_place(self):
        name = self.packing()
        with open(self.path(name), "rb") as file:
            before = file.read()
        self.check(["solve", name, "--solver", "gs", "--out", name, "--force"], 2,
                   f"scree solve: {name}: it is read from, so it is not written; give another name\n", "")
        with open(self.path(name), "rb") as file:
            self.assertEqual(file.read(), before)
        self.check(["solve", name, "--solver", "gs", "--out", "o.hdf5"], 0)
        self.check(["solve", name, "--solver", "gs", "--out", "o.hdf5"], 6,
                   "scree solve: o.hdf5: is there already; give another name, or --force to replace it\n", "")
        self.check(["solve", name, "--solver", "gs", "--out", "o.hdf5", "--force"], 0)
        self.assertTrue(json.loads(self.check(["info", "o.hdf5", "--json"], 0).out)["has_solution"])
        self.assertEqual(sorted(os.listdir(self.dir)), ["o.hdf5", name])

    def test_unwritable(self):
        name = self.packing()
        self.check(["solve", name, "--out", "no/such/o.hdf5"], 6, "scree solve: no/such/o.hdf5: "
                   "cannot write it: directory 'no/such': No such file or directory\n", "")
        self.check(["solve", name, "--out", "."], 6,
                   "scree solve: .: cannot write it: it is a directory\n", "")
        self.check(["generate", "packing", "--out", "no/such.hdf5"], 6, "scree generate: "
                   "no/such.hdf5: cannot write it: directory 'no': No such file or directory\n", "")
        self.check(["solve", name, "--plot", "no/such.png"], 6, "scree solve: no/such.png: "
                   "cannot write it: directory 'no': No such file or directory\n", "")
        self.assertEqual(os.listdir(self.dir), [name])

    def test_nothing_is_written_on_bad_input(self):
        for verb in (["solve", "missing.hdf5", "--out", "o.hdf5"],
                     ["solve", "missing.hdf5", "--plot", "o.png"]):
            self.assertEqual(self.run_scree(*verb).code, 6)
        self.assertEqual(os.listdir(self.dir), [])

    def test_generate_is_reproducible(self):
        data = []
        for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
            self.packing(name, "--seed", seed)
            with open(self.path(name), "rb") as file:
                data.append(file.read())
        self.assertEqual(data[0], data[1])
        self.assertNotEqual(data[0], data[2])


class BadFiles(CommandTest):
    def bad(self, name, code, *parts):
        for verb in ("solve", "info"):
            result = self.run_scree(verb, name)
            self.assertEqual((result.code, result.out), (code, ""), result.err)
            self.assertTrue(result.err.startswith(f"scree {verb}: {name}: "), result.err)
            self.assertEqual(result.err.count("\n"), 1, result.err)
            for part in parts:
                self.assertIn(part, result.err)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_missing_and_directory(self):
        self.bad("missing.hdf5", 6, "No such file or directory")
        os.mkdir(self.path("directory"))
        self.bad("directory", 6)

    def test_not_hdf5(self):
        self.write("text.hdf5", b"this is no problem\n" * 100)
        self.bad("text.hdf5", 3, "not an HDF5 file")
        self.write("empty.hdf5", b"")
        self.bad("empty.hdf5", 3)

    def test_truncated(self):
        whole = self.read(self.packing())
        for size in (8, 100, 1000, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size):
                self.write("cut.hdf5", whole[:size])
                self.bad("cut.hdf5", 3)

    def test_bad_numbers(self):
        whole = self.read(self.packing("p.hdf5", "--mu", repr(MU)))
        good = struct.pack("<d", MU)
        self.assertIn(good, whole)
        for value in (math.nan, math.inf, -1.0):
            with self.subTest(value=value):
                self.write("bad.hdf5", whole.replace(good, struct.pack("<d", value)))
                self.bad("bad.hdf5", 3)

    def test_random_damage_never_crashes(self):

        whole = bytearray(self.read(self.packing()))
        generator = random.Random(7)
        for _ in range(40):
            data = bytearray(whole)
            for _ in range(20):
                data[generator.randrange(min(len(data), 20000))] = generator.randrange(256)
            self.write("damaged.hdf5", data)
            result = self.run_scree("solve", "damaged.hdf5", "--solver", "gs", "--max-iter", "5",
                                    "--json")
            self.assertIn(result.code, (0, 1, 3, 5, 6), result.err)
            self.lines(result)


if __name__ == "__main__":
    main()
