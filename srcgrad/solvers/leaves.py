"""The float leaves of a structure as a list, and back: for arguments of any structure.

Leaves that are not floats become `None` on the way back. Both functions also work inside compiled
code, where the structure is known at compile time: there the leaves are variables of the IR.
"""

from __future__ import annotations

from typing import Any

from srcgrad import tree
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.values import TrackedList
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import float_type


def float_leaves(value: Any) -> list[Any]:
    """The floats in a structure of tuples, lists, dicts and dataclasses, in order.

    >>> float_leaves((1.0, {"a": 2, "b": [3.0]}))
    [1.0, 3.0]
    """
    return [v for v in tree.leaves(value) if _is_float(v)]


def with_leaves(value: Any, leaves: Any) -> Any:
    """The structure with `leaves` in place of its floats, and None in place of other leaves.

    >>> with_leaves((1.0, {"a": 2, "b": [3.0]}), [5.0, 6.0])
    (5.0, {'a': None, 'b': [6.0]})
    """
    remaining = iter(leaves)
    return tree.mapped(value, lambda v: next(remaining) if _is_float(v) else None)


def _is_float(value: Any) -> bool:
    type = value.type if isinstance(value, Var | Const) else type_of_value(value)
    return type is not None and float_type(type)


@implements(float_leaves)
def _float_leaves(it: Interpreter, node: Node, value: Any) -> Any:
    return TrackedList(float_leaves(value))


@implements(with_leaves)
def _with_leaves(it: Interpreter, node: Node, value: Any, leaves: Any) -> Any:
    return with_leaves(value, leaves)
