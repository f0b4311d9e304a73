"""Finds the library and refuses one that was built with other headers than this module."""
from __future__ import annotations

import glob
import os

from ._api import HASH, SONAME
from ._cffi import ffi


def _candidates():
    """(path, whether it must be there) in the order in which they are tried."""
    given = os.environ.get("SCREE_LIBRARY")
    if given:
        yield given, True
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, SONAME), False  # a wheel, or a build tree
    folder = here
    for _ in range(4):  # PREFIX/lib/python3.x/dist-packages/scree
        folder = os.path.dirname(folder)
        for path in sorted(glob.glob(os.path.join(folder, "lib*", SONAME)) + glob.glob(os.path.join(folder, "*", SONAME))):
            if os.path.basename(os.path.dirname(path)).startswith(("lib", "x86_64", "aarch64")):
                yield path, False
        yield os.path.join(folder, SONAME), False
    yield os.path.join(os.path.dirname(os.path.dirname(here)), "build", "release", SONAME), False
    yield SONAME, True  # where the system has it


def _open():
    tried = []
    for path, last in _candidates():
        if not last and not os.path.exists(path):
            continue
        try:
            # Never unloaded: threads of Embree's and OpenMP's pools may still be in its libraries when
            # the interpreter ends.
            return path, ffi.dlopen(path, os.RTLD_NOW | getattr(os, "RTLD_NODELETE", 0))
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("libscree was not found; set SCREE_LIBRARY to its path, or install it. Tried:\n  " + "\n  ".join(tried))


path, lib = _open()


def _check() -> None:
    try:
        found = ffi.string(lib.scree_headers_hash()).decode()
    except (AttributeError, ffi.error):
        found = "none"
    if found != HASH:
        raise ImportError(
            f"{path} was built with other headers than this module (hash {found[:12]}, expected {HASH[:12]}): "
            "structures may differ, so it is not used; build and install both from the same source")


_check()
