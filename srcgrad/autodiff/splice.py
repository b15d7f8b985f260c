"""Inlines an IR function at a call, hoisting its tapes out of an enclosing loop.

Never converts arguments: they have the types of the parameters already.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Const, Def, Function, Stmt, Var, atom
from srcgrad.ir.types import INT, Array, same_dim, same_dims
from srcgrad.ir.walk import after_checks, map_type, rename, replaced_by, walk
from srcgrad.primitives import memory, tapes
from srcgrad.primitives.tapes import INITIAL_CAPACITY


def splice(
    b: Builder, function: Function, args: Sequence[Atom], head: list[Stmt] | None = None
) -> tuple[Atom, ...]:
    """Emits the body of a function for the given arguments and returns its results.

    In a loop, tapes are allocated in `head`, the statements before the loop: one tape serves
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
    fn = _with_one_name(fn.with_body(tuple(body)), mapping, b)
    emit(b, fn.body, head)
    return fn.returns


def emit(b: Builder, body: Block, head: list[Stmt] | None) -> None:
    """Emits statements whose tapes are allocated in `head`, unless that is None."""
    for s in body:
        if head is not None and isinstance(s, Def) and s.var is not None and s.op is tapes.tape:
            params = {**s.params, "scratch": True}
            head.append(Def(s.var, s.op, (Const(INITIAL_CAPACITY, INT),), params, s.loc))
            s = Def(None, b.table["reserve"], (s.var, *s.args), {}, s.loc)
        b.append(s)
    for s in walk(body):
        if isinstance(s, Def) and s.var is not None:
            b.definition[s.var] = s


def _with_one_name(fn: Function, mapping: dict[Var, Atom], b: Builder) -> Function:
    """The body for the arguments; lengths with other names get those of the parameters.

    The checks at the entry find these lengths equal.
    """
    at = after_checks(fn.body)
    replaced = replaced_by(mapping)
    views: dict[Var, Atom] = {}
    with b.block() as made:
        for p in fn.params:
            x, t = mapping[p], map_type(p.type, replaced)
            if isinstance(x, Var) and isinstance(t, Array) and not same_dims(t.dims, x.type.dims):
                views[p] = _named(b, x, t)
    fn = rename(fn, {**mapping, **views})
    return fn.with_body((*fn.body[:at], *made, *fn.body[at:]))


def _named(b: Builder, x: Var, t: Array) -> Atom:
    """A view of a whole array with the lengths of a type, which are known to equal its own."""
    if t.layout == "C":
        return b.reshape(x, *map(atom, t.dims), name=x.name)
    spec: list[str] = []
    bounds: list[Atom] = []
    for mine, d in zip(x.type.dims, t.dims, strict=True):
        spec.append(":" if same_dim(mine, d) else "s")
        bounds += [] if same_dim(mine, d) else [atom(0), atom(d), atom(1)]
    return b.view(x, *bounds, name=x.name, spec=tuple(spec))


def _length(s: Stmt, given: dict[Var, Atom]) -> dict[Var, Atom] | None:
    """The length that replaces a `dim` of a parameter: that of the argument's type."""
    match s:
        case Def(var=Var() as v, args=(Var() as x,)) if s.op is memory.dim and x in given:
            t = given[x].type
            assert isinstance(t, Array)
            return {v: atom(t.dims[s.params["axis"]])}
        case _:
            return None
