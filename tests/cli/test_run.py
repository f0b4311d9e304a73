#!/usr/bin/env python3
"""`scree run`, `resume` and `check` on real scenes: the summary, exit codes, recordings, probes."""
import csv
import json
import os
import resource
import signal
import subprocess
import sys

from command import SCREE, CommandTest, main, wait_until, wait_until_at_work

KEYS = ["scene", "bodies", "steps", "simulated_seconds", "seconds", "seconds_by_phase", "contacts", "stepper", "solver", "model",
        "iterations", "nonconverged_steps", "worst_residual", "worst_penetration", "worst_penetration_percent",
        "relaxation_gap", "energy", "peak_memory_bytes", "state_hash"]
SHORT = ["settle", "--set", "n=60", "--duration", "0.5", "--solver", "gs", "--json"]
DENSE = ["--set", "recording.checkpoint=0.005", "--set", "recording.every=0.005"]
LONGER = ["--set", "duration=1"]
BALLS = "bodies: [{name: a, shape: {sphere: {radius: 1}}}, {name: b, shape: {sphere: {radius: 1}}, position: [%g, 0, 0]}]\n"


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.reader(file))


class Run(CommandTest):
    def scene(self, text, name="scene.yaml"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def summary(self, *arguments, code=0):
        result = self.run_scree(*arguments)
        self.assertEqual((result.code, result.err), (code, ""))
        return self.lines(result)[-1]

    def test_summary(self):
        s = self.summary("run", *SHORT, "--threads", "1")
        self.assertEqual([key for key in s if key in KEYS], KEYS)
        self.assertEqual(list(s["seconds_by_phase"]), ["collide", "assemble", "solve", "integrate", "record"])
        self.assertEqual((s["scene"], s["bodies"], s["steps"]), ("settle", 61, 100))
        self.assertAlmostEqual(s["simulated_seconds"], 0.5, places=12)
        self.assertRegex(s["state_hash"], "^[0-9a-f]{16}$")
        self.assertAlmostEqual(s["worst_penetration_percent"], 1000.0 * s["worst_penetration"], places=9)
        self.assertEqual(os.listdir(self.dir), [])

    def test_threads_give_the_same_bits(self):
        hashes = {self.summary("run", *SHORT, "--threads", str(n))["state_hash"] for n in (1, 2, 4)}
        self.assertEqual(len(hashes), 1)

    def test_text_summary_and_gallery(self):
        result = self.check(["run", "bouncing-ball", "--duration", "0.1"], 0)
        self.assertIn("bouncing-ball: 2 bodies, 100 steps, 0.1 s simulated", result.out)
        names = self.check(["list", "scenes", "--names"], 0).out.split()
        for name in ("settle", "shaker", "bouncing-ball", "stack", "pyramid", "incline", "rolling", "mass-ratio",
                     "pebble-bed", "clumps"):
            self.assertIn(name, names)

    def test_closed_forms(self):
        self.summary("run", "incline", "--json", "--out", "i.h5")
        last = [float(x) for x in rows(self.path("i_block.csv"))[-1]]
        self.assertAlmostEqual(last[8], 0.58967 * 2.0, places=3)
        self.summary("run", "rolling", "--json", "--out", "r.h5")
        last = [float(x) for x in rows(self.path("r_ball.csv"))[-1]]
        self.assertAlmostEqual(last[8], 2.0 * 5.0 / 7.0, places=3)
        self.summary("run", "bouncing-ball", "--json", "--out", "b.h5")
        table = rows(self.path("b_ball.csv"))
        self.assertEqual(table[0][:4], ["time [s]", "x [m]", "y [m]", "z [m]"])
        high = [float(row[0]) for row in table[1:] if float(row[3]) > 0.0501]
        self.assertAlmostEqual(max(high), 4.06, delta=0.12)

    def test_emitter_drain_and_plane(self):
        name = self.scene("""
duration: 1 s
bodies: [{name: floor, kind: fixed, position: [0, 0, -9], shape: {half_space: {}}}]
emitters:
  - {rate: 40 1/s, number: 20, region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, body: {mass: 2, shape: {sphere: {radius: 0.1}}}}
drains: [{lower: [-9, -9, -9], upper: [9, 9, -1.5]}]
probes:
  - {name: gate, kind: plane, point: [0, 0, -1]}
  - {name: energy, kind: energy}
""")
        s = self.summary("run", name, "--json", "--out", "e.h5")
        self.assertEqual(s["emitted"], 20)
        self.assertGreater(s["drained"], 10)
        self.assertEqual(s["bodies"], 21 - s["drained"])
        last = [float(x) for x in rows(self.path("e_gate.csv"))[-1]]
        self.assertGreaterEqual(last[4], s["drained"])
        self.assertEqual(last[1], 2.0 * last[4])
        self.assertEqual(last[5], 0.0)

    def test_default_solver(self):
        for model in ("relaxed", "coulomb"):
            s = self.summary("run", "stack", "--duration", "0.05", "--set", "solver={tolerance_residual: 1e-3}", "--model", model, "--json")
            self.assertEqual((s["solver"], s["model"], s["nonconverged_steps"]), ("auto", model, 0))

    def test_changes_are_recorded(self):
        first = self.summary("run", *SHORT, "--solver", "nsgs", "--set", "solver.tolerance_residual=1e-4", "--out", "a.h5")
        self.assertEqual(first["solver"], "nsgs")
        again = self.summary("resume", "a.h5", "--json")
        for key in ("state_hash", "steps", "iterations", "solver", "worst_penetration"):
            self.assertEqual(again[key], first[key])
        longer = self.summary("resume", "a.h5", "--json", "--duration", "0.6")
        self.assertEqual(longer["steps"], 120)

    def test_export(self):
        result = self.run_scree("run", *SHORT, "--export-problem", "90", "--export-to", "p.hdf5")
        self.assertEqual((result.code, result.err), (0, "scree run: step 90 is in p.hdf5\n"))
        solved = self.lines(self.run_scree("solve", "p.hdf5", "--model", "relaxed", "--solver", "apgd", "--json",
                                           "--max-iter", "100"))[0]
        self.assertGreater(solved["contacts"], 50)

    def test_export_of_a_resumed_run(self):
        self.run_scree("run", *SHORT, "--export-problem", "95", "--export-to", "straight.hdf5")
        self.run_scree("run", *SHORT, "--duration", "0.4", "--out", "half.h5")
        late = self.run_scree("resume", "half.h5", "--duration", "0.5", "--export-problem", "80")
        self.assertEqual((late.code, late.err),
                         (2, "scree resume: step 80 was made before: this run goes on with step 81\n"))
        result = self.run_scree("resume", "half.h5", "--duration", "0.5", "--export-problem", "95", "--export-to", "resumed.hdf5")
        self.assertEqual((result.code, result.err), (0, "scree resume: step 95 is in resumed.hdf5\n"))
        solve = ("--model", "relaxed", "--solver", "gs", "--max-iter", "30", "--json")
        one, other = (self.lines(self.run_scree("solve", name, *solve))[0] for name in ("straight.hdf5", "resumed.hdf5"))
        self.assertEqual([one[k] for k in ("contacts", "error", "residual")], [other[k] for k in ("contacts", "error", "residual")])

    def test_export_of_a_step_beyond_the_end(self):
        result = self.run_scree("run", *SHORT, "--export-problem", "5000", "--export-to", "never.hdf5")
        self.assertEqual((result.code, result.err), (2, "scree run: the run ended with step 100: step 5000 is not exported\n"))

    def test_strict(self):
        result = self.run_scree("run", *SHORT, "--strict", "--set", "solver.iteration_limit=1")
        self.assertEqual(result.code, 4)
        self.assertRegex(result.err, r"^scree run: warning: \d+ of 100 steps did not reach their tolerance \(worst R ")

    def test_interrupt_and_resume(self):
        straight = self.summary("run", *SHORT, "--set", "n=2000")
        for out in (["--out", "run.h5"], []):
            process = self.start_scree("run", *SHORT, "--set", "n=2000", *out, stderr=subprocess.PIPE)
            wait_until_at_work(process, 0.1, signal.SIGINT)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
            path = "run.h5" if out else "settle.h5"
            self.assertEqual(process.returncode, 7, "it was over before the signal came")
            self.assertEqual(err.decode(), f"scree run: interrupted; go on with: scree resume {path}\n")
            resumed = self.summary("resume", path, "--json")
            self.assertEqual(resumed["state_hash"], straight["state_hash"])
            self.assertEqual(resumed["steps"], straight["steps"])

    def test_bad_recordings(self):
        self.check(["resume", "none.h5"], 6, "scree resume: none.h5: cannot be opened: No such file or directory\n", "")
        self.scene("no recording", "x.h5")
        self.check(["resume", "x.h5"], 3, "scree resume: x.h5: is not a recording: recordings are HDF5 files\n", "")
        self.packing("p.hdf5")
        self.check(["resume", "p.hdf5"], 3, "scree resume: p.hdf5: is an HDF5 file, but not a recording of Scree\n", "")
        self.summary("run", *SHORT, "--out", "a.h5")
        for end in ("", ".old"):
            with open(self.path("a.h5.checkpoint" + end), "r+b") as file:
                file.seek(5000)
                file.write(b"broken")
        self.check(["resume", "a.h5"], 3, "scree resume: a.h5.checkpoint: it is damaged, and the one before is damaged; "
                   "remove it, and the run starts from 0 and writes equal frames once more\n", "")

    def test_no_plain_file_in_the_way(self):
        """What is written and renamed takes the place of nothing but a plain file."""
        self.packing("p.hdf5")
        os.mkfifo(self.path("pipe"))
        tail = "pipe: is there already and not a plain file; give another name\n"
        self.check(["run", *SHORT, "--out", "pipe"], 6, f"scree run: {tail}", "")
        self.check(["generate", "packing", "--spheres", "8", "--out", "pipe"], 6, f"scree generate: {tail}", "")
        self.assertEqual(sorted(os.listdir(self.dir)), ["p.hdf5", "pipe"])

    def test_empty_mesh(self):
        self.scene("", "empty.stl")
        self.scene("bodies: [{kind: fixed, shape: {mesh: {file: empty.stl}}}]\n")
        self.check(["check", "scene.yaml"], 3, "scree check: scene.yaml:1:45: file: 'empty.stl' is no mesh: it is empty\n", "")

    def test_shapes_that_cannot_touch(self):
        """Bodies that would pass through each other are refused by name, unless they never meet."""
        text = ("bodies:\n- {name: floor, kind: fixed, shape: {half_space: {}}%s}\n"
                "- {name: lid, mass: 1, inertia: [1, 0, 0, 1, 0, 1], position: [0, 0, 1], shape: {compound: {parts: [{shape: {sphere: "
                "{radius: 1}}}, {shape: {half_space: {}}}]}}}\n")
        self.scene(text % "")
        message = ("scene.yaml:2:3: 'floor' (half_space) and scene.yaml:3:3: 'lid' (compound) cannot touch: there are no "
                   "contacts between these shapes, so they would pass through each other; change a shape, or keep them "
                   "apart by `category` and `collides_with`")
        self.check(["check", "scene.yaml"], 3, f"scree check: {message}\n", "")
        self.check(["run", "scene.yaml", "--out", "x.h5"], 3, f"scree run: {message}\n", "")
        self.assertFalse(os.path.exists(self.path("x.h5")))
        self.scene(text % ", collides_with: 2")
        self.check(["check", "scene.yaml"], 0, "", "scene.yaml: fine; 2 bodies\n")

    def test_check(self):
        self.scene(BALLS % 3)
        self.check(["check", "scene.yaml"], 0, "", "scene.yaml: fine; 2 bodies\n")
        self.scene(BALLS % 1.9)
        message = ("scene.yaml:1:10: 'a' overlaps scene.yaml:1:51: 'b' at the start by 0.1 m, 5 % of the smaller "
                   "diameter; move them apart, or allow it by `overlap`")
        self.check(["check", "scene.yaml"], 3, f"scree check: {message}\n", "")
        self.check(["run", "scene.yaml", "--out", "x.h5"], 3, f"scree run: {message}\n", "")
        self.assertFalse(os.path.exists(self.path("x.h5")))
        self.check(["check", "scene.yaml", "--set", "overlap=6 %"], 0, "", "scene.yaml: fine; 2 bodies\n")
        result = self.check(["check", "scene.yaml", "--json"], 3)
        self.assertEqual(json.loads(result.out), {"scene": "scene.yaml", "messages": [message], "bodies": 2, "joints": 0, "ok": False})
        self.scene("stp: 1\nduration: 1 kg\n" + BALLS % 3)
        self.check(["check", "scene.yaml"], 3, "scree check: scene.yaml:1:1: unknown key 'stp'; did you mean 'step'?\n"
                   "scree check: scene.yaml:2:11: duration: '1 kg' has the wrong unit; a value in s is expected\n", "")
        self.scene("bodies: [{name: a, shape: {sphere: {radius: 1}}, angular_velocity: [0, 0, 1]}]\nstep: 1 ms\nduration: 1\n")
        for verb in "check", "run":  # said once, though a body is built after the scene is read
            self.check([verb, "scene.yaml"], 3, f"scree {verb}: scene.yaml:1:50: unknown key 'angular_velocity'; did you mean "
                       "'angular'?\n", "")
        # One fault in a parameter is one message, however many values use it.
        self.scene("parameters: {n: abc}\nduration: '${n}'\nbodies: [{shape: {sphere: {radius: '${2 * n}'}}}]\n")
        self.check(["check", "scene.yaml"], 3, "scree check: scene.yaml:1:17: n: 'abc' is not a number; write a number, one with "
                   "a unit (\"5 ms\") or ${…}\n", "")
        self.check(["check", "no-such"], 3, "scree check: there is no file and no scene of the gallery 'no-such'; "
                   "`scree list scenes` shows them\n", "")
        self.check(["check", "wal"], 3, "scree check: there is no file and no scene of the gallery 'wal'; did you mean "
                   "'wall'? `scree list scenes` shows them\n", "")
        self.check(["check", self.packing()], 3, "scree check: packing.hdf5:1:1: an HDF5 file is no scene; `scree resume` "
                   "goes on with a recording, `scree solve` solves a problem, `scree info` tells which it is\n", "")
        self.check(["check"], 2, "scree check: SCENE is missing\n", "")
        self.assertIn("$defs", json.loads(self.check(["check", "--schema"], 0).out))

    def test_scale(self):
        """The same scene in millimetres and in tens of metres: the defaults scale with it."""
        results = []
        for scale in (0.005, 1.0, 100.0):
            s = self.summary("run", *SHORT, "--set", f"r={0.05 * scale}", "--set", "bodies.0=" + json.dumps(
                {"kind": "fixed", "shape": {"box_container": {"size": [f"${{{0.45 * scale}}}"] * 2 + [9 * scale]}},
                 "position": [0, 0, 4.5 * scale]}), "--set", "bodies.1.lattice=" + json.dumps(
                {"count": [4, 4, 4], "pitch": [0.11 * scale] * 3,
                 "origin": [-0.165 * scale, -0.165 * scale, 0.06 * scale], "jitter": [0.004 * scale] * 3, "number": 60}),
                "--set", "probes=[]", "--set", f"step={0.005 * scale ** 0.5}", "--set", f"duration={0.5 * scale ** 0.5}")
            self.assertEqual(s["steps"], 100)
            self.assertLess(s["worst_penetration_percent"], 1.0)
            results.append(s["worst_penetration_percent"])
        for value in results:
            self.assertAlmostEqual(value, results[1], delta=0.05 + 0.2 * results[1])


class Survive(CommandTest):
    """A recording that was killed, or whose disk was full, is read and goes on to the same bits."""

    def summary(self, *arguments):
        result = self.run_scree(*arguments)
        self.assertEqual((result.code, result.err), (0, ""))
        return self.lines(result)[-1]

    def clear(self):
        for name in os.listdir(self.dir):
            if name.startswith("k"):
                os.remove(self.path(name))

    def compare(self, straight, files):
        s = self.summary("resume", "k.h5", "--json")
        for key in ("state_hash", "steps", "iterations", "worst_penetration", "worst_residual", "energy"):
            self.assertEqual(s[key], straight[key])
        for name, content in files.items():
            with open(self.path("k_" + name), "rb") as file:
                self.assertEqual(file.read(), content)

    def reference(self, *more):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        straight = self.summary("run", *SHORT, *DENSE, *more, "--out", "ref.h5")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        span = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        files = {}
        for name in ("floor.csv", "energy.csv"):
            with open(self.path("ref_" + name), "rb") as file:
                files[name] = file.read()
        return straight, files, span

    def kill_after(self, seconds, *arguments):
        """Kills it when it has computed for so long: on a busy machine as far on its way as on an idle one."""
        process = self.start_scree(*arguments)
        wait_until_at_work(process, seconds)
        process.kill()
        return process.wait()

    def test_kill(self):
        straight, files, span = self.reference(*LONGER)
        times = int(os.environ.get("SCREE_KILLS", "20"))
        early = late = 0
        for i in range(times):
            self.clear()
            late += self.kill_after(span * ((i * 0.618034) % 1.0), "run", *SHORT, *DENSE, *LONGER, "--out", "k.h5") == 0
            if not os.path.exists(self.path("k.h5")):
                early += 1  # killed before it was there
                continue
            if i % 2:  # and once more while it goes on
                self.kill_after(span * 0.5 * ((i * 0.324718) % 1.0), "resume", "k.h5")
            self.compare(straight, files)
            self.check(["verify", "k.h5"], 0, "")
        print(f"{times} kills: {early} before the recording had its name, {late} after the run had ended", file=sys.stderr)
        self.assertLess(early + late, 0.7 * times)

    def test_two_writers(self):
        process = subprocess.Popen([SCREE, "run", *SHORT, "--set", "n=300", "--set", "duration=600", "--out", "k.h5"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: os.path.exists(self.path("k.h5")), process))
        self.check(["resume", "k.h5"], 6, f"scree resume: k.h5: another run is writing it (process {process.pid}); wait for "
                   "that one, or stop it\n", "")
        self.check(["run", *SHORT, "--out", "k.h5", "--force"], 6, "scree run: k.h5: another run is writing it (process "
                   f"{process.pid}); wait for that one, or stop it\n", "")
        process.kill()
        process.wait()

    def test_full_disk(self):
        straight, files, _ = self.reference()
        size = os.path.getsize(self.path("ref.h5"))
        for part in (0.02, 0.4, 0.75, 0.95):
            self.clear()
            result = self.run_on_full_disk(int(part * size), "run", *SHORT, *DENSE, "--out", "k.h5")
            self.assertEqual(result.code, 6)
            self.assertIn("File too large", result.err)
            if os.path.exists(self.path("k.h5")):
                self.compare(straight, files)
            else:  # there was no room to begin: nothing is left behind
                self.assertLess(part, 0.7)
                self.assertEqual([name for name in os.listdir(self.dir) if name.startswith("k")], [])


if __name__ == "__main__":
    main()
