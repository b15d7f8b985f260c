"""Counts the elements in which no derivative is determined, by lines of the program.

A further result of the program has a count for each line whose rule says `undetermined` of an
element. Only adds to it: trips that do stay independent. For a program of which no derivative is
taken any more.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.errors import Location
from srcgrad.ir.nodes import Def, Function, Stmt
from srcgrad.ir.types import Array
from srcgrad.ir.walk import walk
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import elementwise


def lines_of(function: Function) -> list[Location | None]:
    """The lines of a program with derivatives that may be undetermined."""
    marked = (s for s in walk(function.body) if isinstance(s, Def) and _is_mark(s))
    return list(dict.fromkeys(s.loc for s in marked))


def counted(function: Function) -> Function:
    """The program with the counts as its last result, in the order of `lines_of`."""
    return _Counting(function).made(function)


def _is_mark(s: Def) -> bool:
    return s.op is elementwise.undetermined


class _Counting(Emitter):
    def __init__(self, function: Function):
        super().__init__(builder_for(function))
        self.lines = lines_of(function)

    def made(self, function: Function) -> Function:
        with self.b.block() as head:
            self.counts = self.b.zeros(len(self.lines), dtype="i64", name="undetermined")
        new = self.function(function)
        return Function(new.name, new.params, (*head, *new.body), (*new.returns, self.counts))

    def definition(self, s: Def) -> Iterable[Stmt]:
        if not _is_mark(s):
            yield s
            return
        (x,) = s.args
        assert s.var is not None
        self.new[s.var] = x
        self.b.loc = s.loc
        found = self.b.any(x, axes=tuple(range(x.type.ndim))) if isinstance(x.type, Array) else x
        n = self.b("cast", found, dtype="i64")
        self.b.add_at(self.counts, self.lines.index(s.loc), n)
        self.b.loc = None
