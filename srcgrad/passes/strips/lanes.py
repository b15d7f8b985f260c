"""Writes a strip of trips: each statement for all its lanes before the next one.

A row of statements of a trip becomes a loop over the lanes. The values that inner loops carry, and
those that pass from one row to another, lie in buffers of one element per lane. What is uniform is
computed once for all lanes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import atoms, results, walk
from srcgrad.passes.combining import NEUTRAL
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.hoist_allocations import stored_zeros
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips import sizes
from srcgrad.passes.strips.lane import Lane
from srcgrad.passes.strips.plan import (
    Around,
    Made,
    Masked,
    Moves,
    Once,
    Part,
    Plan,
    Row,
    loops_around,
    rows,
)
from srcgrad.passes.strips.tapes import Place
from srcgrad.passes.strips.transposed import Transposed, is_affine, transposed
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.primitives import elementwise, memory


class Lanes:
    """The statements of all lanes of one strip of a loop."""

    def __init__(
        self, b: Builder, loop: For, uniform: Uniform, places: Mapping[Def, Place],
        facts: Dependence,
    ):  # fmt: skip
        """`places`: the accesses to tapes that are laid out for strips."""
        self.b, self.loop, self.uniform, self.facts, self.in_tape = b, loop, uniform, facts, places
        self.now: dict[Var, Atom] = {}  # uniform variables at the point being written
        self.buffers: dict[Var, Var] = {}  # the buffers of the others
        self.first: Atom = Const(0, INT)  # the index of the strip's first trip
        self.moving: dict[For, list[Transposed]] = {}  # the accesses of an inner loop that move
        self.tiles: dict[Def, tuple[Var, Atom]] = {}  # by access: the tile, and the row in it
        self.positions: dict[Var, Def] = {}  # computed anew in each row
        self.wide: dict[Var, Var] = {}  # the trip's own buffers, with an axis of lanes
        for s in walk(loop.body):
            if isinstance(s, Def) and is_affine(s) and all(map(self.has_position, s.args)):
                self.positions[s.var] = s  # type: ignore[index]  (it has a result)

    def has_position(self, a: Atom) -> bool:
        return a is self.loop.index or a in self.positions or not self.uniform.varies((a,))

    # ---- made once before all strips ----
    def prepare(self, sums: Sequence[Var]) -> None:
        """Makes the buffers; `sums`: the values that the loop itself carries and changes."""
        for p in sums:
            self.buffers[p] = self.buffer(p)
        for s in loops_around(self.loop.body, self.uniform):
            for p, r in zip(s.params, s.results, strict=True):
                if self.uniform.varies((p,)):
                    self.buffers[p] = self.buffers[r] = self.buffer(p)
        for x, made in self.uniform.own.buffers.items():
            self.wide[x] = self.b.empty(*made.args, sizes.LANES, **made.params, name=x.name)
        plan, loop = Plan(self.uniform, self.buffers), self.loop
        self.parts = plan.parts(loop.body, plan.moved(loop, loop.yields))
        read = Counter(v for s in walk(loop.body) for v in atoms(s))
        read.update(loop.yields)
        for row in rows(self.parts):
            here = Counter(v for s in walk(row.statements) for v in atoms(s))
            here.update(a for _, a in row.moves)
            for v in (v for s in row.statements for v in results(s)):
                if v not in self.positions and read[v] > here[v]:
                    self.buffers[v] = self.buffer(v)
        for part in self.parts:
            if isinstance(part, Around):
                self.make_tiles(part.loop)

    def make_tiles(self, s: For) -> None:
        moving = transposed(s, self.loop, self.uniform, self.facts)
        self.moving[s] = [t for t in moving if t.access not in self.in_tape]
        for t in self.moving[s]:
            x = t.access.array
            tile = self.b.empty(sizes.TILE, sizes.LANES, dtype=x.type.dtype, name=x.name)
            self.tiles[t.access] = tile, Const(0, INT)

    def buffer(self, v: Var) -> Var:
        """Memory for a value of each lane."""
        return self.b.empty(sizes.LANES, dtype=v.type.dtype, name=v.name)

    # ---- a strip ----
    def strip(self, first: Atom, same: Mapping[Var, Atom]) -> None:
        """A strip that begins at `first`; `same`: the values that all trips carry alike."""
        self.first, self.now = first, dict(same)
        self.write(self.parts)

    def write(self, parts: Sequence[Part]) -> None:
        for part in parts:
            match part:
                case Once():
                    self.once(part.statement)
                case Row():
                    self.row(part.statements, part.moves)
                case Around():
                    self.around(part)
                case Masked():
                    self.masked(part.loop)
                case Made():
                    self.made(part.statement)

    def once(self, s: Stmt) -> None:
        (new,), more = copied((s,), dict(self.now))
        self.now |= {v: more[v] for v in results(s)}
        self.b.append(new)

    def made(self, s: Def) -> None:
        """The trip's own buffer for all lanes: it is there, and has what it begins with."""
        if s.op is memory.zeros and s.var is not None:
            for t in stored_zeros(self.wide[s.var], s.loc):
                self.b.append(t)

    def here(self, a: Atom) -> Atom:
        """A uniform value at this point."""
        return self.now.get(a, a) if isinstance(a, Var) else a

    def row(self, statements: Sequence[Stmt], moves: Moves) -> None:
        """A loop over the lanes."""
        wanted = [s for s in statements if not (isinstance(s, Def) and s.var in self.positions)]
        if wanted or moves:
            lane, summed = Var("lane", INT), self.summed(statements)
            with self.b.block() as body:
                one = Lane(self, lane)
                one.run([s for s in wanted if s not in summed])
                for buffer, a in moves:
                    one.put(buffer, one.value(a))
                sums = [Var("sum", s.args[-1].type) for s in summed]
                ends = [
                    self.b.add(v, one.value(s.args[-1])) for v, s in zip(sums, summed, strict=True)
                ]
                one.finish()
            self.over(lane, tuple(body), sums, ends, summed)

    def summed(self, statements: Sequence[Stmt]) -> list[Def]:
        """The additions of a row to an element that is the same for all lanes."""
        adds = [
            s
            for s in statements
            if isinstance(s, Def) and s.op is memory.add_at and not self.uniform.varies(s.args[:-1])
        ]
        read = {
            self.facts.classes.of(s.array)
            for s in walk(statements)
            if isinstance(s, Def) and s.op in ELEMENTS and s.op is not memory.add_at
        }
        return [s for s in adds if self.facts.classes.of(s.array) not in read]

    def over(
        self,
        lane: Var,
        body: Block,
        sums: Sequence[Var] = (),
        ends: Sequence[Atom] = (),
        into: Sequence[Def] = (),
    ) -> None:
        """A loop over the lanes; `sums` of what they add go `into` elements after it."""
        b, zero, lanes = self.b, Const(0, INT), Const(sizes.LANES, INT)
        starts = tuple(Const(NEUTRAL[elementwise.add], v.type) for v in sums)
        totals = tuple(Var(v.name, v.type) for v in sums)
        b.append(For(lane, zero, lanes, tuple(sums), starts, body, tuple(ends), totals, loc=b.loc))
        for s, total in zip(into, totals, strict=True):
            b.add_at(s.array, *map(self.here, s.args[1:-1]), total)

    # ---- loops around the lanes ----
    def around(self, part: Around) -> None:
        """A loop of the trip, by tiles if accesses in it are transposed."""
        b, s = self.b, part.loop
        b.loc = s.loc
        start, stop = (b.retyped(self.here(a), INT) for a in (s.start, s.stop))
        kept = [k for k, p in enumerate(s.params) if p not in self.buffers]
        inits = tuple(self.here(s.inits[k]) for k in kept)
        if self.moving.get(s):
            ends = self.by_tiles(part, start, stop, kept, inits)
        else:
            ends = self.loop_around(part, start, stop, kept, inits)
        self.now |= {s.results[k]: r for k, r in zip(kept, ends, strict=True)}

    def by_tiles(
        self, part: Around, start: Atom, stop: Atom, kept: list[int], inits: tuple[Atom, ...]
    ) -> tuple[Var, ...]:
        """The loop in parts, each between transfers of its tiles."""
        b, s, moving = self.b, part.loop, self.moving[part.loop]
        span = b.maximum(b.sub(stop, start), 0, name="trips")
        count = b.floordiv(b.add(span, sizes.TILE - 1), sizes.TILE, name="tiles")
        tile = Var("tile", INT)
        params, ended = self.fresh(s.params, kept), self.fresh(s.results, kept)
        with b.block() as body:
            low = b.add(start, b.mul(tile, sizes.TILE), name="low")
            high = b.minimum(b.add(low, sizes.TILE), stop, name="high")
            for t in moving:
                if t.loads:
                    self.transfer(s, t, low, high)
            ends = self.loop_around(part, low, high, kept, params, low)
            for t in moving:
                if not t.loads:
                    self.transfer(s, t, low, high)
        b.append(
            For(tile, Const(0, INT), count, params, inits, tuple(body), ends, ended,
                reverse=s.reverse, loc=s.loc)
        )  # fmt: skip
        return ended

    def loop_around(
        self, part: Around, start: Atom, stop: Atom, kept: list[int], inits: tuple[Atom, ...],
        low: Atom | None = None,
    ) -> tuple[Var, ...]:  # fmt: skip
        """The loop over a range, with what is uniform carried as it was; `low`: of its tiles."""
        b, s, outside = self.b, part.loop, self.now
        index, params = Var(s.index.name, INT), self.fresh(s.params, kept)
        carried = {s.params[k]: p for k, p in zip(kept, params, strict=True)}
        self.now = {**outside, s.index: index, **carried}
        with b.block() as body:
            for t in self.moving.get(s, ()) if low is not None else ():
                self.tiles[t.access] = self.tiles[t.access][0], b.sub(index, low)
            self.write(part.parts)
        yields = tuple(self.here(s.yields[k]) for k in kept)
        self.now = outside
        ended = self.fresh(s.results, kept)
        b.append(
            For(index, start, stop, params, inits, tuple(body), yields, ended,
                reverse=s.reverse, loc=s.loc)
        )  # fmt: skip
        return ended

    def fresh(self, variables: Sequence[Var], kept: Sequence[int]) -> tuple[Var, ...]:
        return tuple(Var(variables[k].name, variables[k].type) for k in kept)

    def transfer(self, s: For, t: Transposed, low: Atom, high: Atom) -> None:
        """Moves what lanes touch at a distance between memory and its tile."""
        b, access = self.b, t.access
        b.loc = access.loc
        lane, k = Var("lane", INT), Var(s.index.name, INT)
        tile = self.tiles[access][0]
        with b.block() as body:
            one = Lane(self, lane)
            one.known[s.index] = k
            with b.block() as inside:
                place = [one.value(a) for a in access.args[1 : None if t.loads else -1]]
                spot = (b.sub(k, low), lane)
                if t.loads:
                    b.store(tile, *spot, b.load(access.array, *place))
                else:
                    b(access.op, access.array, *place, b.load(tile, *spot))
            b.append(For(k, low, high, (), (), tuple(inside), (), (), loc=b.loc))
        self.over(lane, tuple(body))

    # ---- while ----
    def masked(self, s: While) -> None:
        """A `while` for all lanes as long as many go on; the others then end one by one."""
        b = self.b
        b.loc = s.loc
        live, ended, end = (Var("live", INT) for _ in range(3))
        with b.block() as test:
            goes_on = b.gt(live, sizes.FEW)
        with b.block() as body:
            lane, count = Var("lane", INT), Var("live", INT)
            with b.block() as inside:
                now = self.masked_trip(s, Lane(self, lane), count)
            zero, lanes = Const(0, INT), Const(sizes.LANES, INT)
            b.append(
                For(lane, zero, lanes, (count,), (zero,), tuple(inside), (now,), (ended,),
                    loc=s.loc)
            )  # fmt: skip
        first = (Const(sizes.LANES, INT),)
        b.append(
            While(tuple(test), goes_on, (live,), first, tuple(body), (ended,), (end,), loc=s.loc)
        )
        unfinished = b.gt(end, 0)
        with b.block() as then:
            self.one_by_one(s)
        b.append(If(unfinished, tuple(then), (), (), (), (), s.loc))

    def masked_trip(self, s: While, one: Lane, count: Var) -> Atom:
        """A trip of a `while` in one lane, which keeps its values if it has ended; counts on."""
        b = self.b
        one.run(s.test)
        cond = one.value(s.cond)
        one.run(s.body)
        for p, y in zip(s.params, s.yields, strict=True):
            if y is not p:
                one.put(self.buffers[p], b.where(cond, one.value(y), one.value(p)))
        now = b.add(count, b.where(cond, 1, 0))
        one.finish()
        return now

    def one_by_one(self, s: While) -> None:
        """The rest of a `while` in each lane, from the values in the buffers."""
        lane = Var("lane", INT)
        with self.b.block() as body:
            one = Lane(self, lane)
            one.statement(altered(s, inits=tuple(map(one.value, s.params)), limit=None))
            for p, r in zip(s.params, s.results, strict=True):
                one.put(self.buffers[p], one.known[r])
            one.finish()
        self.over(lane, tuple(body))
