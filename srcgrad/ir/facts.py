"""Facts of functions, each found once however many passes read it.

A function is never changed: a pass that changes a program returns another function, and one that
finds nothing to change returns its input. What is renamed in place are the lengths in the types of
variables, so a fact may not depend on them. Facts are shared: who reads one leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Loop, Var
from srcgrad.ir.types import Array
from srcgrad.ir.walk import blocks, walk
from srcgrad.operation import Primitive
from srcgrad.records import record

T = TypeVar("T")

_known: WeakKeyDictionary[Function, dict[Any, Any]] = WeakKeyDictionary()


def fact(find: Callable[[Function], T]) -> Callable[[Function], T]:
    """A fact that is found once for each function; it may not lead to the function."""

    @wraps(find)
    def found(function: Function) -> T:
        facts = _known.get(function)
        if facts is None:
            facts = _known.setdefault(function, {})
        if find not in facts:
            facts[find] = find(function)
        return facts[find]

    return found


@fact
def definitions(function: Function) -> dict[Var, Def]:
    """The definition of each variable that is not carried, joined or given."""
    return {s.var: s for s in walk(function.body) if s.__class__ is Def and s.var is not None}  # type: ignore[union-attr]  (a Def)


@fact
def ends(function: Function) -> dict[Var | None, tuple[Var, Atom, Atom]]:
    """For the end of a value that a loop carries: the value in a trip, the first and the next."""
    return {
        r: (p, x, y)
        for s in walk(function.body)
        if isinstance(s, Loop)
        for r, p, x, y in zip(s.results, s.params, s.inits, s.yields, strict=True)
    }


@record(frozen=True)
class Contents:
    """The operations and the statements that occur anywhere in a function."""

    operations: frozenset[Primitive]
    loops: int  # their number
    depth: int  # how deep they are nested; 0: there is none
    branches: bool
    backwards: bool  # whether a loop runs downwards
    on_arrays: bool  # whether an operation works on arrays element by element


@fact
def contents(function: Function) -> Contents:
    """The operations and the statements that occur: most passes have nothing to do without some."""
    operations: set[Primitive] = set()
    loops, deepest, branches, backwards, on_arrays = 0, 0, False, False, False
    rest: list[tuple[Block, int]] = [(function.body, 0)]
    while rest:
        block, depth = rest.pop()
        for s in block:
            if isinstance(s, Def):
                operations.add(s.op)
                if s.op.elementwise and not on_arrays:
                    on_arrays = s.var is not None and isinstance(s.var.type, Array)
                continue
            is_loop = not isinstance(s, If)
            loops += is_loop
            deepest = max(deepest, depth + is_loop)
            branches = branches or not is_loop
            backwards = backwards or (isinstance(s, For) and s.reverse)
            rest += [(b, depth + is_loop) for b in blocks(s)]
    return Contents(frozenset(operations), loops, deepest, branches, backwards, on_arrays)
