"""Numbers that NumPy holds in an array of rank 0, whose in-place operators show under all names.

Compiled code has the number itself: operations that would tell the difference are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import gast
import numpy as np

from srcgrad.frontend.frame import scope_of
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
    if is_shell(it, v) and places_of(it, v):
        note_alias(it, v)


def note_alias(it: Interpreter, v: Any) -> None:
    """Notes that a name that is not known here may have a value."""
    if is_shell(it, v):
        it.captures.classes.shared.add(v)


def changed_in_place(it: Interpreter, old: Any, new: Any, node: Node) -> Any:
    """The result of an operator in place: again in a shell if the old number was."""
    if not is_shell(it, old):
        return new
    _of_one_name(it, old, node, "write x = x + y for x += y")
    return in_shell(it, new)


def change_items(
    it: Interpreter, x: Any, holder: Node, change: Callable[[Any], None], node: Node
) -> None:
    """Changes items of the value of an expression: of a number in a shell by a new number."""
    if not is_shell(it, x):
        return change(x)
    way_out = "write x = np.where(..., y, x) for x[...] = y"
    if not isinstance(holder, gast.Name) or holder.id not in scope_of(it.frame, holder.id):
        _refuse(it, node, way_out)
    _of_one_name(it, x, node, way_out)
    made = it.b.empty(dtype=x.type.dtype)
    it.b.store(made, x)
    change(made)
    it.assign(holder, in_shell(it, it.b.load(made)))


def _of_one_name(it: Interpreter, v: Var, node: Node, way_out: str) -> None:
    if v in it.captures.classes.shared or places_of(it, v) > 1:
        _refuse(it, node, way_out)


def _refuse(it: Interpreter, node: Node, way_out: str) -> NoReturn:
    reason = "this number is an array of rank 0 in NumPy, where all names of it would change"
    it.refuse(node, reason, way_out)


def places_of(it: Interpreter, v: Var) -> int:
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
