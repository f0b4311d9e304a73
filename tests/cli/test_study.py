#!/usr/bin/env python3
"""Sweeps and calibration: against a closed form, killed and gone on with, wrong input."""
import csv
import json
import math
import os
import signal
import subprocess

from command import SCREE, CommandTest, halt, main, wait_until

# A box on a slope: v = g (sin a - mu cos a) t, or it rests.
INCLINE = """
parameters: {mu: 0.3, angle: 25 deg}
step: 10 ms
duration: 0.5 s
gravity: ['${9.81 * sin(angle)}', 0, '${-9.81 * cos(angle)}']
materials: {m: {friction: '${mu}'}}
bodies:
  - {name: ground, kind: fixed, shape: {half_space: {}}, material: m}
  - {name: box, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05], material: m}
probes:
  - {name: box, kind: body, body: box}
  - {name: gate, kind: plane, point: [0.05, 0, 0], normal: [1, 0, 0]}
"""


def speed(mu, angle, t=0.5):
    return max(0.0, 9.81 * t * (math.sin(math.radians(angle)) - mu * math.cos(math.radians(angle))))


class Study(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("incline.yaml"), "w", encoding="utf-8") as file:
            file.write(INCLINE)

    def two_in_one_folder(self, table, command):
        """While one is at it, the second is refused, with --force too, and says who the first is; the rows are those of one alone."""
        alone = [word if word != table.split("/", maxsplit=1)[0] else "alone" for word in command]
        self.assertEqual(self.run_scree(*alone).code, 0)
        process = self.start_scree(*command)
        self.addCleanup(process.kill)  # it is halted for a while
        wait_until(lambda: os.path.exists(self.path(table)) and len(self.table(table)) >= 1, process)
        halt(process)
        self.assertIsNone(process.poll())
        for more in ([], ["--force"]):
            result = self.run_scree(*command, *more)
            self.assertEqual((result.code, result.err), (6, f"scree {command[0]}: {table}: another run is writing it (process {process.pid}); "
                                                         "wait for that one, or stop it\n"))
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), 0)

        def rows(name):
            return sorted([value for key, value in row.items() if not key.startswith("seconds")] for row in self.table(name))
        self.assertEqual(rows(table), rows("alone/" + table.split("/")[1]))
        self.assertEqual(self.run_scree(*command).code, 0)

    def inputs_are_kept(self, name, command):
        """A table that the scene reads is not written, with --force neither."""
        os.mkdir(self.path("in"))
        with open(self.path("in/" + name), "w", encoding="utf-8") as file:
            file.write("x,y,z\n9,9,9\n")
        with open(self.path("incline.yaml"), encoding="utf-8") as file:
            scene = file.read()
        with open(self.path("incline.yaml"), "w", encoding="utf-8") as file:
            file.write(scene.replace("probes:", "  - {csv: {file: in/%s}, shape: {sphere: {radius: 0.1}}}\nprobes:" % name))
        words = [word if word not in ("r", "c") else "in" for word in command]
        result = self.run_scree(*words, "--force")
        self.assertEqual(result.code, 2, result.err)
        self.assertIn("in/%s: the scene is read from it" % name, result.err)
        with open(self.path("in/" + name), encoding="utf-8") as file:
            self.assertEqual(file.read(), "x,y,z\n9,9,9\n")

    def table(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Sweep(Study):
    COMMAND = ["sweep", "incline.yaml", "--set", "mu=0.1:0.5:5", "--set", "angle=20 deg,25 deg", "--measure",
               "box.vx:last,box.x:max,gate.rate,summary.steps", "--window", "0:1", "--jobs", "2", "--out", "r", "--json"]

    def test_against_the_closed_form(self):
        result = self.run_scree(*self.COMMAND)
        self.assertEqual(result.code, 0, result.err)
        said = json.loads(result.out)
        self.assertEqual((said["cases"], said["done"], said["failed"], said["from_before"]), (10, 10, 0, 0))
        rows = self.table("r/results.csv")
        self.assertEqual(len(rows), 10)
        for row in rows:
            mu, angle = float(row["mu"]), float(row["angle"].split()[0])
            v = speed(mu, angle)
            self.assertAlmostEqual(float(row["box.vx:last [m/s]"]), v, delta=1e-3)
            self.assertAlmostEqual(float(row["box.x:max [m]"]), 0.25 * v, delta=1e-2)
            self.assertEqual(float(row["summary.steps"]), 50)
            passed = 0.25 * v > 0.06  # 4 kg in 0.49 s between the first and the last step
            self.assertAlmostEqual(float(row["gate.rate [kg/s]"]), 4 / 0.49 if passed else 0.0, delta=1e-6)
        with open(self.path("r/results.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        # Nothing is run again; the same numbers on one process.
        again = json.loads(self.run_scree(*self.COMMAND).out)
        self.assertEqual((again["done"], again["from_before"]), (10, 10))
        alone = [word if word != "2" else "1" for word in self.COMMAND]
        alone[alone.index("r")] = "one"
        self.assertEqual(self.run_scree(*alone).code, 0)
        state = [key for key in rows[0] if key.startswith("state")][0]
        self.assertEqual({row["case"]: row[state] for row in rows}, {row["case"]: row[state] for row in self.table("one/results.csv")})

    def test_killed(self):
        """Killed at some moment it goes on, also behind a row that was cut off."""
        process = subprocess.Popen([SCREE, *self.COMMAND, "--set", "step=1 ms"], cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda: os.path.exists(self.path("r/results.csv")) and len(self.table("r/results.csv")) >= 3, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        before = self.table("r/results.csv")
        with open(self.path("r/results.csv"), "a", encoding="utf-8") as file:
            file.write("9,0.5")
        said = json.loads(self.run_scree(*self.COMMAND, "--set", "step=1 ms").out)
        self.assertEqual(said["done"], 10)
        self.assertGreaterEqual(said["from_before"], min(3, len(before)))
        rows = self.table("r/results.csv")
        self.assertEqual(sorted(int(row["case"]) for row in rows), list(range(1, 11)))
        self.assertEqual(rows[:len(before)], before)

    def test_two_in_one_folder(self):
        self.two_in_one_folder("r/results.csv", [*self.COMMAND, "--set", "step=1 ms"])

    def test_inputs_are_kept(self):
        self.inputs_are_kept("results.csv", self.COMMAND)

    def test_finer_range(self):
        """Cases of a range that was refined are found by their values, whatever their numbers were."""
        words = [*self.COMMAND]
        place = [i for i, word in enumerate(words) if word.count(":") == 2][0]
        key, (low, high, count) = words[place].split("=")[0], words[place].split("=")[1].split(":")
        coarse = json.loads(self.run_scree(*words).out)
        words[place] = "%s=%s:%s:%d" % (key, low, high, 2 * int(count) - 1)
        fine = json.loads(self.run_scree(*words).out)
        self.assertEqual(fine["from_before"], coarse["done"])
        self.assertGreater(fine["done"], coarse["done"])

    def test_other_studies_are_kept(self):
        self.assertEqual(self.run_scree(*self.COMMAND).code, 0)
        before = self.table("r/results.csv")
        for words in ([*self.COMMAND[:-5], "--out", "r", "--window", "0:0.1"],
                      [*self.COMMAND[:4], "--measure", "box.x", "--out", "r"]):
            result = self.run_scree(*words)
            self.assertEqual(result.code, 6, result.err)
            self.assertIn("another study", result.err)
        with open(self.path("incline.yaml"), "a", encoding="utf-8") as file:
            file.write("# other\n")
        self.assertEqual(self.run_scree(*self.COMMAND).code, 6)
        self.assertEqual(self.table("r/results.csv"), before)
        self.assertEqual(json.loads(self.run_scree(*self.COMMAND, "--force").out)["from_before"], 0)

    def test_recordings_and_failures(self):
        result = self.run_scree("sweep", "incline.yaml", "--set", "mu=0.1,-2,0.2", "--measure", "box.vx", "--record", "--out", "r")
        self.assertEqual(result.code, 3)
        self.assertIn("case 2 (mu=-2): incline.yaml:6:27: friction: -2 is out of range", result.err)
        self.assertEqual([row["case"] for row in self.table("r/results.csv")], ["1", "3"])
        self.assertTrue(os.path.exists(self.path("r/case-0003.h5")))
        self.assertEqual(self.run_scree("info", "r/case-0001.h5").code, 0)

    def test_faults(self):
        for words, code, wanted in (
                (["--measure", "box.x"], 2, "nothing to vary"),
                (["--set", "mu=0:1:3"], 2, "nothing to measure"),
                (["--set", "mu=0:1", "--measure", "box.x"], 2, "a range is A:B:N"),
                (["--set", "mu=", "--measure", "box.x"], 2, "is expected"),
                (["--set", "mu=1,,2", "--measure", "box.x"], 2, "an empty"),
                (["--set", "mu=0:1:3", "--measure", "bix.x"], 2, "no probe 'bix'; it has: box, gate"),
                (["--set", "mu=0:1:3", "--measure", "box.q"], 2, "no column 'q'; it has: x, y"),
                (["--set", "mu=0:1:3", "--measure", "box.x:median"], 2, "not one of mean"),
                (["--set", "mu=0:1:3", "--measure", "summary.step"], 2, "did you mean 'steps'"),
                (["--set", "mu=0:1:3", "--measure", "box.x", "--window", "2:1"], 2, "--window needs"),
                (["--set", "my=0:1:3", "--measure", "box.x"], 3, "my")):
            with self.subTest(words=words):
                result = self.run_scree("sweep", "incline.yaml", *words, "--out", "none")
                self.assertEqual(result.code, code, result.err)
                self.assertIn(wanted, result.err)
                self.assertFalse(os.path.exists(self.path("none")))


class Calibrate(Study):
    COMMAND = ["calibrate", "incline.yaml", "--fit", "mu=0:1", "--target", "box.vx:last=1.5m/s", "--out", "c", "--json",
               "--window", "0:1", "--tol", "1e-4"]

    def setUp(self):
        super().setUp()
        if self.run_scree("calibrate", "incline.yaml").err.count("SCREE_WITH_NLOPT"):
            self.skipTest("this build has no NLopt")

    def test_one_key(self):
        result = self.run_scree(*self.COMMAND)
        self.assertEqual(result.code, 0, result.err)
        said = json.loads(result.out)
        exact = (math.sin(math.radians(25)) - 1.5 / (9.81 * 0.5)) / math.cos(math.radians(25))
        self.assertAlmostEqual(said["best"]["mu"], exact, delta=1e-3)
        self.assertLess(said["off_by"], 3e-3)
        with open(self.path("c/report.md"), encoding="utf-8") as file:
            report = file.read()
        slope = float(report.split("| box.vx:last |")[-1].split("|")[0])
        self.assertAlmostEqual(slope, -9.81 * 0.5 * math.cos(math.radians(25)), delta=0.02)
        rows = self.table("c/runs.csv")
        self.assertEqual(len(rows), said["runs"])
        # As if it had been killed: the first runs are there, the rest is done again, with the same end.
        with open(self.path("c/runs.csv"), encoding="utf-8") as file:
            lines = file.readlines()
        with open(self.path("c/runs.csv"), "w", encoding="utf-8") as file:
            file.writelines(lines[:8])
            file.write(lines[8][:7])
        again = json.loads(self.run_scree(*self.COMMAND).out)
        self.assertEqual(again["from_before"], 7)
        self.assertEqual(again["best"], said["best"])

    def test_two_in_one_folder(self):
        self.two_in_one_folder("c/runs.csv", [*self.COMMAND, "--set", "step=1 ms", "--runs", "12"])

    def test_inputs_are_kept(self):
        self.inputs_are_kept("report.md", self.COMMAND)

    def test_two_keys_with_units(self):
        result = self.run_scree("calibrate", "incline.yaml", "--fit", "mu=0:0.6", "--fit", "angle=10:40deg", "--target",
                                "box.vx:last=1 m/s", "--target", "box.qw:last=1", "--set", "step=0.02", "--out", "c", "--window",
                                "0:1", "--json", "--runs", "30")
        self.assertEqual(result.code, 0, result.err)
        best = json.loads(result.out)["best"]
        self.assertAlmostEqual(speed(best["mu"], best["angle"]), 1.0, delta=0.02)

    def test_faults(self):
        for words, wanted in ((["--target", "box.x=1"], "nothing to find"), (["--fit", "mu=0:1"], "nothing to meet"),
                              (["--fit", "mu=1:0", "--target", "box.x=1"], "A must be below B"),
                              (["--fit", "mu=0", "--target", "box.x=1"], "bounds as"),
                              (["--fit", "mu=0:1", "--target", "box.x=1 apple"], "is expected"),
                              (["--fit", "mu=0:1", "--target", "box.vx=1kg"], "measured in m/s"),
                              (["--fit", "mu=0:1", "--target", "box.q=1"], "no column 'q'")):
            with self.subTest(words=words):
                result = self.run_scree("calibrate", "incline.yaml", *words, "--out", "none")
                self.assertEqual(result.code, 2, result.err)
                self.assertIn(wanted, result.err)
                self.assertFalse(os.path.exists(self.path("none")))


if __name__ == "__main__":
    main()
