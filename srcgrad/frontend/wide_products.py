"""Products and powers of Python integers that 64 bits may not hold, and what reads them.

`1 / k**4` divides by a float. It is that of the integer where this fits, as in Python, and one that
is computed beside it, of floats, where it does not: there it differs from Python's by rounding. A
comparison with a narrower integer does the same. What else is done with such an integer (a
remainder, returning it) needs a check. A place does not: it would be out of bounds.

A width is the binary logarithm of what an integer is at most: 30 for lengths and positions, 60 for
what nobody knows. So a product of two lengths is not wide, and one of three is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var
from srcgrad.ir.types import BOOL, INT, Scalar
from srcgrad.ir.walk import atoms, walk
from srcgrad.operation import Primitive
from srcgrad.primitives import REGISTRY, arrays, memory, reductions
from srcgrad.primitives import elementwise as e

REAL = Scalar("f64")
PLACE, UNKNOWN, MOST = 30, 60, 63
CONVERTED = 2.0**62  # below it an integer is exact, whatever it is computed of has wrapped around
Widths = list[float]
WIDTHS: dict[Primitive, Callable[[Def, Widths], float]] = {
    e.cast: lambda s, of: 0 if s.args[0].type == BOOL else UNKNOWN,
    memory.dim: lambda s, of: PLACE,
    memory.index: lambda s, of: PLACE,
    memory.slice_start: lambda s, of: PLACE,
    e.mul: lambda s, of: sum(of),
    e.powi: lambda s, of: s.params["n"] * of[0],
    e.pow: lambda s, of: math.inf if of[0] > 0 else 0,
    e.shift_left: lambda s, of: of[0] + _known(s.args[1]),
    e.add: lambda s, of: _of_sum(of),
    e.sub: lambda s, of: _of_sum(of),
    e.neg: lambda s, of: of[0],
    e.abs: lambda s, of: of[0],
    e.floordiv: lambda s, of: of[0],
    e.mod: lambda s, of: of[1],
    e.maximum: lambda s, of: max(of),
    e.minimum: lambda s, of: max(of),
}
PRODUCTS = (e.mul, e.powi, e.pow, e.shift_left)
COMPUTED = (*PRODUCTS, e.add, e.sub, e.neg, e.abs)  # of a wide integer: a wide one
COMPARED = (e.lt, e.le, e.gt, e.ge, e.eq, e.ne)
# operations whose integers are places and lengths
PLACES = {
    memory.zeros, memory.empty, memory.view, memory.load, memory.index, memory.wrap,
    memory.slice_start, memory.slice_stop, memory.trips, memory.check_range, memory.check_equal,
    memory.reshape, memory.broadcast_dim, reductions.broadcast_to, arrays.iota,
}  # fmt: skip


def _of_sum(of: Widths) -> float:
    return float(np.logaddexp2(of[0], of[1]))


def _known(a: Atom) -> float:
    return float(a.value) if isinstance(a, Const) else math.inf


def in_floats(b: Builder, s: Def, args: list[Atom]) -> Atom:
    """An operation on integers as one on floats."""
    if s.op is e.shift_left:
        return b.mul(args[0], b.pow(2.0, args[1]))
    return b(s.op, *args, **s.params)


class WideProducts:
    """The wide integers of a program: which are checked, which have floats beside them."""

    def __init__(self, function: Function):
        self.width: dict[Var, float] = {}
        self.wide: dict[Var, Def] = {}
        statements = walk(function.body)
        for s in statements:
            self._measure(s)
        self.checked: set[Def] = set()
        self.converted: set[Def] = set()
        self.beside: set[Def] = set()
        if self.wide:
            found = [s for s in statements if isinstance(s, Def) and self._is_converted(s)]
            self.converted = set(found)
            self.beside = self._behind(a for s in found for a in s.args)
            read = [a for s in statements for a in self._read(s)]
            products = self._behind((*read, *function.returns))
            self.checked = {s for s in products if self._is_product(s)}

    # ---- widths ----
    def _measure(self, s: Stmt) -> None:
        if isinstance(s, For):
            known = [self._of(a) for a in (s.start, s.stop) if isinstance(a, Const)]
            self.width[s.index] = max(known) if len(known) == 2 else max(PLACE, *known, 0)
        if not isinstance(s, Def) or s.var is None or s.var.type != INT:
            return
        of = [self._of(a) for a in s.args]
        self.width[s.var] = WIDTHS[s.op](s, of) if s.op in WIDTHS else UNKNOWN
        if self._is_product(s) or (s.op in COMPUTED and any(a in self.wide for a in s.args)):
            self.wide[s.var] = s

    def _of(self, a: Atom) -> float:
        if isinstance(a, Var):
            return self.width.get(a, UNKNOWN)
        return math.log2(max(abs(int(a.value)), 1))

    def _is_product(self, s: Def) -> bool:
        """Whether this operation may be the first one whose result does not fit."""
        return s.op in PRODUCTS and s.var is not None and self.width[s.var] > MOST

    # ---- what reads wide integers ----
    def _is_converted(self, s: Def) -> bool:
        """Whether an operation can do with a float where an integer does not fit."""
        wide = [a for a in s.args if a in self.wide]
        if len(wide) != 1 or s.var is None or not isinstance(s.var.type, Scalar):
            return False
        narrow = [a for a in s.args if a not in self.wide and a.type in (INT, BOOL)]
        if s.op in COMPARED:
            return len(narrow) == 1 and self._of(narrow[0]) <= UNKNOWN
        return s.op is e.cast and s.var.type.dtype[0] in "fc"

    def _read(self, s: Stmt) -> Iterable[Atom]:
        """The atoms of which a statement takes all bits."""
        if isinstance(s, For):
            return (*s.inits, *s.yields)
        if not isinstance(s, Def):
            return atoms(s)
        if s in self.converted or s.var in self.wide:
            return ()
        return () if s.op in PLACES else s.args[-1:] if s.op.writes else s.args

    def _behind(self, read: Iterable[Atom]) -> set[Def]:
        """The wide integers that these are computed of, themselves included."""
        found: set[Def] = set()
        rest = list(read)
        while rest:
            a = rest.pop()
            s = self.wide.get(a) if isinstance(a, Var) else None
            if s is not None and s not in found:
                found.add(s)
                rest += s.args
        return found


class Floats:
    """Writes the floats beside wide integers, and chooses between what reads either."""

    def __init__(self, found: WideProducts):
        self.found = found
        self.of: dict[Atom, Atom] = {}

    def after(self, s: Def) -> Iterator[Stmt]:
        """The float beside an integer."""
        if s not in self.found.beside:
            return
        b = Builder(REGISTRY)
        b.loc = s.loc
        assert s.var is not None
        self.of[s.var] = in_floats(b, s, self._floats(b, s))
        yield from b.out

    def _floats(self, b: Builder, s: Def) -> list[Atom]:
        return [self.of[a] if a in self.of else b.cast(a, REAL) for a in s.args]

    def chosen(self, s: Def) -> Iterator[Stmt]:
        """An operation on an integer, or on the float beside it where this does not fit."""
        b = Builder(REGISTRY)
        b.loc = s.loc
        (beside,) = (self.of[a] for a in s.args if a in self.of)
        fits = b.lt(b.abs(beside), CONVERTED)
        exact, rounded = b(s.op, *s.args, **s.params), b(s.op, *self._floats(b, s), **s.params)
        yield from b.out
        yield Def(s.var, e.where, (fits, exact, rounded), {}, s.loc)
