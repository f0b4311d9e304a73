#!/usr/bin/env python3
"""What Python costs: a step from Python against a step in a loop of C, and many copies on two threads.

    PYTHONPATH=build/release/python bench/python/overhead.py [--json]"""
import json
import os
import subprocess
import sys
import tempfile
import time

import scree

BALL = {"step": 0.001, "duration": 1000, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"half_space": {}}},
    {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.1]}]}
# Two jaws on sliders press on a box and hold it.
GRIPPER = {"step": 0.002, "duration": 1000, "bodies": [
    {"name": "left", "shape": {"box": {"size": [0.02, 0.1, 0.1]}}, "position": [-0.0601, 0, 1]},
    {"name": "right", "shape": {"box": {"size": [0.02, 0.1, 0.1]}}, "position": [0.0601, 0, 1]},
    {"name": "load", "shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "position": [0, 0, 1]}],
    "joints": [{"kind": "slider", "bodies": ["world", "left"], "anchor": [-0.06, 0, 1], "axis": [1, 0, 0],
                "motor": {"kind": "torque", "value": 50}},
               {"kind": "slider", "bodies": ["world", "right"], "anchor": [0.06, 0, 1], "axis": [-1, 0, 0],
                "motor": {"kind": "torque", "value": 50}}]}


def best(action, times=5, clock=time.thread_time):
    """Least seconds of several tries; by default CPU time of this thread, which a busy machine changes little."""
    found = []
    for _ in range(times):
        begin = clock()
        action()
        found.append(clock() - begin)
    return min(found)


C_LOOP = r"""
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char **words) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_scene *scene;
  scree_sim *sim;
  if (count < 3 || scree_scene_load(context, words[1], NULL, &scene) || scree_sim_create(scene, NULL, &sim)) return 1;
  const long steps = atol(words[2]);
  double best = 1e30;
  for (int k = 0; k < 6; k++) {
    const clock_t begin = clock();
    for (long i = 0; i < steps; i++) {
      scree_step_info info;
      if (scree_sim_step(sim, &info)) return 1;
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds < best) best = seconds;
  }
  printf("%.9g\n", best / (double)steps);
  return 0;
}
"""


def in_c(steps):
    """Seconds of a step in a loop of C, by a program that is compiled here."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as folder:
        program, scene = os.path.join(folder, "loop"), os.path.join(folder, "scene.json")
        with open(scene, "w") as file:
            json.dump(BALL, file)
        subprocess.run(["cc", "-O2", "-xc", "-", "-I", os.path.join(root, "include"), "-xnone", scree.library_path,
                        f"-Wl,-rpath,{os.path.dirname(scree.library_path)}", "-o", program], input=C_LOOP,
                       text=True, check=True)
        return float(subprocess.run([program, scene, str(steps)], capture_output=True, text=True, check=True).stdout)


def overhead(steps=20000):
    sim = scree.Sim(BALL, context=scree.Context(threads=1))

    def loop():
        step = sim.step
        for _ in range(steps):
            step()

    found = [(best(loop, 2), in_c(steps)) for _ in range(3)]  # in turns
    return min(a for a, _ in found) / steps, min(b for _, b in found)


def scaling(copies=64, steps=100):
    """Wall time and CPU time of all threads, on one thread and on two."""
    seconds = []
    for threads in (1, 2):
        many = scree.vector(GRIPPER, copies, threads=threads)
        many.advance(20)
        for clock in (time.perf_counter, time.process_time):
            seconds.append(best(lambda: many.advance(steps), 5, clock))
        many.close()
    return seconds


def main():
    python, c = overhead()
    one, one_cpu, two, two_cpu = scaling()
    result = {"python_us": 1e6 * python, "c_us": 1e6 * c, "overhead_us": 1e6 * (python - c), "steps_per_second": 1 / python,
              "gripper_copies": 64, "gripper_speedup_two_threads": one / two,
              "gripper_cpu_two_threads_over_one": two_cpu / one_cpu, "gripper_steps_per_second": 6400 / two}
    print(json.dumps(result) if "--json" in sys.argv else "\n".join(f"{k:30s} {v:.4g}" for k, v in result.items()))


if __name__ == "__main__":
    main()
