"""The values of a trip's variables in one lane, in a loop over lanes.

A position is computed anew where it is read, so that machine code sees how it moves from lane to
lane; what another loop over lanes has computed lies in a buffer.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Def, Stmt, Var
from srcgrad.ir.walk import free_variables, results


class Values:
    """Copies statements for one lane, with its values for the variables that they read."""

    def __init__(
        self, b: Builder, lane: Var, positions: Mapping[Var, Def], buffers: Mapping[Var, Var]
    ):
        self.b, self.lane, self.positions, self.buffers = b, lane, positions, buffers
        self.known: dict[Var, Atom] = {}

    def copy(self, s: Stmt) -> None:
        self.b.loc = s.loc
        (new,), more = copied((s,), {v: self.value(v) for v in free_variables((s,))})
        self.known |= {v: more[v] for v in results(s)}
        self.b.append(new)

    def value(self, a: Atom) -> Atom:
        """The value of a variable of the trip in this lane."""
        if not isinstance(a, Var):
            return a
        if a not in self.known:
            self.known[a] = self.found(a)
        return self.known[a]

    def found(self, v: Var) -> Atom:
        """The value of a variable that no statement of this loop has computed."""
        b = self.b
        if v in self.positions:
            d = self.positions[v]
            return b(d.op, *map(self.value, d.args), name=v.name, **d.params)
        if v in self.buffers:
            return b.retyped(b.load(self.buffers[v], self.lane, name=v.name), v.type)
        return v
