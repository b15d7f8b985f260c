"""Drops promises of independent trips that do not hold for the derivative.

A user who promises that the trips of a loop are independent may still add to one element in
several of them: sums need no promise. In the derivative such trips depend on one another: the
forward sweep saves the element before it adds, and the reverse sweep restores it. So a loop stays
promised only if its trips neither read memory that they share and store to, nor add to it. It also
loses the promise if the trip count of an inner loop becomes known within a trip: where that loop
saves its values then depends on how much earlier trips have saved.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import defined, walk
from srcgrad.primitives import memory


def without_invalid_promises(function: Function) -> Function:
    """The function, with the promise removed from loops for which it fails in one of the sweeps."""
    promised = any(isinstance(s, For) and s.promised for s in walk(function.body))
    if not promised:
        return function
    classes = alias_classes(function)
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
    """Whether no trip count of an inner loop is computed within the trip."""
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
