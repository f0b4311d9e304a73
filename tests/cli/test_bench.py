#!/usr/bin/env python3
"""scree bench: table, CSV, plots; refusals and unreadable files stay visible."""
import csv
import os

from command import CommandTest, main


class Bench(CommandTest):
    def results(self, directory):
        with open(self.path(os.path.join(directory, "results.csv")), newline="") as file:
            return list(csv.DictReader(file))

    def test_everything(self):
        a, b = self.packing("a.hdf5"), self.packing("b,\"c\".hdf5", "--mu", "0.8", "--seed", "3")
        result = self.run_scree("bench", a, b, "--time-limit", "3", "--out", "r")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.err, "scree bench: results.csv and plots are in r\n")
        names = self.run_scree("list", "solvers", "--names").out.split()
        rows = self.results("r")
        self.assertEqual([(row["problem"], row["solver"]) for row in rows],
                         [(file, name) for file in (a, b) for name in names])
        for row in rows:
            if row["outcome"] == "solved":
                self.assertLessEqual(float(row["error"]), 1e-6)
                self.assertGreaterEqual(float(row["seconds"]), 0.0)  # clocks of busy machines move in jumps
            if row["outcome"] == "refused":
                self.assertEqual(row["error"], "")
                self.assertTrue(row["detail"])
        self.assertGreater(sum(float(row["seconds"]) for row in rows if row["outcome"] == "solved"), 0.0)
        apgd = [row for row in rows if row["solver"] == "apgd"]
        self.assertEqual([row["outcome"] for row in apgd], ["solved", "solved"])
        pictures = ["convergence_01_a.png", "convergence_02_b,\"c\".png", "profile.png"]
        self.assertEqual(sorted(os.listdir(self.path("r"))), sorted([*pictures, "results.csv"]))
        for name in pictures:
            with open(self.path(os.path.join("r", name)), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
        for name in names:
            self.assertRegex(result.out, rf"\n  {name} +\d of 2, in ")

    def test_refusals_are_shown(self):
        name = self.packing()
        result = self.check(["bench", name, "--solvers", "apgd,gs", "--model", "coulomb"], 0)
        self.assertRegex(result.out, r"\n  apgd +refused +it has only the relaxed model, not coulomb")
        self.assertRegex(result.out, r"\n  apgd +0 of 1, ")
        answers = self.lines(self.check(["bench", name, "--solvers", "apgd,gs", "--model", "coulomb",
                                         "--json"], 0))
        self.assertEqual([a["outcome"] for a in answers], ["refused", "solved"])
        self.assertIsNone(answers[0]["error"])

    def test_unreadable_files_do_not_end_it(self):
        name = self.packing()
        result = self.run_scree("bench", "missing.hdf5", name, "--solvers", "gs", "--out", "r")
        self.assertEqual(result.code, 6)
        self.assertIn("scree bench: missing.hdf5: ", result.err)
        self.assertEqual([row["outcome"] for row in self.results("r")], ["unreadable", "solved"])

    def test_repeat(self):
        name = self.packing()
        answers = self.lines(self.check(["bench", name, "--solvers", "gs", "--repeat", "3", "--json"],
                                        0))
        self.assertEqual(len(answers), 1)

    def test_bad_directory(self):
        name = self.packing()
        self.check(["bench", name, "--out", "no/such"], 6,
                   "scree bench: no/such: cannot make the directory: No such file or directory\n", "")
        self.check(["bench", name, "--out", name], 6,
                   f"scree bench: {name}: it is there and is not a directory\n", "")


if __name__ == "__main__":
    main()
