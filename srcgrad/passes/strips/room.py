"""Decides at run time whether what the lanes have for themselves stays in the cache.

Loops that share a tape must agree on it, so one condition holds for all loops of a function.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Function
from srcgrad.ir.types import INT
from srcgrad.ir.walk import results, walk
from srcgrad.passes.strips import sizes
from srcgrad.passes.strips.candidates import Chosen


class Room:
    """The loops to rewrite, and the lengths of the buffers that their trips make."""

    def __init__(self, function: Function, chosen: Mapping[For, Chosen]):
        known: set[Atom] = {*function.params}
        for s in function.body:
            if not chosen.keys().isdisjoint(walk((s,))):
                break
            known.update(results(s))
        self.chosen = {
            s: c
            for s, c in chosen.items()
            if all(isinstance(n, Const) or n in known for d in _made(c) for n in d.args)
        }
        self.lengths = [d.args for c in self.chosen.values() for d in _made(c)]

    def count(self, b: Builder, strips: Atom) -> Atom:
        """The number of strips: none where lanes would have too much memory of their own."""
        if not self.lengths:
            return strips
        size = reduce(b.add, (reduce(b.mul, dims) for dims in self.lengths))
        return b.where(b.le(size, sizes.OWN), strips, Const(0, INT), name="strips")


def _made(chosen: Chosen) -> list[Def]:
    return list(chosen.uniform.own.buffers.values())
