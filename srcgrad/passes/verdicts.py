"""Verdicts on loops: whether their trips are independent, and what these share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from srcgrad.errors import Location
from srcgrad.ir.nodes import Var
from srcgrad.operation import Primitive
from srcgrad.records import record


@record(frozen=True)
class Independent:
    """Facts about a loop whose trips are independent."""

    combined: tuple[Primitive | None, ...]  # combines each carried value; None: unchanged
    shared: tuple[Var, ...] = ()  # arrays that trips only add to
    scratch: tuple[Var, ...] = ()  # tapes that each trip fills before it reads from them
    near: tuple[Var, ...] = ()  # arrays to which trips add at neighbouring places
    distance: int = 0  # how far apart these may be
    leaders: Mapping[int, int] = field(default_factory=dict[int, int])  # see `combining.chosen`

    def __or__(self, other: Independent) -> Independent:
        """The facts about a loop that carries what two loops carry, and touches what they touch."""
        return Independent(
            self.combined + other.combined,
            self.shared + other.shared,
            self.scratch + other.scratch,
            self.near + other.near,
            max(self.distance, other.distance),
        )

    def without(self, gone: Callable[[Var], bool]) -> Independent:
        """The facts without those about some arrays."""
        kept = {
            name: tuple(v for v in getattr(self, name) if not gone(v))
            for name in ("shared", "scratch", "near")
        }
        return replace(self, **kept)


@record(frozen=True)
class Dependent:
    """Why trips are not independent; `sure` if some order of them changes the result."""

    reason: str
    loc: Location | None
    sure: bool = False
