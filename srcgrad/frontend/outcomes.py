"""Recognizes tests that have the same outcome.

They make the same comparison of the same numbers, or read a flag that the branches of another test
have set. What one branch has learned about the kinds of values then holds in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.frontend.interpreter import Interpreter
from srcgrad.ir.nodes import Atom, Const, Var, atom
from srcgrad.ir.types import Scalar
from srcgrad.operation import Primitive
from srcgrad.primitives import elementwise as ew

# functions of numbers alone that a test is followed through, and how deep
FOLLOWED = frozenset((ew.eq, ew.lt, ew.le, ew.add, ew.sub, ew.mul, ew.div, ew.neg, ew.abs, ew.cast))
DEEP = 4
# tests by another one, whether its outcome is the opposite, whether the operands change places
BY_ANOTHER: dict[Primitive, tuple[Primitive, bool, bool]] = {
    ew.ne: (ew.eq, True, False), ew.gt: (ew.lt, False, True), ew.ge: (ew.le, False, True)
}  # fmt: skip


def outcome(it: Interpreter, test: Any, holds: bool = True) -> tuple[Any, bool]:
    """The key of an equivalent test, and its outcome where this one has the outcome `holds`."""
    while isinstance(test, Var):
        if test in it.same_tests:
            test, same = it.same_tests[test]
        elif (d := it.definition(test)) is not None and d.op is ew.logical_not:
            test, same = d.args[0], False
        else:
            break
        holds = holds == same
    d = it.definition(test)
    opposite = d is not None and d.op in BY_ANOTHER and BY_ANOTHER[d.op][1]
    return _known_by(it, test, DEEP), holds != opposite


def _known_by(it: Interpreter, v: Atom, deep: int) -> Any:
    """A number by how it is computed; by itself if that is not followed."""
    if isinstance(v, Const):
        return type(v.value), repr(v.value), v.type.dtype
    d = it.definition(v)
    if d is None or not deep or not all(isinstance(atom(a).type, Scalar) for a in d.args):
        return id(v)
    op, _, swapped = BY_ANOTHER.get(d.op, (d.op, False, False))
    if op not in FOLLOWED:
        return id(v)
    args = [_known_by(it, a, deep - 1) for a in d.args]
    return op, repr(v.type), *(reversed(args) if swapped else args)


def note_same(it: Interpreter, test: Var, joined: Iterable[tuple[Var, Atom, Atom]]) -> None:
    """Notes which of the values where two paths meet tell nothing but which path was taken."""
    for v, one, other in joined:
        if not isinstance(v.type, Scalar) or v.type.dtype != "bool":
            continue
        it.captures.met[v] = test, one, other
        if isinstance(one, Const) and isinstance(other, Const):
            if one.value != other.value:
                it.same_tests[v] = test, bool(one.value)
        elif outcome(it, one) == outcome(it, other):
            it.same_tests[v] = one, True
