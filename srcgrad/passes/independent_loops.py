"""Marks loops with independent trips, which may run in any order, or concurrently.

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

Such a loop carries only sums whose value no trip reads. `dependence.py` has the proof.
A trip may raise: which error it then is depends on the order. With `sharing` a loop may carry
extrema too, and its trips may add to the same elements: for a backend that adds atomically. The
last pass of a pipeline: no copy of a program keeps a mark.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import For, Function, Stmt, While, altered
from srcgrad.ir.types import is_float, is_reference
from srcgrad.passes.combining import NEUTRAL
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.primitives import elementwise


def independent_loops(
    function: Function, in_order: bool = False, sharing: bool = False
) -> Function:
    """The function with its loops marked; `in_order`: none that would reorder additions."""
    return _IndependentLoops(Dependence(function), in_order, sharing).function(function)


class _IndependentLoops(Rewriter):
    def __init__(self, facts: Dependence, in_order: bool, sharing: bool):
        super().__init__()
        self.facts, self.in_order, self.sharing = facts, in_order, sharing

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        marked = isinstance(new, For) and self.is_independent(new)
        yield altered(new, independent=True) if marked else new

    def is_independent(self, s: For) -> bool:
        return may_be_marked(s, self.facts.of(s), self.in_order, self.sharing)


def may_be_marked(
    s: For, found: Independent | Dependent, in_order: bool = False, sharing: bool = False
) -> bool:
    """Whether a loop with this finding is marked."""
    if not isinstance(found, Independent):
        return False
    if not sharing:
        alone = not found.shared and not found.near
        sums = all(op is elementwise.add for op in found.combined)
        return alone and sums and not (in_order and s.params)
    scalars = not any(is_reference(p.type) for p in s.params)
    return scalars and not (in_order and reorders(s, found))


def reorders(s: For, found: Independent) -> bool:
    """Whether another order of the trips adds floats in another order."""
    sums = [p for p, op in zip(s.params, found.combined, strict=True) if op in NEUTRAL]
    return any(is_float(v.type.dtype) for v in (*found.shared, *found.near, *sums))
