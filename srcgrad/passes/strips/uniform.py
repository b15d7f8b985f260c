"""Finds what differs between the trips of a loop: all else in them is *uniform*.

A variable varies if it is computed from the index, from a value that the loop carries, or from
memory that the loop stores to. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Def, For, If, Stmt, While
from srcgrad.ir.walk import atoms, inner_definitions, results, walk
from srcgrad.passes.effects import classes_read, classes_written
from srcgrad.passes.strips.own import Own


class Uniform:
    """The variables of a loop's body that vary between its trips."""

    def __init__(self, loop: For, classes: AliasClasses):
        self.classes, self.own = classes, Own(loop)
        self.around = bool(self.own)  # whether all loops of a trip go around the lanes
        self.stored = classes_written(loop.body, classes)
        self.varying: set[Atom] = {loop.index, *loop.params}
        self.statements = walk(loop.body)
        before = 0
        while before != len(self.varying):  # what a loop carries may vary by what it yields
            before = len(self.varying)
            for s in self.statements:
                self.varying.update(self.made_of_varying(s))

    def made_of_varying(self, s: Stmt) -> Iterable[Atom]:
        match s:
            case Def():
                changes = bool(classes_read(s, self.classes) & self.stored)
                varies = changes or self.own.makes(s) or self.varies(s.args)
                return results(s) if varies else ()
            case For():
                if self.varies((s.start, s.stop)):
                    return (s.index, *s.params, *s.results)
                return self.carried(s)
            case While():
                varying = self.varies((s.cond,))
                return (*s.params, *s.results) if varying else self.carried(s)
            case If():
                sides = zip(s.then_yields, s.else_yields, s.results, strict=True)
                varying = self.varies((s.cond,))
                return [r for x, y, r in sides if varying or self.varies((x, y))]

    def carried(self, s: For | While) -> Iterable[Atom]:
        for init, p, y, r in zip(s.inits, s.params, s.yields, s.results, strict=True):
            if self.varies((init, p, y)):
                yield from (p, r)

    def varies(self, values: Iterable[Atom]) -> bool:
        return not self.varying.isdisjoint(values)

    def is_uniform(self, s: Stmt) -> bool:
        """Whether a statement does the same in all trips: it computes values, or checks some."""
        for t in walk((s,)):
            if isinstance(t, Def) and t.op.effect and (t.op.writes or not t.op.raises):
                return False
            if self.varies((*atoms(t), *results(t), *inner_definitions(t))):
                return False
        return True
