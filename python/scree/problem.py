"""Cone complementarity problems from numpy and scipy, and the solvers."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._core import (Context, Handle, Owner, Record, definition, documented, doubles, enum_text, enum_value, ffi, fill, lib,
                    text)


def _csc(matrix: Any, what: str, keep: list[Any]) -> Any:
    """A scree_csc of a dense array or any scipy matrix."""
    if hasattr(matrix, "tocsc"):
        sparse = matrix.tocsc(copy=True)
        sparse.sum_duplicates()
        sparse.sort_indices()
        shape, start, index, value = sparse.shape, sparse.indptr, sparse.indices, sparse.data
    else:
        dense = np.asarray(matrix, float)
        if dense.ndim != 2:
            raise ValueError(f"{what}: a matrix is expected")
        column, index = np.nonzero(dense.T)
        shape, value = dense.shape, dense[index, column]
        start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=dense.shape[1]))])
    arrays = (np.ascontiguousarray(start, np.uint64), np.ascontiguousarray(index, np.uint32),
              np.ascontiguousarray(value, float))
    keep += arrays
    found = ffi.new("scree_csc *", {"rows": shape[0], "columns": shape[1]})
    found.start = ffi.cast("size_t *", arrays[0].ctypes.data)
    found.index = ffi.cast("uint32_t *", arrays[1].ctypes.data)
    found.value = doubles(arrays[2])
    keep.append(found)
    return found


def _vector(x: ArrayLike, length: int, what: str, keep: list[Any]) -> Any:
    array = np.ascontiguousarray(x, float)
    if array.shape != (length,):
        raise ValueError(f"{what}: {array.shape} numbers, {length} are expected")
    keep.append(array)
    return doubles(array)


class Set:
    """A set Y of impulses; made by the class methods."""

    def __init__(self, value: Any):
        self._c = value
        fault = lib.scree_set_fault(ffi.addressof(value))
        if fault:
            raise ValueError(text(fault))

    free = classmethod(lambda cls, dim=1: cls(lib.scree_set_free(dim)))
    ray = classmethod(lambda cls: cls(lib.scree_set_ray()))
    interval = classmethod(lambda cls, lo, hi: cls(lib.scree_set_interval(lo, hi)))
    coulomb = classmethod(lambda cls, mu, dim=3: cls(lib.scree_set_coulomb(dim, mu)))
    elliptic = classmethod(lambda cls, mu1, mu2: cls(lib.scree_set_elliptic(mu1, mu2)))
    rolling = classmethod(lambda cls, mu, rolling=0.0, spinning=0.0, dim=6: cls(lib.scree_set_rolling(dim, mu, rolling, spinning)))

    @property
    def dim(self) -> int:
        return self._c.dim

    @property
    def mu(self) -> float:
        return self._c.mu

    @property
    def kind(self) -> str:
        return text(lib.scree_set_name(self._c.kind))

    @documented("scree_set_project")
    def project(self, x: ArrayLike, moment_weight: float = 1.0) -> np.ndarray:
        found = np.array(x, dtype=float)
        if found.shape != (self.dim,):
            raise ValueError(f"{found.shape} numbers, {self.dim} are expected")
        lib.scree_set_project(ffi.addressof(self._c), moment_weight, doubles(found))
        return found

    @documented("scree_set_shift")
    def shift(self, u: ArrayLike) -> float:
        array = np.ascontiguousarray(u, float)
        return lib.scree_set_shift(ffi.addressof(self._c), doubles(array))

    def __repr__(self) -> str:
        return f"<scree.Set {self.kind} dim={self.dim} mu={self.mu}>"


def _sets(given: Any, rows: int, dim: int) -> list[Set]:
    """Sets as given, or coefficients of friction of contacts of one dimension."""
    if not isinstance(given, Set) and np.isscalar(given):
        given = np.full(rows // dim, float(given))  # type: ignore[arg-type]
    if isinstance(given, Set):
        given = [given] * (rows // given.dim)
    sets = [s if isinstance(s, Set) else Set.coulomb(float(s), dim) for s in given]
    total = sum(s.dim for s in sets)
    if total != rows:
        raise ValueError(f"the sets have {total} rows, the matrix has {rows}")
    return sets


@dataclass
class Solution:
    """What a solver found. `outcome` says whether it is one: "solved" or why not."""

    g: np.ndarray  #: impulses
    info: Record  #: scree_solve_info

    @property
    def outcome(self) -> str:
        return enum_text("scree_outcome", self.info.outcome)

    @property
    def solved(self) -> bool:
        return self.outcome == "solved"

    @property
    def error(self) -> float:
        """E, the exchange format's relative error."""
        return self.info.residual.error

    @property
    def residual(self) -> float:
        """R, scaled."""
        return self.info.residual.scaled


class Problem(Owner):
    """A cone complementarity problem.

        problem = scree.Problem.load("file.hdf5")             # FCLIB
        problem = scree.Problem.local(W, q, mu=0.5)           # dense or scipy.sparse
        problem = scree.Problem.global_(M, H, f, w, mu=0.5)
        solution = problem.solve("apgd", tolerance=1e-8)"""

    _context: Context
    info: dict[str, Any] | None  #: of a file

    def __init__(self) -> None:
        raise TypeError("use Problem.load, Problem.local, Problem.global_ or stepper.problem()")

    @classmethod
    def _new(cls, context: Context, pointer: Any, destroy: Any, *parents: Handle) -> "Problem":
        problem = cls.__new__(cls)
        problem._context, problem.info = context, None
        problem._own(pointer, destroy, *parents)
        return problem

    @classmethod
    def _borrow(cls, context: Context, pointer: Any, owner: Handle) -> "Problem":
        return cls._new(context, pointer, lambda _: None, owner)

    @classmethod
    @documented("scree_problem_load")
    def load(cls, path: str | os.PathLike[str], context: Context | None = None) -> "Problem":
        context = context or Context()
        out, info = ffi.new("scree_ccp **"), ffi.new("scree_problem_info *")
        with context._lock:
            context._check(lib.scree_problem_load(context._alive().pointer, os.fspath(path).encode(), out, info))
            members = Record(info).to_dict()
            lib.scree_problem_info_clear(info)
        problem = cls._new(context, out[0], lib.scree_ccp_destroy, context._alive())
        members.pop("context")
        problem.info = members
        return problem

    @classmethod
    @documented("scree_ccp_create_local")
    def local(cls, w: Any, q: ArrayLike, mu: Any, dim: int = 3, compliance: ArrayLike | None = None,
              context: Context | None = None) -> "Problem":
        """mu: a number, one per contact, or a list of scree.Set."""
        context = context or Context()
        keep: list[Any] = []
        matrix = _csc(w, "W", keep)
        sets = _sets(mu, matrix.rows, dim)
        array = ffi.new("scree_set[]", [s._c for s in sets])
        out = ffi.new("scree_ccp **")
        with context._lock:
            context._check(lib.scree_ccp_create_local(
                context._alive().pointer, len(sets), array, matrix, _vector(q, matrix.rows, "q", keep),
                ffi.NULL if compliance is None else _vector(compliance, matrix.rows, "compliance", keep), out))
        return cls._new(context, out[0], lib.scree_ccp_destroy, context._alive())

    @classmethod
    @documented("scree_ccp_create_global")
    def global_(cls, m: Any, h: Any, f: ArrayLike, w: ArrayLike, mu: Any, dim: int = 3, compliance: ArrayLike | None = None,
                context: Context | None = None) -> "Problem":
        """mu: a number, one per contact, or a list of scree.Set."""
        context = context or Context()
        keep: list[Any] = []
        mass, jacobian = _csc(m, "M", keep), _csc(h, "H", keep)
        sets = _sets(mu, jacobian.columns, dim)
        array = ffi.new("scree_set[]", [s._c for s in sets])
        out = ffi.new("scree_ccp **")
        rows = jacobian.columns
        with context._lock:
            context._check(lib.scree_ccp_create_global(
                context._alive().pointer, len(sets), array, mass, jacobian, _vector(f, mass.rows, "f", keep),
                _vector(w, rows, "w", keep), ffi.NULL if compliance is None else _vector(compliance, rows, "compliance", keep),
                out))
        return cls._new(context, out[0], lib.scree_ccp_destroy, context._alive())

    @documented("scree_problem_save")
    def save(self, path: str | os.PathLike[str], g: ArrayLike | None = None, title: str = "", description: str = "") -> None:
        keep: list[Any] = []
        def_ = definition("scree_problem_save_def", {"title": title, "description": description}, keep)
        if g is not None:
            def_.g = _vector(g, self.row_count, "g", keep)
        with self._lock:
            self._context._check(lib.scree_problem_save(self._context._alive().pointer, os.fspath(path).encode(),
                                                        self._alive().pointer, def_))

    @property
    def block_count(self) -> int:
        return lib.scree_ccp_block_count(self._alive().pointer)

    @property
    def row_count(self) -> int:
        return lib.scree_ccp_row_count(self._alive().pointer)

    @property
    @documented("scree_ccp_velocity_count")
    def velocity_count(self) -> int:
        return lib.scree_ccp_velocity_count(self._alive().pointer)

    @property
    def form(self) -> str:
        return enum_text("scree_form", lib.scree_ccp_form(self._alive().pointer))

    @property
    def sets(self) -> list[Set]:
        pointer = self._alive().pointer
        return [Set(lib.scree_ccp_block_set(pointer, i)) for i in range(self.block_count)]

    @property
    def block_rows(self) -> np.ndarray:
        """The first row of each block, and behind the last one the number of rows."""
        pointer = self._alive().pointer
        return np.array([lib.scree_ccp_block_row(pointer, i) for i in range(self.block_count)] + [self.row_count])

    @documented("scree_ccp_velocities")
    def velocities(self, g: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """(u, v) of impulses g."""
        keep: list[Any] = []
        u, v = np.empty(self.row_count), np.zeros(self.velocity_count)
        with self._lock:
            self._context._check(lib.scree_ccp_velocities(self._context._alive().pointer, self._alive().pointer,
                                                          _vector(g, self.row_count, "g", keep), doubles(u), doubles(v)))
        return u, v

    @documented("scree_ccp_get_delassus")
    def delassus(self) -> tuple[Any, np.ndarray]:
        """(N, r): N as scipy.sparse.csc_matrix where scipy is installed, else as a dense array."""
        rows = self.row_count
        start, r = np.empty(rows + 1, np.uint64), np.empty(rows)
        ends = ffi.cast("size_t *", start.ctypes.data)
        with self._lock:
            pointers = self._context._alive().pointer, self._alive().pointer
            self._context._check(lib.scree_ccp_get_delassus(*pointers, 0, ends, ffi.NULL, ffi.NULL, doubles(r)))
            count = int(start[-1])
            index, value = np.empty(count, np.uint32), np.empty(count)
            self._context._check(lib.scree_ccp_get_delassus(*pointers, count, ends, ffi.cast("uint32_t *", index.ctypes.data),
                                                            doubles(value), doubles(r)))
        try:
            from scipy.sparse import csc_matrix
        except ImportError:
            dense = np.zeros((rows, rows))
            for k in range(rows):
                dense[index[int(start[k]):int(start[k + 1])], k] = value[int(start[k]):int(start[k + 1])]
            return dense, r
        return csc_matrix((value, index.astype(np.int64), start.astype(np.int64)), shape=(rows, rows)), r

    @documented("scree_ccp_residual")
    def residual(self, g: ArrayLike, model: str = "coulomb") -> Record:
        """The two residuals of impulses g, whoever found them: .error is E, .scaled is R."""
        keep: list[Any] = []
        found = ffi.new("scree_residual *")
        with self._lock:
            self._context._check(lib.scree_ccp_residual(self._context._alive().pointer, self._alive().pointer,
                                                        enum_value(ffi.typeof("scree_model"), model, "model"),
                                                        _vector(g, self.row_count, "g", keep), found))
        return Record(found)

    @documented("scree_solve_settings")
    def solve(self, solver: str = "auto", *, tolerance: float | None = None, g: ArrayLike | None = None,
              options: dict[str, Any] | None = None, progress: Callable[[Record], bool | None] | None = None,
              **settings: Any) -> Solution:
        """tolerance: on E, as of `scree solve --tol`. g: a warm start. options: of the solver. progress(p)
        is called at each check of the residual; False ends it. Keywords are members of
        scree_solve_settings. Not converging is an outcome, not an exception."""
        keep: list[Any] = []
        if tolerance is not None:
            settings["tolerance_error"] = tolerance
        s = definition("scree_solve_settings", settings, keep)
        impulses = np.zeros(self.row_count) if g is None else np.array(g, dtype=float)
        if impulses.shape != (self.row_count,):
            raise ValueError(f"g: {impulses.shape} numbers, {self.row_count} are expected")
        s.warm_start = g is not None
        raised: list[BaseException] = []

        def call(_: Any, p: Any) -> bool:
            try:
                assert progress is not None
                copy = ffi.new("scree_progress *", p[0])
                return progress(Record(copy)) is not False
            except BaseException as error:
                raised.append(error)
                return False

        if progress is not None:
            keep.append(ffi.callback("scree_progress_function", call))
            s.progress = keep[-1]
        info = ffi.new("scree_solve_info *")
        out = ffi.new("scree_solver **")
        context = self._context
        with self._lock:
            context._check(lib.scree_solver_create(context._alive().pointer, solver.encode(), out))
            try:
                for key, value in (options or {}).items():
                    word = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
                    context._check(lib.scree_solver_set(out[0], key.encode(), str(word).encode()))
                status = lib.scree_solver_solve(out[0], self._alive().pointer, s, doubles(impulses), info)
                if raised:
                    raise raised[0]
                context._check(status)
            finally:
                lib.scree_solver_destroy(out[0])
        return Solution(impulses, Record(info))

    @documented("scree_ccp_check_existence")
    def check_existence(self, model: str = "coulomb") -> Record:
        found = ffi.new("scree_existence *")
        with self._lock:
            self._context._check(lib.scree_ccp_check_existence(self._context._alive().pointer, self._alive().pointer,
                                                               enum_value(ffi.typeof("scree_model"), model, "model"),
                                                               ffi.NULL, ffi.NULL, ffi.NULL, found))
        return Record(found)


def solve(w: Any, q: ArrayLike, mu: Any, solver: str = "auto", dim: int = 3, **settings: Any) -> Solution:
    """Solves W g + q = u, K ∋ g ⟂ u … ∈ K* in one call; the arguments of Problem.local and Problem.solve."""
    return Problem.local(w, q, mu, dim).solve(solver, **settings)


def solvers() -> dict[str, str]:
    """The solvers by name, with a line about each."""
    return {text(lib.scree_solver_name(i)): text(lib.scree_solver_summary(i)) for i in range(lib.scree_solver_count())}


def solver_options(name: str) -> list[Record]:
    """The table of options of a solver."""
    count = ffi.new("size_t *")
    for i in range(lib.scree_solver_count()):
        if text(lib.scree_solver_name(i)) == name:
            table = lib.scree_solver_options(i, count)
            return [Record(ffi.addressof(table, k)) for k in range(count[0])]
    raise KeyError(f"there is no solver {name!r}; {', '.join(solvers())}")
