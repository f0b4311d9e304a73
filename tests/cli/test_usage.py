#!/usr/bin/env python3
"""What is typed: verbs, options, numbers, help; and where the output goes."""
import json
import os
import subprocess

from command import SCREE, CommandTest, main


class Usage(CommandTest):
    def test_no_verb(self):
        result = self.run_scree()
        self.assertEqual(result.code, 2)
        self.assertEqual(result.out, "")
        self.assertIn("usage: scree VERB", result.err)

    def test_help_and_version(self):
        result = self.check(["--help"], 0)
        self.assertIn("usage: scree VERB", result.out)
        self.assertEqual(self.check(["help"], 0).out, result.out)
        self.assertRegex(self.check(["--version"], 0).out, r"^scree \d+\.\d+\.\d+\n$")
        for verb in self.check(["list", "verbs", "--names"], 0).out.split():
            text = self.check([verb, "--help"], 0).out
            self.assertTrue(text.startswith(f"usage: scree {verb}"), text)
            self.assertIn("--help", text)
            self.assertEqual(self.check(["help", verb], 0).out, text)
            self.assertEqual(self.check([verb, "-h"], 0).out, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_unknown_verb(self):
        self.check(["slove"], 2, "scree: there is no verb 'slove'; did you mean 'solve'? "
                   "'scree --help' lists them\n", "")
        self.check(["quux42"], 2, "scree: there is no verb 'quux42'; 'scree --help' lists them\n", "")
        self.check(["help", "quux42"], 2,
                   "scree: there is no verb 'quux42'; 'scree --help' lists them\n", "")
        self.check(["--json"], 2, "scree: there is no option '--json' before a verb; "
                   "'scree --help' lists the verbs\n", "")

    def test_unknown_option(self):
        self.check(["solve", "f", "--tols", "1"], 2,
                   "scree solve: there is no option '--tols'; did you mean '--tol'? "
                   "'scree solve --help' lists them\n", "")
        self.check(["solve", "f", "--quuxquux=3"], 2,
                   "scree solve: there is no option '--quuxquux=3'; 'scree solve --help' lists them\n",
                   "")
        self.check(["solve", "f", "-x"], 2,
                   "scree solve: there is no option '-x'; 'scree solve --help' lists them\n", "")
        self.check(["solve", "f", "--" + "a" * 5000], 2, "scree solve: there is no option '--" +
                   "a" * 5000 + "'; 'scree solve --help' lists them\n", "")

    def test_values(self):
        for arguments, message in [
            (["--tol", "abc"], "--tol needs a number, not 'abc'"),
            (["--tol", "1e-6x"], "--tol needs a number, not '1e-6x'"),
            (["--tol", "nan"], "--tol needs a number, not 'nan'"),
            (["--tol", "-1"], "--tol -1 is out of range: 0 to 1e+12"),
            (["--tol", "inf"], "--tol inf is out of range: 0 to 1e+12"),
            (["--tol="], "--tol needs a value that is not empty: --tol T"),
            (["--tol"], "--tol needs a value: --tol T"),
            (["--tol", "--json"], "--tol needs a value: --tol T"),
            (["--max-iter", "1.5"], "--max-iter needs a whole number, not '1.5'"),
            (["--max-iter", "-3"], "--max-iter -3 is out of range: 0 to 1000000000000"),
            (["--max-iter", "9" * 40],
             "--max-iter " + "9" * 40 + " is out of range: 0 to 1000000000000"),
            (["--threads", "0"], "--threads 0 is out of range: 1 to 1024"),
            (["--model", "elastic"], "--model needs one of relaxed|coulomb, not 'elastic'"),
            (["--json=yes"], "--json is a switch and takes no value"),
            (["--tol", "0", "--time-limit", "0"],
             "without a tolerance, --max-iter or --time-limit it would never end"),
            (["--solver", "agpd"], "there is no solver 'agpd'; did you mean 'apgd'? "
             "'scree list solvers' lists them"),
            (["--solver", "gs,,apgd"], "there is no solver ''; 'scree list solvers' lists them"),
            (["--solver", "quuxquux"],
             "there is no solver 'quuxquux'; 'scree list solvers' lists them"),
            (["--set", "omega"], "--set needs key=value, not 'omega'"),
            (["--set", "=3"], "--set needs key=value, not '=3'"),
            (["--solver", "gs", "--set", "omga=1"],
             "solver gs has no option 'omga'; did you mean 'omega'?"),
            (["--solver", "gs", "--set", "omega=7"], "solver gs: omega = 7 is outside [0.01, 1.99]"),
            (["--solver", "gs", "--set", "apgd.restart=on"], "--set apgd.restart=on: none of "
             "the solvers has that option; 'scree list solvers' lists them"),
            (["--solver", "gs,apgd", "--set", "quux=on"], "--set quux=on: none of the solvers has "
             "that option; 'scree list solvers' lists them"),
        ]:
            with self.subTest(arguments=arguments):
                self.check(["solve", "missing.hdf5", *arguments], 2, f"scree solve: {message}\n", "")

    def test_operands(self):
        self.check(["solve"], 2, "scree solve: FILE is missing; usage: scree solve FILE\n", "")
        self.check(["solve", "a", "b"], 2, "scree solve: 'b' is one argument too many; "
                   "usage: scree solve FILE\n", "")
        self.check(["list", "solver"], 2, "scree list: there is no list of 'solver'; did you mean "
                   "'solvers'? lists are solvers, sets, steppers, linear-solvers, sheet, scenes, verbs, units, devices\n", "")
        self.check(["list", "sets", "--json", "--names"], 2,
                   "scree list: --json and --names exclude each other\n", "")

    def test_after_two_dashes_nothing_is_an_option(self):
        result = self.check(["solve", "--", "--json"], 6, self.run_scree("solve", "--", "--json").err)
        self.assertIn("--json: ", result.err)

    def test_problem_on_a_full_disk(self):
        result = self.run_on_full_disk(8192, "generate", "packing", "--out", "p.hdf5")
        self.assertEqual(result.code, 6)
        self.assertIn("cannot be written: File too large", result.err)
        self.assertEqual(os.listdir(self.dir), [])

    def test_full_disk_and_closed_pipe(self):
        with open("/dev/full", "w") as full:
            result = self.run_scree("list", "solvers", stdout=full)
        self.assertEqual((result.code, result.err), (6, "scree list: cannot write to standard "
                                                     "output: No space left on device\n"))
        reader, writer = os.pipe()
        os.close(reader)
        result = self.run_scree("list", "solvers", stdout=writer)
        os.close(writer)
        self.assertEqual((result.code, result.err), (6, ""))

    def test_closed_streams(self):
        """What is printed must not end up in the file that is written."""
        name = self.packing()
        for closed in (">&-", "2>&-", "<&-", ">&- 2>&- <&-"):
            with self.subTest(closed=closed):
                run = subprocess.run(["sh", "-c", f'"$0" solve {name} --solver gs --out o.hdf5 '
                                      + closed, SCREE], cwd=self.dir, capture_output=True)
                self.assertEqual(run.returncode, 6 if closed[0] == ">" else 0)
                if closed == ">&-":
                    self.assertEqual(run.stderr, b"scree solve: cannot write to standard output: "
                                     b"Bad file descriptor\n")
                self.check(["info", "o.hdf5"], 0)
                os.remove(self.path("o.hdf5"))

    def test_generate(self):
        for arguments, message in [
            ([], "--out FILE is required: the problem file to write"),
            (["--size", "3x3", "--out", "f"],
             "--size needs three counts of at least 1, as in 8x8x8, not '3x3'"),
            (["--size", "3x0x3", "--out", "f"],
             "--size needs three counts of at least 1, as in 8x8x8, not '3x0x3'"),
            (["--size", "9999x9999x9", "--out", "f"],
             "--size 9999x9999x9 is more than 10000000 spheres"),
            (["--size", "2x2x2", "--spheres", "3", "--out", "f"],
             "--spheres and --size exclude each other"),
            (["--mass-ratio", "3", "--out", "f"],
             "--mass-ratio needs --masses top or --masses random"),
            (["--frictionless", "--mu", "0.1", "--out", "f"],
             "--frictionless excludes --mu, --rolling and --spinning"),
            (["--mu", "-0.1", "--out", "f"], "--mu -0.1 is out of range: 0 to 100"),
        ]:
            with self.subTest(arguments=arguments):
                self.check(["generate", "packing", *arguments], 2, f"scree generate: {message}\n", "")
        self.check(["generate", "pile", "--out", "f"], 2,
                   "scree generate: there is no generator 'pile'; there is packing\n", "")
        self.assertEqual(os.listdir(self.dir), [])

    def test_no_colour_in_a_pipe(self):
        result = self.run_scree("list", "solvers", environment={"NO_COLOR": "", "TERM": "xterm"})
        self.assertNotIn("\033", result.out + result.err)


class Lists(CommandTest):
    def test_solvers(self):
        solvers = json.loads(self.check(["list", "solvers", "--json"], 0).out)
        names = self.check(["list", "solvers", "--names"], 0).out.split()
        text = self.check(["list", "solvers"], 0).out
        self.assertEqual([s["name"] for s in solvers], names)
        self.assertIn("apgd", names)
        for solver in solvers:
            self.assertTrue(solver["summary"])
            self.assertIn(f'\n{solver["name"]}  ', "\n" + text)
            self.assertIn(solver["models"], (["relaxed"], ["relaxed", "coulomb"]))
            for option in solver["options"]:
                self.assertIn(option["key"], text)
                self.assertTrue(option["help"])
                if option["type"] in ("int", "real") and option["maximum"] is not None:
                    self.assertLessEqual(option["minimum"], option["default"])
                    self.assertLessEqual(option["default"], option["maximum"])
                if option["type"] == "choice":
                    self.assertIn(option["default"], option["choices"].split("|"))

    def test_sets(self):
        sets = json.loads(self.check(["list", "sets", "--json"], 0).out)
        names = self.check(["list", "sets", "--names"], 0).out.split()
        self.assertEqual([s["name"] for s in sets], names)
        self.assertTrue({"free", "ray", "interval", "coulomb", "elliptic", "rolling"} <= set(names))
        for row in sets:
            self.assertTrue(row["dimensions"] and row["meaning"], row)

    def test_doctor(self):
        facts = json.loads(self.check(["doctor", "--json"], 0).out)
        self.assertEqual(facts["solvers_wrong"], 0)
        names = self.check(["list", "solvers", "--names"], 0).out.split()
        self.assertEqual(facts["solvers_checked"], len(names))
        self.assertIn("check      ", self.check(["doctor"], 0).out)


if __name__ == "__main__":
    main()
