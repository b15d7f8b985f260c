"""Captured lists that are changed: their new items alone, or all of them.

Where a run-time loop adds items these lie in memory. So do all items if more than the new ones are
read; where they are numbers of one class that is a copy of an array, an input for any length.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import numpy as np

from srcgrad.frontend.formulas.longer_lists import LongerList
from srcgrad.frontend.growing import fitting_item
from srcgrad.frontend.guards import KEYS, LENGTH, Path, Step
from srcgrad.frontend.guards import item as item_at
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.requirements import Key, RestartTracing, key_of_captured
from srcgrad.frontend.values import Record
from srcgrad.ir.types import Scalar, np_dtype

PYTHONS = {"b": bool, "i": int, "f": float, "c": complex}


def changed_list(captures: Any, it: Any, path: Path, value: list[Any], name: str, node: Any) -> Any:
    """The stand-in of a captured list that is changed."""
    key = key_of_captured(path.key)
    if path.key in captures.required.whole:
        return list_in(captures, it, path, value, name, node, key)
    tail = _tail(captures, it, path, value, name)
    if key not in it.grown:
        return tail
    out = Record(LongerList, {"new": it.list_of_key([], key, node)})
    captures.tails[id(out)] = tail
    return out


def list_in(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any, key: Key) -> Any:
    """The list of the items of a captured sequence."""
    if key in it.grown and (cls := _class_of(it, key, value)) is not None:
        return _in_memory(captures, it, path, name, node, key, cls)
    captures.watch(path.then(KEYS), name)
    items = [captures.take(it, path.then(item_at(k)), name, node) for k in range(len(value))]
    return it.list_of_key(items, key, node)


def _class_of(it: Any, key: Key, value: Any) -> type | None:
    """The class of the numbers that a list holds; None if it holds, or gets, anything else."""
    kind, rank = it.grown[key]
    if rank != 0 or not isinstance(kind, Scalar | None):
        return None
    classes = {type(v) for v in value}
    if not classes and kind is not None:
        return PYTHONS[kind.dtype[0]] if kind.weak else np_dtype(kind.dtype).type
    (cls,) = classes if len(classes) == 1 else (object,)
    known = cls in PYTHONS.values() or issubclass(cls, np.number | np.bool_)
    return cls if known and type_of_value(cls()) is not None else None


def array_of(cls: type, items: Any) -> np.ndarray:
    """The numbers of a list, which are all of one class.

    >>> array_of(int, [2, 3])
    array([2, 3])
    """
    if any(type(v) is not cls for v in items):
        raise TypeError(f"items of other classes than {cls.__name__}")
    try:
        return np.array(list(items), np.dtype(cls))
    except OverflowError as e:
        raise TypeError(str(e)) from None


def _in_memory(
    captures: Any, it: Any, path: Path, name: str, node: Any, key: Key, cls: type
) -> Any:
    """A list of the run with a copy of the numbers of a captured one."""
    item, b = cls(), it.b
    if it.grown[key][0] is None:
        it.grow(key, item)
    out = it.list_of_key([], key, node)
    array = captures.take(
        it, path.then(Step(("numbers", cls), functools.partial(array_of, cls))), name, node
    )
    out.begun, out.written = True, None
    fitting_item(it, out, item)
    out.written = 0
    (count,) = array.type.dims
    b.reserve(out.tape, count)
    b.assign(b.tape_view(out.tape, 0, count), b.cast(array, out.dtype))
    it.set_length(out, count)
    return out


def _tail(captures: Any, it: Any, path: Path, value: list[Any], name: str) -> Tail:
    """A captured list that gets longer, as long as the items that it has are not read."""

    def whole() -> NoReturn:
        captures.required.whole.add(path.key)
        raise RestartTracing("the items of a captured list are read")

    def earlier(m: int) -> Any:
        if m > len(value) or type_of_value(value[-m]) is None:
            whole()
        return captures.take(it, path.then(item_at(-m)), name, None)

    length = lambda: captures.take(it, path.then(LENGTH), name, None)
    return Tail(key_of_captured(path.key), whole, earlier, length)
