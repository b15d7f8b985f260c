"""Inlines an IR function at a call, hoisting its tapes out of an enclosing loop.

Never converts arguments: they have the types of the parameters already.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.autodiff.reverse.tapes import FIRST_CAPACITY
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Const, Def, Function, Stmt, Var, atom
from srcgrad.ir.types import INT, Array
from srcgrad.ir.walk import rename, walk
from srcgrad.primitives import memory, tapes


def splice(
    b: Builder, function: Function, args: Sequence[Atom], head: list[Stmt] | None = None
) -> tuple[Atom, ...]:
    """Emit the body of a function for the given arguments and return its results.

    In a loop, tapes are allocated in `head`, the statements in front of the loop: one tape serves
    all trips, since each trip writes it before reading it. A tape allocated inside a loop could not
    be differentiated.
    """
    fn = clone(function)
    mapping: dict[Var, Atom] = dict(zip(fn.params, args, strict=True))
    body: list[Stmt] = []
    for s in fn.body:
        length = _length(s, mapping)
        if length is None:
            body.append(s)
        else:
            mapping |= length
    fn = rename(fn.with_body(tuple(body)), mapping)
    for s in fn.body:
        if head is not None and isinstance(s, Def) and s.var is not None and s.op is tapes.tape:
            head.append(Def(s.var, s.op, (Const(FIRST_CAPACITY, INT),), s.params, s.loc))
            s = Def(None, b.table["reserve"], (s.var, *s.args), {}, s.loc)
        b.append(s)
    for s in walk(fn.body):
        if isinstance(s, Def) and s.var is not None:
            b.definition[s.var] = s
    return fn.returns


def _length(s: Stmt, given: dict[Var, Atom]) -> dict[Var, Atom] | None:
    """The length that a `dim` of a parameter becomes: that of the argument's type."""
    match s:
        case Def(var=Var() as v, args=(Var() as x,)) if s.op is memory.dim and x in given:
            t = given[x].type
            assert isinstance(t, Array)
            return {v: atom(t.dims[s.params["axis"]])}
        case _:
            return None
