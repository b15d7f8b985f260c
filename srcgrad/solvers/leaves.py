"""The floats of a structure as a list, and back: for programs over arguments of any structure.

`None` stands for what is no float. They mean the same in compiled code, where the structure is
known at compile time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.values import Record, TrackedList, children, is_dataclass_instance, rebuild
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import float_type


def float_leaves(value: Any) -> list[Any]:
    """The floats in a structure of tuples, lists, dicts and dataclasses, in order.

    >>> float_leaves((1.0, {"a": 2, "b": [3.0]}))
    [1.0, 3.0]
    """
    parts = _parts(value)
    if parts is None:
        return [value] if _is_float(value) else []
    return [x for p in parts for x in float_leaves(p)]


def with_leaves(value: Any, leaves: Any) -> Any:
    """The structure with other floats, and None for what is none.

    >>> with_leaves((1.0, {"a": 2, "b": [3.0]}), [5.0, 6.0])
    (5.0, {'a': None, 'b': [6.0]})
    """
    return _filled(value, iter(leaves))


def _parts(value: Any) -> list | None:
    if is_dataclass_instance(value) and not isinstance(value, Record):
        return [getattr(value, f) for f in type(value).__dataclass_fields__]
    return children(value)


def _is_float(value: Any) -> bool:
    kind = value.type if isinstance(value, Var | Const) else type_of_value(value)
    return kind is not None and float_type(kind)


def _filled(value: Any, leaves: Iterator[Any]) -> Any:
    parts = _parts(value)
    if parts is None:
        return next(leaves) if _is_float(value) else None
    made = [_filled(p, leaves) for p in parts]
    if is_dataclass_instance(value) and not isinstance(value, Record):
        return type(value)(*made)
    return rebuild(value, made)


@implements(float_leaves)
def _float_leaves(it: Any, node: Any, value: Any) -> Any:
    return TrackedList(float_leaves(value))


@implements(with_leaves)
def _with_leaves(it: Any, node: Any, value: Any, leaves: Any) -> Any:
    return with_leaves(value, leaves)
