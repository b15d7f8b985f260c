"""Regions of zeros, and whether pieces of them follow each other without gap or overlap.

What is known of lengths comes from conditions. Never changes a statement.
"""

from __future__ import annotations

from srcgrad.ir.nodes import Var
from srcgrad.passes.places import Places, Poly, plus, replaced, variables
from srcgrad.primitives import elementwise
from srcgrad.records import record

Facts = tuple[Poly, ...]  # what is not negative
Piece = tuple[Poly, Poly]  # the first element, and the one after the last


@record(frozen=True)
class Zeros:
    """Elements of a buffer that are zero: from `low` to before `high`."""

    root: Var
    low: Poly
    high: Poly

    def are(self, other: Zeros | None) -> bool:
        if other is None or self.root is not other.root:
            return False
        return self.low == other.low and self.high == other.high


class Known:
    """Facts about integers where some polynomials are not negative."""

    def __init__(self, places: Places, facts: Facts):
        self.places = places
        self.positive = {v for p in facts for v in variables(p) if _is_positive(p, v)}
        self.facts = [self.read(p) for p in facts]

    def read(self, p: Poly) -> Poly:
        """A polynomial in which max(n, 0) is n where it is positive."""
        for v in variables(p) & self.positive:
            d = self.places.definition.get(v)
            if d is not None and d.op is elementwise.maximum:
                a, other = map(self.places.poly, d.args)
                p = p if other else replaced(p, v, a)
        return p

    def is_outside(self, p: Poly, z: Zeros) -> bool:
        below, above = plus(self.read(z.low), p, -1), plus(p, self.read(z.high), -1)
        return any(not set(q) - {()} and q.get((), 0) >= k for q, k in ((below, 1), (above, 0)))

    def is_nonnegative(self, p: Poly) -> bool:
        gaps = [p, *(plus(p, q, -1) for q in self.facts)]
        return any(not set(q) - {()} and q.get((), 0) >= 0 for q in gaps)

    def tile(self, pieces: list[Piece], z: Zeros) -> bool:
        """Whether pieces follow each other from the first zero to the last one."""
        left, at, end = list(pieces), self.read(z.low), self.read(z.high)
        if left == [(at, end)]:
            return True
        while left and at != end:
            found = next((p for p in left if p[0] == at), None)
            if found is None or not self.is_nonnegative(plus(found[1], found[0], -1)):
                return False
            left.remove(found)
            at = found[1]
        return not left and at == end


def _is_positive(p: Poly, v: Var) -> bool:
    """Whether a polynomial that is not negative says that a variable is positive."""
    return set(p) <= {(), (v,)} and p.get((v,), 0) > 0 and p.get((), 0) < 0
