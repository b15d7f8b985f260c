"""The reverse of loops whose trips are recomputed from the state stored at the beginning of each.

A trip is reversed as a function of its own, from what it begins with: its joint function runs the
trip once more, with tapes that serve one trip after another, and adds to the adjoints of arrays
from outside where they are. See `segments` for where such loops come from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.autodiff.reverse.apart import Apart
from srcgrad.autodiff.reverse.nested import Nested, ReversedLoop, Scope
from srcgrad.autodiff.reverse.program import START, body_of, classes_read
from srcgrad.autodiff.splice import splice
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While, type_vars
from srcgrad.ir.types import INT, Array, Scalar, float_type, is_reference
from srcgrad.ir.walk import free_variables
from srcgrad.primitives import schedules
from srcgrad.records import record

Reverse = Callable[..., Function]  # `joint.vjp` of a part of the program


@record()
class Trip:
    """A trip as a function: its parameters in the program, and its joint function."""

    params: list[Var]
    returned: list[Var]  # parameters whose adjoint the joint function returns
    added: list[Var]  # those from outside, whose adjoints so far it is given
    joint: Function
    counted: tuple[Var, Var] | None  # a parameter, and the number of trips that it is given


class WithTrips(Nested):
    """The sweep; `trips` has the functions that earlier runs have made of trips."""

    def __init__(self, adjoints: Any, known: Any, reverse: Reverse, trips: dict[Stmt, Trip]):
        super().__init__(adjoints, known)
        self.reverse, self.trips = reverse, trips

    def must_save(self, s: Stmt, v: Var) -> bool:
        """Whether what a statement stores to a buffer is to be undone."""
        return self._must_save(self.program.classes.of(v), self.program.point[s])


class Again(ReversedLoop):
    """The reverse of a loop whose trips all have kept what they begin with."""

    sweep: WithTrips

    def __init__(self, sweep: WithTrips, s: For | While):
        super().__init__(sweep, s)
        self.program = sweep.program
        self.stored = Apart(self.program).free(s)  # references, and the buffers they lead to
        self.buffers = list(dict.fromkeys(self.stored.values()))

    def emit(self) -> None:
        undone = [(v, self._before(v)) for v in self.buffers if self.sweep.must_save(self.s, v)]
        super().emit()
        for v, old in undone:
            self.b.assign(self.values(v), self.values(old))

    def _before(self, v: Var) -> Var:
        """A copy of a buffer from before the loop."""
        ins = self.values.insertions
        with ins.into(ins.at_before(self.s)) as b:
            old = b.copy(v, name="old")
        self.values.forward(old, self.program.point[self.s], None)
        return old

    # ---- one trip ----
    def reverse_body(
        self, seeds: list[tuple[Atom, Any]], scope: Scope, close: Callable[[], None]
    ) -> list[Stmt]:
        s, key = self.s, body_of(self.s)
        with self.sweep.entered(s, key[1], scope) as out:
            self.values.now = (*self.program.point[s], (key, 0))
            self.begin()
            self._run([g for _, g in seeds])
            close()
        return out

    def begin(self) -> None:
        """Gives buffers that a trip changes and reads the contents that it began with."""
        read = classes_read(self.s.body, self.program.classes)
        ins, key = self.values.insertions, body_of(self.s)
        place = ins.at_start(key)
        for v in self.buffers:
            if self.program.classes.of(v) not in read:
                continue
            with ins.into(place) as b:
                old = b.copy(v, name="old")
            self.values.forward(old, (*self.program.point[self.s], (key, START)), None, place)
            self.b.assign(self.values(v), self.values(old))

    def _run(self, seeds: list[Any]) -> None:
        trip = self.sweep.trips.get(self.s)
        if trip is None:
            trip = self.sweep.trips[self.s] = self._trip()
        pairs = zip(trip.params, trip.joint.params, strict=False)
        given = [self._given(v, p, trip.counted) for v, p in pairs]
        for j, g in zip([j for j, _ in self.carried], seeds, strict=True):
            y = self.s.yields[j]
            if isinstance(y.type, Array):
                own = zip(y.type.dims, g.type.dims, strict=True)
                given += [d for e, d in own if isinstance(e, Var) and e not in trip.params]
            given.append(g)
        sums = [v for v in trip.added if isinstance(v.type, Scalar)]
        places = [self._so_far(v) for v in trip.added]
        at_hand = [_contiguous(self.b, x, v) for x, v in zip(places, trip.added, strict=True)]
        given += at_hand
        made = splice(self.b, trip.joint, given, self.values.insertions.head)
        for x, y in zip(places, at_hand, strict=True):
            if x is not y:
                self.b.assign(x, y)
        found = zip((*trip.returned, *sums), made[len(self.s.yields) :], strict=True)
        for v, g in found:
            self.adjoints.add(v, g)

    def _so_far(self, v: Var) -> Any:
        """The adjoint of a value from outside: where that of an array is, or a scalar's."""
        if not isinstance(v.type, Scalar):
            return self.adjoints.place(v)
        return self.b.retyped(self.adjoints.scalars.pop(v, Const(0.0, v.type)), v.type)

    def _given(self, v: Var, p: Var, counted: Any) -> Atom:
        """The value that a trip begins with."""
        if counted is not None and v is counted[0]:
            return self.values(counted[1])
        if not is_reference(v.type) or v in self.buffers:
            return self.values(v)
        return _contiguous(self.b, self.values.contents(v), p)

    # ---- the function ----
    def _trip(self) -> Trip:
        s, active = self.s, self.adjoints.active
        inner, counted = self._body()
        body = (*self._views(), *inner)
        params = [*s.params, *([s.index] if isinstance(s, For) else [])]
        params += free_variables(body, s.yields)
        params = list(dict.fromkeys([*params, *(d for p in params for d in type_vars(p.type))]))
        function = clone(
            Function(f"{self.program.function.name}_trip", tuple(params), body, s.yields)
        )
        varying = [k for k, p in enumerate(params) if float_type(p.type) and active(p)]
        added = [k for k in varying if params[k] not in s.params]
        returned = [k for k in varying if k not in added]
        carried = {j for j, _ in self.carried}
        seeds = ["given" if j in carried else None for j in range(len(s.yields))]
        joint = self.sweep.reverse(function, returned, self.b.table, seeds, added)
        of = params.__getitem__
        return Trip(params, [*map(of, returned)], [*map(of, added)], joint, counted)

    def _views(self) -> list[Stmt]:
        """The definitions of references that a trip stores through, from their buffers on."""
        out: dict[Stmt, None] = {}
        for v in self.stored:
            chain: list[Stmt] = []
            while v not in self.buffers:
                d = self.program.owner[v]
                assert isinstance(d, Def)
                chain.append(d)
                v = d.array
            out |= dict.fromkeys(reversed(chain))
        return list(out)

    def _body(self) -> tuple[Block, tuple[Var, Var] | None]:
        """The statements of a trip; a `while` in it runs as often as it did."""
        counted = None
        out: list[Stmt] = []
        for t in self.s.body:
            if isinstance(t, Def) and t.op in schedules.OF_LOOPS:
                continue
            if isinstance(t, While):
                counted = Var("count", INT), t.results[-1]
                t = _counted(t, counted[0])
            out.append(t)
        return tuple(out), counted


def _contiguous(b: Any, a: Any, like: Var) -> Any:
    """An array, or a copy of one that is strided and is to be contiguous."""
    strided = isinstance(a.type, Array) and a.type.layout != "C"
    return b.copy(a) if strided and like.type.layout == "C" else a


def _counted(t: While, count: Var) -> For:
    """A loop over as many trips; the last value that a `while` carries is their number."""
    return For(
        t.params[-1], Const(0, INT), count, t.params[:-1], t.inits[:-1], t.body, t.yields[:-1],
        t.results[:-1], loc=t.loc,
    )  # fmt: skip
