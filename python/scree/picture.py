"""Pictures as arrays."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Context, definition, enum_value, ffi, lib


def draw(context: Context, make: Any, frame: int, size: tuple[int, int], samples: int, shadows: bool, background: str,
         members: dict[str, Any]) -> np.ndarray:
    """Pixels (height, width, 3); `make(def, out)` creates the picture."""
    keep: list[Any] = []
    for name in ("azimuth", "elevation", "field", "turn"):  # degrees, as of the command
        if name in members:
            members[name] = np.deg2rad(members[name])
    if "range" in members:
        members["least"], members["most"] = members.pop("range")
        members["ranged"] = True
    def_ = definition("scree_picture_def", members, keep)
    out, image = ffi.new("scree_picture **"), ffi.new("scree_image *")
    with context._lock:
        context._check(make(def_, out))
        try:
            context._check(lib.scree_image_create(context._alive().pointer, size[0], size[1], image))
            context._check(lib.scree_picture_draw_frame(out[0], frame, samples, shadows,
                                                        enum_value(ffi.typeof("scree_background"), background), image))
            pixels = np.frombuffer(ffi.buffer(image.pixels, 3 * size[0] * size[1]), np.uint8)
            return pixels.reshape(size[1], size[0], 3).copy()
        finally:
            lib.scree_image_clear(image)
            lib.scree_picture_destroy(out[0])
