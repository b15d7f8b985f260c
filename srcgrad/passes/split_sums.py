"""Sums of a recurrence: terms that no earlier trip makes are added first.

>>> show(split_sums(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in range(1, n):
...         h: int = sub(i, 1)
...         a: f64 = load(x, h)
...         b: f64 = load(y, i)
...         c: f64 = load(y, h)
...         t: f64 = add(a, b)
...         u: f64 = add(t, c)
...         store(x, i, u)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    for i in range(1, n):
        h: int = sub(i, 1)
        a: f64 = load(x, h)
        b: f64 = load(y, i)
        c: f64 = load(y, h)
        t: f64 = add(b, c)
        u: f64 = add(t, a)
        store(x, i, u)
    return ()

A trip then waits for one addition of the trip before it, not for all that follow in the program.
Terms of each kind keep their order. Only sums of floats in serial loops (`ahead`), of which nothing
but the sum reads a partial one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.ahead import FLOATS, Ahead, SerialLoops
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, elementwise


def split_sums(function: Function) -> Function:
    return _SplitSums(function).function(function)


class _SplitSums(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.serial = SerialLoops(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        part = self.serial.ahead(s) if isinstance(s, For) and _has_sum(s) else None
        if part is None or not (sums := _Sums(part).found()):
            yield self.rebuilt(s)
            return
        yield altered(part.loop, body=tuple(_rewritten(part.loop, sums)))


def _has_sum(s: For) -> bool:
    """Whether there is a sum of three terms or more."""
    return sum(isinstance(t, Def) and t.op is elementwise.add for t in s.body) > 1


class _Sums:
    """The sums of a trip that have terms of both kinds."""

    def __init__(self, part: Ahead):
        self.part = part
        body = part.loop.body
        self.adds = {t.var: t for t in body if isinstance(t, Def) and _is_sum(t)}
        self.read = Counter(v for t in walk(body) for v in uses(t))
        self.read.update(a for a in part.loop.yields if isinstance(a, Var))

    def found(self) -> dict[Def, tuple[list[Atom], list[Def]]]:
        """The last addition of each, with its terms in the new order, and the other additions."""
        out: dict[Def, tuple[list[Atom], list[Def]]] = {}
        inner = {a for d in self.adds.values() for a in d.args if self.is_inner(a)}
        for d in self.adds.values():
            if d.var in inner:
                continue
            terms: list[Atom] = []
            others: list[Def] = []
            self.collect(d, terms, others)
            free = [a for a in terms if self.part.is_known(a)]
            bound = [a for a in terms if not self.part.is_known(a)]
            if len(free) > 1 and bound and terms != [*free, *bound]:
                out[d] = [*free, *bound], others
        return out

    def is_inner(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.adds and self.read[a] == 1

    def collect(self, d: Def, terms: list[Atom], others: list[Def]) -> None:
        for a in d.args:
            if self.is_inner(a):
                assert isinstance(a, Var)
                others.append(self.adds[a])
                self.collect(self.adds[a], terms, others)
            else:
                terms.append(a)


def _is_sum(s: Def) -> bool:
    return s.op is elementwise.add and s.var is not None and s.var.type.dtype in FLOATS


def _rewritten(s: For, sums: dict[Def, tuple[list[Atom], list[Def]]]) -> Iterable[Stmt]:
    gone = {t for _, others in sums.values() for t in others}
    for t in s.body:
        if isinstance(t, Def) and t in sums:
            b = Builder(REGISTRY)
            b.loc = t.loc
            *terms, last = sums[t][0]
            total = reduce(lambda x, y: b.add(x, y), terms)
            yield from b.out
            yield altered(t, args=(total, last))
        elif t not in gone:
            yield t
