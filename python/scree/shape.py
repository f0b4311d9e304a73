"""Shapes: what bodies are made of."""
from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, Owner, Record, documented, doubles, ffi, lib, text, vector3


class Shape(Owner):
    """A shape of the library. Made by the functions of this module, or by `world.sphere` and the like;
    a shape belongs to its context, so a world takes only shapes of its own context."""

    def __init__(self, context: Context, pointer: Any):
        self._context = context
        self._own(pointer, lib.scree_shape_destroy, context._alive())

    @property
    def kind(self) -> str:
        return text(lib.scree_shape_kind_name(lib.scree_shape_get_kind(self._alive().pointer)))

    @documented("scree_shape_get_mass")
    def get_mass(self, density: float) -> Record:
        mass = ffi.new("scree_mass *")
        with self._lock:
            self._context._check(lib.scree_shape_get_mass(self._alive().pointer, density, mass))
        return Record(mass)

    @documented("scree_shape_get_bounds")
    def get_bounds(self, position: ArrayLike = (0, 0, 0), rotation: ArrayLike = (1, 0, 0, 0)) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = np.empty(3), np.empty(3)
        lib.scree_shape_get_bounds(self._alive().pointer, vector3(position),
                                   ffi.new("double[4]", np.asarray(rotation, float).tolist()), doubles(lower), doubles(upper))
        return lower, upper

    def __repr__(self) -> str:
        return f"<scree.Shape {'closed' if self.closed else self.kind}>"


def _make(context: Context, name: str, *arguments: Any) -> Shape:
    out = ffi.new("scree_shape **")
    with context._lock:
        context._check(getattr(lib, f"scree_shape_create_{name}")(context._alive().pointer, *arguments, out))
    return Shape(context, out[0])


_OPEN = {"none": 0, "bottom": 1, "top": 2, "both": 3}


class Shapes:
    """Makers of shapes, for whoever has a context."""

    _context: Context

    @documented("scree_shape_create_sphere")
    def sphere(self, radius: float) -> Shape:
        return _make(self._context, "sphere", radius)

    @documented("scree_shape_create_ellipsoid")
    def ellipsoid(self, radii: ArrayLike) -> Shape:
        return _make(self._context, "ellipsoid", vector3(radii, "radii"))

    @documented("scree_shape_create_box")
    def box(self, half_sizes: ArrayLike) -> Shape:
        return _make(self._context, "box", vector3(half_sizes, "half_sizes"))

    @documented("scree_shape_create_capsule")
    def capsule(self, radius: float, half_length: float) -> Shape:
        return _make(self._context, "capsule", radius, half_length)

    @documented("scree_shape_create_cylinder")
    def cylinder(self, radius: float, half_length: float) -> Shape:
        return _make(self._context, "cylinder", radius, half_length)

    @documented("scree_shape_create_cone")
    def cone(self, radius: float, height: float) -> Shape:
        return _make(self._context, "cone", radius, height)

    @documented("scree_shape_create_half_space")
    def half_space(self) -> Shape:
        return _make(self._context, "half_space")

    @documented("scree_shape_create_hull")
    def hull(self, points: ArrayLike) -> Shape:
        numbers = np.ascontiguousarray(points, dtype=float).reshape(-1, 3)
        return _make(self._context, "hull", len(numbers), doubles(numbers))

    @documented("scree_shape_create_mesh")
    def mesh(self, vertices: ArrayLike, triangles: ArrayLike) -> Shape:
        numbers = np.ascontiguousarray(vertices, dtype=float).reshape(-1, 3)
        corners = np.ascontiguousarray(triangles, dtype=np.uint32).reshape(-1, 3)
        return _make(self._context, "mesh", len(numbers), doubles(numbers), len(corners),
                     ffi.cast("uint32_t *", corners.ctypes.data))

    @documented("scree_shape_create_height_field")
    def height_field(self, heights: ArrayLike, spacing: ArrayLike, thickness: float = 0.0) -> Shape:
        numbers = np.ascontiguousarray(heights, dtype=float)
        if numbers.ndim != 2:
            raise ValueError("heights: a matrix is expected, rows along y")
        return _make(self._context, "height_field", numbers.shape[1], numbers.shape[0], doubles(numbers),
                     ffi.new("double[2]", np.broadcast_to(np.asarray(spacing, float), 2).tolist()), thickness)

    @documented("scree_shape_create_box_container")
    def box_container(self, half_sizes: ArrayLike, open_ends: str = "none") -> Shape:
        return _make(self._context, "box_container", vector3(half_sizes, "half_sizes"), _OPEN[open_ends])

    @documented("scree_shape_create_cylinder_container")
    def cylinder_container(self, radius: float, half_length: float, open_ends: str = "none") -> Shape:
        return _make(self._context, "cylinder_container", radius, half_length, _OPEN[open_ends])

    @documented("scree_shape_create_cone_container")
    def cone_container(self, bottom_radius: float, top_radius: float, half_length: float, open_ends: str = "none") -> Shape:
        return _make(self._context, "cone_container", bottom_radius, top_radius, half_length, _OPEN[open_ends])

    @documented("scree_shape_create_compound")
    def compound(self, parts: Iterable[tuple[Shape, ArrayLike, ArrayLike]]) -> Shape:
        """Parts: (shape, position, rotation)."""
        listed = list(parts)
        array = ffi.new("scree_shape_part[]", len(listed))
        for entry, (shape, position, rotation) in zip(array, listed):
            entry.shape = shape._alive().pointer
            entry.position = np.asarray(position, float).tolist()
            entry.rotation = np.asarray(rotation, float).tolist()
        return _make(self._context, "compound", len(listed), array)
