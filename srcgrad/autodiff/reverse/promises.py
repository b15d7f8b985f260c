"""Promises of a program that hold of its derivative too.

A user promises that the trips of a loop do not depend on one another, and may add to one element
in several of them: sums need no promise. The forward sweep reads such an element before it adds,
the reverse sweep puts back what was there or takes its adjoint away for a while. So a loop keeps
its promise only if its trips store to memory that they share, and neither add to it nor read it.
Nor does it if the number of trips of a loop inside is known in the trip alone: what such a loop
saves goes behind what the trips before have saved.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import defined, walk
from srcgrad.primitives import memory


def with_promises_kept(function: Function) -> Function:
    """The function, its loops promised only if that holds of both sweeps."""
    promised = any(isinstance(s, For) and s.promised for s in walk(function.body))
    if not promised:
        return function
    classes = AliasClasses(function)
    return function.with_body(_block(function.body, classes))


def _block(block: Block, classes: AliasClasses) -> Block:
    return tuple([_statement(s, classes) for s in block])


def _statement(s: Stmt, classes: AliasClasses) -> Stmt:
    match s:
        case For():
            kept = s.promised and _only_stores(s.body, classes) and _counted_outside(s.body)
            return altered(s, body=_block(s.body, classes), promised=kept)
        case While():
            return altered(s, test=_block(s.test, classes), body=_block(s.body, classes))
        case If():
            then, orelse = _block(s.then, classes), _block(s.orelse, classes)
            return altered(s, then=then, orelse=orelse)
        case _:
            return s


def _counted_outside(body: Block) -> bool:
    """Whether it is known outside of a trip how often each loop inside it runs."""
    made = set(defined(body))
    inner = [s for s in walk(body) if isinstance(s, For | While)]
    return all(isinstance(s, For) and not made & {s.start, s.stop} for s in inner)


def _only_stores(body: Block, classes: AliasClasses) -> bool:
    """Whether what trips store to and have not made themselves is neither added to nor read."""
    made = {s.var: s for s in walk(body) if isinstance(s, Def) and s.var is not None}

    def shared(a: Atom) -> Var | None:
        """The class of what a reference leads to, unless the trip has made that."""
        x: Any = a
        while (d := made.get(x)) is not None and d.op.view:
            x = d.args[0]
        return None if x in made or not is_reference(x.type) else classes.of(x)

    stored, read = set[Var | None](), set[Var | None]()
    for s in walk(body):
        if not isinstance(s, Def) or s.op.view or s.op is memory.dim:
            continue
        if s.op.writes:
            stored.add(shared(s.args[0]))
        read.update(map(shared, s.args[s.op.writes and not s.op.adds :]))
    return not (stored & read) - {None}
