"""Recordings as arrays, and their exports."""
from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

from ._core import Context, Owner, Record, definition, documented, doubles, ffi, lib, text
from .scene import Scene
from .world import Body, World

STEP_COLUMNS = [text(lib.scree_step_column_name(i)) for i in range(lib.SCREE_STEP_COLUMNS)]


@dataclass
class Frame:
    """One moment of a recording; all arrays are the frame's own."""

    time: float
    step: int
    ids: np.ndarray  #: place, generation, shape of each body
    positions: np.ndarray  #: m, of the shapes' frames
    rotations: np.ndarray  #: w x y z
    velocities: np.ndarray  #: m/s
    angulars: np.ndarray  #: rad/s
    contact_bodies: np.ndarray  #: places of a and b
    contact_positions: np.ndarray  #: m
    contact_normals: np.ndarray  #: from a to b
    contact_forces: np.ndarray  #: N, on b
    contact_gaps: np.ndarray  #: m

    def row(self, body: Body | Any) -> int:
        """The row of a body; KeyError when it is not in the frame."""
        value: Any = getattr(body, "id", body)
        found = np.nonzero((self.ids[:, 0] == value.index) & (self.ids[:, 1] == value.generation))[0]
        if not len(found):
            raise KeyError("the body is not in this frame")
        return int(found[0])


@documented("scree_recording_open")
class Recording(Owner):
    """What a run kept.

        recording = scree.Recording("run.h5")
        recording.times; recording[-1].positions; recording.steps["residual"]
        recording.positions("ball")       # of one body in all frames"""

    def __init__(self, path: str | os.PathLike[str], context: Context | None = None):
        self._context, self.path = context or Context(), os.fspath(path)
        out = ffi.new("scree_recording **")
        with self._context._lock:
            self._context._check(lib.scree_recording_open(self._context._alive().pointer, self.path.encode(), out))
        self._own(out[0], lib.scree_recording_close, self._context._alive())
        self._scene: Scene | None = None
        self._world: World | None = None

    def __len__(self) -> int:
        return lib.scree_recording_frame_count(self._alive().pointer)

    @property
    def remark(self) -> str:
        return text(lib.scree_recording_remark(self._alive().pointer))

    @property
    def is_live(self) -> bool:
        return bool(lib.scree_recording_is_live(self._alive().pointer))

    @property
    def times(self) -> np.ndarray:
        """Of the frames, s."""
        times = np.empty(len(self))
        with self._lock:
            self._context._check(lib.scree_recording_get_times(self._alive().pointer, 0, len(times), doubles(times)))
        return times

    @property
    def steps(self) -> dict[str, np.ndarray]:
        """The log of steps: a column by its name (time, contacts, residual, …)."""
        count = lib.scree_recording_step_count(self._alive().pointer)
        rows = np.empty((count, len(STEP_COLUMNS)))
        with self._lock:
            self._context._check(lib.scree_recording_get_steps(self._alive().pointer, 0, count, doubles(rows)))
        return {name: rows[:, i] for i, name in enumerate(STEP_COLUMNS)}

    def frame(self, i: int) -> Frame:
        """Frame i; from the end when below 0."""
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"the recording has {n} frames")
        f = ffi.new("scree_frame *")
        with self._lock:
            self._context._check(lib.scree_recording_get_frame(self._alive().pointer, i % n, f))

            def take(pointer: Any, rows: int, width: int, kind: Any) -> np.ndarray:
                size = rows * width * np.dtype(kind).itemsize
                return np.frombuffer(ffi.buffer(pointer, size) if size else b"", kind).reshape(rows, width).copy()

            bodies, contacts = f.body_count, f.contact_count
            poses, twists = take(f.poses, bodies, 7, float), take(f.velocities, bodies, 6, np.float32)
            values = take(f.contacts, contacts, 10, np.float32)
            return Frame(f.time, f.step, take(f.ids, bodies, 3, np.uint32), poses[:, :3], poses[:, 3:], twists[:, :3],
                         twists[:, 3:], take(f.contact_bodies, contacts, 2, np.uint32), values[:, :3], values[:, 3:6],
                         values[:, 6:9], values[:, 9])

    def __getitem__(self, i: int) -> Frame:
        return self.frame(i)

    def __iter__(self) -> Iterator[Frame]:
        for i in range(len(self)):
            yield self.frame(i)

    def _built(self) -> None:
        if self._scene is None:
            scene, world = ffi.new("scree_scene **"), ffi.new("scree_world **")
            with self._lock:
                self._context._check(lib.scree_recording_get_scene(self._alive().pointer, scene, world))
            self._scene = Scene._borrow(self._context, scene[0], self._alive())
            self._world = World._borrow(self._context, world[0], self._alive())

    @property
    @documented("scree_recording_get_scene")
    def scene(self) -> Scene:
        self._built()
        assert self._scene is not None
        return self._scene

    @property
    def world(self) -> World:
        """The world as it was built, at the start of the run."""
        self._built()
        assert self._world is not None
        return self._world

    @documented("scree_scene_find_body")
    def body(self, name: str) -> Body:
        value = lib.scree_scene_find_body(self.scene._alive().pointer, name.encode())
        if not value.generation:
            raise KeyError(f"there is no body {name!r}")
        return Body(self.world, value)

    @documented("scree_recording_get_body")
    def get_body(self, body: Any) -> Record:
        found = ffi.new("scree_recorded_body *")
        with self._lock:
            self._context._check(lib.scree_recording_get_body(self._alive().pointer, getattr(body, "id", body), found))
        return Record(found)

    def positions(self, name: str | Body) -> np.ndarray:
        """Of one body in all frames, m; NaN where it is not there."""
        body = self.body(name) if isinstance(name, str) else name
        found = np.full((len(self), 3), np.nan)
        for i, frame in enumerate(self):
            try:
                found[i] = frame.positions[frame.row(body)]
            except KeyError:
                pass
        return found

    def probe(self, name: str) -> dict[str, np.ndarray]:
        """The table of a probe, by column; it lies beside the recording. It is compared with its checksum."""
        stem = self.path[:-3] if self.path.endswith(".h5") else self.path
        path = f"{stem}_{name}.csv"
        with self._lock:
            self._context._check(lib.scree_recording_verify_probe(self._alive().pointer, name.encode(), path.encode()))
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        width = len(rows[0])
        numbers = np.array([[float(x) for x in row] + [np.nan] * (width - len(row)) for row in rows[1:]]).reshape(-1, width)
        return {column: numbers[:, i] for i, column in enumerate(rows[0])}

    @documented("scree_picture_def")
    def render(self, frame: int = -1, size: tuple[int, int] = (640, 360), samples: int = 4, shadows: bool = True,
               background: str = "studio", **members: Any) -> np.ndarray:
        """A frame as an array (height, width, 3) of bytes: the picture that `scree render` makes. Keywords are
        the members of scree_picture_def (azimuth and elevation in degrees) and range=(least, most)."""
        from .picture import draw
        n = len(self)
        if not -n <= frame < n:
            raise IndexError(f"the recording has {n} frames")
        self._built()
        return draw(self._context, lambda def_, out: lib.scree_picture_create(self._alive().pointer, self.path.encode(), def_, out),
                    frame % n, size, samples, shadows, background, members)

    @documented("scree_export")
    def export(self, out: str | os.PathLike[str], **members: Any) -> Record:
        """Keywords are the members of scree_export_def: format ("vtkhdf", "csv"), parts, from_, to, every."""
        if "from_" in members:
            members["from"] = members.pop("from_")
        keep: list[Any] = []
        info = ffi.new("scree_export_info *")
        def_ = definition("scree_export_def", {"out": os.fspath(out), **members}, keep)
        with self._lock:
            self._context._check(lib.scree_export(self._alive().pointer, def_, info))
        return Record(info)

    def verify(self) -> Record:
        """Looks through the file: InputError with all faults when there are any."""
        faults: list[str] = []
        report = ffi.callback("scree_report_function", lambda _, message: faults.append(text(message)))
        found = ffi.new("scree_recording_faults *")
        with self._lock:
            status = lib.scree_recording_verify(self._context._alive().pointer, self.path.encode(), report, ffi.NULL, found)
            if status:
                error = self._context._fail(status)
                if hasattr(error, "faults"):
                    error.faults = faults or error.faults  # type: ignore[attr-defined]
                raise error
        return Record(found)
