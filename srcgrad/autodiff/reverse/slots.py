"""The reverse of a loop that stores the states at the beginning of as many trips as it has slots.

The schedule is binomial: A. Griewank and A. Walther, "Algorithm 799: Revolve", ACM Transactions on
Mathematical Software 26 (2000). The slots are a stack. Before a trip is reversed, the loop runs
from the beginning on top of it up to that trip, and leaves beginnings in free slots on its way; no
other choice of these runs fewer trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from srcgrad.autodiff.reverse.apart import changes_length, refused
from srcgrad.autodiff.reverse.nested import ReversedLoop, Scope
from srcgrad.autodiff.reverse.program import classes_read
from srcgrad.autodiff.reverse.recomputed import Again, Trip, WithTrips
from srcgrad.autodiff.reverse.segments import marked
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While, altered, atom
from srcgrad.ir.types import INT, Scalar, np_dtype
from srcgrad.ir.walk import walk
from srcgrad.primitives import schedules, tapes
from srcgrad.primitives.tapes import SAVED
from srcgrad.records import record

ZERO = Const(0, INT)


@record()
class Kept:
    """A part of what a trip begins with: a carried value or a buffer, and its tape."""

    of: Var
    tape: Var
    size: Any  # the number of elements; None for a scalar

    def view(self, b: Builder, slot: Atom) -> Any:
        return b.tape_view(self.tape, b.mul(slot, self.size), *self.of.type.dims)

    def put(self, b: Builder, slot: Atom, value: Atom) -> None:
        if self.size is None:
            b.store(self.tape, slot, value)
        else:
            b.assign(self.view(b, slot), value)

    def get(self, b: Builder, slot: Atom) -> Any:
        """A carried value; of an array, a copy: the slot will hold another."""
        if self.size is None:
            return b.retyped(b.load(self.tape, slot, name=self.of.name), self.of.type)
        return b.copy(self.view(b, slot), name=self.of.name)


class WithSchedules(WithTrips):
    """The sweep of programs whose loops may have schedules."""

    def reversed_loop(self, s: For | While) -> ReversedLoop:
        mark = marked(s, schedules.recomputed)
        if mark is None:
            return super().reversed_loop(s)
        if not mark.args:
            return Again(self, s)
        assert isinstance(s, For)
        return BySlots(self, s, mark)


class BySlots(Again):
    """The reverse of a loop at the top level of its function."""

    s: For

    def __init__(self, sweep: WithTrips, s: For, mark: Def):
        super().__init__(sweep, s)
        self.slots, self.bytes = mark.args[0], mark.args[1:]
        self.mark = mark

    def emit(self) -> None:
        ins = self.values.insertions
        with ins.into(ins.at_before(self.s)) as b:
            self._make_slots(b)
        with ins.into(ins.at(self.s)) as b:  # its trips run in the reverse sweep
            b.append(altered(self.s, stop=ZERO))
        super().emit()
        if self.bytes:
            self._measure(self.sweep.trips[self.s])

    def _make_slots(self, b: Builder) -> None:
        read = classes_read(self.s.body, self.program.classes)
        buffers = [v for v in self.buffers if self.program.classes.of(v) in read]
        self.carried_values = [self._kept(b, p) for p in self.s.params]
        self.contents = [self._kept(b, v) for v in buffers]
        self.begins = b.zeros(self.slots, dtype="i64", name="begins")  # the trip of each slot
        self._put(b, ZERO, self.s.inits, ZERO)

    def _kept(self, b: Builder, v: Var) -> Kept:
        if changes_length(self.program, self.s, v):
            said = f"that is a `while` carries '{v}', whose length changes"
            raise refused(said, self.s.loc, "run a `for` over a range, with a `break`")
        size = None if isinstance(v.type, Scalar) else b.size(v.type.dims)
        many = self.slots if size is None else b.mul(self.slots, size)
        return Kept(v, b.tape(many, dtype=v.type.dtype, name=f"{v.name}{SAVED}"), size)

    def _put(self, b: Builder, slot: Any, state: tuple[Atom, ...], trip: Any) -> None:
        for k, x in zip(self.carried_values, state, strict=True):
            k.put(b, slot, x)
        for k in self.contents:
            k.put(b, slot, k.of)
        b.store(self.begins, slot, b.cast(trip, Scalar("i64")))

    def _get(self, slot: Atom) -> tuple[Atom, ...]:
        """The carried values in a slot; buffers get the contents."""
        for k in self.contents:
            self.b.assign(k.of, k.view(self.b, slot))
        return tuple([k.get(self.b, slot) for k in self.carried_values])

    # ---- one trip ----
    def _carry_swapped(self, scope: Scope) -> None:
        super()._carry_swapped(scope)
        self.top = self._carry(self.s.index, ZERO, INT, "top")

    def begin(self) -> None:
        top = self._advanced(self.values(self.s.index))
        for p, x in zip(self.s.params, self._get(top), strict=True):
            self.values.remember(p, x)
        self.yields[self.params.index(self.top)] = self.b.sub(top, 1)

    def _trip_in(self, slot: Atom) -> Any:
        return self.b.retyped(self.b.load(self.begins, slot), INT)

    def _advanced(self, trip: Any) -> Var:
        """Emits the runs up to a trip; the slot with its beginning."""
        b, top, result = self.b, Var("top", INT), Var("top", INT)
        with b.block() as test:
            more = b.lt(self._trip_in(top), trip)
        with b.block() as body:
            first = self._trip_in(top)
            free = b.sub(b.sub(self.slots, 1), top)
            state, last = self._get(top), self._next(first, trip, free)
            trips = tuple([t for t in self.s.body if t is not self.mark])
            loop = altered(self.s, start=first, stop=last, inits=state, body=trips)
            (made,), _ = copied((loop,), {})
            assert isinstance(made, For)
            b.append(made)
            above = b.add(top, 1)
            self._put(b, above, made.results, last)
        b.append(
            While(tuple(test), more, (top,), (self.top,), tuple(body), (above,), (result,), None,
                  b.loc)
        )  # fmt: skip
        return result

    def _next(self, first: Any, trip: Any, free: Any) -> Any:
        """The trip whose beginning goes to the next slot, on the way from one trip to another.

        `many` is binomial(free + runs, runs): as many trips are reversed from one beginning and
        with these slots if none of them runs more than `runs` times.
        """
        b = self.b
        left, free = b.sub(b.add(trip, 1), first), b.maximum(free, 1)
        runs, many = Var("runs", INT), Var("many", INT)
        with b.block() as test:
            more = b.lt(many, left)
        with b.block() as body:
            runs1 = b.add(runs, 1)
            many1 = b.floordiv(b.mul(many, b.add(free, runs1)), runs1)
        r, n = Var("runs", INT), Var("many", INT)
        b.append(
            While(tuple(test), more, (runs, many), (ZERO, Const(1, INT)), tuple(body),
                  (runs1, many1), (r, n), None, b.loc)
        )  # fmt: skip
        fewer = b.floordiv(b.mul(n, r), b.add(free, r))  # with one run less
        last = b.floordiv(b.mul(fewer, free), b.maximum(b.sub(b.add(free, r), 1), 1))  # and slot
        step = b.maximum(b.minimum(fewer, b.sub(left, last)), 1)
        return b.minimum(b.add(first, step), trip)

    # ---- bytes ----
    def _measure(self, trip: Trip) -> None:
        """Emits the number of bytes that one trip of the user's puts on tapes."""
        kept, length = self.bytes
        known: dict[Var, Any] = {}
        for p, v in zip(trip.joint.params, trip.params, strict=False):
            if v is length:
                known[p] = Const(1, INT)
            elif v is self.s.index:
                known[p] = ZERO
            elif v not in self.s.params:
                known[p] = v
        place: Stmt = self.program.owner[kept]  # type: ignore[index,assignment]  (its definition)
        ins = self.values.insertions
        ins.at(place).clear()
        with ins.into(ins.at(place)) as b:
            total = _Bytes(b, trip.joint, known).total(self.s)
            args = (total, Const(1, INT))
            b.append(Def(kept, b.table["maximum"], args, {}, self.s.loc))  # type: ignore[arg-type]  (a variable)


class _Bytes:
    """Counts what one trip of a joint function puts on tapes, in numbers known before it."""

    def __init__(self, b: Builder, joint: Function, known: Mapping[Var, Any]):
        self.b, self.joint, self.known = b, joint, known
        self.made = {d.var: d for d in joint.body if isinstance(d, Def) and d.var is not None}
        inside = walk(joint.body)
        self.grown = {d.args[0] for d in inside if isinstance(d, Def) and d.op is tapes.reserve}
        # arrays that tapes of references keep, one of each trip
        self.held: dict[Var, Any] = {}
        for s in joint.body:
            for d in s.body if isinstance(s, For) else ():
                if isinstance(d, Def) and d.op is tapes.ref_put:
                    self.held[d.array] = d.args[2]

    def value(self, a: Atom) -> Any:
        """A number; None if it follows from what is computed in the trip."""
        if isinstance(a, Const):
            return a
        if a in self.known:
            return self.known[a]
        d = self.made.get(a)
        if d is None or not d.op.cheap or not isinstance(a.type, Scalar):
            return None
        args = [self.value(x) for x in d.args]
        return None if any(x is None for x in args) else self.b(d.op, *args, **d.params)

    def of(self, d: Def) -> Any:
        """The bytes of a tape, or of the arrays that it keeps; None if not known."""
        if d.op is tapes.tape:
            sizes, dtype = [d.args[0]], d.params["dtype"]
        else:
            t = getattr(self.held.get(d.var), "type", None)  # type: ignore[arg-type]  (a tape)
            sizes, dtype = (None, "") if t is None else ([*map(atom, t.dims)], t.dtype)
        if sizes is None or d.var in self.grown:
            return None
        found = [self.value(n) for n in sizes]
        if any(n is None for n in found):
            return None
        return reduce(self.b.mul, found, Const(np_dtype(dtype).itemsize, INT))

    def total(self, s: For) -> Any:
        total: Any = ZERO
        for d in self.made.values():
            if d.op in (tapes.tape, tapes.reftape):
                found = self.of(d)
                if found is None:
                    raise refused(
                        "by memory: what its trips put on tapes is known when they have run",
                        s.loc, "say segments=... instead",
                    )  # fmt: skip
                total = self.b.add(total, found)
        return total
