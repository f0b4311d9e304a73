"""Scenes (files, text or Python objects) and runs of them."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from ._core import (Context, Error, InputError, Owner, Record, definition, documented, doubles, ffi, fill, lib, text,
                    to_python)
from .world import Body, Stepper, World


def _plain(value: Any) -> Any:
    """numpy's things as JSON has them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _gallery() -> str | None:
    """The folder of the gallery that came with the module."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.path.join(here, "scenes")]
    for _ in range(4):
        here = os.path.dirname(here)
        folders.append(os.path.join(here, "share", "scree", "scenes"))
    return next((folder for folder in folders if os.path.isdir(folder)), None)


def _find(context: Context, name: str) -> str:
    """The path of a scene of the gallery: that of SCREE_SCENES, of the module, of the system."""
    folder = _gallery()
    if not os.environ.get("SCREE_SCENES") and folder and os.path.exists(os.path.join(folder, f"{name}.yaml")):
        return os.path.join(folder, f"{name}.yaml")
    path = ffi.new("char[]", 4096)
    context._check(lib.scree_scene_find(context._alive().pointer, name.encode(), path, 4096))
    return text(path)


Sets = Union[str, Mapping[str, Any], Sequence[str]]


@documented("scree_scene_load")
class Scene(Owner):
    """A scene: a path, the name of one of the gallery, a dict, or text by Scene.from_text.

        scene = scree.Scene("drum.yaml", mu=0.3)
        scene = scree.Scene({"step": 0.005, "duration": 1, "bodies": [...]})

    `sets` are changes "a.b.0.c=value" as of `scree run --set`, one, several or a dict {"a.b.0.c": value}; keywords are
    parameters of the scene."""

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any], sets: Sets = (),
                 context: Context | None = None, confined: bool = False, **parameters: Any):
        if isinstance(source, Mapping):
            try:
                content = json.dumps(dict(source), default=_plain, allow_nan=False, indent=1)
            except ValueError as error:
                raise ValueError(f"a scene must hold finite numbers, infinite ones as text ({error})") from None
            self._load(context, "scene.json", content, sets, confined, parameters)
            return
        self._load(context, os.fspath(source), None, sets, confined, parameters)

    @classmethod
    def from_text(cls, content: str, name: str = "scene.yaml", sets: Sets = (),
                  context: Context | None = None, confined: bool = False, **parameters: Any) -> "Scene":
        """`name` stands in messages, and other files are sought beside it."""
        scene = cls.__new__(cls)
        scene._load(context, name, content, sets, confined, parameters)
        return scene

    def _load(self, context: Context | None, name: str, content: str | None, sets: Sets, confined: bool,
              parameters: dict[str, Any]) -> None:
        self._context = context or Context()
        given = [sets] if isinstance(sets, str) else [f"{key}={json.dumps(value, default=_plain)}" for key, value in sets.items()] \
            if isinstance(sets, Mapping) else sets
        changes = [*given, *(f"{key}={json.dumps(value, default=_plain)}" for key, value in parameters.items())]
        texts = [ffi.new("char[]", change.encode()) for change in changes]
        faults: list[str] = []
        report = ffi.callback("scree_report_function", lambda _, message: faults.append(text(message)))
        list_ = ffi.new("char *[]", texts) if texts else ffi.NULL
        def_ = ffi.new("scree_scene_def *", lib.scree_scene_def_default())
        def_.set_count, def_.report, def_.confined = len(texts), report, confined
        def_.sets = ffi.cast("const char *const *", list_)
        out = ffi.new("scree_scene **")
        pointer = self._context._alive().pointer
        with self._context._lock:
            if content is not None:
                data = content.encode()
                status = lib.scree_scene_load_text(pointer, name.encode(), data, len(data), def_, out)
            else:
                if not os.path.exists(name):
                    name = _find(self._context, name)
                status = lib.scree_scene_load(pointer, name.encode(), def_, out)
            if status:
                error = self._context._fail(status)
                if isinstance(error, InputError):
                    error.faults = faults or error.faults
                raise error
        self._own(out[0], lib.scree_scene_destroy, self._context._alive())
        self._faults = faults

    @classmethod
    def _borrow(cls, context: Context, pointer: Any, owner: Any) -> "Scene":
        scene = cls.__new__(cls)
        scene._context = context
        scene._own(pointer, lambda _: None, owner)
        return scene

    @property
    def context(self) -> Context:
        return self._context

    @property
    @documented("scree_scene_settings")
    def settings(self) -> Record:
        return Record(lib.scree_scene_get_settings(self._alive().pointer), self)

    @property
    def files(self) -> dict[str, bytes]:
        """The files that the scene was read from so far."""
        pointer = self._alive().pointer
        found, size = {}, ffi.new("size_t *")
        for i in range(lib.scree_scene_file_count(pointer)):
            data = lib.scree_scene_file_bytes(pointer, i, size)
            found[text(lib.scree_scene_file_path(pointer, i))] = bytes(ffi.buffer(data, size[0]))
        return found

    def check(self) -> None:
        """Overlaps at the start and pairs that cannot touch: InputError, with all of them in `.faults`."""
        faults: list[str] = []
        report = ffi.callback("scree_report_function", lambda _, message: faults.append(text(message)))
        with self._lock:
            status = lib.scree_sim_check(self._alive().pointer, report, ffi.NULL)
            if status:
                error = self._context._fail(status)
                if isinstance(error, InputError):
                    error.faults = faults or error.faults
                raise error

    def run(self, out: str | os.PathLike[str] | None = None, **members: Any) -> "Sim":
        """A run of this scene that has not begun; see Sim."""
        return Sim(self, out, **members)


@documented("scree_sim_def")
class Sim(Owner):
    """A run of a scene, with its recording, probes, emitters and checkpoints.

        sim = scree.Sim("hopper.yaml", out="hopper.h5")
        for info in sim:                  # step by step to the end
            print(info.contacts)
        sim.finish(); print(sim.summary)

    The scene may be anything that scree.Scene takes. Keywords: replace, check_overlap; others are
    parameters of the scene where it is not a Scene yet."""

    def __init__(self, scene: Scene | str | os.PathLike[str] | Mapping[str, Any], out: str | os.PathLike[str] | None = None, *, replace: bool = False,
                 check_overlap: bool = True, sets: Sets = (), context: Context | None = None,
                 **parameters: Any):
        if not isinstance(scene, Scene):
            scene = Scene(scene, sets, context, **parameters)
        elif sets or parameters or context:
            raise TypeError("changes are for Scene(…), this one is loaded")
        self.scene, self._context = scene, scene._context
        keep: list[Any] = []
        members: dict[str, Any] = {"replace": replace, "check_overlap": check_overlap}
        if out is not None:
            members["out"] = os.fspath(out)
        def_ = definition("scree_sim_def", members, keep)
        faults: list[str] = []
        def_.report = report = ffi.callback("scree_report_function", lambda _, message: faults.append(text(message)))
        pointer = ffi.new("scree_sim **")
        with self._context._lock:
            status = lib.scree_sim_create(scene._alive().pointer, def_, pointer)
            if status:
                error = self._context._fail(status)
                if isinstance(error, InputError):
                    error.faults = faults or error.faults
                raise error
        del report
        self._begin(pointer[0], scene._alive())

    def _begin(self, pointer: Any, parent: Any) -> None:
        self._own(pointer, lib.scree_sim_destroy, parent)
        handle = self._alive()
        self.world = World._borrow(self._context, lib.scree_sim_world(pointer), handle)
        self.stepper = Stepper._borrow(self.world, lib.scree_sim_stepper(pointer), handle)
        self._probes: dict[str, tuple[int, int]] | None = None

    @classmethod
    @documented("scree_sim_resume")
    def resume(cls, path: str | os.PathLike[str], duration: float = 0.0, context: Context | None = None) -> "Sim":
        sim = cls.__new__(cls)
        sim._context = context or Context()
        pointer = ffi.new("scree_sim **")
        with sim._context._lock:
            sim._context._check(lib.scree_sim_resume(sim._context._alive().pointer, os.fspath(path).encode(), duration,
                                                     pointer))
        sim._begin(pointer[0], sim._context._alive())
        sim.scene = Scene._borrow(sim._context, lib.scree_sim_scene(pointer[0]), sim._alive())
        return sim

    def close(self) -> None:
        """Ends the run without a checkpoint: call finish first where it records."""
        world, stepper = getattr(self, "world", None), getattr(self, "stepper", None)
        if stepper is not None:
            stepper.close()
        if world is not None:
            world.close()
        super().close()

    @property
    def context(self) -> Context:
        return self._context

    @property
    def remark(self) -> str:
        return text(lib.scree_sim_remark(self._alive().pointer))

    @property
    def time(self) -> float:
        return self.world.time

    @property
    def done(self) -> bool:
        return bool(lib.scree_sim_done(self._pointer or self._alive().pointer))

    @documented("scree_sim_step")
    def step(self) -> Record:
        """One step; Python's global lock is released meanwhile."""
        info = ffi.new("scree_step_info *")
        pointer = self._pointer or self._alive().pointer
        with self._lock:
            status = lib.scree_sim_step(pointer, info)
            if self.world._raised is not None:
                self.world._raise()
            if status:
                raise self._context._fail(status)
        return Record(info)

    def __iter__(self) -> Iterator[Record]:
        """Steps until the run is done."""
        while not self.done:
            yield self.step()

    def run(self, until: float | None = None) -> Record:
        """Steps to the end, or to a time; then the summary."""
        h = self.scene.settings.step
        while not self.done and (until is None or self.world.time < until - 0.5 * h):
            if not self.step().advanced:
                break
        return self.summary

    @documented("scree_sim_checkpoint")
    def checkpoint(self, path: str | os.PathLike[str] | None = None) -> None:
        with self._lock:
            self._context._check(lib.scree_sim_checkpoint(self._alive().pointer,
                                                          ffi.NULL if path is None else os.fspath(path).encode()))

    @documented("scree_sim_finish")
    def finish(self) -> Record:
        with self._lock:
            self._context._check(lib.scree_sim_finish(self._alive().pointer))
        return self.summary

    @property
    @documented("scree_sim_summary")
    def summary(self) -> Record:
        summary = ffi.new("scree_sim_summary *")
        with self._lock:
            lib.scree_sim_get_summary(self._alive().pointer, summary)
        return Record(summary, self)

    @property
    def state_hash(self) -> str:
        """As `scree run --json` prints it."""
        return f"{self.world.hash:016x}"

    @documented("scree_scene_find_body")
    def body(self, name: str) -> Body:
        with self._lock:
            value = lib.scree_scene_find_body(self.scene._alive().pointer, name.encode())
        if not value.generation:
            raise KeyError(f"there is no body {name!r}")
        return Body(self.world, value)

    @documented("scree_picture_def")
    def render(self, size: tuple[int, int] = (640, 360), samples: int = 4, shadows: bool = True, background: str = "studio",
               **members: Any) -> np.ndarray:
        """The run as it is now, as an array (height, width, 3) of bytes. Keywords are the members of
        scree_picture_def (azimuth and elevation in degrees) and range=(least, most)."""
        from .picture import draw
        return draw(self._context, lambda def_, out: lib.scree_picture_create_world(
            self.world._alive().pointer, self.stepper._alive().pointer, self.scene._alive().pointer, def_, out), 0, size, samples,
            shadows, background, members)

    # ---- probes

    def _probe_table(self) -> dict[str, tuple[int, int]]:
        if self._probes is None:
            found, def_ = {}, ffi.new("scree_probe_def *")
            pointer = self.scene._alive().pointer
            for i in range(lib.scree_scene_probe_count(pointer)):
                self._context._check(lib.scree_scene_get_probe(pointer, i, def_))
                found[text(def_.name)] = (i, def_.kind)
            self._probes = found
        return self._probes

    @property
    def probes(self) -> list[str]:
        return list(self._probe_table())

    @documented("scree_sim_get_probe")
    def probe(self, name: str) -> dict[str, float]:
        """What a probe of the scene measures now, by column ("x [m]"); {} where there is nothing."""
        table = self._probe_table()
        if name not in table:
            raise KeyError(f"there is no probe {name!r}; {', '.join(table) or 'the scene has none'}")
        i, kind = table[name]
        values, count = np.empty(32), ffi.new("size_t *")
        with self._lock:
            self._context._check(lib.scree_sim_get_probe(self._alive().pointer, i, 32, doubles(values), count))
        return {text(lib.scree_probe_column_name(kind, k)): float(values[k]) for k in range(count[0])}

    # ---- state

    @documented("scree_sim_save")
    def save(self) -> bytes:
        with self._lock:
            size = lib.scree_sim_save_size(self._alive().pointer)
            blob = bytearray(size)
            self._context._check(lib.scree_sim_save(self._alive().pointer, ffi.from_buffer(blob), size))
        return bytes(blob)

    @documented("scree_sim_restore")
    def restore(self, blob: bytes) -> None:
        with self._lock:
            self.world._changes += 1
            self._context._check(lib.scree_sim_restore(self._alive().pointer, ffi.from_buffer(blob), len(blob)))


def run(scene: Any, out: str | os.PathLike[str] | None = None, **members: Any) -> Record:
    """Runs a scene to its end and returns the summary; the arguments of Sim."""
    sim = Sim(scene, out, **members)
    sim.run()
    return sim.finish() if out is not None else sim.summary


@documented("scree_scene_list")
def list_scenes() -> dict[str, str]:
    """The gallery: name and title."""
    folder = _gallery()
    if folder and not os.environ.get("SCREE_SCENES"):
        names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".yaml"))
        return {name: Scene(os.path.join(folder, f"{name}.yaml")).settings.title for name in names}
    context = Context()
    found: dict[str, str] = {}
    visit = ffi.callback("scree_scene_visit", lambda _, name, title: found.__setitem__(text(name), text(title)))
    context._check(lib.scree_scene_list(context._alive().pointer, visit, ffi.NULL))
    return found
