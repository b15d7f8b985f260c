"""Products and powers of Python integers that 64 bits may not hold, and what reads them.

`1 / k**4` divides by a float. It is that of the integer where this fits, as in Python, and one that
is computed beside it, of floats, where it does not: there it differs from Python's by rounding.
What else is done with such an integer (a remainder, a comparison, returning it) needs a check. A
place does not: it would be out of bounds.

A width is a number of bits that an integer fits: 30 for lengths and positions, 60 for what nobody
knows. So a product of two lengths is not wide, and one of three is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var
from srcgrad.ir.types import INT, Scalar
from srcgrad.ir.walk import atoms, walk
from srcgrad.operation import Primitive
from srcgrad.primitives import REGISTRY, memory
from srcgrad.primitives import elementwise as e

REAL = Scalar("f64")
PLACE, UNKNOWN, MOST = 30, 60, 63
CONVERTED = 2.0**62  # below it an integer is exact, whatever it is computed of has wrapped around
Widths = list[float]
WIDTHS: dict[Primitive, Callable[[Def, Widths], float]] = {
    memory.dim: lambda s, of: PLACE,
    memory.index: lambda s, of: PLACE,
    memory.slice_start: lambda s, of: PLACE,
    e.mul: lambda s, of: sum(of),
    e.powi: lambda s, of: s.params["n"] * of[0],
    e.pow: lambda s, of: math.inf if of[0] > 1 else 1,
    e.add: lambda s, of: max(of) + 1,
    e.sub: lambda s, of: max(of) + 1,
    e.neg: lambda s, of: of[0],
    e.abs: lambda s, of: of[0],
    e.floordiv: lambda s, of: of[0],
    e.mod: lambda s, of: of[1],
    e.maximum: lambda s, of: max(of),
    e.minimum: lambda s, of: max(of),
}
PRODUCTS = (e.mul, e.powi, e.pow)
COMPUTED = (*PRODUCTS, e.add, e.sub, e.neg)  # of a wide integer: a wide one


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
            self.beside = self._behind(s.args[0] for s in found)
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
        return self.width.get(a, UNKNOWN) if isinstance(a, Var) else int(a.value).bit_length()

    def _is_product(self, s: Def) -> bool:
        """Whether this operation may be the first one whose result does not fit."""
        return s.op in PRODUCTS and s.var is not None and self.width[s.var] > MOST

    # ---- what reads wide integers ----
    def _is_converted(self, s: Def) -> bool:
        real = s.var is not None and isinstance(s.var.type, Scalar) and s.var.type.dtype[0] in "fc"
        return s.op is e.cast and real and s.args[0] in self.wide

    def _read(self, s: Stmt) -> Iterable[Atom]:
        """The atoms of which a statement takes all bits."""
        if isinstance(s, For):
            return (*s.inits, *s.yields)
        if not isinstance(s, Def):
            return atoms(s)
        if s in self.converted or s.var in self.wide:
            return ()
        if s.op.writes:
            return s.args[-1:]
        return s.args if s.op.elementwise or (s.op.effect and not s.op.raises) else ()

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
    """Writes the floats beside wide integers, and the conversions that choose."""

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
        self.of[s.var] = b(s.op, *(self._float(b, a) for a in s.args), **s.params)
        yield from b.out

    def _float(self, b: Builder, a: Atom) -> Atom:
        return self.of[a] if a in self.of else b.cast(a, REAL)

    def converted(self, s: Def) -> Iterator[Stmt]:
        b = Builder(REGISTRY)
        b.loc = s.loc
        beside = self.of[s.args[0]]
        fits = b.lt(b.abs(beside), CONVERTED)
        chosen = b.where(fits, b.cast(s.args[0], REAL), beside)
        yield from b.out
        yield Def(s.var, e.cast, (chosen,), s.params, s.loc)
