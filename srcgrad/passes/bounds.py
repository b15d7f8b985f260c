"""Bounds of integers: constant lower bounds, upper bounds a + c, from definitions and known facts.

A *form* (base, offset) is base + offset, or offset alone if the base is None. A sum is a bound only
where it cannot have wrapped around: its operands are small, as lengths and counts of trips are, or
have an upper bound. Never concludes anything from floats or narrow integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from srcgrad.ir.facts import definitions
from srcgrad.ir.nodes import Atom, Const, Def, Function, Var
from srcgrad.ir.types import Scalar
from srcgrad.primitives import elementwise, memory, reductions

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


class Bounds:
    def __init__(self, function: Function):
        self.definition: dict[Var, Def] = dict(definitions(function))
        self.counts: set[Var] = set()  # indices of loops that count up from small numbers
        self.low: dict[Var, int] = {}
        self.high: dict[Var, tuple[Form, ...]] = {}

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
                case elementwise.sub, (x, y) if (z := self.without(x, y)) is not None:
                    return self.form(z, depth - 1)
                case _:
                    pass
        return a, 0

    def without(self, a: Atom, x: Atom) -> Atom | None:
        """The other operand of a sum `a` of x and another integer, also of one that wrapped."""
        d = self.definition.get(a) if isinstance(a, Var) else None
        if d is None or d.op is not elementwise.add or not all(map(is_int64, d.args)):
            return None
        y, z = d.args
        return z if y is x else y if z is x else None

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
            case memory.slice_start | memory.slice_stop if positive(d.args[2]):
                return 0
            case elementwise.add:
                return both(low(0), low(1), lambda x, y: x + y)
            case elementwise.mul:
                return both(low(0), low(1), lambda x, y: x * y if min(x, y) >= 0 else None)
            case elementwise.maximum:
                return max((x for x in (low(0), low(1)) if x is not None), default=None)
            case elementwise.minimum | memory.broadcast_dim:
                return both(low(0), low(1), min)
            case elementwise.where:
                return both(low(1), low(2), min)
            case elementwise.floordiv if positive(d.args[1]):
                return both(low(0), 0, lambda x, _: x // int(d.args[1].value))  # type: ignore[union-attr]  (positive: a constant)
            case elementwise.mod:
                return both(low(1), 0, lambda x, _: 0 if x >= 1 else None)
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
                return positive(d.args[1]) and small(d.args[0])
            case _:
                return self._stays(d, found)

    def _stays(self, d: Def, found: dict[Var, bool]) -> bool:
        """Whether a sum or product of numbers that are not negative is certain not to wrap."""
        few = any(isinstance(a, Const) and 0 <= a.value <= FEW for a in d.args)
        plain = d.op is elementwise.add or (d.op is elementwise.mul and few)
        return plain and all(self.is_small(a, found) for a in d.args)

    def uppers(self, a: Atom, of_sums: bool = True) -> list[Form]:
        """Upper bounds of `a` as forms, its own form first; `of_sums`: also those of operands."""
        todo = [self.form(a)]
        found: list[Form] = []
        while todo and len(found) < MOST:
            base, offset = todo.pop(0)
            if any(b is base and o == offset for b, o in found):
                continue
            found.append((base, offset))
            if base is not None:
                todo += [(b, o + offset) for b, o in self._above(base, of_sums)]
        return found

    def _above(self, v: Var, of_sums: bool) -> Iterator[Form]:
        yield from self.high.get(v, ())
        d = self.definition.get(v)
        match (d.op, d.args) if d is not None and is_int64(v) else (None, ()):
            case memory.index, (_, n):
                yield self.shifted(n, -1)
            case elementwise.minimum, (x, y):
                yield self.form(x)
                yield self.form(y)
            case elementwise.add, (x, y) if of_sums and self.is_length(x) and self.is_length(y):
                yield from self._sums(x, y)
                yield from self._sums(y, x)
            case elementwise.sub, (x, y) if (low := self.lower(y)) is not None:
                yield self.shifted(x, -low)
            case elementwise.floordiv, (x, c) if positive(c) and self.is_length(x):
                yield self.form(x)
            case elementwise.mod, (_, n) if (self.lower(n) or 0) >= 1:
                yield self.shifted(n, -1)
            case ((memory.slice_start | memory.slice_stop), (_, n, step)) if positive(step):
                yield self.form(n)
            case _:
                pass

    def _sums(self, x: Atom, y: Atom) -> Iterator[Form]:
        """Upper bounds of x + y, neither negative, from those of x: c, or another number less y."""
        for base, offset in self.uppers(x, of_sums=False):
            d = self.definition.get(base) if base is not None else None
            if base is None:
                yield self.shifted(y, offset)
            elif d is not None and d.op is elementwise.sub and d.args[1] is y:
                yield self.shifted(d.args[0], offset)

    def shifted(self, a: Atom, k: int) -> Form:
        base, offset = self.form(a)
        return base, offset + k


def both(x: int | None, y: int | None, f: Callable[[int, int], int | None]) -> int | None:
    return None if x is None or y is None else f(x, y)


def positive(a: Atom) -> bool:
    return isinstance(a, Const) and a.value > 0
