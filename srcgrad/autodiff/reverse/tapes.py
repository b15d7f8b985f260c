"""Makes tapes, and computes where on them each iteration of a nest of loops saves its values.

An iteration has two numbers. Its *trip number* k is its place among the trips of one execution of
its loop, from 0 at the lowest index. Its *tape position* is its place among the iterations of all
executions of the loop: the slot of a tape that it uses.

If all trip counts are known at the entry of the nest, the nest is *dense*: the position is
computed from the trip numbers of its loops, as in a row-major array, and tapes are allocated in
full. If not, the position is `base + k`, where `base` is the number of trips of all earlier
executions of the loop; `base` is saved once per execution, and tapes grow.
"""

from __future__ import annotations

from typing import Any

from srcgrad.autodiff.reverse.insertions import Insertions, Slot
from srcgrad.autodiff.reverse.program import START, Point, Program, body_of
from srcgrad.errors import Location
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Stmt, Var, While, atom
from srcgrad.ir.types import INT, Dims, Scalar
from srcgrad.primitives import elementwise
from srcgrad.primitives.tapes import INITIAL_CAPACITY, SAVED
from srcgrad.records import record


@record()
class Position:
    """The tape position of a loop's running iteration in the forward sweep."""

    var: Atom
    base: Var | None  # `var` is `base + k`; None in a dense nest


class Tapes:
    """Makes tapes, and emits trip counts, trip numbers and tape positions in either sweep."""

    def __init__(self, program: Program, insertions: Insertions):
        self.program, self.insertions, self.b = program, insertions, insertions.builder
        self.values: Any = None  # forward values in the reverse sweep; set by ValueRecovery
        self._positions: dict[Stmt, Position] = {}
        self._trips: dict[Stmt, Slot] = {}

    # ---- trip counts and trip numbers ----
    def trips(self, loop: For | While) -> Atom:
        """The number of trips that an execution of a loop has run, a forward value after it."""
        if isinstance(loop, For):
            with self.insertions.into(self.insertions.at_before(loop)) as b:
                n = b.maximum(b.sub(loop.stop, loop.start), 0)
            if isinstance(n, Var):
                self.values.forward(n, self.program.point[loop], loop)
            return n
        return self.counter(loop).result

    def counter(self, loop: While) -> Slot:
        """The counter of the trips of a `while`, a carried variable added to the loop."""
        if loop not in self._trips:
            slot = self._trips[loop] = self.insertions.slot(loop, "trips", INT)
            assert slot.param is not None
            key = body_of(loop)
            with self.insertions.into(self.insertions.at_end(key)) as b:
                new = b.add(slot.param, 1)
            slot.values[:] = [atom(0), new]
            point = self.program.point[loop]
            self.values.forward(slot.result, point, loop)
            self.values.forward(slot.param, (*point, (key, START)), loop)
        return self._trips[loop]

    def iteration(self, loop: For | While) -> Atom:
        """The number of the running trip in the forward sweep."""
        if isinstance(loop, While):
            param = self.counter(loop).param
            assert param is not None
            return param
        return self.b.sub(loop.index, loop.start)

    # ---- tape positions; `loops` are the loops of a nest, outermost first ----
    def is_dense(self, loops: list[For | While]) -> bool:
        """Whether all trip counts of a nest are known at its entry."""
        return all(isinstance(s, For) and self._known_at_entry(s.start, s.stop) for s in loops)

    def _known_at_entry(self, *atoms: Atom) -> bool:
        return all(isinstance(a, Const) or self.program.is_direct(a) for a in atoms)

    def position(self, loops: list[For | While]) -> Position:
        """The innermost loop's tape position, emitted at the start of its body."""
        loop = loops[-1]
        if loop in self._positions:
            return self._positions[loop]
        outer = loops[:-1]
        base: Var | None = None
        before: Atom = Const(0, INT)
        if outer and self.is_dense(loops):
            before = self.position(outer).var
        elif outer:
            base = self._base(loop)
        with self.insertions.into(self.insertions.at_position(loop)) as b:
            k = self.iteration(loop)
            if base is not None:
                var = b.add(base, k, name="at")
            elif outer:
                n = b.maximum(b.sub(loop.stop, loop.start), 0)  # type: ignore[union-attr]  (a `For`: a `While` is counted by `base`)
                var = b.add(b.mul(before, n), k, name="at")
            else:
                var = k
        self._positions[loop] = Position(var, base)
        return self._positions[loop]

    def _base(self, loop: For | While) -> Var:
        """The number of trips of all earlier executions of a loop, counted in a cell."""
        with self.insertions.into(self.insertions.at_head()) as b:
            cell = b.zeros(1, dtype="i64", name="count")
        with self.insertions.into(self.insertions.at_before(loop)) as b:
            base = b.load(cell, 0, name="base")
        trips = self.trips(loop)
        with self.insertions.into(self.insertions.at_after(loop)) as b:
            b.store(cell, 0, b.cast(b.add(base, trips), Scalar("i64")))
        self.values.forward(base, self.program.point[loop], None)
        return base

    def position_here(self, loops: list[For | While]) -> Atom:
        """The tape position of the iteration that the reverse sweep is in."""
        if not loops:
            return Const(0, INT)
        loop = loops[-1]
        cached = self.values.find(("position", loop))
        if cached is not None:
            return cached
        position, b = self.position(loops), self.b
        k = self.iteration_here(loop)
        if position.base is not None:
            out = b.add(self.values(position.base), k)
        elif len(loops) > 1 and position.base is None:
            assert isinstance(loop, For)
            n = b.maximum(b.sub(loop.stop, loop.start), 0)
            out = b.add(b.mul(self.position_here(loops[:-1]), n), k)
        else:
            out = k
        self.values.remember(("position", loop), out)
        return out

    def iteration_here(self, loop: For | While) -> Atom:
        """The number of the trip that the reverse sweep is in."""
        if isinstance(loop, While):
            return self.values(self.counter(loop).param)
        return self.b.sub(self.values(loop.index), self.values(loop.start))

    def trips_done_here(self, loop: For | While) -> Atom:
        """The number of trips that the forward sweep ran before the trip that is being reversed."""
        if isinstance(loop, For) and loop.reverse:
            last = self.b.sub(self.values(loop.stop), 1)
            return self.b.sub(last, self.values(loop.index))
        return self.iteration_here(loop)

    # ---- tapes ----
    def iterations(self, loops: list[For | While]) -> Atom:
        """The number of iterations of a dense nest, emitted before it."""
        n: Atom = Const(1, INT)
        for s in loops:
            assert isinstance(s, For)
            n = self.b.mul(n, self.b.maximum(self.b.sub(s.stop, s.start), 0))
        return n

    def new(self, v: Var, loops: list[For | While], point: Point, dims: Dims | None) -> Var:
        """A tape for `v`, allocated before the nest; `dims` of one value, None if they vary."""
        top = self.program.block[point[0][0]][point[0][1]] if point[0][1] != START else None
        before_nest = self.insertions.at_head() if top is None else self.insertions.at_before(top)
        dense = self.is_dense(loops)
        with self.insertions.into(before_nest) as b:
            n = (
                b.mul(self.iterations(loops), b.size(dims))
                if dense and dims is not None
                else Const(INITIAL_CAPACITY, INT)
            )
            b.loc = self._location(v, loops)
            return b.tape(n, dtype=self.dtype(v), name=f"{v.name}{SAVED}")

    def dtype(self, v: Var) -> str:
        """The dtype of a value's tape: signs are the same numbers in half the memory."""
        made = self.program.owner.get(v)
        signs = isinstance(made, Def) and made.op is elementwise.sign
        return "f32" if signs and v.type.dtype == "f64" else v.type.dtype

    def reserve(self, b: Builder, tape: Var, v: Var, loops: list[For | While], size: Atom) -> None:
        """Grows the tape of `v` to at least `size` slots."""
        b.loc = self._location(v, loops)
        b.reserve(tape, size)
        b.loc = None

    def _location(self, v: Var, loops: list[For | While]) -> Location | None:
        """The user's line that computes a value, for errors about memory."""
        made = self.program.owner.get(v) or (loops[-1] if loops else None)
        return None if made is None else made.loc
