"""Ranges of integers at a point of the program: constant lower bounds, upper bounds a + c.

A *form* (base, offset) is base + offset, or offset alone if the base is None. Facts come from
definitions, from the loops and branches around, and from the checks that were passed before.
A sum is a bound only where it cannot have wrapped around: its operands are small, as lengths
and counts of trips are, or have an upper bound. Never concludes anything from floats or narrow
integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.ir.facts import definitions, ends
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Scalar
from srcgrad.primitives import Primitive, elementwise, memory, reductions

Form = tuple[Var | None, int]
DEPTH = 8  # of definitions looked through
MOST = 32  # upper bounds looked at, and checks
SMALL = 2**50  # more than elements, and than trips of a loop that ends
FEW = 2**8
LEAST, LARGEST = -(2**63), 2**63 - 1

COMPARISONS = {
    elementwise.lt: (0, 1, -1),
    elementwise.le: (0, 1, 0),
    elementwise.gt: (1, 0, -1),
    elementwise.ge: (1, 0, 0),
}
OPPOSITE = {
    elementwise.lt: elementwise.ge,
    elementwise.le: elementwise.gt,
    elementwise.gt: elementwise.le,
    elementwise.ge: elementwise.lt,
    elementwise.eq: elementwise.ne,
    elementwise.ne: elementwise.eq,
}


def is_int64(a: Atom) -> bool:
    return isinstance(a.type, Scalar) and a.type.dtype == "i64"


class _Scope:
    def __init__(self, ranges: Ranges):
        self.ranges = ranges
        self.before = dict(ranges.low), dict(ranges.high), ranges.checks

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: Any) -> None:
        self.ranges.low, self.ranges.high, self.ranges.checks = self.before


class Ranges:
    def __init__(self, function: Function):
        self.definition: dict[Var, Def] = dict(definitions(function))
        self.ends = ends(function)
        self.counts: set[Var] = set()  # indices of loops that count up from small numbers
        self.low: dict[Var, int] = {}
        self.high: dict[Var, tuple[Form, ...]] = {}
        # checks of ranges that were passed if a condition held and the range was not empty
        self.checks: tuple[tuple[Atom | None, Def], ...] = ()

    def scope(self) -> _Scope:
        """Forgets after the `with` block what is learned inside."""
        return _Scope(self)

    # ---- questions ----
    def at_most(self, a: Atom, b: Atom, k: int = 0, exact: bool = False) -> bool:
        """Whether a <= b + k is certain; `exact`: if no sum has wrapped around."""
        base, offset = self.form(b)
        least = self.lower(b, exact=exact)
        for other, o in self.uppers(a):
            if other is base and o <= offset + k:
                return True
            if other is None and least is not None and o <= least + k:
                return True
        return False

    def contains(self, i: Atom, n: Atom) -> bool:
        """Whether 0 <= i < n is certain."""
        return self.is_length(i) and self.at_most(i, n, -1)

    def is_length(self, a: Atom, exact: bool = False) -> bool:
        """Whether 0 <= a is certain; `exact`: if no sum has wrapped around."""
        low = self.lower(a, exact=exact)
        return low is not None and low >= 0

    def decide(self, cond: Atom) -> bool | None:
        """Whether a condition is known to hold or not to."""
        d = self.definition.get(cond) if isinstance(cond, Var) else None
        if d is None or not all(map(is_int64, d.args)):
            return None
        if d.op in COMPARISONS:
            x, y, k = COMPARISONS[d.op]
            if self.at_most(d.args[x], d.args[y], k):
                return True
            return False if self.at_most(d.args[y], d.args[x], -1 - k) else None
        if d.op in (elementwise.eq, elementwise.ne):
            a, b = d.args
            apart = self.at_most(a, b, -1) or self.at_most(b, a, -1)
            return (d.op is elementwise.ne) if apart else None
        return None

    def form(self, a: Atom, depth: int = DEPTH) -> Form:
        """`a` as base + offset, through additions of constants."""
        if isinstance(a, Const):
            return None, int(a.value)
        d = self.definition.get(a)
        if d is not None and depth and is_int64(a):
            match d.op, d.args:
                case elementwise.add, (x, Const(value=c)) if is_int64(x):
                    base, offset = self.form(x, depth - 1)
                    return base, offset + c
                case elementwise.add, (Const(value=c), x) if is_int64(x):
                    base, offset = self.form(x, depth - 1)
                    return base, offset + c
                case elementwise.sub, (x, Const(value=c)) if is_int64(x):
                    base, offset = self.form(x, depth - 1)
                    return base, offset - c
                case _:
                    pass
        return a, 0

    def lower(self, a: Atom, depth: int = DEPTH, exact: bool = False) -> int | None:
        """The greatest known constant lower bound of `a`; `exact`: if no sum has wrapped around."""
        if not is_int64(a):
            return None
        base, offset = self.form(a)
        if base is None:
            return offset
        known = [self.low[base]] if base in self.low else []
        d = self.definition.get(base)
        if d is not None and depth:
            derived = self._lower_of(d, depth - 1, exact)
            known += [] if derived is None else [derived]
        if not known or max(known) + offset < LEAST or not (exact or self.has_room(base, offset)):
            return None
        return max(known) + offset

    def _lower_of(self, d: Def, depth: int, exact: bool) -> int | None:
        def low(k: int) -> int | None:
            return self.lower(d.args[k], depth, exact)

        if d.op in (elementwise.add, elementwise.mul) and not (exact or self._stays(d, {})):
            return None
        match d.op:
            case memory.dim | memory.index | memory.trips | reductions.count_nonzero:
                return 0
            case memory.slice_start | memory.slice_stop if _positive(d.args[2]):
                return 0
            case elementwise.add:
                return _both(low(0), low(1), lambda x, y: x + y)
            case elementwise.mul:
                return _both(low(0), low(1), lambda x, y: x * y if min(x, y) >= 0 else None)
            case elementwise.maximum:
                return max((x for x in (low(0), low(1)) if x is not None), default=None)
            case elementwise.minimum | memory.broadcast_dim:
                return _both(low(0), low(1), min)
            case elementwise.where:
                return _both(low(1), low(2), min)
            case elementwise.floordiv if _positive(d.args[1]):
                return _both(low(0), 0, lambda x, _: x // int(d.args[1].value))  # type: ignore[union-attr]  (positive: a constant)
            case elementwise.mod:
                return _both(low(1), 0, lambda x, _: 0 if x >= 1 else None)
            case _:
                return None

    def has_room(self, base: Var, offset: int) -> bool:
        """Whether base + offset, with an offset that is positive, is certain not to wrap around."""
        above = self.high.get(base, ())
        below = any(o + offset <= (LARGEST if v is None else 0) for v, o in above)
        return offset <= 0 or below or (offset < LARGEST - SMALL and self.is_small(base))

    def is_small(self, a: Atom, found: dict[Var, bool] | None = None) -> bool:
        """Whether `a` is certainly no more than a few lengths or counts of trips together."""
        base, offset = self.form(a) if is_int64(a) else (None, LARGEST)
        if base is None or offset > SMALL:
            return offset <= SMALL
        found = {} if found is None else found
        if base not in found:
            found[base] = False  # while it is looked at
            found[base] = base in self.counts or self._is_small(base, found)
        return found[base]

    def _is_small(self, v: Var, found: dict[Var, bool]) -> bool:
        def small(a: Atom | None) -> bool:
            return a is None or self.is_small(a, found)

        if any(o <= SMALL and small(b) for b, o in self.high.get(v, ())):
            return True
        d = self.definition.get(v)
        if d is None:
            return False
        match d.op:
            case memory.dim | memory.index | reductions.count_nonzero:
                return True
            case memory.slice_start | memory.slice_stop | elementwise.mod:
                return small(d.args[1])
            case elementwise.maximum | memory.broadcast_dim:
                return all(map(small, d.args))
            case elementwise.minimum:
                return any(map(small, d.args))
            case elementwise.where:
                return all(map(small, d.args[1:]))
            case elementwise.floordiv:
                return _positive(d.args[1]) and small(d.args[0])
            case _:
                return self._stays(d, found)

    def _stays(self, d: Def, found: dict[Var, bool]) -> bool:
        """Whether a sum or product of numbers that are not negative is certain not to wrap."""
        few = any(isinstance(a, Const) and 0 <= a.value <= FEW for a in d.args)
        plain = d.op is elementwise.add or (d.op is elementwise.mul and few)
        return plain and all(self.is_small(a, found) for a in d.args)

    def uppers(self, a: Atom) -> list[Form]:
        """Upper bounds of `a` as forms, its own form first."""
        todo = [self.form(a)]
        found: list[Form] = []
        while todo and len(found) < MOST:
            base, offset = todo.pop(0)
            if any(b is base and o == offset for b, o in found):
                continue
            found.append((base, offset))
            if base is not None:
                todo += [(b, o + offset) for b, o in self._above(base)]
        return found

    def _above(self, v: Var) -> Iterator[Form]:
        yield from self.high.get(v, ())
        d = self.definition.get(v)
        match (d.op, d.args) if d is not None and is_int64(v) else (None, ()):
            case memory.index, (_, n):
                yield self.shifted(n, -1)
            case elementwise.minimum, (x, y):
                yield self.form(x)
                yield self.form(y)
            case elementwise.sub, (x, y) if (low := self.lower(y)) is not None:
                yield self.shifted(x, -low)
            case elementwise.floordiv, (x, c) if _positive(c) and self.is_length(x):
                yield self.form(x)
            case elementwise.mod, (_, n) if (self.lower(n) or 0) >= 1:
                yield self.shifted(n, -1)
            case ((memory.slice_start | memory.slice_stop), (_, n, step)) if _positive(step):
                yield self.form(n)
            case _:
                pass

    def shifted(self, a: Atom, k: int) -> Form:
        base, offset = self.form(a)
        return base, offset + k

    # ---- facts ----
    def know(self, a: Atom, b: Atom, k: int = 0, exact: bool = False) -> None:
        """Records that a <= b + k from here on; `exact`: neither has wrapped around."""
        if not (is_int64(a) and is_int64(b)):
            return
        (x, ox), (y, oy) = self.form(a), self.form(b)
        if not exact and not (
            (x is None or self.has_room(x, ox))
            and (y is None or oy >= 0 or self.lower(y) is not None)
        ):
            return
        if x is not None:
            self.high[x] = (*self.high.get(x, ()), (y, oy + k - ox))
        least = self.lower(a)
        if y is not None and least is not None:
            self.at_least(y, least - k - oy)

    def at_least(self, v: Var, least: int | None) -> None:
        if least is not None:
            self.low[v] = max(self.low.get(v, least), least)

    def assume(self, cond: Atom, holds: bool, depth: int = DEPTH) -> None:
        """Records that the condition holds, or does not, from here on."""
        d = self.definition.get(cond) if isinstance(cond, Var) else None
        if d is None or not depth:
            return
        op = d.op
        if op is elementwise.logical_not:
            self.assume(d.args[0], not holds, depth - 1)
        elif op is (elementwise.logical_and if holds else elementwise.logical_or):
            for a in d.args:
                self.assume(a, holds, depth - 1)
        elif op in OPPOSITE and all(map(is_int64, d.args)):
            self._compare(op if holds else OPPOSITE[op], *d.args)

    def _compare(self, op: Primitive, a: Atom, b: Atom) -> None:
        match op:
            case elementwise.eq:
                self.know(a, b)
                self.know(b, a)
            case elementwise.ne:
                for x, y in ((a, b), (b, a)):
                    if isinstance(x, Const) and isinstance(y, Var) and self.lower(y) == x.value:
                        base, offset = self.form(y)
                        if base is not None:
                            self.at_least(base, int(x.value) + 1 - offset)
            case _:
                x, y, k = COMPARISONS[op]
                self.know((a, b)[x], (a, b)[y], k)

    def learn(self, s: Stmt) -> None:
        """Records the facts that hold once a statement has been passed."""
        match s:
            case Def():
                if s.var is not None:
                    self.definition[s.var] = s
                if s.op is memory.index:
                    self._passed(*s.args)
                if s.op is memory.check_range:
                    self._passed_range(None, s)
            case If():
                if _fails(s.then):
                    self.assume(s.cond, False)
                if not s.orelse:
                    for d in s.then:
                        if isinstance(d, Def) and d.op is memory.check_range:
                            self._passed_range(s.cond, d)
                for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    self.at_least(r, _both(self.lower(x), self.lower(y), min))
            case For() | While():
                for r, least in zip(s.results, self._carried(s), strict=True):
                    self.at_least(r, least)

    def _passed(self, i: Atom, n: Atom) -> None:
        base, offset = self.form(i)
        least = None if base is None else self.lower(base)
        if self.is_length(i) or (least is not None and least + offset >= 0):
            self.know(i, n, -1, exact=True)  # a constant that wraps around is caught
        elif isinstance(i, Const):
            self.know(Const(-i.value, i.type), n)

    def _passed_range(self, cond: Atom | None, d: Def) -> None:
        """Records that a range was checked, if a condition held."""
        self.checks = (*self.checks, (cond, d))[-MOST:]
        self._use_checks()

    def _use_checks(self) -> None:
        """Records the upper bounds of the checks that are now known to have been made."""
        left: list[tuple[Atom | None, Def]] = []
        for cond, d in self.checks:
            first, last, n = d.args
            if (cond is None or self.decide(cond)) and self.at_most(first, last, exact=True):
                self.know(last, n, -1, exact=True)
            else:
                left.append((cond, d))
        self.checks = tuple(left)

    def never_below(self, a: Atom, p: Var, depth: int = DEPTH) -> bool:
        """Whether `a` is p and the little that loops or sums have added to it: never less."""
        base, offset = self.form(a)
        if not 0 <= offset <= FEW or base is p or not depth:
            return 0 <= offset <= FEW and base is p
        if base not in self.ends:
            return False
        inner, x, y = self.ends[base]
        return self.never_below(y, inner, depth - 1) and self.never_below(x, p, depth - 1)

    def _carried(self, s: For | While) -> list[int | None]:
        """Lower bounds of carried values that never decrease."""

        def least(r: Var, p: Var, x: Atom, y: Atom) -> int | None:
            if not (is_int64(p) and self.is_small(x) and self.never_below(y, p)):
                return None
            self.counts |= {p, r}
            return self.lower(x)

        return [least(*g) for g in zip(s.results, s.params, s.inits, s.yields, strict=True)]

    def enter(self, s: For | While) -> None:
        """Records what holds in the body of a loop."""
        for p, least in zip(s.params, self._carried(s), strict=True):
            self.at_least(p, least)
        if isinstance(s, For):
            if not s.reverse and self.is_small(s.start):
                self.counts.add(s.index)
            self.know(s.start, s.stop, -1)
            self.at_least(s.index, self.lower(s.start))
            self.know(s.start, s.index)
            self.know(s.index, s.stop, -1)
            self._use_checks()


def _both(x: int | None, y: int | None, f: Callable[[int, int], int | None]) -> int | None:
    return None if x is None or y is None else f(x, y)


def _positive(a: Atom) -> bool:
    return isinstance(a, Const) and a.value > 0


def _fails(block: Block) -> bool:
    return any(isinstance(s, Def) and s.op is memory.fail for s in block)
