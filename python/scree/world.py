"""Worlds by hand: bodies, joints, materials, forces, and the stepper that moves them."""
from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from ._core import (Context, Error, Handle, Owner, Record, definition, documented, doubles, enum_value, ffi, fill, lib, text,
                    vector3)
from .shape import Shapes

CONTACT = np.dtype([("body_a", "<u4"), ("body_b", "<u4"), ("feature", "<u4"), ("unused", "<u4"), ("position", "<f8", 3),
                    ("normal", "<f8", 3), ("gap", "<f8"), ("impulse", "<f8", 3), ("moment", "<f8", 3)])
assert CONTACT.itemsize == ffi.sizeof("scree_contact"), "scree_contact has changed"
assert all((CONTACT.fields or {})[name][1] == field.offset for name, field in ffi.typeof("scree_contact").fields)


def _struct_dtype(name: str) -> np.dtype:
    """A struct of numbers and arrays of numbers as numpy has it."""
    of = {"double": "<f8", "uint32_t": "<u4"}
    kinds = [(field.type.item.cname, field.type.length) if field.type.kind == "array" else (field.type.cname, None)
             for _, field in ffi.typeof(name).fields]
    return np.dtype({"names": [key for key, _ in ffi.typeof(name).fields],
                     "formats": [of[base] if length is None else (of[base], (length,)) for base, length in kinds],
                     "offsets": [field.offset for _, field in ffi.typeof(name).fields], "itemsize": ffi.sizeof(name)})


LAW_CONTACT = _struct_dtype("scree_law_contact")


class Id:
    """A material or a motion of a world."""

    __slots__ = ("id", "world")

    def __init__(self, world: "World", value: Any):
        self.id, self.world = value, world


class _Source:
    """Base of arrays in the world's own memory: keeps the world alive, says what lies where."""

    def __init__(self, handle: Handle, pointer: Any, shape: tuple[int, ...], kind: str):
        self._held = handle
        handle.users += 1
        self.__array_interface__ = {"shape": shape, "typestr": kind, "version": 3,
                                    "data": (int(ffi.cast("uintptr_t", pointer)), True)}

    def __del__(self) -> None:
        self._held.release()


class View:
    """The world's own arrays without a copy, read-only: see scree_world_get_view. They change with
    every step. After bodies are added their limit stays; when the world's memory has to move, these
    arrays read NaN (and `alive` 0): take a new view."""

    positions: np.ndarray
    rotations: np.ndarray
    velocities: np.ndarray
    angulars: np.ndarray
    masses: np.ndarray
    generations: np.ndarray
    alive: np.ndarray

    def __init__(self, world: "World"):
        view = ffi.new("scree_world_view *")
        handle = world._alive()
        with world._lock:
            world._context._check(lib.scree_world_get_view(handle.pointer, view))
            self._world, self._revision = world, lib.scree_world_revision(handle.pointer)
        n = view.limit
        for name, shape, kind in (("positions", (n, 3), "<f8"), ("rotations", (n, 4), "<f8"), ("velocities", (n, 3), "<f8"),
                                  ("angulars", (n, 3), "<f8"), ("masses", (n,), "<f8"), ("generations", (n,), "<u4"),
                                  ("alive", (n,), "|u1")):
            setattr(self, name, np.asarray(_Source(handle, getattr(view, name), shape, kind)) if n else np.zeros(shape, kind))

    @property
    def fresh(self) -> bool:
        """Were bodies or joints neither added nor removed since?"""
        return not self._world.closed and lib.scree_world_revision(self._world._pointer) == self._revision


class Body:
    """A body of a world, by its id."""

    __slots__ = ("world", "id")

    def __init__(self, world: "World", value: Any):
        self.world, self.id = world, value

    @property
    def index(self) -> int:
        """Its row in the arrays of the world."""
        return self.id.index

    @property
    @documented("scree_body_is_valid")
    def is_valid(self) -> bool:
        return bool(lib.scree_body_is_valid(self.world._alive().pointer, self.id))

    @documented("scree_body_get_state")
    def get_state(self) -> Record:
        state = ffi.new("scree_body_state *")
        self.world._call(lib.scree_body_get_state, self.id, state)
        return Record(state)

    @documented("scree_body_set_state")
    def set_state(self, **members: ArrayLike) -> None:
        """Members that are not given stay as they are: position, rotation, velocity, angular."""
        from ._core import fill
        state = ffi.new("scree_body_state *")
        self.world._call(lib.scree_body_get_state, self.id, state)
        fill(state, members, [])
        self.world._call(lib.scree_body_set_state, self.id, state)

    @documented("scree_body_get_info")
    def get_info(self) -> Record:
        info = ffi.new("scree_body_info *")
        self.world._call(lib.scree_body_get_info, self.id, info)
        return Record(info)

    @property
    def position(self) -> np.ndarray:
        return self.get_state().position

    @property
    def rotation(self) -> np.ndarray:
        return self.get_state().rotation

    @property
    def velocity(self) -> np.ndarray:
        return self.get_state().velocity

    @property
    def angular(self) -> np.ndarray:
        return self.get_state().angular

    @documented("scree_body_set_force")
    def set_force(self, force: ArrayLike, torque: ArrayLike = (0, 0, 0)) -> None:
        self.world._call(lib.scree_body_set_force, self.id, vector3(force), vector3(torque))

    @documented("scree_body_add_force")
    def add_force(self, force: ArrayLike, point: ArrayLike | None = None, torque: ArrayLike | None = None) -> None:
        self.world._call(lib.scree_body_add_force, self.id, vector3(force), ffi.NULL if point is None else vector3(point),
                         ffi.NULL if torque is None else vector3(torque))

    @documented("scree_body_set_motion")
    def set_motion(self, motion: Id) -> None:
        self.world._call(lib.scree_body_set_motion, self.id, motion.id)

    @documented("scree_world_remove_body")
    def remove(self) -> None:
        self.world._call(lib.scree_world_remove_body, self.id)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Body) and self.world is other.world and
                (self.id.index, self.id.generation) == (other.id.index, other.id.generation))

    def __hash__(self) -> int:
        return hash((self.id.index, self.id.generation))

    def __repr__(self) -> str:
        return f"<scree.Body {self.id.index}{'' if self.is_valid else ' removed'}>"


class Joint:
    """A joint of a world, by its id."""

    __slots__ = ("world", "id")

    def __init__(self, world: "World", value: Any):
        self.world, self.id = world, value

    @property
    def is_valid(self) -> bool:
        return bool(lib.scree_joint_is_valid(self.world._alive().pointer, self.id))

    @documented("scree_joint_get_state")
    def get_state(self) -> Record:
        state = ffi.new("scree_joint_state *")
        self.world._call(lib.scree_joint_get_state, self.id, state)
        return Record(state)

    @documented("scree_joint_set_motor")
    def set_motor(self, motor: str | int, value: float = 0.0, limit: float = float("inf")) -> None:
        self.world._call(lib.scree_joint_set_motor, self.id, enum_value(ffi.typeof("scree_motor_kind"), motor, "motor"),
                         value, limit)

    @documented("scree_world_remove_joint")
    def remove(self) -> None:
        self.world._call(lib.scree_world_remove_joint, self.id)


@documented("scree_world_def")
class World(Owner, Shapes):
    """Bodies, materials, joints and forces.

        world = scree.World()
        ball = world.add_body(shape=world.sphere(0.1), position=(0, 0, 1))
        stepper = world.stepper()
        for _ in range(100):
            info = stepper.step(0.005)
        print(ball.position, world.positions)

    Keywords are the members of scree_world_def."""

    def __init__(self, context: Context | None = None, **members: Any):
        self._context = context or Context()
        self._keep: list[Any] = []
        out = ffi.new("scree_world **")
        with self._context._lock:
            self._context._check(lib.scree_world_create(self._context._alive().pointer,
                                                        definition("scree_world_def", members, self._keep), out))
        self._begin(out[0], lib.scree_world_destroy, self._context._alive())

    def _begin(self, pointer: Any, destroy: Callable[[Any], None], *parents: Handle) -> None:
        self._own(pointer, destroy, *parents)
        self._arrays: dict[str, np.ndarray] = {}
        self._seen: tuple[float, int, int] | None = None
        self._changes = 0
        self._raised: BaseException | None = None
        self._callback: Any = None
        self._law_callbacks: Any = None

    @classmethod
    def _borrow(cls, context: Context, pointer: Any, owner: Handle) -> "World":
        """A world that a run or a recording owns."""
        world = cls.__new__(cls)
        world._context, world._keep = context, []
        world._begin(pointer, lambda _: None, owner)
        return world

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        handle = self._handle or self._alive()
        with self._lock:
            self._changes += 1
            status = function(handle.pointer, *arguments)
            if status:
                raise self._context._fail(status)

    @property
    def context(self) -> Context:
        return self._context

    @property
    def time(self) -> float:
        """s"""
        return lib.scree_world_time(self._alive().pointer)

    @property
    def gravity(self) -> np.ndarray:
        """m/s^2; may be set."""
        gravity = np.empty(3)
        lib.scree_world_get_gravity(self._alive().pointer, doubles(gravity))
        return gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._call(lib.scree_world_set_gravity, vector3(value, "gravity"))

    @property
    @documented("scree_world_hash")
    def hash(self) -> int:
        return lib.scree_world_hash(self._alive().pointer)

    @property
    @documented("scree_world_revision")
    def revision(self) -> int:
        return lib.scree_world_revision(self._alive().pointer)

    @documented("scree_world_get_energy")
    def get_energy(self) -> Record:
        with self._lock:
            return Record(lib.scree_world_get_energy(self._alive().pointer))

    # ---- materials and motions

    @documented("scree_world_add_material", "scree_material_def")
    def add_material(self, **members: float) -> Id:
        """Keywords are the members of scree_material_def."""
        out = ffi.new("scree_material_id *")
        self._call(lib.scree_world_add_material, definition("scree_material_def", members, self._keep), out)
        return Id(self, out[0])

    @documented("scree_world_set_material", "scree_material_def")
    def set_material(self, material: Id | None, **members: float) -> None:
        """None: the default material."""
        value = material.id if material else ffi.new("scree_material_id *")[0]
        self._call(lib.scree_world_set_material, value, definition("scree_material_def", members, self._keep))

    @documented("scree_world_set_pair", "scree_material_def")
    def set_pair(self, a: Id, b: Id, **members: float) -> None:
        self._call(lib.scree_world_set_pair, a.id, b.id, definition("scree_material_def", members, self._keep))

    @documented("scree_world_get_pair")
    def get_pair(self, a: Id, b: Id) -> Record:
        law = ffi.new("scree_material_def *")
        self._call(lib.scree_world_get_pair, a.id, b.id, law)
        return Record(law)

    @documented("scree_world_add_motion", "scree_motion_def")
    def add_motion(self, **members: Any) -> Id:
        """Keywords are the members of scree_motion_def."""
        out = ffi.new("scree_motion_id *")
        keep: list[Any] = []
        if "times" in members:
            members.setdefault("count", len(members["times"]))
            members.setdefault("kind", "table")
        self._call(lib.scree_world_add_motion, definition("scree_motion_def", members, keep), out)
        return Id(self, out[0])

    # ---- bodies and joints

    @documented("scree_body_def")
    def add_body(self, **members: Any) -> Body:
        """Keywords are the members of scree_body_def; kind may be "dynamic", "fixed" or "prescribed"."""
        out = ffi.new("scree_body_id *")
        self._call(lib.scree_world_add_body, definition("scree_body_def", members, self._keep), out)
        self._keep.clear()  # the world retains shapes
        return Body(self, out[0])

    @documented("scree_joint_def")
    def add_joint(self, **members: Any) -> Joint:
        """Keywords are the members of scree_joint_def; bodies that are left out are the world. Members of
        scree_coordinate_def are those of the first free coordinate; coordinate=[{...}, {...}] gives several."""
        out = ffi.new("scree_joint_id *")
        members = {name: value for name, value in members.items() if value is not None}
        several = list(members.pop("coordinate", [{}]))
        of_coordinate = dict(ffi.typeof("scree_coordinate_def").fields)
        of_joint = dict(ffi.typeof("scree_joint_def").fields)
        for name in list(members):  # stiffness and damping of a bushing are six numbers
            if name in of_coordinate and (name not in of_joint or np.ndim(members[name]) == 0):
                several[0] = {**several[0], name: members.pop(name)}
        made = definition("scree_joint_def", members, self._keep)
        for k, given in enumerate(several):
            fill(ffi.addressof(made.coordinate[k]), given, self._keep)
        self._call(lib.scree_world_add_joint, made, out)
        return Joint(self, out[0])

    @property
    def body_count(self) -> int:
        return lib.scree_world_body_count(self._alive().pointer)

    @property
    @documented("scree_world_body_limit")
    def body_limit(self) -> int:
        return lib.scree_world_body_limit(self._alive().pointer)

    @documented("scree_world_body_at")
    def body_at(self, index: int) -> Body | None:
        value = lib.scree_world_body_at(self._alive().pointer, index)
        return Body(self, value) if value.generation else None

    @property
    def bodies(self) -> Iterator[Body]:
        """All living bodies in the order of index."""
        for index in range(self.body_limit):
            body = self.body_at(index)
            if body:
                yield body

    @property
    def joints(self) -> Iterator[Joint]:
        """All living joints."""
        for index in range(lib.scree_world_joint_limit(self._alive().pointer)):
            value = lib.scree_world_joint_at(self._alive().pointer, index)
            if value.generation:
                yield Joint(self, value)

    # ---- questions

    @documented("scree_world_cast_ray", "scree_ray_def", "scree_ray_hit")
    def cast_ray(self, origin: ArrayLike, direction: ArrayLike, reach: float = float("inf"), categories: int = 0xffffffff,
                 left_out: Body | None = None) -> Record | None:
        """None: nothing is hit. The body is world.body_at(hit.body.index)."""
        ray = definition("scree_ray_def", {"origin": origin, "direction": direction, "reach": reach,
                                           "categories": categories}, [])
        if left_out:
            ray.left_out = left_out.id
        hit = ffi.new("scree_ray_hit *")
        self._call(lib.scree_world_cast_ray, ray, hit)
        return Record(hit) if hit.found else None

    @documented("scree_world_find_closest", "scree_closest")
    def find_closest(self, a: Body, b: Body, within: float = float("inf")) -> Record | None:
        """None: they are farther apart than `within`."""
        closest = ffi.new("scree_closest *")
        self._call(lib.scree_world_find_closest, a.id, b.id, within, closest)
        return Record(closest) if closest.found else None

    @documented("scree_world_find_contacts", "scree_contact")
    def find_contacts(self, margin: float = 0.0) -> np.ndarray:
        """An array of the members of scree_contact."""
        count = ffi.new("size_t *")
        self._call(lib.scree_world_find_contacts, margin, 0, ffi.NULL, count)
        out = np.zeros(count[0], CONTACT)
        self._call(lib.scree_world_find_contacts, margin, len(out), ffi.cast("scree_contact *", out.ctypes.data), count)
        return out

    @documented("scree_world_find_bodies")
    def find_bodies(self, low: ArrayLike, high: ArrayLike) -> list[Body]:
        count = ffi.new("size_t *")
        room = ffi.new("scree_body_id[]", self.body_limit + 1)
        self._call(lib.scree_world_find_bodies, vector3(low, "low"), vector3(high, "high"), len(room), room, count)
        return [Body(self, ffi.new("scree_body_id *", room[k])[0]) for k in range(count[0])]

    # ---- all at once

    def _refresh(self) -> dict[str, np.ndarray]:
        handle = self._alive()
        with self._lock:
            seen = (lib.scree_world_time(handle.pointer), lib.scree_world_revision(handle.pointer), self._changes)
            if seen == self._seen:
                return self._arrays
            n = lib.scree_world_body_limit(handle.pointer)
            if not self._arrays or len(self._arrays["positions"]) != n:
                self._arrays = {name: np.empty((n, width)) for name, width in
                                (("positions", 3), ("rotations", 4), ("velocities", 3), ("angulars", 3))}
            for array in self._arrays.values():
                array.flags.writeable = True
            a = self._arrays
            lib.scree_world_get_states(handle.pointer, n, doubles(a["positions"]), doubles(a["rotations"]),
                                       doubles(a["velocities"]), doubles(a["angulars"]))
            for array in a.values():
                array.flags.writeable = False
            self._seen = seen
            return a

    @property
    def positions(self) -> np.ndarray:
        """Of the shapes' frames, m: a row per place, NaN where a body was removed. The array is
        Python's own and read-only. It is filled again (the same array, while the number of places
        stays) when it is asked for after a step: keep a copy to compare with. `view` copies nothing."""
        return self._refresh()["positions"]

    @property
    def rotations(self) -> np.ndarray:
        """Quaternions w x y z; as `positions`."""
        return self._refresh()["rotations"]

    @property
    def velocities(self) -> np.ndarray:
        """Of the centres of mass, m/s; as `positions`."""
        return self._refresh()["velocities"]

    @property
    def angulars(self) -> np.ndarray:
        """Angular velocities in the world's frame, rad/s; as `positions`."""
        return self._refresh()["angulars"]

    @documented("scree_world_get_view")
    def view(self) -> View:
        return View(self)

    # ---- forces

    @documented("scree_force_function")
    def set_force_function(self, function: Callable[["World", float, float], None] | None) -> None:
        """`function(world, time, h)` is called at the start of each step, to call body.add_force. What
        it raises is raised again by the step."""
        if function is None:
            lib.scree_world_set_force_function(self._alive().pointer, ffi.NULL, ffi.NULL)
            self._callback = None
            return
        asked = function

        def call(_user: Any, _world: Any, time: float, h: float) -> None:
            try:
                asked(self, time, h)
            except BaseException as error:  # carried over the C code, to the caller of step
                if self._raised is None:
                    self._raised = error

        callback = ffi.callback("scree_force_function", call)
        lib.scree_world_set_force_function(self._alive().pointer, callback, ffi.NULL)
        self._callback = callback

    @documented("scree_law_function", "scree_law_contact")
    def set_law_function(self, begin: Callable[["World", float, np.ndarray], None] | None,
                         end: Callable[["World", float, np.ndarray], None] | None = None) -> None:
        """A contact law of one's own, for pairs of materials with law="user". `begin(world, h, contacts)` is
        called in each step with a structured array of all their contacts, and fills in friction, pull, push,
        stiffness and damping; `end(world, h, contacts)` after the solve, to change `state`. The arrays are
        copies: what is kept of them stays as it was. What they raise is raised by the step, which then has
        not been."""
        def wrap(function: Callable[["World", float, np.ndarray], None] | None) -> Any:
            if function is None:
                return ffi.NULL
            asked = function

            def call(_user: Any, _world: Any, h: float, count: int, contacts: Any) -> int:
                shared = np.frombuffer(ffi.buffer(contacts, count * LAW_CONTACT.itemsize), LAW_CONTACT)
                own = shared.copy()
                asked(self, h, own)
                shared[:] = own
                return 0

            def failed(_kind: Any, error: BaseException, _trace: Any) -> int:
                if self._raised is None:  # carried over the C code, to the caller of step
                    self._raised = error
                return -7

            return ffi.callback("scree_law_function", call, error=-7, onerror=failed)

        if begin is None and end is not None:
            raise ValueError("a law function needs `begin`")
        callbacks = wrap(begin), wrap(end)
        lib.scree_world_set_law_function(self._alive().pointer, *callbacks, ffi.NULL)
        self._law_callbacks = callbacks

    def _raise(self) -> None:
        error, self._raised = self._raised, None
        if error is not None:
            raise error

    @documented("scree_picture_def")
    def render(self, size: tuple[int, int] = (640, 360), samples: int = 4, shadows: bool = True, background: str = "studio",
               stepper: "Stepper | None" = None, **members: Any) -> np.ndarray:
        """The world as it is now, as an array (height, width, 3) of bytes; as Sim.render. With its stepper
        contact forces can be drawn."""
        from .picture import draw
        return draw(self._context, lambda def_, out: lib.scree_picture_create_world(
            self._alive().pointer, stepper._alive().pointer if stepper else ffi.NULL, ffi.NULL, def_, out), 0, size, samples,
            shadows, background, members)

    def stepper(self, **members: Any) -> "Stepper":
        """A stepper of this world; keywords are the members of scree_stepper_def."""
        return Stepper(self, **members)


@documented("scree_stepper_def")
class Stepper(Owner):
    """Moves a world through time. Keywords are the members of scree_stepper_def."""

    def __init__(self, world: World, **members: Any):
        self.world, self._context = world, world._context
        keep: list[Any] = []
        out = ffi.new("scree_stepper **")
        with world._lock:
            self._context._check(lib.scree_stepper_create(world._alive().pointer,
                                                          definition("scree_stepper_def", members, keep), out))
        self._begin(out[0], lib.scree_stepper_destroy, world._alive())

    def _begin(self, pointer: Any, destroy: Callable[[Any], None], parent: Handle) -> None:
        self._own(pointer, destroy, parent)
        self._contacts = np.empty(0, CONTACT)

    @classmethod
    def _borrow(cls, world: World, pointer: Any, owner: Handle) -> "Stepper":
        stepper = cls.__new__(cls)
        stepper.world, stepper._context = world, world._context
        stepper._begin(pointer, lambda _: None, owner)
        return stepper

    @documented("scree_stepper_step")
    def step(self, h: float) -> Record:
        """Python's global lock is released meanwhile."""
        info = ffi.new("scree_step_info *")
        pointer = self._pointer or self._alive().pointer
        with self._lock:
            status = lib.scree_stepper_step(pointer, h, info)
            if self.world._raised is not None:
                self.world._raise()
            if status:
                raise self._context._fail(status)
        return Record(info)

    @property
    def step_count(self) -> int:
        return lib.scree_stepper_step_count(self._alive().pointer)

    @property
    def solver_name(self) -> str:
        return text(lib.scree_stepper_solver_name(self._alive().pointer))

    @documented("scree_stepper_set_solver")
    def set_solver(self, key: str, value: Any) -> None:
        with self._lock:
            self._context._check(lib.scree_stepper_set_solver(self._alive().pointer, key.encode(), str(value).encode()))

    @property
    @documented("scree_stepper_get_contacts")
    def contacts(self) -> np.ndarray:
        """Contacts of the last step as a structured array (body_a, body_b, feature, position, normal, gap,
        impulse, moment). A new array with each call; it stays as it is."""
        pointer = self._alive().pointer
        with self._lock:
            count = lib.scree_stepper_get_contacts(pointer, 0, ffi.NULL)
            found = np.zeros(count, CONTACT)
            lib.scree_stepper_get_contacts(pointer, count, ffi.cast("scree_contact *", found.ctypes.data))
        return found

    @documented("scree_stepper_get_contact_force")
    def get_contact_force(self, body: Body) -> tuple[np.ndarray, np.ndarray]:
        force, torque = np.empty(3), np.empty(3)
        with self._lock:
            self._context._check(lib.scree_stepper_get_contact_force(self._alive().pointer, body.id, doubles(force),
                                                                     doubles(torque)))
        return force, torque

    @documented("scree_stepper_problem")
    def problem(self) -> Any:
        """A scree.Problem that must not be used after the next step; `problem.save` keeps it."""
        from .problem import Problem
        pointer = lib.scree_stepper_problem(self._alive().pointer)
        if not pointer:
            raise Error("there was no solve yet")
        return Problem._borrow(self._context, ffi.cast("scree_ccp *", pointer), self._alive())

    @property
    def impulses(self) -> np.ndarray:
        """The impulses of the last solve (a copy)."""
        pointer = self._alive().pointer
        with self._lock:
            problem = lib.scree_stepper_problem(pointer)
            n = lib.scree_ccp_row_count(problem) if problem else 0
            g = lib.scree_stepper_impulses(pointer)
            return np.frombuffer(ffi.buffer(g, 8 * n), float).copy() if n else np.empty(0)

    @documented("scree_stepper_save")
    def save(self) -> bytes:
        pointer = self._alive().pointer
        with self._lock:
            size = lib.scree_stepper_save_size(pointer)
            blob = bytearray(size)
            self._context._check(lib.scree_stepper_save(pointer, ffi.from_buffer(blob), size))
        return bytes(blob)

    @documented("scree_stepper_restore")
    def restore(self, blob: bytes) -> None:
        with self._lock:
            self.world._changes += 1
            self._context._check(lib.scree_stepper_restore(self._alive().pointer, ffi.from_buffer(blob), len(blob)))
