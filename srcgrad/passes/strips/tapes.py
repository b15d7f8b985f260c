"""Lays out tapes for strips: the lanes of a strip side by side, for each place of a trip.

Trip i of a loop over range(0, n) uses the elements i * step + r of a tape, with 0 <= r < step; in
strips they are first * step + r * lanes + lane, the same block of the tape in another order. Legal
if all that touches the tape does so in rows of loops over one range: these have the
same strips, and trips that are left over keep their elements. In a loop around, each trip may have
a tape of its own in the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from srcgrad.ir.nodes import Def, For, Var
from srcgrad.ir.types import Tape
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.places import Access, Poly, linear, plus, times
from srcgrad.passes.strips.plan import side_by_side
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.records import record


@record(frozen=True)
class Place:
    """The place of an access: base + i * step + at, in trip i."""

    base: Poly
    step: Poly
    at: Poly


def laid_out(loops: Mapping[For, Uniform], facts: Dependence) -> dict[Def, Place]:
    """The accesses to tapes that are laid out for the strips of these loops."""
    lanewise = {s for loop, uniform in loops.items() for s in side_by_side(loop.body, uniform)}
    touching: dict[Var, list[Access]] = {}
    views = Counter(
        view.args[0] for uniform in loops.values() for view in uniform.own.rows.values()
    )
    for s in loops:
        for a in facts.accesses(s):
            if isinstance(a.root.type, Tape):
                touching.setdefault(a.root, []).append(a)
    out: dict[Def, Place] = {}
    for tape, accesses in touching.items():
        direct = all(a.statement in lanewise for a in accesses)
        if direct and facts.uses[facts.classes.of(tape)] == len(accesses) + views[tape]:
            rows = [_row(a, facts) for a in accesses]
            if _are_alike(rows, accesses, facts):
                out |= {a.statement: r for a, r in zip(accesses, rows, strict=True) if r}
    return out


def _are_alike(rows: Iterable[Place | None], accesses: Iterable[Access], facts: Dependence) -> bool:
    """Whether all accesses are to rows of one length, in loops over one range."""
    found = list(rows)
    first = found[0]
    if first is None or first.step == {(): 1}:  # lanes are side by side
        return False
    if any(r is None or r.step != first.step for r in found):
        return False
    stops = [facts.places.poly(a.loops[0].stop) for a in accesses]
    return all(p == stops[0] for p in stops)


def _row(a: Access, facts: Dependence) -> Place | None:
    """The row of an access; None if it is not known to stay in the row of its trip."""
    loop, *inner = a.loops
    (p,) = a.place
    parts = None if p is None else linear(p, loop.index)
    if parts is None or facts.places.poly(loop.start):
        return None
    step, rest = parts
    whole = times(step, facts.places.poly(loop.stop))
    base = _multiples(rest, whole)
    at = plus(rest, base, -1)
    first = plus(times(step, facts.places.poly(loop.index)), base)
    row = [plus(end, first, -1) for end in a.row or ()]
    fits = any(
        _is_within(facts.extreme(loop, low, inner, -1), facts.extreme(loop, high, inner, 1), step)
        for low, high in filter(None, ([at, at], row))
    )
    return Place(base, step, at) if fits else None


def _is_within(low: Poly | None, high: Poly | None, step: Poly) -> bool:
    """Whether 0 <= low and high < step."""
    if low is None or high is None or set(low) - {()} or low.get((), 0) < 0:
        return False
    room = plus(step, high, -1)
    return not set(room) - {()} and room.get((), 0) >= 1


def _multiples(p: Poly, whole: Poly) -> Poly:
    """The terms of a polynomial that are multiples of a single term."""
    if len(whole) != 1:
        return {}
    ((term, k),) = whole.items()
    return {m: c for m, c in p.items() if m and c % k == 0 and _contains(m, term)}


def _contains(m: tuple[Var, ...], term: tuple[Var, ...]) -> bool:
    return all(m.count(v) >= term.count(v) for v in term)
