#!/usr/bin/env python3
"""A signal ends any verb soon, by the CPU time that it still takes, also in the middle of a step or a picture that would take
minutes."""
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command
from command import ENDLESS, SANITIZED

# CPU seconds from the signal to the end, of all threads; a build without sanitizers takes some tenths of one. What does not
# ask for signals before a run begins is ended by an alarm after a second.
SECONDS = 15.0 if os.environ.get("SCREE_SANITIZER") or os.environ.get("SCREE_SLOW") else 1.25


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Signals(command.CommandTest):
    def interrupt(self, number, after, *arguments, then=()):
        """Its exit code, its messages, and the CPU time that it took after a signal that came `after` CPU seconds."""
        before = spent()
        process = self.start_scree(*arguments, stderr=subprocess.PIPE)
        command.wait_until_at_work(process, after, number)
        command.halt(process)
        self.assertIsNone(process.poll(), "it was over before the signal came")
        before += command.processor_seconds(process)
        for each in (number, *then):
            os.kill(process.pid, each)
        os.kill(process.pid, signal.SIGCONT)
        _, err = process.communicate()
        return process.returncode, err.decode(), spent() - before

    def test_in_a_long_step(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, err, seconds = self.interrupt(number, 1.0, "run", "settle", "--set", "n=2000", *ENDLESS,
                                                "--out", "run.h5", "--force")
            # A step may stall by itself before the signal comes; that is reported too.
            self.assertEqual((code, err.splitlines()[0]), (7, "scree run: interrupted; go on with: scree resume run.h5"))
            self.assertLess(seconds, SECONDS)
            self.assertEqual(self.run_scree("verify", "run.h5").code, 0)
        code, err, seconds = self.interrupt(signal.SIGINT, 1.0, "resume", "run.h5")
        self.assertEqual(code, 7)
        self.assertLess(seconds, SECONDS)

    def test_twice(self):
        """`timeout` sends a signal to a process and to its group: that is one wish, which lets the run save its state. Two
        kinds here, as two of one kind may become one on their way."""
        code, err, _ = self.interrupt(signal.SIGTERM, 1.0, "run", "settle", "--set", "n=2000", *ENDLESS, "--out", "run.h5",
                                      then=(signal.SIGINT,))
        self.assertEqual((code, err.splitlines()[:1]), (7, ["scree run: interrupted; go on with: scree resume run.h5"]))
        self.assertEqual(self.run_scree("verify", "run.h5").code, 0)

    def test_in_a_long_solve_of_a_step(self):
        """Thousands of balls that touch from the start: a solver that did not ask would take seconds to give up."""
        with open(self.path("s.yaml"), "w", encoding="ascii") as file:
            file.write("step: 5 ms\nduration: 1 s\noverlap: 1\nmaterials: {rough: {friction: 0.8}}\n"
                       "solver: {name: gs, tolerance_residual: 1.0e-300, iteration_limit: 1000000000}\n"
                       "bodies:\n  - {kind: fixed, shape: {half_space: {}}, material: rough}\n"
                       "  - {shape: {sphere: {radius: 0.1}}, material: rough, lattice: {count: [16, 16, 24], pitch: [0.2, 0.2, 0.2], "
                       "origin: [0, 0, 0.1], jitter: [0.01, 0.01, 0.01]}}\n")
        for cpu in (1.0,) if SANITIZED else (1.0, 3.0):
            code, err, seconds = self.interrupt(signal.SIGINT, cpu, "run", "s.yaml", "--threads", "1", "--out", "r.h5", "--force")
            self.assertEqual(code, 7, err)
            self.assertLess(seconds, SECONDS)

    def test_in_a_large_matrix(self):
        """Nodes of a large block, whose matrices take seconds to be laid out, ordered and factorised."""
        for stepper in ("euler-linearized", "nonsmooth"):
            with open(self.path("s.yaml"), "w", encoding="ascii") as file:
                file.write("step: 1 ms\nduration: 1 s\nstepper: %s\nflexible: [{name: p, kind: block, lower: [0, 0, 0], upper: [1, 1, 1], "
                           "cells: [24, 24, 24], young: 1e6, density: 1000, held: [x-]}]\n" % stepper)
            for cpu in (1.5,) if SANITIZED else (0.5, 1.0, 1.5, 2.5):
                with self.subTest("%s, %g s" % (stepper, cpu)):
                    code, err, seconds = self.interrupt(signal.SIGTERM, cpu, "run", "s.yaml", "--threads", "1", "--out", "r.h5", "--force")
                    self.assertEqual(code, 7, err)
                    self.assertLess(seconds, SECONDS)

    def test_in_a_large_picture(self):
        self.assertEqual(self.run_scree("run", "settle", "--duration", "0.02", "--out", "run.h5").code, 0)
        code, err, seconds = self.interrupt(signal.SIGINT, 1.0, "render", "run.h5", "--size", "6000x6000",
                                            "--samples", "64", "--out", "large.png")
        self.assertEqual((code, err), (7, "scree render: interrupted; no picture was written\n"))
        self.assertLess(seconds, SECONDS)
        self.assertFalse(os.path.exists(self.path("large.png")))

    def test_in_a_solve(self):
        self.check(["generate", "packing", "--spheres", "3000", "--mu", "0.8", "--masses", "random", "--out", "p.hdf5"], 0)
        code, _, seconds = self.interrupt(signal.SIGINT, 0.5, "solve", "p.hdf5", "--solver", "gs", "--tol", "1e-15", "--time-limit", "0")
        self.assertEqual(code, 7)
        self.assertLess(seconds, SECONDS)

    def test_other_verbs(self):
        """Those that write results and so see to the signal themselves; the others just die of it."""
        self.check(["generate", "packing", "--spheres", "3000", "--mu", "0.8", "--masses", "random", "--out", "p.hdf5"], 0)
        self.assertEqual(self.run_scree("run", "settle", "--set", "n=300", "--set", "recording.every=0.001", "--duration", "0.05",
                                        "--out", "run.h5").code, 0)
        cases = {
            "sweep": ["settle", "--set", "n=2000,2100", "--measure", "summary.steps", "--out", "swept", *ENDLESS],
            "calibrate": ["settle", "--fit", "step=0.001:0.002", "--target", "summary.steps=1", "--out", "found", "--set", "n=2000",
                          *ENDLESS],
            "bench": ["p.hdf5", "--solvers", "gs", "--tol", "1e-15", "--time-limit", "0", "--out", "bench"],
            "view": ["run.h5"],
            "render": ["run.h5", "--out", "film.mp4", "--size", "1600x1200", "--samples", "64"],
        }
        for verb, arguments in cases.items():
            with self.subTest(verb):
                code, err, seconds = self.interrupt(signal.SIGTERM, 0.0 if verb == "view" else 1.0, verb, *arguments)
                self.assertIn(code, (0, 7) if verb == "view" else (7,), err)
                self.assertLess(seconds, SECONDS)

    def test_before_the_first_step(self):
        """While bodies are made, and between meshes, of which each takes tenths of a second."""
        head = "step: 5 ms\nduration: 1 s\n"
        region = "region: {box: {lower: [0, 0, 0], upper: [%d, %d, %d]}}"
        n = 250
        with open(self.path("ball.obj"), "w", encoding="ascii") as file:
            for i in range(n + 1):
                for k in range(2 * n):
                    t, p = math.pi * i / n, math.pi * k / n
                    r = 1 + 0.1 * math.sin(7 * p) * math.sin(t) ** 2
                    file.write("v %.6f %.6f %.6f\n" % (r * math.sin(t) * math.cos(p), r * math.sin(t) * math.sin(p), r * math.cos(t)))
            for i in range(1, n - 1):
                for k in range(2 * n):
                    a, b = i * 2 * n + k + 1, i * 2 * n + (k + 1) % (2 * n) + 1
                    file.write("f %d %d %d\nf %d %d %d\n" % (a, a + 2 * n, b, b, a + 2 * n, b + 2 * n))
        scenes = {
            "emitter": "emitters: [{body: {shape: {sphere: {radius: 0.01}}}, rate: 1.0e12, " + region % (200, 200, 200) + "}]\n",
            "random": "bodies: [{shape: {sphere: {radius: 0.1}}, random: {number: 100000, attempts: 1000000, "
                      + region % (10, 10, 10) + "}}]\n",
            "loop": "bodies: [{for: {i: 4000, k: 4000}, shape: {sphere: {radius: 0.1}}, position: ['${i}', '${k}', 0]}]\n",
            "mesh": "bodies:\n" + "".join("  - {name: b%d, shape: {mesh: {file: ball.obj}}, position: [%d, 0, 0]}\n" % (i, 3 * i)
                                          for i in range(20)),
        }
        for name, text in scenes.items():
            with self.subTest(name):
                with open(self.path(name + ".yaml"), "w", encoding="ascii") as file:
                    file.write(head + text)
                code, err, seconds = self.interrupt(signal.SIGTERM, 0.7, "run", name + ".yaml", "--out", name + ".h5")
                self.assertEqual(code, 7, err)
                self.assertLess(seconds, SECONDS)
                self.assertEqual(os.path.exists(self.path(name + ".h5")), name == "emitter")

    def test_while_tables_are_made(self):
        """Thousands of tables of probes: those that were made are taken away again."""
        with open(self.path("s.yaml"), "w", encoding="ascii") as file:
            file.write("step: 5 ms\nduration: 1 s\nbodies: [{name: b, shape: {sphere: {radius: 0.1}}}]\nprobes:\n")
            file.writelines("  - {name: p%d, kind: body, body: b}\n" % i for i in range(4000))
        for _ in range(20):
            process = self.start_scree("run", "s.yaml", "--out", "r.h5", "--force", stderr=subprocess.PIPE)
            while len(os.listdir(self.dir)) < 100 and process.poll() is None:
                time.sleep(0.001)
            command.halt(process)
            made = len(os.listdir(self.dir))
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            _, err = process.communicate()
            if made < 4000:
                break
            # A busy machine let it make all before the signal came.
            for name in os.listdir(self.dir):
                if name != "s.yaml":
                    os.remove(self.path(name))
        self.assertLess(made, 4000)
        self.assertEqual(process.returncode, 7, err)
        self.assertEqual(os.listdir(self.dir), ["s.yaml"])

    def test_in_a_crowd(self):
        """Bodies in one place, just below what is refused: a million contacts, with which a search, an assembly and a few sweeps take
        many seconds."""
        scene = ("step: 5 ms\nduration: 1 s\noverlap: 1\nbodies: [{shape: {%s}, lattice: {count: [%d, 1, 1], "
                 "pitch: [1.0e-6, 0, 0]}}]\n")
        for name, shape, count in (("box", "box: {size: [0.1, 0.1, 0.1]}", 500), ("ball", "sphere: {radius: 0.1}", 1500)):
            with open(self.path("s.yaml"), "w", encoding="ascii") as file:
                file.write(scene % (shape, count))
            for cpu in (1.5,) if SANITIZED else (0.3, 1.5, 3.0):
                with self.subTest("%s, %g s" % (name, cpu)):
                    code, err, more = self.interrupt(signal.SIGTERM, cpu, "run", "s.yaml", "--threads", "1", "--out", "r.h5", "--force")
                    self.assertEqual(code, 7, err)
                    self.assertLess(more, SECONDS)

    def test_cut_and_gone_on_with(self):
        """A run that is stopped in the middle of its steps, again and again, ends with the bits of one that was not."""
        arguments = ["settle", "--set", "n=%d" % (600 if SANITIZED else 3000), "--duration", "0.8", "--threads", "1", "--solver", "auto", "--json"]
        whole = self.lines(self.run_scree("run", *arguments))[-1]
        code, stops = 7, 0
        verb = ["run", *arguments, "--out", "cut.h5"]
        while code == 7 and stops < 12:
            process = self.start_scree(*verb, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            command.wait_until_at_work(process, 0.2 + 0.013 * stops, signal.SIGINT)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
            code = process.returncode
            self.assertIn(code, (0, 7), err)
            stops += code == 7
            verb = ["resume", "cut.h5", "--json"]
        if code == 7:
            result = self.run_scree("resume", "cut.h5", "--json")
            self.assertEqual(result.code, 0, result.err)
            out = result.out
        last = json.loads(out.splitlines()[-1])
        self.assertEqual((last["steps"], last["state_hash"]), (whole["steps"], whole["state_hash"]))
        self.assertGreater(stops, 0)


if __name__ == "__main__":
    command.main()
