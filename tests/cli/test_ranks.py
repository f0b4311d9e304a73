#!/usr/bin/python3
"""Runs on several ranks, by mpirun: the same physics as on one, conserved sums, kills, resuming."""
import json
import os
import re
import shutil
import signal
import subprocess

import h5py
import numpy

from command import PATIENCE, SCREE, CommandTest, Result, main, wait_until

MPIRUN = shutil.which("mpirun")
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "NO_COLOR": "1"}
# Tight, so that what is compared is the solution and not where a solver stopped on its way.
TIGHT = ["--set", "solver.tolerance=1e-9", "--set", "solver.iterations=50000"]

CLOUD = """
title: balls meet in mid-air, without gravity
step: 5 ms
duration: 0.3 s
gravity: [0, 0, 0]
materials: {default: {friction: 0.4}}
recording: {every: 0.1}
bodies:
  - {name: left, shape: {sphere: {radius: 0.05}}, density: 1000, velocity: [1, 0.1, 0],
     lattice: {count: [4, 4, 3], pitch: [0.104, 0.104, 0.104], origin: [-0.6, 0, 0]}}
  - {name: right, shape: {sphere: {radius: 0.04}}, density: 2000, velocity: [-1, 0, 0.2],
     lattice: {count: [4, 4, 3], pitch: [0.09, 0.09, 0.09], origin: [0, 0.02, 0.01]}}
"""

PLATE = """
title: a plate that all ranks touch lies on balls
step: 5 ms
duration: 0.15 s
materials: {default: {friction: 0.5}}
recording: {every: 0.05}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: balls, shape: {sphere: {radius: 0.05}}, density: 1000,
     lattice: {count: [6, 4, 1], pitch: [0.2, 0.2, 0.2], origin: [0, 0, 0.05]}}
  - {name: plate, shape: {box: {size: [1.2, 0.8, 0.05]}}, density: 2000, position: [0.5, 0.3, 0.1255]}
  - {name: top, shape: {sphere: {radius: 0.05}}, density: 1000,
     lattice: {count: [4, 3, 1], pitch: [0.2, 0.2, 0.2], origin: [0.2, 0.1, 0.21]}}
"""


def frame(path, number=-1):
    """Poses, velocities (stored as floats) and masses of a frame."""
    with h5py.File(path) as file:
        _, first, count, _, _ = (int(x) for x in file["frames/index"][number])
        return (file["bodies/pose"][first:first + count], file["bodies/velocity"][first:first + count],
                file["bodies/mass"][:])


class Ranks(CommandTest):
    def setUp(self):
        super().setUp()
        if not MPIRUN:
            self.skipTest("there is no mpirun")
        if os.environ.get("SCREE_SANITIZER"):
            self.skipTest("MPI itself leaks")
        if "without MPI" in self.spread(2, "run", "settle", "--set", "n=8", "--duration", "0.005").err:
            self.skipTest("built without MPI")

    def start(self, ranks, *arguments):
        return subprocess.Popen([MPIRUN, "-n", str(ranks), SCREE, *arguments], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                                env={**os.environ, **ENVIRONMENT}, start_new_session=True)

    def spread(self, ranks, *arguments):
        process = self.start(ranks, *arguments)
        try:
            process.stdout, process.stderr = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return Result(process)

    def run_on(self, ranks, scene, *arguments):
        """The summary of a run that must go well; recorded in `ranks`.h5."""
        words = ["run", scene, "--out", "%d.h5" % ranks, "--force", "--json", *arguments]
        done = self.spread(ranks, *words) if ranks > 1 else self.run_scree(*words, environment=ENVIRONMENT)
        self.assertEqual(done.code, 0, done.err)
        return json.loads(done.out.strip().splitlines()[-1])

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def agree(self, scene, counts, *arguments, solver="ags", most=1e-7):
        """All ranks end where one does; by sweeps across ranks, unless the solver is auto."""
        one = self.run_on(1, scene, *TIGHT, *arguments)
        for ranks in counts:
            many = self.run_on(ranks, scene, *TIGHT, *arguments, "--solver", solver)
            self.assertEqual(many["nonconverged_steps"], 0)
            self.assertLess(many["worst_residual"], 1e-9)
            self.assertEqual(many["bodies"], one["bodies"])
            for x, y, scale in zip(frame(self.path("1.h5")), frame(self.path("%d.h5" % ranks))[:2], (1, 100)):
                self.assertEqual(x.shape, y.shape)
                self.assertLess(numpy.abs(x - y).max(), scale * most, (scene, ranks))
            for key in ("kinetic", "potential"):
                self.assertAlmostEqual(many["energy"][key], one["energy"][key],
                                       delta=1e-7 * abs(one["energy"]["potential"]) + 1e-7)
        return one

    def test_settle(self):
        self.agree("settle", (2, 4), "--set", "n=60", "--set", "solver.tolerance_moving=0", "--duration", "0.15")
        self.assertIn("intact", self.run_scree("verify", "4.h5").out)

    def test_large_body(self):
        self.agree(self.write("plate.yaml", PLATE), (2, 3))

    def test_machines(self):
        """Joints with motors and limits, beams among stones, and a closed loop with redundant rows."""
        for scene, counts, solver in (("ragdolls", (2, 3), "auto"), ("ragdolls", (2,), "ags"), ("tyre", (2,), "auto"),
                                      ("four-bar", (2,), "auto")):
            one = self.agree(scene, counts, "--duration", "0.1", solver=solver)
            self.assertLess(one["worst_joint_error_percent"], 1)

    def test_reactions_and_energy_of_machines(self):
        """What one rank found about joints is with rank 0, which writes it; the ledger adds up."""
        done = [self.run_on(ranks, "four-bar", "--duration", "0.2") for ranks in (1, 2)]
        tables = [numpy.genfromtxt(self.path("%d_back.csv" % ranks), delimiter=",", skip_header=1) for ranks in (1, 2)]
        self.assertGreater(numpy.abs(tables[0]).max(), 0.1)
        numpy.testing.assert_allclose(tables[1][:, :8], tables[0][:, :8], rtol=1e-6, atol=1e-9)
        for vector in (slice(8, 11), slice(11, 14)):  # what redundant rows bear is known to a part of the largest alone
            largest = numpy.abs(tables[0][:, vector]).max()
            numpy.testing.assert_allclose(tables[1][:, vector], tables[0][:, vector], rtol=0, atol=1e-6 * largest)
        numpy.testing.assert_allclose(tables[1][:, 14:], tables[0][:, 14:], rtol=0, atol=1e-9)
        for key, given in done[0]["ledger"].items():
            self.assertAlmostEqual(done[1]["ledger"][key], given, delta=1e-9)

    def test_hard_steps(self):
        """What sweeps do not solve is solved whole, by auto on each rank: as on one."""
        self.agree("mass-ratio", (2, 3), "--duration", "0.05", solver="auto")

    def test_conserved_sums(self):
        scene = self.write("cloud.yaml", CLOUD)
        for ranks in (1, 2, 3):
            done = self.run_on(ranks, scene, "--solver", "ags")
            self.assertGreater(done["contacts"], 20)
            start, _, mass = frame(self.path("%d.h5" % ranks), 0)
            end = frame(self.path("%d.h5" % ranks))[0]
            mass = mass[:, :1]
            momentum = 48 * 4 / 3 * numpy.pi * numpy.array([1000 * 0.05**3 - 2000 * 0.04**3, 100 * 0.05**3,
                                                            400 * 0.04**3])
            moved = (mass * (end - start)[:, :3]).sum(axis=0)
            # The centre of mass goes on as if nothing had met, whatever the tolerance of the solver.
            self.assertLess(numpy.abs(moved - 0.3 * momentum).max(), 1e-13 * mass.sum())

    def test_emitters_and_drains(self):
        one = self.run_on(1, "hopper", "--duration", "0.06")
        two = self.run_on(2, "hopper", "--duration", "0.06")
        for key in ("bodies", "steps"):
            self.assertEqual(one[key], two[key])
        self.assertLess(two["worst_penetration_percent"], 1.0)

    def kill_one(self, process, signal_number):
        """Kills the last rank when a checkpoint is there; waits for the end of all."""
        self.assertTrue(wait_until(lambda: os.path.exists(self.path("2.h5.checkpoint.old")), process))
        with subprocess.Popen(["ps", "-o", "pid=,args=", "--ppid", str(process.pid)], stdout=subprocess.PIPE) as listing:
            pids = [int(line.split()[0]) for line in listing.stdout if SCREE.encode() in line]
        self.assertEqual(len(pids), 2)
        os.kill(pids[-1], signal_number)
        process.communicate()
        return process.returncode

    def test_kill_and_resume_on_three(self):
        words = ["run", "settle", "--set", "n=60", *TIGHT]
        self.run_on(1, "settle", "--set", "n=60", "--duration", "0.25", *TIGHT)
        process = self.start(2, *words, "--duration", "1000", "--out", "2.h5", "--set", "recording.checkpoint=0.05")
        self.assertNotEqual(self.kill_one(process, signal.SIGKILL), 0)
        done = self.run_scree("info", "2.h5")
        self.assertEqual(done.code, 0, done.err)
        done = self.spread(3, "resume", "2.h5", "--duration", "0.25", "--json")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(json.loads(done.out.strip().splitlines()[-1])["steps"] >= 50, True)
        self.assertIn("intact", self.run_scree("verify", "2.h5").out)

    def test_bits_of_a_number_of_ranks(self):
        one, two = (self.run_on(3, "settle", "--set", "n=60", "--duration", "0.2", "--solver", "ags") for _ in range(2))
        self.assertEqual(one["state_hash"], two["state_hash"])

    def test_refusals(self):
        for scene, word in (("bouncing-ball", "restitution"), ("cohesive-column", "cohesion")):
            done = self.spread(2, "run", scene, "--out", "refused.h5")
            self.assertEqual(done.code, 3, done.err)
            self.assertEqual(len(re.findall("on several ranks: " + word, done.err)), 1, done.err)
            self.assertFalse(os.path.exists(self.path("refused.h5")))

    def test_outputs_that_are_refused(self):
        """Rank 0 alone has files: when it cannot begin, the others do not wait for it."""
        words = ["run", "settle", "--set", "n=20", "--duration", "0.1"]
        self.assertEqual(self.spread(2, *words, "--out", "r.h5").code, 0)
        os.symlink("r.h5", self.path("l.h5"))
        before = sorted(os.listdir(self.dir))
        for name, more, why in (("r.h5", (), "is there already; give another name"), ("l.h5", ("--force",), "is a symbolic link"),
                                ("none/r.h5", (), "the directory none is not there"), (".", ("--force",), "not a plain file")):
            done = self.spread(3, *words, "--out", name, *more)
            self.assertEqual(done.code, 6, (name, done.err))
            self.assertEqual(done.err.count("scree run:"), 1, done.err)
            self.assertIn(why, done.err)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        self.assertIn("intact", self.run_scree("verify", "r.h5").out)

    def test_a_scene_that_one_rank_has_not(self):
        """As on machines whose disks differ: none waits."""
        self.write("s.yaml", CLOUD)
        for rank in "01":
            with open(self.path("one"), "w", encoding="utf-8") as file:
                file.write('d=$(mktemp -d -p "%s"); cd "$d"; [ "$OMPI_COMM_WORLD_RANK" = %s ] || cp ../s.yaml .; exec "%s" run s.yaml '
                           '--out r.h5\n' % (self.dir, rank, SCREE))
            done = subprocess.run([MPIRUN, "-n", "2", "sh", self.path("one")], cwd=self.dir, env={**os.environ, **ENVIRONMENT},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"another rank could not read the scene" if rank == "1" else b"there is no file", done.stderr)

    def test_solvers(self):
        done = self.spread(2, "run", "settle", "--set", "n=20", "--duration", "0.1", "--solver", "ipm")
        self.assertEqual(done.code, 3)
        self.assertIn("the solver is not divided", done.err)


main()
