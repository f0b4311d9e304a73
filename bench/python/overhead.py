#!/usr/bin/env python3
"""What Python costs: a step from Python against a step in a loop of C, and many copies on two threads.

    PYTHONPATH=build/release/python bench/python/overhead.py [--json]"""
import json
import sys
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


def overhead(steps=20000):
    sim = scree.Sim(BALL, context=scree.Context(threads=1))
    pointers = scree.ffi.new("scree_sim *[]", [sim._pointer])

    def in_c():
        scree.lib.scree_sim_step_many(1, pointers, steps, 1, scree.ffi.NULL, scree.ffi.NULL)

    def in_python():
        step = sim.step
        for _ in range(steps):
            step()

    in_c()
    found = [(best(in_python, 1), best(in_c, 1)) for _ in range(6)]  # in turns
    return min(a for a, _ in found) / steps, min(b for _, b in found) / steps


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
