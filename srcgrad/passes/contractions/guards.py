"""Decides when a product of matrices is worth its call, and whether places are in bounds."""

from __future__ import annotations

from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, For
from srcgrad.ir.types import BOOL
from srcgrad.passes.contractions.matrices import size, trips, walk_of
from srcgrad.passes.contractions.nests import Contraction
from srcgrad.passes.places import Poly, evaluated, plus

FEW = 8  # rows, columns or sums
MULTIPLICATIONS = 4096
MOST = 2**24  # elements of an operand that is computed


def is_worth(found: Contraction) -> bool:
    """Whether a contraction may be worth a product, by what is known when it is compiled."""
    groups = (found.rows, found.columns, found.summed)
    known = [_known(g) for g in groups]
    if any(k is not None and k < FEW for k in known):
        return False
    total = 1
    for k in known:
        if k is None:
            break
        total *= k
    else:
        if total < MULTIPLICATIONS:
            return False
    return not _is_wide(found)


def _is_wide(found: Contraction) -> bool:
    """Whether an operand has to be computed over the outermost loop and others beside it.

    With that loop around the product the buffer is smaller, and read while it is in the cache.
    """
    root = found.nest.root
    for group, x in zip((found.rows, found.columns), found.term.operands, strict=True):
        if root in group and len(group) > 1 and walk_of(found.nest, x, found.over) is None:
            return True
    return False


def _known(loops: tuple[For, ...]) -> int | None:
    out = 1
    for s in loops:
        if not (isinstance(s.start, Const) and isinstance(s.stop, Const)):
            return None
        out *= max(int(s.stop.value - s.start.value), 0)
    return out


def is_enough(found: Contraction, b: Builder) -> Atom:
    """Whether the product is large enough, and no index out of bounds: a test at run time."""
    groups = (found.rows, found.columns, found.summed)
    tests: list[Atom] = [b.gt(trips(b, s), 0) for g in groups if len(g) > 1 for s in g]
    rows, columns, summed = (size(b, g) for g in groups)
    tests += [b.ge(n, FEW) for n in (rows, columns, summed)]
    tests.append(b.ge(b.mul(b.mul(rows, columns), summed), MULTIPLICATIONS))
    for side, x in zip((rows, columns), found.term.operands, strict=True):
        if walk_of(found.nest, x, found.over) is None:
            tests.append(b.le(b.mul(side, summed), MOST))
    for check in found.checks:
        tests += [_at_most(b, {}, check.first), _at_most(b, check.first, check.last)]
        tests.append(_at_most(b, plus(check.last, {(): 1}), check.length))
    return reduce(lambda x, y: b.logical_and(x, y), tests, Const(True, BOOL))


def _at_most(b: Builder, low: Poly, high: Poly) -> Atom:
    gap = plus(high, low, -1)
    if set(gap) <= {()}:
        return Const(gap.get((), 0) >= 0, BOOL)
    return b.le(evaluated(b, low), evaluated(b, high))
