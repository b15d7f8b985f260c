"""Canonical forms of integers that differ by constants.

>>> from srcgrad.passes.dead_code import eliminate
>>> from srcgrad.passes.simplify import simplify
>>> show(eliminate(simplify(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     a: int = sub(n, 2)
...     b: int = maximum(a, 0)
...     c: int = sub(b, 1)
...     d: int = maximum(c, 0)
...     return (d,)
... '''))))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    t: int = sub(n, 3)
    d: int = maximum(t, 0)
    return (d,)

Slices of slices have such lengths: those of `x[1:-1][1:]` and of `x[1:-2]` have one form, and one
name after `cse`. The length of `x[i:i + n]` is n. A sum wraps, and so does its form; cutting off at
zero twice is cutting off once if it begins with the length of an axis, which is no number near the
ends of the integers.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import INT
from srcgrad.primitives import elementwise

FAR = 2**62  # no constant of a form is larger
Offset = tuple[Var, int]
Form = tuple[Atom | None, int]  # without a base: a constant


class Offsets:
    """The integers of a program as others and constants, learnt definition by definition."""

    def __init__(self) -> None:
        self.sums: dict[Var, Offset] = {}  # integers as another one and a constant
        self.pairs: dict[Var, tuple[Var, Var, int]] = {}  # integers as two others and a constant
        self.lengths: set[Atom] = set()
        self.cut: dict[Var, Offset] = {}  # a length and a constant, or zero where that is negative
        self.below: dict[Var, Offset] = {}  # one of these and a constant of at most zero

    def length(self, s: Def) -> None:
        """Learns the length of an axis."""
        if s.var is not None:
            self.lengths.add(s.var)

    def value(self, s: Def, v: Var) -> Atom | None:
        """The atom that an integer is equal to: `n - 1 + 1` is n, also where it wraps."""
        if s.op in (elementwise.add, elementwise.sub):
            base, offset = self._sum(s, v) or (v, 0)
            if base is None:
                return Const(offset, INT)
            return None if offset or base is v else base
        if s.op is elementwise.maximum and (x := _above_zero(s)) is not None:
            base, offset = self.sums.get(x, (x, 0))
            if base in self.lengths:
                if offset >= 0:
                    return x
                self.cut[v] = base, offset
        return None

    def _sum(self, s: Def, v: Var) -> Form | None:
        """A sum or difference as another integer and a constant, or a constant, if it is one."""
        if any(a.type != INT for a in (v, *s.args)):
            return None
        (x, c), (y, d) = map(self._known, s.args)
        if s.op is elementwise.sub:
            base, offset = self._less(x, y) or (v, 0)
            offset += c - d
        elif isinstance(x, Var) and isinstance(y, Var):
            self.pairs[v] = x, y, c + d
            base, offset = v, 0
        else:
            base, offset = (y if x is None else x), c + d
        if base is v or abs(offset) > FAR:
            return None
        if isinstance(base, Var):
            self.sums[v] = base, offset
            self._cut_again(s, v)
        return base, offset

    def _known(self, a: Atom) -> Form:
        return (None, int(a.value)) if isinstance(a, Const) else self.sums.get(a, (a, 0))

    def _less(self, x: Atom | None, y: Atom | None) -> Form | None:
        """x - y as another integer and a constant, or a constant, if it is one."""
        if y is None or x is y:
            return (x if y is None else None), 0
        p, q, offset = self.pairs.get(x, (None, None, 0)) if isinstance(x, Var) else (None, None, 0)
        if y is p or y is q:
            return (q if y is p else p), offset
        return None

    def _cut_again(self, s: Def, v: Var) -> None:
        """Learns a length that is cut off at zero and less a constant."""
        a, b = s.args
        if s.op is elementwise.add and isinstance(a, Const):
            a, b = b, a
        if isinstance(a, Var) and a in self.cut and isinstance(b, Const):
            base, offset = self.cut[a]
            by = int(b.value) if s.op is elementwise.add else -int(b.value)
            if by <= 0:
                self.below[v] = base, offset + by

    def form(self, s: Def, v: Var) -> Iterable[Def] | None:
        """The definitions of an integer in its one form; None if it has that already."""
        if s.op in (elementwise.add, elementwise.sub):
            base, offset = self.sums.get(v, (None, 0))
            made = None if base is None else _shifted(v, base, offset, s)
            same = made is None or (made.op is s.op and made.args == s.args)
            return None if same or made is None else (made,)
        x = _above_zero(s) if s.op is elementwise.maximum else None
        if x is None or x not in self.below:
            return None
        base, offset = self.below[x]
        self.cut[v] = base, offset
        shifted = _shifted(Var("t", INT), base, offset, s)
        assert shifted.var is not None
        self.sums[shifted.var] = base, offset
        return shifted, Def(v, s.op, (shifted.var, Const(0, INT)), s.params, s.loc)


def _above_zero(s: Def) -> Var | None:
    """The operand of a maximum with zero."""
    a, b = s.args
    if isinstance(a, Const):
        a, b = b, a
    zero = isinstance(b, Const) and b.type == INT and b.value == 0
    return a if zero and isinstance(a, Var) and a.type == INT else None


def _shifted(v: Var, base: Var, offset: int, s: Def) -> Def:
    op = elementwise.sub if offset < 0 else elementwise.add
    return Def(v, op, (base, Const(abs(offset), INT)), {}, s.loc)
