"""Finds intervals that loops narrow by comparisons, as bisection does.

Both ends are floats that a loop carries; one condition keeps the one or the other, or replaces
either by one value, and the new value was computed from both. The condition chooses, or it is a
factor 0 or 1. It compares an input with a value computed from the ends, and the new value does
not vary with that input while the ends are held (a step of Newton's method would). The gradient
leaves out the effect of the comparison, which may be all of the root's derivative; initial ends
that vary with the input do not make up for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from srcgrad.autodiff.activity import Activity, flows, reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.autodiff.intervals import Interval, intervals
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Atom, Def, Function, Loop, Var
from srcgrad.ir.walk import walk
from srcgrad.records import record


@record(frozen=True)
class Searched:
    """The ends of an interval, and the comparison with the parameter at `position` that decides."""

    position: int
    ends: tuple[Var, Var]
    step: Def


def searched(function: Function, wrt: Sequence[int], outputs: Iterable[Atom]) -> Iterator[Searched]:
    """For each parameter at the positions `wrt`, the first interval that it narrows."""
    found = [i for s in _loops(function) for i in intervals(s)]
    if not found:
        return
    useful = Activity(function, (), tuple(outputs))
    narrowed = [
        (i, Activity(function, (), i.new, held=i.ends))
        for i in found
        if any(map(useful.reaches, i.ends))
    ]
    classes = alias_classes(function)
    for k in wrt:
        varied = Activity(function, [function.params[k]])
        for i, for_given_ends in narrowed:
            if for_given_ends.reaches(function.params[k]):
                continue
            step = next(_compared(i, varied, classes), None)
            if step is not None:
                yield Searched(k, i.ends, step)
                break


def _loops(function: Function) -> Iterator[Loop]:
    return (s for s in walk(function.body) if isinstance(s, Loop))


def _compared(i: Interval, varied: Activity, classes: AliasClasses) -> Iterator[Def]:
    """The steps without a derivative on the way to a condition, from an input and from the ends."""
    flow = ValueFlow((i.loop,), classes)
    smooth = [(flow.key(a), flow.key(b)) for s in walk((i.loop,)) for a, b in flows(s)]
    low, high = (reachable([flow.key(end)], smooth) for end in i.ends)
    if not all(isinstance(a, Var) and flow.key(a) in low & high for a in i.new):
        return
    for step in flow.leaving(varied, [i.cond]):
        if not (low | high).isdisjoint(flow.key(a) for a in step.args if isinstance(a, Var)):
            yield step
