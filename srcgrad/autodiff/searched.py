"""Finds intervals that loops narrow by comparisons, as bisection does.

Both ends are floats that a loop carries; one condition keeps the one or the other, or puts one
value in the place of either, and what is new was computed from both. The condition chooses, or it
is a factor 0 or 1. It compares an input with what was computed from the ends, and what is new does
not vary with that input while the ends are held (a step of Newton's method would). The gradient
leaves out the effect of the comparison, which may be all of the root's derivative; that the ends
begin at values which vary with the input does not put it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from srcgrad.autodiff.activity import Activity, flows, reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While
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
            for_given_ends = Activity(function, [function.params[k]], classes, held=i.ends)
            if any(map(for_given_ends.varies, i.new)) or not any(map(useful.reaches, i.ends)):
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
    for p, cond, a, b in _weighted(s, carried):
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


# ---- conditions that arithmetic takes for 0 and 1, as in low + (middle - low) * below ----
_ARITHMETIC = {
    elementwise.add, elementwise.sub, elementwise.mul, elementwise.cast, elementwise.logical_not,
}  # fmt: skip
Terms = dict[Any, Any]  # a sum: the factor of each value, and under None the constant


def _weighted(s: Loop, carried: list[tuple[Var, Atom]]) -> Iterator[tuple[Var, Var, Atom, Atom]]:
    """The carried floats that are one value if a condition is 1 and another one if it is 0."""
    defs = [d for d in walk(s.body) if isinstance(d, Def) and d.op in _ARITHMETIC]
    read: dict[Any, frozenset[Any]] = {}  # the conditions that a value was computed with
    for d in defs:
        own = [frozenset([a]) for a in d.args if _is_condition(a) and a not in read]
        read[d.var] = frozenset[Any]().union(*own, *(read[a] for a in d.args if a in read))
    counts = Counter(cond for _, new in carried for cond in read.get(new, ()))
    for cond in [c for c, n in counts.items() if n > 1]:
        steps = [d for d in defs if cond in read[d.var]]
        plain = {d.var: d for d in defs if d.op in (elementwise.add, elementwise.sub)}
        high, low = _sums(steps, cond, 1), _sums(steps, cond, 0)
        for p, new in carried:
            a, b = (_single(sums.get(new, {}), plain) for sums in (high, low))
            if a is not None and b is not None:
                yield p, cond, a, b


def _is_condition(a: Any) -> bool:
    return isinstance(a, Var) and a.type.dtype == "bool"


def _sums(steps: list[Def], cond: Var, number: int) -> dict[Any, Terms]:
    """What is computed with a condition, as sums, if it is this number."""
    sums: dict[Any, Terms] = {cond: {None: number}}
    for d in steps:
        sums[d.var] = _combined(d, [_terms(a, sums) for a in d.args])
    return sums


def _terms(a: Atom, sums: dict[Any, Terms]) -> Terms:
    return {None: a.value} if isinstance(a, Const) else sums.get(a, {a: 1})


def _combined(d: Def, parts: list[Terms]) -> Terms:
    if d.op is elementwise.cast:
        return parts[0]
    if d.op is elementwise.logical_not:
        return {None: 1 - parts[0].get(None, 0)}
    one, other = parts
    if d.op is elementwise.mul:
        number, terms = (one, other) if one.keys() <= {None} else (other, one)
        if number.keys() <= {None}:
            return _added({}, terms, number.get(None, 0))
        return {d.var: 1}
    return _added(one, other, -1 if d.op is elementwise.sub else 1)


def _added(one: Terms, other: Terms, times: Any) -> Terms:
    total = {k: one.get(k, 0) + times * other.get(k, 0) for k in [*one, *other]}
    return {k: f for k, f in total.items() if f != 0}


def _single(terms: Terms, made: dict[Any, Def]) -> Atom | None:
    """The value that a sum consists of, if it is one value; what cancels may be inside others."""
    for _ in range(3):
        if len(terms) == 1:
            (value, factor) = next(iter(terms.items()))
            return value if factor == 1 else None
        newest = next((v for v in reversed(made) if v in terms), None)
        if newest is None:
            return None
        d, rest = made[newest], {k: f for k, f in terms.items() if k is not newest}
        terms = _added(rest, _combined(d, [_terms(a, {}) for a in d.args]), terms[newest])
    return None


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
