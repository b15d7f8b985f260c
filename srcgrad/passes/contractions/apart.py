"""Divides nests that add to several arrays into one for each of them.

>>> f = parse('''
... def f(x: f64[m, n], y: f64[m], z: f64[n]):
...     m: int = dim(x, axis=0)
...     n: int = dim(x, axis=1)
...     for i in range(0, m):
...         for j in range(0, n):
...             a: f64 = load(x, i, j)
...             add_at(y, i, a)
...             add_at(z, j, a)
...     return ()
... ''')
>>> show(apart(f))
def f(x: f64[m, n], y: f64[m], z: f64[n]):
    m: int = dim(x, axis=0)
    n: int = dim(x, axis=1)
    for i in range(0, m):
        for j in range(0, n):
            a: f64 = load(x, i, j)
            add_at(y, i, a)
    for i1 in range(0, m):
        for j1 in range(0, n):
            a1: f64 = load(x, i1, j1)
            add_at(z, j1, a1)
    return ()

Three products of one matrix, computed in one nest of loops, are a contraction each. Legal if the
nest does nothing else, carries nothing, cannot raise, and reads none of the arrays.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Block, Def, For, Function, Stmt, While, altered
from srcgrad.ir.walk import walk
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.effects import classes_read, may_raise
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import memory

MOST = 8  # arrays


def apart(function: Function) -> Function:
    new = _Apart(alias_classes(function)).function(function)
    return function if new is function else eliminate(new)


class _Apart(Rewriter):
    def __init__(self, classes: AliasClasses):
        super().__init__()
        self.classes = classes

    def loop(self, s: For | While) -> Iterable[Stmt]:
        sums = self.sums(s) if isinstance(s, For) else []
        if not 1 < len(sums) <= MOST:
            return (self.rebuilt(s),)
        return [t for d in sums for t in copied((_only(s, {*sums} - {d}),), {})[0]]

    def sums(self, s: For) -> list[Def]:
        """The additions of a nest that does nothing else."""
        statements = walk((s,))
        loops = [t for t in statements if isinstance(t, For)]
        rest = [t for t in statements if isinstance(t, Def)]
        sums = [t for t in rest if t.op is memory.add_at]
        if len(loops) + len(rest) < len(statements) or any(t.params or t.promised for t in loops):
            return []
        if len(loops) < 2 or any(may_raise(t) or (t.op.writes and t not in sums) for t in rest):
            return []
        added = {self.classes.of(t.array) for t in sums}
        read = {c for t in rest if t not in sums for c in classes_read(t, self.classes)}
        return sums if len(added) == len(sums) and added.isdisjoint(read) else []


def _only(s: Stmt, gone: set[Def]) -> Stmt:
    """A nest without some of its additions."""
    if not isinstance(s, For):
        return s
    kept: Block = tuple([_only(t, gone) for t in s.body if t not in gone])
    return altered(s, body=kept)
