"""Operations on arrays that share no loop though they touch the same array, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.errors import Location
from srcgrad.ir.nodes import Function
from srcgrad.passes import Pass
from srcgrad.passes import run as run_passes
from srcgrad.passes.lower import Apart
from srcgrad.passes.pipeline import FUSE
from srcgrad.records import record
from srcgrad.transforms.annotated.loops import LoopFacts


@record(frozen=True)
class Unfused:
    """Two lines whose operations are in different loops, and why."""

    late: Location
    early: Location
    reason: str


def unfused(
    function: Function, passes: Sequence[Pass], loops: Sequence[LoopFacts]
) -> list[Unfused]:
    """The lines that share no loop of those that are left after all passes."""
    names = [p.name for p in passes]
    if FUSE.name not in names:
        return []
    at = names.index(FUSE.name)
    found: list[Apart] = []
    fusing: Any = passes[at].run
    fusing(run_passes(function, passes[:at]), told=found.append)
    together = [{_key(p) for p in f.places} for f in loops]
    out: dict[tuple, Unfused] = {}
    for a in found:
        late, early = a.late.loc, a.early.loc
        if late is None or early is None:
            continue
        pair = {_key(late), _key(early)}
        if not any(pair <= lines for lines in together):
            out.setdefault((*map(_key, (late, early)), a.reason), Unfused(late, early, a.reason))
    return list(out.values())


def _key(loc: Location) -> tuple[str, int, str]:
    return loc.file, loc.line, loc.role
