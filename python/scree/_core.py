"""What all parts of the module share: errors, owners of C objects, structs and enumerations."""
from __future__ import annotations

import atexit
import difflib
import threading
import weakref
from typing import Any, Callable, TypeVar

import numpy as np

from ._api import CONSTANTS, DOCS, MEMBERS
from ._load import ffi, lib

# ---- errors -------------------------------------------------------------------------------------


class Error(Exception):
    """A call of the library failed; the message is the library's own."""

    status: int = -7


class ArgumentError(Error, ValueError):
    """SCREE_ERROR_ARGUMENT"""

    status = -1


class NoMemoryError(Error, MemoryError):
    """SCREE_ERROR_MEMORY"""

    status = -2


class InputError(Error, ValueError):
    """SCREE_ERROR_INPUT: a scene, a file or a number is wrong; `.faults` lists all that were found."""

    status = -3
    faults: list[str]

    def __init__(self, message: str, faults: list[str] | None = None):
        super().__init__(message)
        self.faults = faults or [message]


class FileError(Error, OSError):
    """SCREE_ERROR_IO"""

    status = -4


class UnsupportedError(Error, NotImplementedError):
    """SCREE_ERROR_UNSUPPORTED"""

    status = -5


class NumericError(Error, ArithmeticError):
    """SCREE_ERROR_NUMERIC"""

    status = -6


class InternalError(Error, RuntimeError):
    """SCREE_ERROR_INTERNAL"""


class ClosedError(Error, ValueError):
    """The object was closed."""


_KINDS: tuple[type[Error], ...] = (ArgumentError, NoMemoryError, InputError, FileError, UnsupportedError, NumericError,
                                   InternalError)
_ERRORS = {kind.status: kind for kind in _KINDS}


def error_of(status: int, message: str) -> Error:
    """The exception of a status."""
    return _ERRORS.get(status, InternalError)(message or ffi.string(lib.scree_status_text(status)).decode())


# ---- documentation ------------------------------------------------------------------------------


T = TypeVar("T")


def documented(*names: str) -> Callable[[T], T]:
    """The comments of the headers as docstring; own words, if any, come first."""

    def decorate(thing: T) -> T:
        parts = [(thing.__doc__ or "").strip()]
        for name in names:
            fields = "".join(f"\n    {field}: {text}" for field, text in MEMBERS.get(name, {}).items())
            parts += [DOCS.get(name, ""), f"{name}:{fields}" if fields else f"C: {name}"]
        thing.__doc__ = "\n\n".join(filter(None, parts))
        return thing

    return decorate


# ---- owners -------------------------------------------------------------------------------------


class Handle:
    """A C object with its users counted, so that it is destroyed before what it was made from,
    whatever order Python takes things apart in."""

    __slots__ = ("pointer", "destroy", "parents", "users", "lock")

    def __init__(self, pointer: Any, destroy: Callable[[Any], None], *parents: "Handle"):
        self.pointer, self.destroy, self.parents, self.users = pointer, destroy, parents, 1
        self.lock: Any = parents[0].lock if parents else threading.RLock()
        for parent in parents:
            parent.users += 1

    def release(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users:
                return
            self.destroy(self.pointer)
        for parent in self.parents:
            parent.release()


_owners: "weakref.WeakSet[Owner]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Before the interpreter takes the library apart, what is left is destroyed in the right order."""
    for owner in list(_owners):
        owner.close()


class Owner:
    """A Python object that stands for one of C. All calls on what belongs to one context go one
    after the other: a lock of the context sees to it. It is released, like Python's own lock, to
    nobody while the library works, but other contexts work at the same time."""

    _handle: Handle | None = None

    def _own(self, pointer: Any, destroy: Callable[[Any], None], *parents: Handle) -> None:
        self._handle = Handle(pointer, destroy, *parents)
        _owners.add(self)
        self._pointer = pointer
        self._lock = self._handle.lock

    @property
    def closed(self) -> bool:
        return self._handle is None

    def _alive(self) -> Handle:
        if self._handle is None:
            raise ClosedError(f"this {type(self).__name__} was closed")
        return self._handle

    def close(self) -> None:
        """Lets go of the C object; it is destroyed when nothing that was made from it is left."""
        handle, self._handle = self._handle, None
        self._pointer = None
        if handle is not None:
            handle.release()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter is ending
            pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@documented("scree_context_create")
class Context(Owner):
    """Memory, messages and threads; all else is made with one. Most calls take `context=None`: then
    they make one of their own. Objects of different contexts may be used by different threads."""

    def __init__(self, threads: int = 0, log: Callable[[int, str], None] | None = None):
        def_ = ffi.new("scree_context_def *", lib.scree_context_def_default())
        def_.threads = threads
        self._log = None
        if log is not None:
            self._log = ffi.callback("scree_log_function", lambda _, level, text: log(level, ffi.string(text).decode()))
            def_.log = self._log
        pointer = lib.scree_context_create(def_)
        if not pointer:
            raise NoMemoryError("no memory for a context")
        self._own(pointer, lib.scree_context_destroy)

    @property
    def threads(self) -> int:
        return lib.scree_context_threads(self._alive().pointer)

    @threads.setter
    def threads(self, count: int) -> None:
        lib.scree_context_set_threads(self._alive().pointer, count)

    @property
    def bytes(self) -> int:
        return lib.scree_context_bytes(self._alive().pointer)

    @property
    def peak_bytes(self) -> int:
        return lib.scree_context_peak_bytes(self._alive().pointer)

    @property
    def allocations(self) -> int:
        return lib.scree_context_allocations(self._alive().pointer)

    def _fail(self, status: int) -> Error:
        pointer = self._handle.pointer if self._handle else ffi.NULL
        return error_of(status, ffi.string(lib.scree_context_message(pointer)).decode(errors="replace") if pointer else "")

    def _check(self, status: int) -> None:
        if status:
            raise self._fail(status)


# ---- structs ------------------------------------------------------------------------------------


def constants() -> dict[str, int]:
    """All numbers with names of the headers, without SCREE_."""
    found = {name: value for name, value in CONSTANTS.items()}
    for name in ffi.list_types()[0]:
        kind = ffi.typeof(name)
        if kind.kind == "enum":
            found.update(kind.relements)
    for name in dir(lib):
        if name.startswith("SCREE_") and name not in found:
            value = getattr(lib, name)
            if isinstance(value, int):
                found[name] = value
    return {name[6:]: value for name, value in found.items() if name.startswith("SCREE_")}


def enum_value(kind: Any, value: Any, what: str = "") -> int:
    """A number, or the end of an enumerator's name in small letters."""
    if not isinstance(value, str):
        return int(value)
    names = sorted(kind.relements, key=kind.relements.get)
    start = names[0]
    for name in names:
        while not name.startswith(start):
            start = start[:start.rstrip("_").rfind("_") + 1]
    known = {name[len(start):].lower(): kind.relements[name] for name in names}
    if value.lower() in known:
        return known[value.lower()]
    raise ValueError(f"{value!r} is unknown; {', '.join(k for k in known if not k.endswith('count'))}")


def enum_text(kind_name: str, value: int) -> str:
    """The end of an enumerator's name in small letters."""
    kind = ffi.typeof(kind_name)
    start = None
    for name in kind.relements:
        start = name if start is None else start
        while not name.startswith(start):
            start = start[:start.rstrip("_").rfind("_") + 1]
    return kind.elements[value][len(start or ""):].lower()


_BASE = {"double": np.float64, "float": np.float32, "uint32_t": np.uint32, "uint64_t": np.uint64, "uint8_t": np.uint8,
         "int": np.int32, "unsigned int": np.uint32, "size_t": np.uint64, "long": np.int64, "unsigned long": np.uint64}


def to_python(value: Any, kind: Any) -> Any:
    """A member of a struct as Python has it; arrays are copied."""
    if kind.kind == "primitive" or kind.kind == "enum":
        return value
    if kind.kind == "pointer":
        if kind.item.cname == "char":
            return ffi.string(value).decode(errors="replace") if value else None
        return value
    if kind.kind == "array":
        if kind.item.cname == "char":
            return ffi.string(value).decode(errors="replace")
        if kind.item.kind == "struct":
            return [Record(entry) for entry in value]
        return np.array([list(row) for row in value] if kind.item.kind == "array" else list(value))
    if kind.kind == "struct":
        return Record(value)
    return value


class Record:
    """A struct of C to look at: members as attributes, text as str, arrays as numpy arrays."""

    __slots__ = ("_c", "_owner")

    def __init__(self, value: Any, owner: Any = None):
        self._c, self._owner = value, owner

    @property
    def _fields(self) -> dict[str, Any]:
        kind = ffi.typeof(self._c)
        return dict((kind.item if kind.kind == "pointer" else kind).fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._c, name)  # raises with the member's name
        if type(value) in (int, float, bool):
            return value
        return to_python(value, self._fields[name].type)

    def __dir__(self) -> list[str]:
        return list(self._fields)

    def to_dict(self) -> dict[str, Any]:
        """All members, nested structs as dicts too."""
        found = {name: getattr(self, name) for name in self._fields}
        return {name: value.to_dict() if isinstance(value, Record) else value for name, value in found.items()}

    def __repr__(self) -> str:
        kind = ffi.typeof(self._c)
        name = (kind.item if kind.kind == "pointer" else kind).cname
        return f"{name.replace('struct ', '')}({', '.join(f'{key}={getattr(self, key)!r}' for key in self._fields)})"


def fill(pointer: Any, given: dict[str, Any], keep: list[Any]) -> None:
    """Sets members of a struct from keywords; what must outlive the call goes to `keep`."""
    kind = ffi.typeof(pointer).item
    fields = dict(kind.fields)
    for name, value in given.items():
        if name not in fields:
            near = difflib.get_close_matches(name, fields, 1)
            raise TypeError(f"{kind.cname.replace('struct ', '')} has no member {name!r}" +
                            (f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(fields)}"))
        of = fields[name].type
        try:
            if of.kind == "enum":
                value = enum_value(of, value, name)
            elif of.kind == "array":
                value = np.asarray(value, dtype=float if of.item.cname == "double" else None).ravel().tolist()
                if len(value) != of.length:
                    raise ValueError(f"{len(value)} numbers, {of.length} are expected")
            elif of.kind == "pointer" and isinstance(value, str):
                value = ffi.new("char[]", value.encode())
                keep.append(value)
            elif of.kind == "pointer" and value is None:
                value = ffi.NULL
            elif of.kind == "pointer" and isinstance(value, Owner):
                keep.append(value)
                value = value._alive().pointer
            elif of.kind == "pointer" and of.item.cname == "double":
                value = np.ascontiguousarray(value, dtype=float)
                keep.append(value)
                value = ffi.cast("double *", value.ctypes.data)
            elif of.kind == "struct" and hasattr(value, "id"):
                value = value.id
            elif of.kind == "primitive" and of.cname in ("double", "float"):
                value = float(value)
            setattr(pointer, name, value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{kind.cname.replace('struct ', '')}.{name}: {error}") from None


def definition(kind: str, given: dict[str, Any], keep: list[Any]) -> Any:
    """A struct with its defaults, and the keywords over them."""
    pointer = ffi.new(f"{kind} *", getattr(lib, f"{kind}_default")())
    fill(pointer, given, keep)
    return pointer


def vector3(x: Any, what: str = "a vector") -> Any:
    numbers = np.asarray(x, dtype=float).ravel()
    if numbers.size != 3:
        raise ValueError(f"{what}: {numbers.size} numbers, 3 are expected")
    return ffi.new("double[3]", numbers.tolist())


def doubles(array: np.ndarray) -> Any:
    """A C pointer to a contiguous array of float64; it must be kept alive by the caller."""
    return ffi.cast("double *", array.ctypes.data)


def text(value: Any) -> str:
    return ffi.string(value).decode(errors="replace") if value else ""
