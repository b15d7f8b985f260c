"""Loops whose trips do not depend on one another are marked: they may run in any order, or at once.

>>> show(independent_loops(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     s: f64 = f64(0.0)
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         add_at(y, i, v)
...         s1: f64 = add(s, v)
...         s = s1
...     return (s,)
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    s: f64 = f64(0.0)
    for i in independent(range(0, n)):
        v: f64 = load(x, i)
        add_at(y, i, v)
        s1: f64 = add(s, v)
        s = s1
    return (s,)

What such a loop carries are sums, of which no trip reads the value. `dependence.py` has the proof.
A trip may raise: which error it then is depends on the order. The last pass of a pipeline: no copy
of a program keeps a mark.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import For, Function, Stmt, While, altered
from srcgrad.passes.dependence import Dependence, Independent
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import elementwise


def independent_loops(function: Function, in_order: bool = False) -> Function:
    """The function with its loops marked; `in_order`: a loop that carries a sum is not."""
    return _IndependentLoops(Dependence(function), in_order).function(function)


class _IndependentLoops(Rewriter):
    def __init__(self, facts: Dependence, in_order: bool):
        super().__init__()
        self.facts, self.in_order = facts, in_order

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        marked = isinstance(new, For) and self.is_independent(new)
        yield altered(new, independent=True) if marked else new

    def is_independent(self, s: For) -> bool:
        found = self.facts.of(s)
        return (
            isinstance(found, Independent)
            and not found.shared
            and not found.distance
            and all(op is elementwise.add for op in found.combined)
            and not (self.in_order and s.params)
        )
