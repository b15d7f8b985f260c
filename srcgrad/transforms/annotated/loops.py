"""Loops of a lowered program: the lines that share one, where trips run, and the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad.errors import Location
from srcgrad.ir.nodes import Block, For, Function, Stmt, While
from srcgrad.ir.walk import blocks, walk
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.loops_in_chunks import ENOUGH
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.records import record
from srcgrad.transforms.saved_tapes import Sizes

TRIP_BY_TRIP = "trip by trip"


@record(frozen=True)
class LoopFacts:
    """A loop of the lowered program, or a nest of loops over arrays."""

    loop: For | While
    depth: int  # the number of loops shown around it
    own: bool  # whether the user wrote it, or it is the reverse of such a loop
    deep: int  # the loops in one another, itself included
    places: tuple[Location, ...]  # of what runs in it
    runs: str  # where its trips run
    reason: str  # why so
    at: Location | None  # the line that is the reason


def loop_facts(
    function: Function, lowered: Function, places: Mapping[Stmt, Location], sizes: Sizes,
    options: Any,
) -> list[LoopFacts]:  # fmt: skip
    """The loops of a program that is lowered for a target, outer before inner.

    Of a nest over arrays, which nobody wrote, there is one entry.
    """
    own = {s.loc for s in walk(function.body) if isinstance(s, For | While)}
    kind = _OnDevice if options.target == "cuda" else _OnHost
    finder = kind(own, lowered, places, sizes, options)
    finder.block(lowered.body, 0, False)
    return finder.found


class _OnHost:
    """The loops of a program, of which chunks may run on threads."""

    inside = "inside a chunk"

    def __init__(
        self, own: set[Location | None], lowered: Function, places: Mapping[Stmt, Location],
        sizes: Sizes, options: Any,
    ):  # fmt: skip
        self.own, self.places, self.sizes = own, places, sizes
        self.parallel, self.splits = options.parallel, options.target == "cpu"
        self.dependence = Dependence(lowered, in_chunks=options.parallel)
        self.found: list[LoopFacts] = []

    def block(self, block: Block, depth: int, inside: bool) -> None:
        """The loops of a block; `inside`: whether the trips of a loop around it run at once."""
        for s in block:
            if not isinstance(s, For | While):
                for b in blocks(s):
                    self.block(b, depth, inside)
                continue
            facts = self.facts(s, depth, inside)
            self.found.append(facts)
            at_once = self.is_at_once(s)
            if facts.own or at_once:
                for b in blocks(s):
                    self.block(b, depth + 1, inside or at_once)

    def facts(self, s: For | While, depth: int, inside: bool) -> LoopFacts:
        lines: dict[tuple[str, int, str], Location] = {}
        for t in (s, *walk(s.body)):
            loc = self.places.get(t)
            if loc is not None:
                lines.setdefault((loc.file, loc.line, loc.role), loc)
        if inside:
            runs, reason, at = self.inside, "", None
        elif isinstance(s, While):
            runs, reason, at = TRIP_BY_TRIP, "a condition ends it", s.loc
        else:
            runs, reason, at = self.runs(s)
        own = s.loc in self.own
        deep = 1 if own else _deep((s,))
        return LoopFacts(s, depth, own, deep, tuple(lines.values()), runs, reason, at)

    def is_at_once(self, s: For | While) -> bool:
        return isinstance(s, For) and s.independent and self.parallel

    def runs(self, s: For) -> tuple[str, str, Location | None]:
        """Where the trips of a loop run, the reason, and the line that is the reason."""
        if self.is_at_once(s):
            return *self.at_once(s), None
        verdict = self.dependence.of(s)
        if isinstance(verdict, Dependent):
            return TRIP_BY_TRIP, verdict.reason, verdict.loc
        return TRIP_BY_TRIP, self.possible(verdict), None

    def at_once(self, s: For) -> tuple[str, str]:
        chunks = self.sizes.value(s.stop)
        if chunks == 1:
            return "one chunk", f"fewer than {ENOUGH:,} statements run in it"
        return f"{chunks or ''} chunks on threads".lstrip(), "its trips are independent"

    def possible(self, verdict: Independent) -> str:
        """Why a loop whose trips are independent runs trip by trip."""
        sums = " but for sums" if any(verdict.combined) or verdict.shared or verdict.near else ""
        text = f"its trips are independent{sums}"
        if self.splits and not self.parallel:
            return f"{text}; parallel=True splits it where that pays"
        return text


class _OnDevice(_OnHost):
    """The loops of a program, of which some are kernels."""

    inside = "inside the kernel"

    def __init__(self, own: Any, lowered: Function, places: Any, sizes: Sizes, options: Any):
        from srcgrad.backends.cuda.build import schedule_of

        super().__init__(own, lowered, places, sizes, options)
        self.schedule = schedule_of(lowered, options)

    def is_at_once(self, s: For | While) -> bool:
        return s in self.schedule.launches

    def runs(self, s: For) -> tuple[str, str, Location | None]:
        if self.is_at_once(s):
            return "a kernel", "its trips are independent", None
        found = self.schedule.obstacles.get(s)
        return "the host, trip by trip", found.reason if found else "", found.loc if found else None


def _deep(block: Block) -> int:
    """The largest number of loops in one another."""
    inner = [isinstance(s, For | While) + max(map(_deep, blocks(s)), default=0) for s in block]
    return max(inner, default=0)
