"""Access paths of captured values from the function that captures them.

A captured value has a key that names an object by its id, a cell or a module's globals. The path
leads to the object from the function, through values that were captured before it; so it leads to
the value that another function of the same code captures instead. Holds on to no object of users.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from srcgrad.frontend.guards import VALUE, Path, walked
from srcgrad.protocols import is_compiled, of_numba, poses
from srcgrad.records import record
from srcgrad.tracebacks import within
from srcgrad.transforms.batched import Batched
from srcgrad.transforms.guard_tests import BY_TEXT, CONTAINERS, Unshared

# kinds of captures that lead on to another function's; others belong to one function
KINDS = (
    "cell", "global", "builtin", "attribute", "function", "member", "inherited", "method", "has",
    "default",
)  # fmt: skip
Read = Callable[[Any], Any]


@record(frozen=True)
class Place:
    """A path without its holder, which steps from a value that was met before lead to."""

    slot: int  # among the values met, of which the function itself is the first
    to_holder: tuple[Read, ...]
    path: Path

    def of(self, met: Sequence[Any]) -> Path:
        """The path of the function whose values were met."""
        return Path(self.path.kind, walked(met[self.slot], self.to_holder), self.path.steps)


class MetObjects:
    """The objects that values met so far lead to: an id to a slot and the steps from its value."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[int, tuple[int, tuple[Read, ...]]] = {}

    def meet(self, value: Any) -> None:
        """Gives the next slot to a value."""
        self.values.append(value)
        self._open(value, len(self.values) - 1, ())

    def place(self, path: Path) -> Place:
        """The place of a path."""
        path = replace(path, within=())
        at = id(path.holder)
        if at not in self._known or path.kind not in KINDS:
            raise Unshared(f"no path leads to what is captured by {path.kind}")
        if VALUE in path.steps or not all([isinstance(k, BY_TEXT) for k in path.key[2:]]):
            raise Unshared("it is the number of a tensor, or has a key that is an object")
        return Place(*self._known[at], Path(path.kind, None, path.steps))

    def _open(self, v: Any, slot: int, steps: tuple[Read, ...]) -> None:
        if id(v) in self._known and steps:
            return
        self._known.setdefault(id(v), (slot, steps))
        for step in _ways(v):
            self._open(step(v), slot, (*steps, step))


def _ways(v: Any) -> list[Read]:
    """The steps to other values that are read of an object without being captured themselves."""
    if poses(v):
        return [type]
    match v:
        case types.FunctionType():
            own = [within] if within(v) is not v else []
            cells = map(_cell, range(len(v.__closure__ or ())))
            return [attrgetter("__globals__"), *cells, *own]
        case types.ModuleType():
            return [vars]
        case types.MethodType():
            return [attrgetter("__self__"), attrgetter("__func__")]
        case functools.partial():
            return [attrgetter("func")]
        case functools._lru_cache_wrapper():
            return [attrgetter("__wrapped__")]
        case dict() | list() | tuple() | str() | type() | types.CellType():
            return []
    if is_compiled(v) or isinstance(v, Batched):
        return [attrgetter("function")]
    if of_numba(v) is not None:
        return [attrgetter("py_func")]
    return [type]


def _cell(k: int) -> Read:
    return lambda f: f.__closure__[k]


# ---- one object by several ways ----
def pattern(met: Sequence[Any]) -> tuple[int, ...]:
    """Identities among the objects met: each by the number of its first occurrence."""
    numbers: dict[int, int] = {}
    return tuple([numbers.setdefault(i, len(numbers)) for v in met for i in _identities(v)])


def _identities(v: Any) -> list[int]:
    """The ids of a value met that may be replaced by another object, and of its cells."""
    if poses(v):
        return [id(v)]
    if is_compiled(v) or isinstance(v, Batched):
        return [id(v), *_identities(v.function)]
    if isinstance(v, types.MethodType):
        return _identities(v.__func__)
    if isinstance(v, types.FunctionType):
        return [id(v), id(v.__globals__), *map(id, v.__closure__ or ())]
    return [id(v)] if isinstance(v, CONTAINERS) else []
