"""The second layout of a launch: a trip is run by a block, whose threads share its inner loops.

Threads of a block stride over the loops inside a trip whose trips are independent, the outermost
such of each nest; their carried values are combined by a tree. Every thread runs the statements
around them. A trip with other loops than these stays a thread's: all threads would repeat them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from srcgrad.backends.cuda.additions import Additions
from srcgrad.backends.cuda.schedule import Carried, Launch, Schedule, not_atomic, shared_by
from srcgrad.ir.nodes import Atom, Block, Def, For, If, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks, defined, walk
from srcgrad.passes.places import ELEMENTS, Place, Poly, linear, variables
from srcgrad.passes.verdicts import Independent

SHORT = 32  # trips: a loop that is known to have fewer is run by a thread


@dataclass(frozen=True, eq=False)
class Spread:
    """A loop inside a trip that the threads of a block share."""

    loop: For
    carried: tuple[Carried, ...]

    @property
    def combined(self) -> list[Carried]:
        return [c for c in self.carried if c.op is not None]


@dataclass(frozen=True, eq=False)
class Lengths:
    """The numbers of trips of loops inside a trip, if numbers of the host determine them."""

    trips: tuple[Poly, ...]
    indices: Mapping[Var, tuple[Poly, Poly]]  # of the loops around: start and stop
    reads: tuple[Var, ...]  # the host's numbers

    def longest(self, values: Mapping[Var, int]) -> int:
        """The trips of the longest loop, when the loops around it are half way."""
        return max((self.value(p, values) for p in self.trips), default=0)

    def value(self, p: Poly, values: Mapping[Var, int]) -> int:
        return sum(c * prod(self.number(v, values) for v in m) for m, c in p.items())

    def number(self, v: Var, values: Mapping[Var, int]) -> int:
        if v in values:
            return values[v]
        start, stop = (self.value(p, values) for p in self.indices[v])
        return (start + stop) // 2


@dataclass(frozen=True, eq=False)
class ByBlock:
    """A launch whose trips are blocks: its inner loops, and the criteria for this layout."""

    launch: Launch
    spread: Mapping[For, Spread]
    lengths: Lengths
    coalesced: bool  # neighbouring threads access neighbouring elements, more than by trips


def by_block(schedule: Schedule, launch: Launch, on_device: Set[Atom]) -> ByBlock | None:
    """The second layout of a launch, if it has loops to share, of known lengths, and no others.

    The host does not wait for numbers that are on the device.
    """
    return _ByBlock(schedule, launch, on_device).layout()


class _ByBlock:
    def __init__(self, schedule: Schedule, launch: Launch, on_device: Set[Atom]):
        self.schedule, self.places, self.on_device = schedule, schedule.facts.places, on_device
        self.launch, self.atomic = launch, set(launch.atomic)
        self.chosen = list(self.found(launch.body))
        self.spread: dict[For, Spread] = {}

    @cached_property
    def shared(self) -> set[Var]:
        """The arrays to whose elements trips of the grid add."""
        return {x for g in self.launch.grid for x in shared_by(self.schedule.independent(g))}

    def layout(self) -> ByBlock | None:
        if self.launch.ordered or not self.suffice(self.chosen, self.launch.body):
            return None
        lengths, coalesced = self.lengths(), self.coalesced()
        if not lengths.trips:
            return None
        body = self.rebuilt(self.launch.body)
        launch = replace(self.launch, body=body, atomic=frozenset(self.atomic))
        return ByBlock(launch, self.spread, lengths, coalesced)

    # ---- which loops ----
    def found(self, block: Block) -> Iterator[For]:
        """The outermost loops that can be shared; those that add atomically only if need be."""
        for s in block:
            inner = [t for b in blocks(s) for t in self.found(b)]
            if isinstance(s, For) and self.may_be_shared(s, adding=not self.suffice(inner, s.body)):
                yield s
            else:
                yield from inner

    def suffice(self, shared: Collection[For], block: Block) -> bool:
        """Whether threads can run a block by sharing these loops."""
        return bool(shared) and not any(self.repeated(block, shared))

    def may_be_shared(self, s: For, adding: bool) -> bool:
        """Whether threads can share a loop; `adding`: even if they then add to one element."""
        facts = self.schedule.facts.of(s)
        if not isinstance(facts, Independent) or not s.independent or self.is_short(s):
            return False
        if any(is_reference(p.type) for p in s.params) or not_atomic(facts) is not None:
            return False
        atomically = adding and not self.schedule.in_order
        return atomically or set(shared_by(facts)) <= self.shared

    def is_short(self, s: For) -> bool:
        trips = self.places.trips(s)
        return set(trips) <= {()} and trips.get((), 0) < SHORT

    def repeated(self, block: Block, shared: Collection[For]) -> Iterator[Stmt]:
        """The loops that are not shared, nor around one that is: every thread would run them."""
        for s in block:
            if isinstance(s, For | While) and not any(t in shared for t in walk((s,))):
                if isinstance(s, While) or not self.is_short(s):
                    yield s
            elif s not in shared:
                for b in blocks(s):
                    yield from self.repeated(b, shared)

    # ---- criteria for this layout ----
    def lengths(self) -> Lengths:
        around = (s for s in (*self.launch.grid, *walk(self.launch.body)) if isinstance(s, For))
        poly = self.places.poly
        indices = {s.index: (poly(s.start), poly(s.stop)) for s in around}
        unknown = defined((self.launch.loop,)) | self.on_device
        trips = {s: self.places.trips(s) for s in self.chosen}
        read = {s: _numbers(p, indices) for s, p in trips.items()}
        known = [s for s in self.chosen if unknown.isdisjoint(read[s])]
        reads = dict.fromkeys(v for s in known for v in read[s])
        return Lengths(tuple(trips[s] for s in known), indices, tuple(reads))

    def coalesced(self) -> bool:
        """Whether more accesses move along the last axis by inner loops than by the grid's.

        Elements that neighbouring trips share count for neither, nor do arrays of a trip, whose
        memory follows the layout.
        """
        last, inside = self.launch.grid[-1].index, defined((self.launch.loop,))
        votes = 0
        for s in self.chosen:
            for t in walk(s.body):
                if isinstance(t, Def) and t.op in ELEMENTS:
                    a = self.places.access(t, t.array, (s,))
                    if a.root not in inside and _depends_on(a.place, last):
                        votes += _moves_along(a.place, s.index) - _moves_along(a.place, last)
        return votes > 0

    # ---- the body ----
    def rebuilt(self, block: Block) -> Block:
        return tuple(map(self.statement, block))

    def statement(self, s: Stmt) -> Stmt:
        match s:
            case For() if s in self.chosen:
                return self.shared_loop(s)
            case For():
                return altered(s, body=self.rebuilt(s.body))
            case While():
                return altered(s, test=self.rebuilt(s.test), body=self.rebuilt(s.body))
            case If():
                return altered(s, then=self.rebuilt(s.then), orelse=self.rebuilt(s.orelse))
            case _:
                return s

    def shared_loop(self, s: For) -> For:
        facts = self.schedule.independent(s)
        adding = set(shared_by(facts)) - self.shared
        body, atomic = Additions(self.places, adding).block(s.body)
        self.atomic.update(atomic)
        new = altered(s, body=body)
        parts = zip(s.params, s.inits, s.yields, s.results, facts.combined, strict=True)
        self.spread[new] = Spread(new, tuple(Carried(*part) for part in parts))
        return new


def _numbers(p: Poly, indices: Mapping[Var, tuple[Poly, Poly]]) -> list[Var]:
    """The variables that determine a number of trips, besides indices."""
    out: list[Var] = []
    for v in dict.fromkeys(v for m in p for v in m):
        out += [w for q in indices[v] for w in _numbers(q, indices)] if v in indices else [v]
    return out


def _depends_on(place: Place, index: Var) -> bool:
    return any(p is not None and index in variables(p) for p in place)


def _moves_along(place: Place, index: Var) -> bool:
    """Whether neighbouring trips access adjacent elements."""
    *others, last = place or (None,)
    parts = None if last is None else linear(last, index)
    if parts is None or None in others or _depends_on(tuple(others), index):
        return False
    return parts[0] in ({(): 1}, {(): -1})
