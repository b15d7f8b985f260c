"""The globals of a function that is run on the tape: there NumPy and `math` take recorded values.

What creates an array makes a recorded one, which recorded values can be stored to, and functions of
`math` are recorded; nothing outside of the run changes. Functions of the user's that are reached by
name are run in such globals too. One that binds global names, or asks for them, keeps its own.
"""

from __future__ import annotations

import dis
import functools
import math
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from srcgrad.bridge.recorded.calls import called
from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.bridge.recorded.values import among, is_recorded, raw, wrapped
from srcgrad.tracebacks import is_library
from srcgrad.tree import leaves

CREATING = (
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "copy",
    "empty", "empty_like", "eye", "full", "full_like", "identity", "linspace", "ones", "ones_like",
    "zeros", "zeros_like",
)  # fmt: skip
FLOATS = (np.float64, np.float32, np.float16)


def _creating(function: Callable) -> Callable:
    def create(*args: Any, **kwargs: Any) -> Any:
        if among((args, kwargs)):
            return called(function, args, {k: v for k, v in kwargs.items() if k != "like"})
        made = function(*args, **kwargs)
        if type(made) is not np.ndarray or made.dtype not in FLOATS:
            return made
        given = [a for a in leaves((args, kwargs)) if isinstance(a, np.ndarray)]
        return made if any(np.may_share_memory(made, a) for a in given) else wrapped(made, None)

    return create


def _of_math(function: Callable) -> Callable:
    def call(*args: Any) -> Any:
        numbers = [a for a in args if is_recorded(a)]
        if numbers and not any(np.ndim(raw(a)) for a in numbers):
            return called(function, args, {})
        return function(*args)

    return call


REPLACED: dict[int, Callable] = {
    **{id(getattr(np, n)): _creating(getattr(np, n)) for n in CREATING},
    **{id(f): _of_math(f) for n, f in vars(math).items() if callable(f) and n[0] != "_"},
}


class _Library:
    """A module with the functions of the tape in place of some of its own."""

    def __init__(self, module: Any):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        return REPLACED.get(id(found), found)


NUMPY, MATH = _Library(np), _Library(math)


class _Globals(dict):
    """A view of a module's globals; the copies in it are for class bodies, which read a dict."""

    def __init__(self, own: dict[str, Any], run: Surroundings):
        super().__init__(own)
        self.own, self.run = own, run

    def __getitem__(self, name: str) -> Any:
        return self.run.shown(self.own[name])


class Surroundings:
    """The globals that functions get in one run."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        self._globals: dict[int, _Globals] = {}
        self._cells: dict[int, tuple[CellType, Any, CellType]] = {}

    def shown(self, v: Any) -> Any:
        """A global value as the run sees it."""
        if v is np or v is math:
            return NUMPY if v is np else MATH
        if type(v) is FunctionType:
            return self.function(v)
        return REPLACED.get(id(v), v)

    def function(self, f: FunctionType) -> FunctionType:
        """The function with these globals; itself where it is of a library, or binds its own."""
        if f not in self._functions:
            self._functions[f] = f
            if not is_library(f.__code__.co_filename) and not _asks(f.__code__):
                self._move(f)
        return self._functions[f]

    def _move(self, f: FunctionType) -> None:
        own = f.__globals__
        within = self._globals.setdefault(id(own), _Globals(own, self))
        cells = [cell for cell in f.__closure__ or () if self._replaces(cell)]
        new = [cell for cell in cells if id(cell) not in self._cells]
        for cell in new:
            self._cells[id(cell)] = cell, cell.cell_contents, CellType()
        closure = tuple([self._cells.get(id(c), (c,))[-1] for c in f.__closure__ or ()])
        made = FunctionType(f.__code__, within, f.__name__, f.__defaults__, closure)
        made.__kwdefaults__, made.__dict__ = f.__kwdefaults__, f.__dict__
        made.__qualname__, made.__module__ = f.__qualname__, f.__module__
        self._functions[f] = made  # before its cells are filled: one may hold the function itself
        for cell in new:
            self._cells[id(cell)][-1].cell_contents = self.shown(cell.cell_contents)

    def _replaces(self, cell: CellType) -> bool:
        """Whether a name that a function shares with others holds another value in the run."""
        if cell == CellType():
            return False  # reading an empty one raises
        v = cell.cell_contents
        return type(v) is FunctionType or v is np or v is math or id(v) in REPLACED

    def check(self) -> None:
        """Refuses what has bound a shared name anew: it does not last, or was not seen."""
        for cell, v, moved in self._cells.values():
            pairs = ((cell, v), (moved, self.shown(v)))
            if any(c == CellType() or c.cell_contents is not now for c, now in pairs):
                refuse("a nonlocal name of a function was bound anew", "give it another name")


def _asks(code: CodeType) -> bool:
    """Whether code binds global names, or may ask for all of them."""
    asks = {"globals", "exec", "eval", "vars"} & {n for n, _ in _names(code)}
    return bool(asks) or any(op in ("STORE_GLOBAL", "DELETE_GLOBAL") for _, op in _names(code))


@functools.lru_cache(maxsize=1024)
def _names(code: CodeType) -> frozenset[tuple[Any, str]]:
    """The names that instructions of code have, with what these do; of functions in it too."""
    own = {(i.argval, i.opname) for i in dis.get_instructions(code) if isinstance(i.argval, str)}
    return frozenset(own.union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType))))
