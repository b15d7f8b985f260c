"""Numbers that NumPy holds in an array of rank 0, whose in-place operators show under all names.

Compiled code has the number itself: operations that would tell the difference are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_scalar
from srcgrad.ir.nodes import Var

# functions that return an array of rank 0 for a number, or for sums to one
MADE_BY = frozenset((
    np.array, np.asarray, np.asanyarray, np.copy, np.squeeze, np.transpose, np.moveaxis,
    np.broadcast_to, np.real_if_close, np.select, np.piecewise, np.tensordot, np.linalg.tensordot,
))  # fmt: skip


def in_shell(it: Interpreter, v: Any) -> Any:
    """A number in an array of rank 0 of its own; any other value unchanged."""
    if not is_scalar(v):
        return v
    own = it.b.own(v)
    it.captures.classes.shells.add(own)
    return own


def is_shell(it: Interpreter, v: Any) -> bool:
    return isinstance(v, Var) and v in it.captures.classes.shells


def note_name(it: Interpreter, v: Any) -> None:
    """Notes that a name is bound to a value; another one may have it already."""
    if is_shell(it, v) and _places_of(it, v):
        note_alias(it, v)


def note_alias(it: Interpreter, v: Any) -> None:
    """Notes that a name that is not known here may have a value."""
    if is_shell(it, v):
        it.captures.classes.shared.add(v)


def changed_in_place(it: Interpreter, old: Any, new: Any, node: Node) -> Any:
    """The result of an operator in place: again in a shell if the old number was."""
    if not is_shell(it, old):
        return new
    if old in it.captures.classes.shared or _places_of(it, old) > 1:
        it.refuse(
            node,
            "this number is an array of rank 0 in NumPy, where all names of it would change",
            "write x = x + y for x += y",
        )
    return in_shell(it, new)


def _places_of(it: Interpreter, v: Var) -> int:
    """The number of names in all frames, and of places in their containers, that hold a value."""
    seen: set[int] = set()

    def count(held: Any) -> int:
        if held is v:
            return 1
        if id(held) in seen or not (is_mutable(held) or isinstance(held, tuple)):
            return 0
        seen.add(id(held))
        return sum(map(count, held if isinstance(held, tuple) else contents(held).values()))

    return sum(count(bound) for frame in it.frames for bound in frame.env.values())
