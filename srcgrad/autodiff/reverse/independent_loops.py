"""Promises of independent loops that also hold for the derivative.

A user promises that the trips of a loop do not depend on one another, and may add to one element
in several of them: sums need no promise. The forward sweep reads such an element before it adds,
the reverse sweep restores its value or takes its adjoint away for a while. So a loop stays promised
only if its trips store to memory that they share, and neither add to it nor read it. It also loses
the promise if the trip count of an inner loop is known in the trip alone: values saved by such a
loop go after those saved in earlier trips.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import defined, walk
from srcgrad.primitives import memory


def with_promises_kept(function: Function) -> Function:
    """The function, with only those loops promised whose promise holds in both sweeps."""
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
    """Whether the trip count of each inner loop is known outside of a trip."""
    made = set(defined(body))
    inner = [s for s in walk(body) if isinstance(s, For | While)]
    return all(isinstance(s, For) and not made & {s.start, s.stop} for s in inner)


def _only_stores(body: Block, classes: AliasClasses) -> bool:
    """Whether memory that trips store to, but did not make, is neither added to nor read."""
    made = {s.var: s for s in walk(body) if isinstance(s, Def) and s.var is not None}

    def shared(a: Atom) -> Var | None:
        """The class of the memory that a reference leads to, unless the trip has made it."""
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
