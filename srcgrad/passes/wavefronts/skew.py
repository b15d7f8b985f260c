"""Decides by how many steps each trip of a nest has to follow the one before it.

Trip u of the outer loop runs trip v of the inner one at step v + skew * u. Then trips of one step
need nothing of one another if, wherever trip (u, v) touches an element that a later trip (u', v')
touches too, and one of them stores to it, v' + skew * u' > v + skew * u. (Lamport 1974: the
hyperplane method; Wolfe 1986: loop skewing.) Each dependence keeps its order, additions included:
no number changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from srcgrad.ir.nodes import For
from srcgrad.ir.walk import defined
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.places import ELEMENTS, Access, Poly, linear, plus, variables
from srcgrad.passes.strips.candidates import recurs
from srcgrad.passes.wavefronts import sizes
from srcgrad.passes.wavefronts.nests import Nest
from srcgrad.records import record


def skew_of(nest: Nest, facts: Dependence) -> int | None:
    """The least skew that is right for a nest; None where none is known to be.

    None as well where one of the loops has independent trips: these run in vectors, or in strips.
    """
    accesses = facts.accesses(nest.outer)
    inside = defined(nest.outer.body) | {nest.outer.index}
    if any(a.statement.op not in ELEMENTS or a.root in inside for a in accesses):
        return None
    return _Skew(nest, facts, accesses).least()


@record(frozen=True)
class _Meeting:
    """Two accesses to an element that one of them changes, and how much later the second one is.

    In trips of the outer and of the inner loop; None: by any number.
    """

    first: Access
    second: Access
    outer: int | None
    inner: int | None


class _Skew:
    def __init__(self, nest: Nest, facts: Dependence, accesses: list[Access]):
        self.nest, self.facts = nest, facts
        self.inside = defined(nest.outer.body) | {nest.outer.index}
        of = facts.classes.of
        changed = {of(a.root) for a in accesses if a.writes}
        self.accesses = [a for a in accesses if of(a.root) in changed]
        self.apart = {c for c in changed if facts.keeps_apart(nest.outer, c)}

    def least(self) -> int | None:
        if any(len(a.loops) > 2 for a in self.accesses):
            return None  # an inner trip loops over what the nest changes
        alone, across = list(self.in_one_trip()), list(self.across_trips())
        if not across or not self.inner_waits(alone) or any(map(self.is_moved_ahead, alone)):
            return None
        needed = [self.needed(m) for m in across]
        skew = max((k for k in needed if k is not None), default=1)
        return None if None in needed or skew > sizes.FARTHEST else max(skew, 1)

    # ---- where accesses meet ----
    def pairs(self) -> Iterator[tuple[Access, Access]]:
        """The accesses to one class, of which one changes it: each as the first and the second."""
        of = self.facts.classes.of
        for a, b in product(self.accesses, repeat=2):
            if of(a.root) is of(b.root) and (a.writes or b.writes):
                yield a, b

    def across_trips(self) -> Iterator[_Meeting]:
        """The second access in a later trip of the outer loop."""
        for a, b in self.pairs():
            if self.facts.classes.of(a.root) not in self.apart:
                found = self.distance(a, b, (self.nest.outer, self.nest.inner))
                if found is not None and (found[0] is None or found[0] > 0):
                    yield _Meeting(a, b, *found)

    def in_one_trip(self) -> Iterator[_Meeting]:
        """Both in the inner loop, in one trip of the outer one."""
        for a, b in self.pairs():
            if self.phases(a, b) == (1, 1):
                found = self.distance(a, b, (self.nest.inner,))
                if found is not None:
                    yield _Meeting(a, b, 0, *found)

    def phases(self, a: Access, b: Access) -> tuple[int, int]:
        return self.nest.phase(a.statement), self.nest.phase(b.statement)

    def distance(
        self, a: Access, b: Access, loops: tuple[For, ...]
    ) -> tuple[int | None, ...] | None:
        """How many trips of each of these loops `b` runs after `a` where both touch one element.

        None for a loop where any number is possible; None in all where they never meet.
        """
        if a.root is not b.root:
            apart = self.facts.places.are_distinct(a.root, b.root)
            return None if apart else (None,) * len(loops)
        found: dict[int, int] = {}
        for p, q in zip(a.place, b.place, strict=True):
            if p is None or q is None:
                continue
            (steps, rest), (others, other) = self.form(p, loops), self.form(q, loops)
            gap = plus(rest, other, -1)
            if steps is None or steps != others or set(gap) - {()}:
                continue
            away, moving = gap.get((), 0), [k for k, c in enumerate(steps) if c]
            if not moving and away:
                return None
            if len(moving) == 1 and abs(steps[moving[0]]) == 1:
                (k,) = moving
                trips = away * steps[k] * (-1 if loops[k].reverse else 1)
                if found.setdefault(k, trips) != trips:
                    return None
        return tuple(found.get(k) for k in range(len(loops)))

    def form(self, p: Poly, loops: tuple[For, ...]) -> tuple[tuple[int, ...] | None, Poly]:
        """The steps of a coordinate per trip of loops, and the rest; None: not the same in all."""
        steps: list[int] = []
        for s in loops:
            parts = linear(p, s.index)
            if parts is None or set(parts[0]) - {()}:
                return None, p
            steps.append(parts[0].get((), 0))
            p = parts[1]
        fixed = {self.nest.outer.index} - {s.index for s in loops}
        return (None if variables(p) & (self.inside - fixed) else tuple(steps)), p

    # ---- what follows ----
    def inner_waits(self, alone: list[_Meeting]) -> bool:
        """Whether a trip of the inner loop may need one before it."""
        if recurs(self.nest.inner, self.facts.reads):
            return True
        return any(
            (m.inner is None or m.inner > 0) and not (m.first.adds and m.second.adds) for m in alone
        )

    def is_moved_ahead(self, m: _Meeting) -> bool:
        """Whether an inner trip loads what it may have stored before."""
        body = self.nest.inner.body
        late = not m.second.writes and body.index(m.first.statement) < body.index(
            m.second.statement
        )
        return late and not m.inner

    def needed(self, m: _Meeting) -> int | None:
        """The skew that keeps an access before one in a later trip of the outer loop."""
        first, second = self.phases(m.first, m.second)
        if first > second:
            return None  # all lanes do the one before any lane does the other
        if (first, second) != (1, 1):
            return 0
        return None if m.inner is None else -((m.inner - 1) // (m.outer or 1))
