"""Many copies of a scene at once, in the manner of Gymnasium's vector environments."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from ._core import Context, documented, error_of, ffi, lib, text
from .scene import Scene, Sim


@documented("scree_sim_step_many")
class Vector:
    """n runs of a scene, stepped on threads. Made by scree.vector.

        many = scree.vector("gripper.yaml", 64, threads=2)
        observations = many.reset()
        observations, infos = many.step(steps=10)

    `observe(sim) -> array` says what is seen of a run; the default are positions and velocities of
    all bodies. `act(sim, action)` is called for each run with its row of the actions before the
    steps: set motors or forces there."""

    def __init__(self, scene: Any, n: int, threads: int = 0, observe: Callable[[Sim], Any] | None = None,
                 act: Callable[[Sim, Any], None] | None = None, vary: Callable[[int], dict[str, Any]] | None = None,
                 **members: Any):
        if n < 1:
            raise ValueError(f"n: {n} runs; at least 1")
        if isinstance(scene, Scene):
            raise TypeError("a Scene belongs to one run: give its path, name or dict, so that each run has its own")
        self.n, self.threads = n, threads
        self.sims: list[Sim] = []
        for i in range(n):
            changes = {**members, **(vary(i) if vary else {})}
            self.sims.append(Sim(scene, context=Context(threads=1), check_overlap=i == 0, **changes))
        self._observe, self._act = observe or _states, act
        self._starts = [sim.save() for sim in self.sims]
        self._pointers = ffi.new("scree_sim *[]", [sim._pointer for sim in self.sims])
        self._infos = ffi.new("scree_step_info[]", n)
        self._statuses = ffi.new("scree_status[]", n)
        self._out: np.ndarray | None = None

    def __len__(self) -> int:
        return self.n

    def observe(self) -> np.ndarray:
        """What is seen of all runs: a row per run. A new array with each call."""
        first = np.asarray(self._observe(self.sims[0]), float)
        out = np.empty((self.n, *first.shape))
        out[0] = first
        for i in range(1, self.n):
            out[i] = self._observe(self.sims[i])
        return out

    def reset(self, where: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """All runs, or those of a mask or a list, go back to their start; then what is seen of all."""
        chosen = range(self.n) if where is None else np.arange(self.n)[np.asarray(where)]
        for i in chosen:
            self.sims[i].restore(self._starts[i])
        return self.observe()

    def advance(self, steps: int = 1) -> None:
        """Steps of all runs without a look at them; Python's global lock is released meanwhile."""
        for sim in self.sims:
            sim._alive()
        status = lib.scree_sim_step_many(self.n, self._pointers, steps, self.threads, self._infos, self._statuses)
        for sim in self.sims:
            sim.world._raise()
        if status:
            failed = [i for i in range(self.n) if self._statuses[i]]
            error = self.sims[failed[0]]._context._fail(self._statuses[failed[0]]) if failed else \
                self.sims[0]._context._fail(status)
            if failed:
                error.args = (f"run {failed[0]}: {error}",)
            raise error

    def step(self, actions: Any = None, steps: int = 1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Actions (a row per run), steps, and then (what is seen, what the last step says by name)."""
        if actions is not None:
            if self._act is None:
                raise TypeError("actions need `act`: a function that puts them into a run")
            if len(actions) != self.n:
                raise ValueError(f"actions: {len(actions)} rows, {self.n} are expected")
            for sim, action in zip(self.sims, actions):
                self._act(sim, action)
        self.advance(steps)
        infos = self._infos
        return self.observe(), {
            "advanced": np.array([infos[i].advanced for i in range(self.n)]),
            "converged": np.array([infos[i].converged for i in range(self.n)]),
            "residual": np.array([infos[i].residual for i in range(self.n)]),
            "contacts": np.array([infos[i].contacts for i in range(self.n)]),
            "time": np.array([sim.world.time for sim in self.sims])}

    @property
    def hashes(self) -> list[str]:
        """The state hash of each run."""
        return [sim.state_hash for sim in self.sims]

    def close(self) -> None:
        for sim in self.sims:
            sim.close()


def _states(sim: Sim) -> np.ndarray:
    world = sim.world
    return np.concatenate([world.positions, world.rotations, world.velocities, world.angulars], axis=1)


def vector(scene: Any, n: int, **members: Any) -> Vector:
    """n copies of a scene (path, name or dict); the arguments of scree.vector.Vector."""
    return Vector(scene, n, **members)
