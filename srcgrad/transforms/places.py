"""Access paths of captured values from the function that captures them.

A captured value has a key that names an object by its id, a cell or a module's globals. The path
leads to the object from the function, through values that were captured before it; so it leads to
the value that another function of the same code captures instead. Holds on to no object of users.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from srcgrad.frontend.binding import default_now
from srcgrad.frontend.captured import keys_now, texts_now
from srcgrad.protocols import is_compiled, of_numba, poses
from srcgrad.records import record
from srcgrad.transforms.alike import BY_TEXT, CONTAINERS, Unshared
from srcgrad.tree import children

Step = Callable[[Any], Any]


@record(frozen=True)
class Place:
    """A captured value: a holder, found by steps from a value met before, and steps from there."""

    kind: str
    slot: int  # among the values met, of which the function itself is the first
    to_holder: tuple[Step, ...]
    steps: tuple[Step, ...]
    rest: tuple  # of the key, after the holder's id

    def holder(self, met: Sequence[Any]) -> Any:
        return walked(met[self.slot], self.to_holder)

    def fetch(self, holder: Any) -> Callable[[], Any]:
        """A function that reads the value; without a call in Python where one step leads there."""
        if len(self.steps) == 1:
            return functools.partial(self.steps[0], holder)
        return functools.partial(walked, holder, self.steps)

    def key(self, holder: Any) -> tuple:
        return (self.kind, id(holder), *self.rest)


def walked(value: Any, steps: tuple[Step, ...]) -> Any:
    for step in steps:
        value = step(value)
    return value


class Met:
    """The objects that values met so far lead to: an id to a slot and the steps from its value."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[int, tuple[int, tuple[Step, ...]]] = {}

    def meet(self, value: Any) -> None:
        """Gives the next slot to a value."""
        self.values.append(value)
        self._open(value, len(self.values) - 1, ())

    def place(self, key: tuple) -> Place:
        """The place that a key names."""
        while key[0] == "inlined":  # from another program: the rest of the key is its own
            key = key[2:]
        kind, at, *rest = key
        if at not in self._known:
            raise Unshared(f"no path leads to what is captured by {kind}")
        return Place(kind, *self._known[at], _steps(kind, rest), tuple(rest))

    def _open(self, v: Any, slot: int, steps: tuple[Step, ...]) -> None:
        if id(v) in self._known and steps:
            return
        self._known.setdefault(id(v), (slot, steps))
        for step in _ways(v):
            self._open(step(v), slot, (*steps, step))


def _ways(v: Any) -> list[Step]:
    """The steps to other values that are read of an object without being captured themselves."""
    if poses(v):
        return [type]
    match v:
        case types.FunctionType():
            own = [_entered] if "srcgrad_within" in v.__dict__ else []
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
    if is_compiled(v):
        return [attrgetter("function")]
    if of_numba(v) is not None:
        return [attrgetter("py_func")]
    return [type]


def _entered(f: Any) -> Any:
    return f.__dict__["srcgrad_within"]


def _cell(k: int) -> Step:
    return lambda f: f.__closure__[k]


def _steps(kind: str, rest: list[Any]) -> tuple[Step, ...]:
    """The steps from a holder to the value of a key."""
    match kind, rest:
        case "cell", _:
            return (attrgetter("cell_contents"), *_parts(rest))
        case "global", [name, *more]:
            return (itemgetter(name), *_parts(more))
        case "builtin", [name]:
            return (lambda scope: scope.get(name),)
        case "attribute", [name, *more]:
            return (attrgetter(name), *_parts(more))
        case "member", [name]:
            return (lambda owner: getattr(owner, name, None),)
        case "inherited", [name]:
            return (lambda owner: getattr(type(owner), name, None),)
        case "method", [name]:
            return (lambda owner: getattr(getattr(owner, name), "__func__", None),)
        case "has", [name]:
            return (lambda owner: hasattr(owner, name),)
        case "default", [name, *more]:
            return (lambda f: default_now(f, name), *_parts(more))
    raise Unshared(f"what is captured by {kind} belongs to one function")


def _parts(rest: list[Any]) -> tuple[Step, ...]:
    """The steps from a container or a dataclass to a part of it."""
    match rest:
        case []:
            return ()
        case ["item", k, *more] if isinstance(k, BY_TEXT):
            return (itemgetter(k), *_parts(more))
        case ["child", k, *more]:
            return (lambda v: (children(v) or [])[k], *_parts(more))
        case ["keys"]:
            return (keys_now,)
        case ["items"]:
            return (texts_now,)
        case ["class"]:
            return (type,)
        case [str() as field, *more]:
            return (attrgetter(field), *_parts(more))
    raise Unshared("a captured value of an unknown kind")


# ---- one object by several ways ----
def pattern(met: Sequence[Any]) -> tuple[int, ...]:
    """Identities among the objects met: each by the number of its first occurrence."""
    numbers: dict[int, int] = {}
    return tuple([numbers.setdefault(i, len(numbers)) for v in met for i in _identities(v)])


def _identities(v: Any) -> list[int]:
    """The ids of a value met that may be replaced by another object, and of its cells."""
    if poses(v):
        return [id(v)]
    if is_compiled(v):
        return [id(v), *_identities(v.function)]
    if isinstance(v, types.MethodType):
        return _identities(v.__func__)
    if isinstance(v, types.FunctionType):
        return [id(v), id(v.__globals__), *map(id, v.__closure__ or ())]
    return [id(v)] if isinstance(v, CONTAINERS) else []
