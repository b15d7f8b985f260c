"""Intervals that a loop narrows: the carried floats that are their ends, and their replacements.

One condition keeps the one end or the other, or replaces either by one value. The new value
lies between the ends: where these are equal it is equal to them. So a step that is shortened, or
the point from which it leads, is not an end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Atom, Const, Def, If, Loop, Stmt, Var
from srcgrad.ir.types import Array, Scalar, float_type, is_complex
from srcgrad.ir.walk import results, walk
from srcgrad.primitives import elementwise, memory, reductions
from srcgrad.records import record


@record(frozen=True)
class Interval:
    """A condition of a loop that chooses between two ends, and the replacements of both."""

    loop: Loop
    cond: Var
    ends: tuple[Var, Var]
    new: tuple[Atom, Atom]


def intervals(s: Loop) -> Iterator[Interval]:
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
    for one_value in (False, True):  # ends that stay unchanged come first
        for cond, found in chosen.items():
            for (low, a, new_low), (high, new_high, b) in permutations(found, 2):
                one = new_low is new_high and isinstance(new_low, Var)
                if low is not high and (one if one_value else (a is low and b is high)):
                    made = Interval(s, cond, (low, high), (new_low, new_high))
                    if not _exchanges(made, owner) and _Between(made, owner).holds():
                        yield made


def _choices(new: Atom, owner: dict[Var, Stmt]) -> Iterator[tuple[Var, Atom, Atom]]:
    """The conditions that a value depends on, with its values where they hold and where not."""
    return (c for _, c in _options([new], owner) if c is not None)


def _exchanges(found: Interval, owner: dict[Var, Stmt]) -> bool:
    """Whether the replacements are the ends themselves, as where values are sorted."""
    return all(v in found.ends for v, choice in _options(found.new, owner) if choice is None)


def _options(
    of: Iterable[Atom], owner: dict[Var, Stmt]
) -> Iterator[tuple[Atom, tuple[Var, Atom, Atom] | None]]:
    """The values that others may be, once each; a choice with its condition and both sides."""
    seen: set[Atom] = set()  # paths double with each condition
    todo = [*of]
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        match made := owner.get(value) if isinstance(value, Var) else None:
            case Def(op=elementwise.where, args=(Var() as cond, a, b)):
                yield value, (cond, a, b)
                todo += [b, a]
            case If(cond=Var() as cond):
                at = made.results.index(value)
                a, b = made.then_yields[at], made.else_yields[at]
                yield value, (cond, a, b)
                todo += [b, a]
            case _:
                yield value, None


# ---- conditions used as 0 and 1 in arithmetic, as in low + (middle - low) * below ----
_ARITHMETIC = {
    elementwise.add, elementwise.sub, elementwise.mul, elementwise.cast, elementwise.logical_not,
}  # fmt: skip
Terms = dict[Any, Any]  # a sum: the factor of each value, and under None the constant


def _weighted(s: Loop, carried: list[tuple[Var, Atom]]) -> Iterator[tuple[Var, Var, Atom, Atom]]:
    """The carried floats that have one value if a condition is 1 and another one if it is 0."""
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
    """The values computed with a condition, as sums, if it is this number."""
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
    """The one value that a sum consists of, or None; canceling terms may be inside others."""
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


# ---- values between the ends ----
HELD = 1.3  # the number used for both ends
COPIES = (memory.copy, reductions.broadcast_to, elementwise.cast)


class _Between:
    """Evaluates the new values with one number for both ends, as one trip determines them."""

    def __init__(self, found: Interval, owner: dict[Var, Stmt]):
        s, self.new, self.owner = found.loop, found.new, owner
        carried = zip(s.params, s.yields, strict=True)
        self.carried = {p: y for p, y in carried if p not in found.ends}
        self.known: dict[Atom, Any] = {}
        for p, y in zip(s.params, s.yields, strict=True):
            if p in found.ends:
                self.known[p] = self.known[y] = HELD

    def holds(self) -> bool:
        with np.errstate(all="ignore"):
            return all(_is_held(self.value(a)) for a in self.new)

    def value(self, a: Atom) -> Any:
        """The number of an atom; None where paths differ. Unknown values get arbitrary numbers."""
        if isinstance(a, Const):
            return a.value
        if a not in self.known:
            self.known[a] = HELD  # during the recursion: if all else equals the ends, so does this
            self.known[a] = self.computed(a)
        return self.known[a]

    def computed(self, v: Var) -> Any:
        s = self.owner.get(v)
        match s:
            case Def() if s.op in COPIES or s.op.view:
                return self.value(s.args[0])
            case Def(op=elementwise.where):
                return self.either(*s.args[1:])
            case Def(op=elementwise.logical_not):
                found = self.value(s.args[0])
                return None if found is None else 1.0 - found
            case Def() if s.op.elementwise and all(map(_is_real, (v, *s.args))):
                found = [self.value(a) for a in s.args]
                return None if None in found else s.op.impl(*map(np.float64, found), **s.params)
            case If():
                at = s.results.index(v)
                return self.either(s.then_yields[at], s.else_yields[at])
            case None if v in self.carried:
                return self.value(self.carried[v])
            case _:
                return 0.6180339 + 0.01 * len(self.known)

    def either(self, a: Atom, b: Atom) -> Any:
        """The number that both sides of a choice have, or the ends' number if one side has it."""
        found = [v for v in map(self.value, (a, b)) if v is not None]
        return next(filter(_is_held, found), found[0] if len({*found}) == 1 else None)


def _is_real(a: Atom) -> bool:
    return isinstance(a.type, Scalar | Array) and not is_complex(a.type.dtype)


def _is_held(v: Any) -> bool:
    return v is not None and bool(abs(v - HELD) < 1e-8)
