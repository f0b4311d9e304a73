"""An environment for Gymnasium (where it is installed) around a scene.

    class Balance(scree.gym.Environment):
        scene = "pole.yaml"
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,))
        action_space = gymnasium.spaces.Box(-1, 1, (1,))
        def act(self, action): next(self.sim.world.joints).set_motor("torque", 5 * action[0])
        def observe(self): ...
        def reward(self): ...

Without gymnasium the class works the same, with its reset and step, but is no gymnasium.Env."""
from __future__ import annotations

from typing import Any

import numpy as np

from .scene import Sim

try:
    from gymnasium import Env as _Base
except ImportError:
    class _Base:  # type: ignore[no-redef]
        np_random: Any = None

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            if seed is not None or self.np_random is None:
                self.np_random = np.random.default_rng(seed)


class Environment(_Base):  # type: ignore[misc,valid-type]
    """A scene as an environment: set `scene`, and define what is seen, done and rewarded."""

    scene: Any = None  #: a path, a name or a dict
    steps_per_action: int = 1
    time_limit: float = float("inf")  #: s: truncated from then on
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(self, scene: Any = None, render_mode: str | None = None, **parameters: Any):
        self.render_mode = render_mode
        self.sim = Sim(scene if scene is not None else self.scene, **parameters)
        self._start = self.sim.save()

    def act(self, action: Any) -> None:
        """Puts an action into the run: motors, forces."""
        raise NotImplementedError

    def observe(self) -> Any:
        """What is seen; default: positions and velocities of all bodies."""
        return np.concatenate([self.sim.world.positions.ravel(), self.sim.world.velocities.ravel()])

    def reward(self) -> float:
        return 0.0

    def terminated(self) -> bool:
        return False

    def begin(self) -> None:
        """After the run went back to its start: random changes by self.np_random go here."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.sim.restore(self._start)
        self.begin()
        return self.observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.act(action)
        info: Any = None
        for _ in range(self.steps_per_action):
            info = self.sim.step()
        return (self.observe(), float(self.reward()), bool(self.terminated()), self.sim.world.time >= self.time_limit,
                {"time": self.sim.world.time, "residual": info.residual, "converged": info.converged})

    def render(self) -> np.ndarray:
        return self.sim.render()

    def close(self) -> None:
        self.sim.close()
