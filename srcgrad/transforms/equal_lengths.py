"""Specialises a program on the lengths of a call being equal, where its checks compare them.

The first call decides: the lengths that it has equal have one name in its program, whose checks of
them go. Calls with others share a second program, which takes nothing for granted; there is never a
third. What is inlined into another program is the one for all lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from srcgrad.passes import run as run_passes
from srcgrad.passes.compared_lengths import compared, with_equal
from srcgrad.transforms.lengths import Lengths
from srcgrad.transforms.program import Program
from srcgrad.transforms.stages import staged
from srcgrad.tree import paths


@dataclass(frozen=True)
class OfCall:
    """Makes of a program the one for a call; `known`: by what there is one for other lengths."""

    known: Lengths | None = None

    def specialised(self, p: Program, arguments: dict[str, Any]) -> Program:
        given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
        captured = [h.fetch() for h in p.hidden]
        places = [*p.inputs, *range(len(captured))]
        lengths = self.known
        if lengths is None or not {w for pair in lengths.pairs for w, _ in pair} <= {*places}:
            values = {**dict(given), **dict(enumerate(captured))}
            lengths = _compared(p, places, [values[w] for w in places])
        if not lengths.pairs:
            return p
        lengths = replace(lengths, equal=True)
        if not lengths.fit(given, captured):
            return replace(p, lengths=replace(lengths, equal=False))
        position = {w: k for k, w in enumerate(places)}
        pairs = tuple(((position[v], i), (position[w], j)) for (v, i), (w, j) in lengths.pairs)
        function = with_equal(p.function, pairs)
        function = staged("equal lengths", lambda: run_passes(function))
        return replace(p, function=function, lengths=lengths)


def _compared(p: Program, places: list[Any], values: list[Any]) -> Lengths:
    """The lengths that are compared and equal in a call; if none is, all that are compared."""
    pairs = compared(p.function, lambda k, axis: values[k].shape[axis])
    pairs = pairs or compared(p.function, lambda k, axis: 2)
    return Lengths(tuple([((places[k], i), (places[m], j)) for (k, i), (m, j) in pairs]), True)
