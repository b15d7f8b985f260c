"""Unrolls loops of few trips whose index is a place in a small array.

Only loops of definitions, over numbers and small arrays: operations on large ones would become
as many nests. Never unrolls a loop for an array that cannot become numbers anyway.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While
from srcgrad.ir.types import Array
from srcgrad.ir.walk import walk
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.small.classes import PLACES, places
from srcgrad.passes.small.elements import is_small

TRIPS = 8
STATEMENTS = 400  # the most that a loop may become


def unroll(function: Function, classes: AliasClasses, small: frozenset[Var]) -> Function:
    """The function without short loops over places of arrays of the classes `small`."""
    return _Unroll(classes, small).function(function)


class _Unroll(Rewriter):
    def __init__(self, classes: AliasClasses, small: frozenset[Var]):
        super().__init__()
        self.classes, self.small = classes, small

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        trips = self.trips(new) if isinstance(new, For) else None
        if trips is None:
            yield new
            return
        assert isinstance(new, For)
        carried: tuple[Atom, ...] = new.inits
        for k in trips:
            known: dict[Var, Atom] = {new.index: Const(k, new.index.type)}
            known.update(zip(new.params, carried, strict=True))
            body, named = copied(new.body, known)
            yield from body
            carried = tuple(named.get(a, a) if isinstance(a, Var) else a for a in new.yields)
        self.new.update(zip(new.results, carried, strict=True))

    def trips(self, s: For) -> range | None:
        """The values of the index if the loop is worth unrolling."""
        if not (isinstance(s.start, Const) and isinstance(s.stop, Const)):
            return None
        trips = range(s.start.value, s.stop.value)
        if not 0 < len(trips) <= TRIPS or len(trips) * len(walk(s.body)) > STATEMENTS:
            return None
        plain = all(isinstance(t, Def) and not _is_large(t) for t in s.body)
        if not plain or not any(self.moves(t) for t in s.body):
            return None
        return trips[::-1] if s.reverse else trips

    def moves(self, s: Stmt) -> bool:
        """Whether a place in an array that may become numbers is not constant."""
        if not (isinstance(s, Def) and s.op in PLACES):
            return False
        varies = not all(isinstance(p, Const) for p in places(s))
        return varies and self.classes.of(s.args[0]) in self.small


def _is_large(s: Def) -> bool:
    """Whether a definition makes a large array."""
    return s.var is not None and isinstance(s.var.type, Array) and not is_small(s.var.type)
