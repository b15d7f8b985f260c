"""The values of a matrix function and of its first two derivatives.

f and its derivatives are emitted where they are read, for arrays with one element or one pair of
values each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.autodiff.spectral.terms import Operands, Term, cast, kind, turned
from srcgrad.autodiff.traced import Tracer
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import For, Var, atom
from srcgrad.ir.types import INT, Array, Scalar, atom_dims, real_dtype
from srcgrad.primitives import spectral as formulas
from srcgrad.primitives.arrays import matmul, matrix_transpose
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import absorb, eq, logical_and, sign
from srcgrad.primitives.rules import plain, select


class _Functions:
    """f and its derivatives, for arrays with `more` axes than the values have."""

    def __init__(self, b: Builder, term: Term, of: Operands):
        self.b, self.term, self.of = b, term, of
        self.tracer = Tracer(b, Scalar(real_dtype(term.dtype)))
        self.orders = [term.function]

    def __call__(self, order: int, more: int, odd: bool = False) -> Callable[[Any], Any]:
        """The derivative of an order; `odd`: that of f continued as an odd function."""
        while len(self.orders) <= order:
            self.orders.append(self.orders[-1].slope())
        f, others = self.orders[order], self.of.others
        for _ in range(more):
            others = tuple(self._wider(x) for x in others)

        def made(x: Any) -> Any:
            x = plain(x)
            if not odd:
                return self._array(f.at(self.b, [x.atom, *others]), x)
            y = self._array(f.at(self.b, [absolute(x).atom, *others]), x)
            return y if order % 2 else y * sign(x)

        return made

    def _wider(self, x: Any) -> Any:
        t = x.type
        return self.b.view(x, spec=(*":" * t.ndim, "n")) if isinstance(t, Array) else x

    def _array(self, y: Any, like: Any) -> Any:
        y = self.b.cast(y, kind(self.term))
        if not isinstance(y.type, Array):
            y = self.b.broadcast_to(y, *like.type.dims)
        return self.tracer.known(y)

    def alike(self) -> list[tuple[Any, Any]]:
        """A key that is equal for two values of the same function: as rows, columns."""
        found = [x for x, v in zip(self.of.others, self.term.varied, strict=True) if v]
        known = [self.tracer.known(x) for x in found]
        return [(formulas.rows(x), formulas.columns(x)) for x in known]


def function_values(b: Builder, term: Term, of: Operands) -> Any:
    """f of the values."""
    f = _Functions(b, term, of)
    return f(0, 0)(f.tracer.known(of.values)).atom


def whole(b: Builder, term: Term, of: Operands) -> Any:
    """left f(values) right'"""
    row = b.view(function_values(b, term, of), spec=(*":" * (of.values.type.ndim - 1), "n", ":"))
    scaled = b.mul(cast(b, term, of.left), row)
    return b.matmul(scaled, turned(b, cast(b, term, of.right)))


def _equal(pairs: list[tuple[Any, Any]]) -> Any:
    """The mask of the places where all pairs are equal; None: everywhere."""
    out = None
    for a, c in pairs:
        same = eq(a, c)
        out = same if out is None else logical_and(out, same)
    return out


def _first(b: Builder, term: Term, of: Operands) -> Any:
    f = _Functions(b, term, of)
    known, alike = f.tracer.known, _equal(f.alike())
    w, e = known(of.values), known(cast(b, term, of.along[0]))
    left, right = (known(cast(b, term, x)) for x in (of.left, of.right))
    p = formulas.turned(left, e, right)
    made, unknown = formulas.differences(w, f(0, 0), f(1, 1), f(1, 0), alike)
    if term.symmetric:
        return formulas.between(left, *formulas.weighted(p, made, unknown), right).atom
    odd = formulas.odd_differences(w, f(0, 0), f(1, 1, odd=True), alike)
    end = formulas.quotients(w, f(0, 0), f(1, 0))
    return formulas.generalized(left, right, e, p, (made, unknown), odd, end).atom


def _second(b: Builder, term: Term, of: Operands) -> Any:
    if not term.symmetric:
        return _second_of_singular(b, term, of)
    f = _Functions(b, term, of)
    v = f.tracer.known(cast(b, term, of.left))
    p, r = (formulas.turned(v, f.tracer.known(cast(b, term, e)), v) for e in of.along)
    inner = _Second(b, term, f, f(0, 0)).between(p, r)
    return matmul(v, matmul(inner, matrix_transpose(v))).atom


def _second_of_singular(b: Builder, term: Term, of: Operands) -> Any:
    """The same of [[0, A], [A', 0]], whose eigenvalues are the singular values and their negatives.

    Its vectors are [U; V] and [U; -V] over the root of 2; the others belong to zero.
    """
    f = _Functions(b, term, of)
    known, last = f.tracer.known, of.values.type.ndim - 1
    m, n = of.matrix.type.dims[-2:]

    def joined(x: Any, y: Any, axis: int) -> Any:
        return b.concatenate(x, y, axis=axis)

    half = float(0.5**0.5)
    u, v = (b.mul(cast(b, term, x), half) for x in (of.left, of.right))
    above, below = joined(u, u, last + 1), joined(v, b.neg(v), last + 1)
    vectors = joined(above, below, last)
    moved = [_embedded(b, cast(b, term, e), above, below, last) for e in of.along]
    here = f(0, 0)(known(of.values)).atom
    doubled = known(joined(here, b.neg(here), last))
    twice = tuple(
        joined(x, x, last) if v else x for x, v in zip(of.others, term.varied, strict=True)
    )
    both = joined(of.values, b.neg(of.values), last)
    g = _Functions(b, term, replace(of, values=both, others=twice))

    def of_both(x: Any) -> Any:
        return doubled

    second = _Second(b, term, g, of_both, odd=True)
    x = known(vectors)
    p, r = (matmul(matrix_transpose(x), known(e)) for e in moved)
    rest = [formulas.outside(known(e), x, q, m, n) for e, q in zip(moved, (p, r), strict=True)]
    inner = second.between(p, r)
    ends = second.at_zero()
    inner = inner + formulas.through(rest, ends)
    side = formulas.beside(rest, (r, p), ends)
    top, low = known(above), known(below)
    turned = matrix_transpose(low)
    rows = known(b.view(side.atom, 0, m, 1, spec=(*":" * last, "s", ":")))
    others = known(b.view(side.atom, m, n, 1, spec=(*":" * last, "s", ":")))
    made = matmul(matmul(top, inner) + rows, turned)
    return (made + matmul(top, matrix_transpose(others))).atom


def _embedded(b: Builder, e: Any, above: Any, below: Any, axis: int) -> Any:
    """[[0, e], [e', 0]] times the vectors [above; below]."""
    lower = b.matmul(turned(b, e), above)
    return b.concatenate(b.matmul(e, below), lower, axis=axis)


class _Second:
    """f[w_i, w_l, w_j] and sums with it."""

    def __init__(self, b: Builder, term: Term, f: _Functions, here: Any, odd: bool = False):
        self.b, self.term, self.bend = b, term, f(2, 1, odd)
        self.known, self.pairs = f.tracer.known, f.alike()
        self.w = self.known(f.of.values)
        self.alike = _equal(self.pairs)
        made, unknown = formulas.differences(self.w, here, f(1, 1, odd), f(1, 0, odd), self.alike)
        made = plain(select(unknown, formulas.NAN, made))
        self.made = self._emitted(made)
        self.limit = self._emitted(formulas.resolution(self.w))
        self.ends = formulas.quotients(self.w, here, f(1, 0, odd)) if odd else None

    def _emitted(self, x: Any) -> Any:
        """A value that exists before a loop that reads it."""
        return self.known(x.atom)

    def between(self, p: Any, r: Any) -> Any:
        """The sum over l of f[w_i, w_l, w_j] (p_il r_lj + r_il p_lj)."""
        b, w = self.b, self.w
        p, r, made = self._emitted(p), self._emitted(r), self.made
        if self.alike is not None:
            self._emitted(self.alike)
        total = b.zeros(*atom_dims(made.atom), dtype=self.term.dtype)
        lead, index = w.ndim - 1, Var("l", INT)

        def part(x: Any, row: bool, column: bool) -> Any:
            """One row or column of each matrix."""
            codes = ("s" if row else ":", "s" if column else ":")
            given = [index, 1, 1] * (row + column)
            return self.known(b.view(x.atom, *given, spec=(*":" * lead, *codes)))

        with b.block() as body:
            z = self.known(b.view(w.atom, index, 1, 1, spec=(*":" * lead, "s")))
            same = self.alike
            if same is not None:
                here = _equal([(x, part(c, False, True)) for x, c in self.pairs])
                same = logical_and(same, here)
            at = (formulas.rows(z), part(made, False, True), part(made, True, False))
            t = formulas.second_differences(w, made, self.bend, same, at, self.limit)
            product = part(p, False, True) * part(r, True, False)
            b.add_to(total, absorb(product, t).atom)
        count = atom(atom_dims(w.atom)[-1])
        b.append(For(index, atom(0), count, (), (), tuple(body), (), (), loc=b.loc))
        made = self.known(total)
        return made + matrix_transpose(made)

    def at_zero(self) -> Any:
        """f[w_i, 0, w_j]"""
        assert self.ends is not None
        over, unknown = self.ends
        over = plain(select(unknown, formulas.NAN, over))
        zero = formulas.rows(self.w) * 0.0
        at = (zero, formulas.rows(over), formulas.columns(over))
        return formulas.second_differences(self.w, self.made, self.bend, self.alike, at, self.limit)


FORMULAS = (whole, _first, _second)
