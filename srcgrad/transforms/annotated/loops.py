"""Loops of a lowered program: the lines that share one, where trips run, and the reason."""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.errors import Location
from srcgrad.ir.nodes import Block, For, Function, Stmt, While
from srcgrad.ir.walk import blocks, walk
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.loops_in_chunks import ENOUGH
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.records import record
from srcgrad.transforms.saved_tapes import Sizes


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
    target: str, parallel: bool,
) -> list[LoopFacts]:  # fmt: skip
    """The loops of a program that is lowered for a target, outer before inner.

    Of a nest over arrays, which nobody wrote, there is one entry.
    """
    own = {s.loc for s in walk(function.body) if isinstance(s, For | While)}
    finder = _Finder(own, Dependence(lowered, in_chunks=parallel), places, sizes, target, parallel)
    finder.block(lowered.body, 0, "")
    return finder.found


class _Finder:
    def __init__(
        self, own: set[Location | None], dependence: Dependence, places: Mapping[Stmt, Location],
        sizes: Sizes, target: str, parallel: bool,
    ):  # fmt: skip
        self.own, self.dependence, self.places, self.sizes = own, dependence, places, sizes
        self.target, self.parallel = target, parallel
        self.found: list[LoopFacts] = []

    def block(self, block: Block, depth: int, around: str) -> None:
        """The loops of a block; `around`: how an outer loop runs, if its trips run at once."""
        for s in block:
            if not isinstance(s, For | While):
                for b in blocks(s):
                    self.block(b, depth, around)
                continue
            facts = self.facts(s, depth, around)
            self.found.append(facts)
            at_once = facts.runs if _is_at_once(s) else around
            if facts.own or _is_at_once(s):
                for b in blocks(s):
                    self.block(b, depth + 1, at_once)

    def facts(self, s: For | While, depth: int, around: str) -> LoopFacts:
        lines: dict[tuple[str, int, str], Location] = {}
        for t in (s, *walk(s.body)):
            loc = self.places.get(t)
            if loc is not None:
                lines.setdefault((loc.file, loc.line, loc.role), loc)
        runs, reason, at = self.runs(s, around)
        own = s.loc in self.own
        deep = 1 if own else _deep((s,))
        return LoopFacts(s, depth, own, deep, tuple(lines.values()), runs, reason, at)

    def runs(self, s: For | While, around: str) -> tuple[str, str, Location | None]:
        if isinstance(s, While):
            return "trip by trip", "a condition ends it", s.loc
        if _is_at_once(s):
            return *self.at_once(s), None
        if around:
            return "trip by trip", f"within {around}", None
        verdict = self.dependence.of(s)
        if isinstance(verdict, Dependent):
            return "trip by trip", verdict.reason, verdict.loc
        return "trip by trip", self.possible(verdict), None

    def at_once(self, s: For) -> tuple[str, str]:
        if self.target == "cuda":
            return "a kernel", "its trips are independent"
        chunks = self.sizes.value(s.stop)
        if chunks == 1:
            return "one chunk", f"fewer than {ENOUGH:,} statements run in it"
        return f"{chunks or ''} chunks on threads".lstrip(), "its trips are independent"

    def possible(self, verdict: Independent) -> str:
        """Why a loop whose trips are independent runs trip by trip."""
        sums = " but for sums" if any(verdict.combined) or verdict.shared or verdict.near else ""
        text = f"its trips are independent{sums}"
        if self.target == "cpu" and not self.parallel:
            return f"{text}; parallel=True splits it where that pays"
        return text


def _deep(block: Block) -> int:
    """The largest number of loops in one another."""
    inner = [isinstance(s, For | While) + max(map(_deep, blocks(s)), default=0) for s in block]
    return max(inner, default=0)


def _is_at_once(s: Stmt) -> bool:
    return isinstance(s, For) and s.independent
