"""Scree: hard-contact multibody dynamics with exact friction.

    import scree
    sim = scree.Sim("scene.yaml", mu=0.4)      # or a dict, or the name of a scene of the gallery
    for info in sim:
        print(sim.time, sim.world.positions.mean(axis=0), info.residual)

Names are those of the C library: scree_world_add_body is World.add_body, members of its structs are
keywords, and SCREE_BODY_FIXED is scree.BODY_FIXED or just "fixed". `scree.lib` and `scree.ffi` are the C
functions themselves. Units are SI, z is up, quaternions are (w, x, y, z). Not converging is an
outcome in what a call returns, never an exception; wrong input is one, with the library's message.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import gym
from ._core import (ArgumentError, ClosedError, Context, Error, FileError, InputError, InternalError, NoMemoryError,
                    NumericError, Record, UnsupportedError, constants as _constants)
from ._load import ffi, lib, path as library_path
from .plot import plot
from .problem import Problem, Set, Solution, solve, solver_options, solvers
from .recording import Frame, Recording
from .scene import Scene, Sim, list_scenes, run
from .shape import Shape
from .vector import Vector, vector
from .world import Body, Joint, Stepper, View, World

__version__: str = ffi.string(lib.scree_version()).decode()
globals().update(_constants())
if TYPE_CHECKING:  # constants, as BODY_FIXED
    def __getattr__(name: str) -> Any: ...

__all__ = ["ArgumentError", "Body", "ClosedError", "Context", "Error", "FileError", "Frame", "InputError", "InternalError",
           "Joint", "NoMemoryError", "NumericError", "Problem", "Record", "Recording", "Scene", "Set", "Shape", "Sim", "Solution",
           "Stepper", "UnsupportedError", "Vector", "View", "World", "ffi", "gym", "lib", "library_path", "list_scenes", "plot", "run",
           "solve", "solver_options", "solvers", "vector"]
