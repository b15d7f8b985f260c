"""Writes the statements of a row for one lane, in a loop over lanes.

Positions are computed anew in each row, so that machine code sees how they move from lane to lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Protocol

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Stmt, Var, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import results
from srcgrad.passes.places import ELEMENTS, Poly
from srcgrad.passes.strips import sizes
from srcgrad.passes.strips.own import ahead, in_tape
from srcgrad.passes.strips.tapes import Place
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.passes.strips.values import Values


class Strip(Protocol):
    """The facts that are known where a row is written."""

    b: Builder
    loop: For
    first: Atom  # the index of the strip's first trip
    now: dict[Var, Atom]  # uniform variables
    buffers: dict[Var, Var]
    positions: dict[Var, Def]
    tiles: dict[Def, tuple[Var, Atom]]
    in_tape: Mapping[Def, Place]
    uniform: Uniform
    wide: dict[Var, Var]  # the trip's own buffers, with an axis of lanes


class Lane(Values):
    """The values of one lane in one row."""

    def __init__(self, strip: Strip, lane: Var):
        super().__init__(strip.b, lane, strip.positions, strip.buffers)
        self.strip = strip
        self.puts: list[tuple[Var, Atom]] = []

    def run(self, row: Sequence[Stmt]) -> None:
        """Writes statements; what other rows read goes to buffers."""
        for s in row:
            self.statement(s)
        for s in row:
            for v in results(s):
                if v in self.strip.buffers:
                    self.put(self.strip.buffers[v], self.value(v))

    def put(self, buffer: Var, a: Atom) -> None:
        """Stores a value for this lane, once all values of the row have been read."""
        self.puts.append((buffer, a))

    def finish(self) -> None:
        for buffer, a in self.puts:
            self.b.store(buffer, self.lane, a)

    def statement(self, s: Stmt) -> None:
        b, strip = self.b, self.strip
        b.loc = s.loc
        if isinstance(s, Def) and s in strip.tiles:
            self.in_tile(s, *strip.tiles[s])
            return
        if isinstance(s, Def) and s.op in ELEMENTS:
            s = self.placed(s)
        self.copy(s)

    def in_tile(self, s: Def, tile: Var, row: Atom) -> None:
        """An access to memory that is moved through a tile."""
        if s.var is None:
            self.b.store(tile, row, self.lane, self.value(s.args[-1]))
        else:
            self.known[s.var] = self.b.retyped(self.b.load(tile, row, self.lane), s.var.type)

    def placed(self, s: Def) -> Def:
        """An access with its place for this lane, where the lanes have memory of their own."""
        strip, own, x = self.strip, self.strip.uniform.own, s.array
        end = len(s.args) - ahead(s.op)
        place, rest = s.args[1:end], s.args[end:]
        row = own.rows.get(x)
        if s in strip.in_tape:
            tape = x if row is None else row.args[0]
            return altered(s, args=(tape, self.in_tape(strip.in_tape[s]), *rest))
        if row is not None:
            tape, start, *dims = row.args
            numbers = (tuple(map(self.value, atoms)) for atoms in (dims, place))
            return altered(s, args=(tape, in_tape(self.b, self.value(start), *numbers), *rest))
        if x in own.buffers:
            return altered(s, args=(strip.wide[x], *place, self.lane, *rest))
        return s

    def in_tape(self, place: Place) -> Atom:
        """The place of this lane in a tape that is laid out for strips."""
        b = self.b
        block = b.add(
            self.evaluated(place.base), b.mul(self.strip.first, self.evaluated(place.step))
        )
        return b.add(
            b.add(block, b.mul(self.evaluated(place.at), sizes.LANES)), self.lane, name="at"
        )

    def evaluated(self, p: Poly) -> Atom:
        b, total = self.b, Const(0, INT)
        for term, k in p.items():
            total = b.add(total, reduce(b.mul, map(self.value, term), Const(k, INT)))
        return total

    def found(self, v: Var) -> Atom:
        strip = self.strip
        if v is strip.loop.index:
            return self.b.add(strip.first, self.lane, name=v.name)
        return strip.now[v] if v in strip.now else super().found(v)
