"""Finds intervals that loops narrow by comparisons, as bisection does.

Both ends are floats that a loop carries; one condition keeps the one or the other, or puts one
value in the place of either, and what is new was computed from both. They depend on an input
through the condition alone, which compares the input with what was computed from them. The gradient
leaves that out, though it may be far from zero: it is that of the equation which the loop solves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from srcgrad.autodiff.activity import Activity, flows, reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import float_type
from srcgrad.ir.walk import results, walk
from srcgrad.primitives import elementwise
from srcgrad.records import record

Loop = For | While


@record(frozen=True)
class Interval:
    """A condition of a loop that chooses between two ends, and what replaces either."""

    loop: Loop
    cond: Var
    ends: tuple[Var, Var]
    new: tuple[Atom, Atom]


@record(frozen=True)
class Searched:
    """The ends of an interval, and the comparison with the parameter at `position` that decides."""

    position: int
    ends: tuple[Var, Var]
    step: Def


def searched(function: Function, wrt: Sequence[int], outputs: Iterable[Atom]) -> Iterator[Searched]:
    """For each parameter at the positions `wrt` the first interval that is narrowed by it."""
    narrowed = [i for s in _loops(function) for i in _intervals(s)]
    if not narrowed:
        return
    classes = AliasClasses(function)
    useful = Activity(function, (), classes, tuple(outputs))
    for k in wrt:
        varied = Activity(function, [function.params[k]], classes)
        for i in narrowed:
            if any(map(varied.varies, i.ends)) or not any(map(useful.reaches, i.ends)):
                continue
            steps = [*_compared(i, varied, classes)]
            if steps:
                itself = next((s for s in steps if s.var is i.cond), steps[0])
                yield Searched(k, i.ends, itself)
                break


def _loops(function: Function) -> Iterator[Loop]:
    return (s for s in walk(function.body) if isinstance(s, Loop))


def _intervals(s: Loop) -> Iterator[Interval]:
    """The pairs of carried floats of which a condition replaces the one or the other."""
    carried = [(p, new) for p, new in zip(s.params, s.yields, strict=True) if float_type(p.type)]
    if len(carried) < 2:
        return
    owner = {v: t for t in walk(s.body) for v in results(t)}
    chosen: dict[Var, list[tuple[Var, Atom, Atom]]] = {}
    for p, new in carried:
        for cond, a, b in _choices(new, owner):
            chosen.setdefault(cond, []).append((p, a, b))
    for cond, found in chosen.items():
        for (low, a, new_low), (high, new_high, b) in permutations(found, 2):
            if (a is low and b is high) or (new_low is new_high and isinstance(new_low, Var)):
                yield Interval(s, cond, (low, high), (new_low, new_high))


def _choices(new: Atom, owner: dict[Var, Stmt]) -> Iterator[tuple[Var, Atom, Atom]]:
    """The conditions that a value depends on, and what it is where they hold and where not."""
    made = owner.get(new) if isinstance(new, Var) else None
    match made:
        case Def(op=elementwise.where, args=(Var() as cond, a, b)):
            pass
        case If(cond=Var() as cond):
            at = made.results.index(new)
            a, b = made.then_yields[at], made.else_yields[at]
        case _:
            return
    yield cond, a, b
    for side in (a, b):
        yield from _choices(side, owner)


def _compared(i: Interval, varied: Activity, classes: AliasClasses) -> Iterator[Def]:
    """The steps without a derivative on the way to a condition, from an input and from the ends."""
    flow = ValueFlow((i.loop,), classes)
    smooth = [(flow.key(a), flow.key(b)) for s in walk((i.loop,)) for a, b in flows(s)]
    low, high = (reachable([flow.key(end)], smooth) for end in i.ends)
    if not all(isinstance(a, Var) and flow.key(a) in low & high for a in i.new):
        return
    turned = [(flow.key(e.target), flow.key(e.source)) for e in flow.edges]
    deciding, computed = reachable([flow.key(i.cond)], turned), low | high
    for e in flow.edges:
        if isinstance(e.step, Def) and varied.varies(e.source) and not varied.varies(e.target):
            read = {flow.key(a) for a in e.step.args if isinstance(a, Var)}
            if flow.key(e.target) in deciding and read & computed:
                yield e.step
