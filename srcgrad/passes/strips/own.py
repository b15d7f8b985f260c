"""Finds the memory that each trip has for itself: buffers that it makes, and rows of tapes.

Each lane of a strip needs its own, so a buffer gets one more axis, along which the lanes lie side
by side. A row is a place in its tape. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Set

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Var
from srcgrad.ir.types import INT, Array
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.hoist_allocations import ALLOCATIONS
from srcgrad.passes.places import ELEMENTS
from srcgrad.primitives import memory, tapes


class Own:
    """The references that a trip makes, by variable."""

    def __init__(self, loop: For):
        self.buffers: dict[Var, Def] = {}
        self.rows: dict[Var, Def] = {}
        for s in walk(loop.body):
            if isinstance(s, Def) and s.var is not None:
                if s.op in ALLOCATIONS:
                    self.buffers[s.var] = s
                elif s.op is tapes.tape_view:
                    self.rows[s.var] = s

    def __bool__(self) -> bool:
        return bool(self.buffers or self.rows)

    def has(self, a: Atom) -> bool:
        return a in self.buffers or a in self.rows

    def makes(self, s: Def) -> bool:
        return s.var is not None and self.has(s.var)

    def may_be_wide(self, loop: For, outlives: Set[Var]) -> bool:
        """Whether all of it can be made for every lane before the loop, and only elements are read.

        `outlives`: the buffers with names that outlive a trip.
        """
        inside = defined(loop.body) | {*loop.params, loop.index}
        for x, made in self.buffers.items():
            if not isinstance(x.type, Array) or not made.args or x in outlives:
                return False
            if not inside.isdisjoint(made.args):
                return False
        if any(view.args[0] in inside for view in self.rows.values()):
            return False
        return all(
            isinstance(s, Def) and (s.op in ELEMENTS or self.makes(s)) and not self.is_handed_on(s)
            for s in walk(loop.body)
            if any(map(self.has, uses(s)))
        )

    def is_handed_on(self, s: Def) -> bool:
        return any(self.has(a) for a in s.args[1:])

    def is_touched(self, block: Block) -> bool:
        """Whether statements touch it."""
        return any(self.has(v) for s in walk(block) for v in uses(s))


def in_tape(b: Builder, start: Atom, dims: tuple[Atom, ...], place: tuple[Atom, ...]) -> Atom:
    """The position in a tape of an element of a row that begins at `start`."""
    at: Atom = Const(0, INT)
    for p, n in zip(place, dims, strict=True):
        at = b.add(b.mul(at, n), p)
    return b.add(start, at)


def ahead(op: object) -> int:
    """The number of operands after the indices of an access."""
    return 0 if op is memory.load else 1
