"""Integers that loops count, in closed form: from their start and the number of the trip.

A counter changes by the same steps in each trip, or in each trip of inner loops that run
equally often or over a triangle. Its start is saved once per execution of the loop, if
necessary. Never applies to types narrower than int64, nor to steps that the loop computes.
"""

from __future__ import annotations

from typing import Any

from srcgrad.autodiff.reverse.program import Program, body_of
from srcgrad.ir.nodes import Atom, Const, Def, For, Var, While
from srcgrad.ir.types import INT, Scalar
from srcgrad.primitives import elementwise
from srcgrad.records import record

Loop = For | While


@record(frozen=True)
class Step:
    """An increment of a counter, once a trip or once in each trip of an inner loop."""

    size: Atom
    inner: For | None = None
    slope: int = 0  # change of the trip count of `inner` from one trip of the loop to the next


@record(frozen=True)
class Counter:
    """A carried integer: the loop, its initial value, and the steps of one trip."""

    loop: Loop
    init: Atom
    steps: tuple[Step, ...]
    type: Scalar


class Counters:
    """The counters of a program; `values` is the sweep's `ValueRecovery`."""

    def __init__(self, values: Any):
        self.values, self.program = values, values.program
        self.b = values.b
        self._found: dict[Var, Counter | None] = {}

    def of(self, v: Var) -> Counter | None:
        """The counter that `v` is at the start of each trip, if its steps are recovered cheaply."""
        if v not in self._found:
            self._found[v] = _found(self.program, v)
        c = self._found[v]
        return c if c is not None and all(map(self.values.is_cheap, _read(c))) else None

    def __call__(self, c: Counter, name: str) -> Any:
        """The value of a counter in the trip that the reverse sweep is in."""
        k, out = self.values.tapes.trips_done_here(c.loop), self.values(c.init)
        for step in c.steps:
            times = k if step.inner is None else self._trips_before(c.loop, step, k)
            out = self.b.add(out, self.b.mul(times, self.values(step.size)), name=name)
        return self.b.retyped(out, c.type, name)

    def _trips_before(self, loop: Loop, step: Step, k: Atom) -> Any:
        """The trips of an inner loop in the first `k` trips of the loop around it."""
        b, inner = self.b, step.inner
        assert inner is not None
        if not step.slope:
            start, stop = self.values(inner.start), self.values(inner.stop)
            return b.mul(k, b.maximum(b.sub(stop, start), 0))
        assert isinstance(loop, For)
        first = b.sub(self.values(loop.stop), 1) if loop.reverse else self.values(loop.start)

        def at_first(a: Atom) -> Any:
            base, offset = offset_from(self.program, a)
            here = first if base is loop.index else self.values(base)
            return offset if base is None else b.add(here, offset)

        trips = b.sub(at_first(inner.stop), at_first(inner.start))
        pairs = b.floordiv(b.mul(k, b.sub(k, 1)), 2)
        return (b.add if step.slope > 0 else b.sub)(b.mul(k, trips), pairs)


def _read(c: Counter) -> list[Atom]:
    """The atoms that the closed form reads besides the start: step sizes and invariant bounds."""
    read = [step.size for step in c.steps]
    for step in c.steps:
        if step.inner is not None and not step.slope:
            read += [step.inner.start, step.inner.stop]
        elif step.inner is not None:
            assert isinstance(c.loop, For)
            read += [c.loop.start, c.loop.stop]
    return read


def _found(program: Program, v: Var) -> Counter | None:
    s = program.owner.get(v)
    if not isinstance(s, Loop) or v not in s.params:
        return None
    if not isinstance(v.type, Scalar) or v.type.dtype != INT.dtype:
        return None
    j = s.params.index(v)
    steps = _steps(program, s, s.yields[j], v, s)
    return None if steps is None else Counter(s, s.inits[j], steps, v.type)


def _steps(
    program: Program, loop: Loop, end: Atom, param: Var, around: Loop
) -> tuple[Step, ...] | None:
    """The steps from a carried integer to what `loop` yields for it, constant in `around`."""
    steps: list[Step] = []
    while end is not param:
        d = program.owner.get(end) if isinstance(end, Var) else None
        if isinstance(d, Def) and (size := _added(program, d, around)) is not None:
            steps.append(Step(size))
            end = d.args[0]
        elif isinstance(d, For) and loop is around and end in d.results:
            j = d.results.index(end)
            each = _inner_steps(program, d, j, around)
            if each is None:
                return None
            steps += each
            end = d.inits[j]
        else:
            return None
    return tuple(steps)


def _added(program: Program, d: Def, loop: Loop) -> Atom | None:
    """The addend of an addition to its first operand, if it is the same in each trip."""
    if (moved := _moved(d)) is not None:
        return Const(moved, INT)
    fixed = d.op is elementwise.add and _is_fixed(program, d.args[1], loop)
    return d.args[1] if fixed else None


def _inner_steps(program: Program, inner: For, j: int, loop: Loop) -> list[Step] | None:
    """The steps that an inner loop adds in each trip of the loop around it."""
    if program.point[inner][-1][0] != body_of(loop):
        return None
    slope = _slope(program, inner, loop)
    each = _steps(program, inner, inner.yields[j], inner.params[j], loop)
    if slope is None or each is None:
        return None
    return [Step(step.size, inner, slope) for step in each]


def _is_fixed(program: Program, a: Atom, loop: Loop) -> bool:
    return not isinstance(a, Var) or not program.inside(a, loop)


def _slope(program: Program, inner: For, loop: Loop) -> int | None:
    """The growth of an inner loop's trip count per trip of the outer one; None if unknown.

    The trips are then the difference of the bounds, which must not be negative in any trip.
    """
    if _is_fixed(program, inner.start, loop) and _is_fixed(program, inner.stop, loop):
        return 0
    if not isinstance(loop, For):
        return None
    (low, below), (high, above) = (offset_from(program, a) for a in (inner.start, inner.stop))
    (first, begin), (last, end) = (offset_from(program, a) for a in (loop.start, loop.stop))
    onward = -1 if loop.reverse else 1
    if high is loop.index and low is None and first is None:
        # range(below, i + above), i at least `begin`
        return onward if begin + above - below >= 0 else None
    if low is loop.index and high is last:
        # range(i + below, last + above), i at most last + end - 1
        return -onward if above - end + 1 - below >= 0 else None
    return None


def offset_from(program: Program, a: Atom) -> tuple[Var | None, int]:
    """An integer as another one plus a constant; None and its value if it is constant itself."""
    total = 0
    while isinstance(a, Var):
        d = program.owner.get(a)
        if not isinstance(d, Def) or a.type != INT or (moved := _moved(d)) is None:
            return a, total
        total += moved
        a = d.args[0]
    return None, total + int(a.value)


def _moved(d: Def) -> int | None:
    """The constant that a definition adds to its first operand."""
    if d.op not in (elementwise.add, elementwise.sub) or not isinstance(d.args[1], Const):
        return None
    return int(d.args[1].value) * (1 if d.op is elementwise.add else -1)
