"""Splits loops that have a schedule into segments: loops over loops that compute the same.

The outer loop is marked: of each of its trips reverse mode keeps what it begins with, and computes
the rest again (`recomputed`). Where not even that is to be kept of all of them, each trip has a
schedule of its own, by slots, which is split when that trip is reversed (`slots`). Arrays that are
carried and stored to are copied where a segment begins and ends, so that the outer loop carries
values. Never emits a derivative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad.autodiff.repeated_draws import draws_in
from srcgrad.autodiff.repeated_draws import refused as draw_refused
from srcgrad.autodiff.reverse.apart import Apart, changes_length, refused
from srcgrad.autodiff.reverse.program import Program, classes_read
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    Stmt,
    Var,
    While,
    altered,
    atom,
)
from srcgrad.ir.types import INT, Array, Scalar, np_dtype
from srcgrad.ir.walk import map_atoms, map_type, replaced_by, walk
from srcgrad.primitives import schedules

Loop = For | While


def by_segments(function: Function, table: Mapping[str, Any]) -> Function:
    """The same program, its outermost loops with a schedule split into segments."""
    if not any(isinstance(s, Def) and s.op is schedules.scheduled for s in walk(function.body)):
        return function
    return function.with_body(_Splitting(function, table).block(function.body))


def without_marks(function: Function) -> Function:
    """The function without the marks of schedules."""
    return function.with_body(_unmarked(function.body))


def _unmarked(block: Block) -> Block:
    kept = [s for s in block if not (isinstance(s, Def) and s.op in schedules.OF_LOOPS)]
    return tuple([map_atoms(s, lambda a: a, _unmarked) for s in kept])


def marked(s: Stmt, op: Any) -> Def | None:
    """The mark of a loop, if it has this one."""
    if not isinstance(s, For | While):
        return None
    return next((t for t in s.body if isinstance(t, Def) and t.op is op), None)


class _Splitting:
    """Splits the loops of one function; the fields are those of the loop that is being split."""

    def __init__(self, function: Function, table: Mapping[str, Any]):
        self.b = Builder(table)
        self.apart = Apart(Program(function))

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            mark = marked(s, schedules.scheduled)
            if isinstance(s, For | While) and mark is not None:
                if (drawn := next(draws_in(s.body), None)) is not None:
                    raise draw_refused(
                        "the derivative of a loop over flow.checkpointed runs its trips again",
                        drawn.loc,
                    )
                with self.b.block() as made:
                    self.b.loc = s.loc
                    self.split(s, mark)
                out += made
            else:
                out.append(map_atoms(s, lambda a: a, self.block))
        return tuple(out)

    def split(self, s: Loop, mark: Def) -> None:
        """Emits a loop by segments."""
        buffers = self.apart.free(s).values()
        own = self.apart.carried(s)
        arrays = {j for j, p in enumerate(s.params) if isinstance(p.type, Array)}
        plan = _Plan(self.b, s, mark, lambda: self._state(s, list(dict.fromkeys(buffers))))
        if plan.length is not None:
            self.b.split(plan.count, plan.length, *plan.slots[:1])
        inits = self._copies(s.inits, own)
        params = _like(s.params, own)
        results = [Var(r.name, r.type) if j in own else r for j, r in enumerate(s.results)]
        with self.b.block() as body:
            self.b.recomputed(*plan.slots)
            begun = self._copies(params, arrays)  # what begins a segment may be memory of a tape
            inner = self._segment(s, plan, begun)
            yields = self._copies(inner.results[: len(s.results)], own)
        parts = (tuple(params), inits, tuple(body), yields, tuple(results))
        self._append(s, plan, *parts)
        for j in own:
            r = s.results[j]
            self.b.append(Def(r, self.b.table["copy"], (results[j],), {}, s.loc))

    def _copies(self, atoms: Any, places: Any) -> tuple[Atom, ...]:
        """The atoms, those at some places copied."""
        return tuple([
            self.b.copy(a, name=a.name) if j in places else a for j, a in enumerate(atoms)
        ])  # fmt: skip

    def _state(self, s: Loop, buffers: list[Var]) -> Atom:
        """The number of bytes of what a trip begins with."""
        classes = self.apart.classes
        read = classes_read(s.body, classes)
        total: Atom = Const(0, INT)
        for v in (*s.params, *(v for v in buffers if classes.of(v) in read)):
            if changes_length(self.apart.program, s, v):
                raise refused(
                    f"by memory carries '{v}', whose length changes", s.loc, "say segments=..."
                )
            size = atom(self.b.size(v.type.dims)) if isinstance(v.type, Array) else 1
            total = self.b.add(total, self.b.mul(size, np_dtype(v.type.dtype).itemsize))
        return total

    # ---- the trips of a segment ----
    def _segment(self, s: Loop, plan: _Plan, begun: tuple[Atom, ...]) -> Loop:
        """Emits the trips of one segment, as a loop over fresh variables."""
        body = tuple([*plan.inner, *(t for t in s.body if t is not plan.mark)])
        if isinstance(s, For):
            first, last = self._range(s, plan)
            loop: Loop = altered(s, start=first, stop=last, inits=begun, body=body, promised=False)
        else:
            loop = self._counted(s, body, begun, plan.length)
        (made,), _ = copied((loop,), {})
        self.b.append(made)
        assert isinstance(made, For | While)
        return made

    def _range(self, s: For, plan: _Plan) -> tuple[Atom, Atom]:
        b = self.b
        done = b.mul(plan.index, plan.length)
        if s.reverse:
            last = b.sub(s.stop, done)
            return b.maximum(b.sub(last, plan.length), s.start), last
        first = b.add(s.start, done)
        return first, b.minimum(b.add(first, plan.length), s.stop)

    def _counted(
        self, s: While, body: Block, begun: tuple[Atom, ...], length: Atom | None
    ) -> While:
        """A `while` that ends after some trips, the number of which is its last result."""
        b, j = self.b, Var("trip", INT)
        with b.block() as test:
            test += s.test
            cond = s.cond if length is None else b.logical_and(b.lt(j, length), s.cond)
        with b.block() as end:
            following = b.add(j, 1)
        return altered(
            s, test=tuple(test), cond=cond, params=(*s.params, j), inits=(*begun, Const(0, INT)),
            body=(*body, *end), yields=(*s.yields, following), limit=length,
            results=(*s.results, Var("trips", INT)),
        )  # fmt: skip

    # ---- the loop over segments ----
    def _append(
        self, s: Loop, plan: _Plan, params: Any, inits: Any, body: Any, yields: Any, results: Any
    ) -> None:
        zero = Const(0, INT)
        if isinstance(s, For) or plan.length is None:
            self.b.append(
                For(plan.index, zero, plan.count, params, inits, body, yields, results, loc=s.loc)
            )
            return
        test, new = copied(s.test, dict(zip(s.params, params, strict=True)))
        cond = replaced_by(new)(s.cond)
        self.b.append(While(test, cond, params, inits, body, yields, results, plan.count, s.loc))


class _Plan:
    """The numbers of one schedule, emitted before the loop.

    `length` is the number of trips of each segment but the last; None if all are one segment.
    """

    def __init__(self, b: Builder, s: Loop, mark: Def, state: Any):
        self.b, self.mark, self.state = b, mark, state
        self.index = Var("segment", INT)
        self.inner: tuple[Def, ...] = ()  # the schedule of the trips of one segment
        self.slots: tuple[Atom, ...] = ()
        by, args = mark.params["by"], mark.args
        most = s.limit if isinstance(s, While) else b.maximum(b.sub(s.stop, s.start), 0)
        self.length: Any = None
        self.count: Any = Const(1, INT)
        if by in ("room", "memory"):
            args = (b.cast(args[0], INT),)  # of any integer type
        if by == "room":
            self._by_room(most, args[0])
        elif by == "slots":
            self._by_slots(most, args)
        elif by == "memory" and isinstance(s, For):
            room = b.floordiv(args[0], 3)
            segments = b.maximum(b.floordiv(room, b.maximum(state(), 1)), 1)
            self._split(most, segments)
            self.inner = (self._mark("room", b.sub(args[0], room)),)
        elif by == "memory":
            state()  # refuses
            self.inner = (self._mark("room", args[0]),)
        elif most is None:
            self.inner = (self._mark("slots", *args),)
        else:
            self._split(most, self._asked(most, args))

    def _mark(self, by: str, *args: Atom) -> Def:
        return Def(None, schedules.scheduled, args, {"by": by}, self.mark.loc)

    def _asked(self, most: Any, args: tuple[Atom, ...]) -> Any:
        """The number of segments that is given, or the root of that of the trips."""
        b = self.b
        if args:
            return b.maximum(b.cast(args[0], INT), 1)
        root = b.ceil(b.sqrt(b.cast(most, Scalar("f64", weak=True))))
        return b.maximum(b.cast(root, INT), 1)

    def _split(self, most: Any, segments: Any) -> None:
        self.length = self.b.maximum(_quotient(self.b, most, segments), 1)
        self.count = _quotient(self.b, most, self.length)

    def _by_slots(self, most: Any, args: tuple[Atom, ...]) -> None:
        """One slot for each segment, and one for the segment that is being reversed."""
        self._split(most, self._asked(most, args))
        self.slots = (self.b.add(self.count, 1),)

    def _by_room(self, most: Any, room: Any) -> None:
        """Half of the bytes for slots, half for the tapes of one segment."""
        b = self.b
        half = b.floordiv(room, 2)
        kept = Var("kept", INT)
        b.append(Def(kept, b.table["trip_bytes"], (), {}, self.mark.loc))
        self.length = b.minimum(b.maximum(b.floordiv(half, kept), 1), b.maximum(most, 1))
        self.count = _quotient(b, most, self.length)
        slots = b.maximum(b.floordiv(half, b.maximum(self.state(), 1)), 2)
        self.slots = (b.minimum(slots, b.add(self.count, 1)), kept, self.length)


def _quotient(b: Builder, n: Any, m: Any) -> Any:
    """n / m, rounded up."""
    return b.floordiv(b.sub(b.add(n, m), 1), m)


def _like(params: tuple[Var, ...], own: list[int]) -> list[Var]:
    """Variables for carried values; those at some places are copies, hence contiguous."""
    made = [Var(p.name, p.type) for p in params]
    f = replaced_by(dict(zip(params, made, strict=True)))
    for j, v in enumerate(made):
        t = map_type(v.type, f)
        v.type = Array(t.dtype, t.dims) if j in own and isinstance(t, Array) else t
    return made
