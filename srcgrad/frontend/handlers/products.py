"""Matrix products and dense linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands, to_out
from srcgrad.frontend.handlers.reductions import sum_
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel, reshaped, transpose
from srcgrad.frontend.values import is_array, is_scalar, plain
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, is_float, join_scalars, np_dtype


def _pair(it: Any, node: Any, a: Any, c: Any, what: str) -> tuple[Any, Any]:
    a, c = operands(it, node, (a, c), what)
    # both are made arrays first: a Python number counts as float64 or int64
    kinds = [Scalar(atom(v).type.dtype) for v in (a, c)]
    if all(k.dtype == "bool" for k in kinds):
        it.refuse(node, f"{what} of booleans is not supported", "use .astype(int)")
    kind = join_scalars(*kinds)
    return it.b.cast(a, kind), it.b.cast(c, kind)


def _meet(it: Any, node: Any, m: Any, n: Any) -> None:
    """The summed axes of a product have one length."""
    if m is n:
        return
    if not isinstance(m, Var) and not isinstance(n, Var):
        if m != n:
            it.refuse(node, f"shapes not aligned: {m} (dim of the left) != {n} (dim of the right)")
        return
    it.b(
        "check_equal",
        m,
        n,
        message="shapes not aligned: {} (dim of the left) != {} (dim of the right)",
    )


@implements(np.matmul)
def matmul(it: Any, node: Any, a: Any, c: Any, out: Any = None) -> Any:
    if is_scalar(a) or is_scalar(c):
        it.refuse(node, "matmul does not take numbers", "use * instead")
    a, c = _pair(it, node, a, c, "matmul")
    return to_out(it, node, product(it, node, a, c), out)


@implements(np.dot, method="dot")
def dot(it: Any, node: Any, a: Any, c: Any, out: Any = None) -> Any:
    a, c = _pair(it, node, a, c, "dot")
    if not is_array(a) or not is_array(c):
        return to_out(it, node, it.emit(node, "mul", a, c), out)
    if a.type.ndim > 2 or c.type.ndim > 2:
        return to_out(
            it, node, tensordot(it, node, a, c, ([-1], [-2 if c.type.ndim > 1 else 0])), out
        )
    return to_out(it, node, product(it, node, a, c), out)


def product(it: Any, node: Any, a: Any, c: Any) -> Any:
    """The matrix product of vectors, matrices and stacks of matrices."""
    b = it.b
    if a.type.dtype[0] in "iub":
        return _product_of_integers(it, node, a, c)
    match a.type.ndim, c.type.ndim:
        case 1, 1:
            _meet(it, node, a.type.dims[0], c.type.dims[0])
            return b("vecdot", a, c)
        case 2, 1:
            _meet(it, node, a.type.dims[1], c.type.dims[0])
            return b("matvec", a, c)
        case 1, 2:
            _meet(it, node, a.type.dims[0], c.type.dims[0])
            return b("matvec", b("transpose", c, perm=(1, 0)), a)
        case 2, 2:
            _meet(it, node, a.type.dims[1], c.type.dims[0])
            return b("matmul", a, c)
    return _stacked_product(it, node, a, c)


def _stacked_product(it: Any, node: Any, a: Any, c: Any) -> Any:
    b = it.b
    if a.type.ndim == 1:
        row = b("view", a, spec=("n", ":"))
        y = _stacked_product(it, node, row, c)
        return b("view", y, 0, spec=(*(":",) * (y.type.ndim - 2), "i", ":"))
    if c.type.ndim == 1:
        column = b("view", c, spec=(":", "n"))
        y = _stacked_product(it, node, a, column)
        return b("view", y, 0, spec=(*(":",) * (y.type.ndim - 1), "i"))
    _meet(it, node, a.type.dims[-1], c.type.dims[-2])
    lead = b.broadcast([a.type.dims[:-2], c.type.dims[:-2]])
    if a.type.dims[:-2] != lead:
        a = b("broadcast_to", a, *lead, *a.type.dims[-2:])
    if c.type.dims[:-2] != lead:
        c = b("broadcast_to", c, *lead, *c.type.dims[-2:])
    return b("matmul", a, c)


def _product_of_integers(it: Any, node: Any, a: Any, c: Any) -> Any:
    """BLAS has no integers: multiply and sum."""
    b = it.b
    _meet(it, node, a.type.dims[-1], c.type.dims[-2 if c.type.ndim > 1 else 0])
    left = b("view", a, spec=(":",) * a.type.ndim + ("n",)) if c.type.ndim > 1 else a
    right = (
        b("view", c, spec=(":",) * (c.type.ndim - 2) + ("n", ":", ":"))
        if (c.type.ndim > 1 and a.type.ndim > 1)
        else c
    )
    kind = np_dtype(a.type.dtype)  # np.sum would widen it
    axis = -2 if c.type.ndim > 1 else -1
    return sum_(it, node, b("mul", left, right), axis=axis, dtype=kind)


@implements(np.vdot)
def vdot(it: Any, node: Any, a: Any, c: Any) -> Any:
    a, c = _pair(it, node, a, c, "vdot")
    return product(it, node, ravel(it, node, a), ravel(it, node, c))


@implements(np.inner)
def inner(it: Any, node: Any, a: Any, c: Any) -> Any:
    a, c = _pair(it, node, a, c, "inner")
    if not is_array(a) or not is_array(c):
        return it.emit(node, "mul", a, c)
    return tensordot(it, node, a, c, ([-1], [-1]))


@implements(np.outer)
def outer(it: Any, node: Any, a: Any, c: Any, out: Any = None) -> Any:
    a, c = _pair(it, node, a, c, "outer")
    a, c = (ravel(it, node, v) if is_array(v) else it.b("broadcast_to", v, 1) for v in (a, c))
    column, row = it.b("view", a, spec=(":", "n")), it.b("view", c, spec=("n", ":"))
    return to_out(it, node, it.emit(node, "mul", column, row), out)


@implements(np.tensordot)
def tensordot(it: Any, node: Any, a: Any, c: Any, axes: Any = 2) -> Any:
    a, c = _pair(it, node, a, c, "tensordot")
    if not is_array(a) or not is_array(c):
        if axes != 0:
            it.refuse(node, "tensordot of a number sums over no axes", "pass axes=0")
        return it.emit(node, "mul", a, c)
    if not isinstance(axes, tuple | list):
        n = it.static_int(axes, node, "axes")
        left, right = list(range(a.type.ndim - n, a.type.ndim)), list(range(n))
    else:
        left, right = (
            [it.static_int(k, node, "an axis") for k in (x if isinstance(x, tuple | list) else [x])]
            for x in axes
        )
    left = [k % a.type.ndim for k in left]
    right = [k % c.type.ndim for k in right]
    for i, j in zip(left, right, strict=True):
        _meet(it, node, a.type.dims[i], c.type.dims[j])
    return contracted(it, node, a, c, left, right)


def contracted(it: Any, node: Any, a: Any, c: Any, left: list[int], right: list[int]) -> Any:
    """Sum over pairs of axes, as one product of matrices."""
    b = it.b
    free_a = [k for k in range(a.type.ndim) if k not in left]
    free_c = [k for k in range(c.type.ndim) if k not in right]
    inner_size = b.size([a.type.dims[k] for k in left])
    rows = [a.type.dims[k] for k in free_a]
    cols = [c.type.dims[k] for k in free_c]
    x = reshaped(it, node, transpose(it, node, a, free_a + left), [b.size(rows), inner_size])
    y = reshaped(it, node, transpose(it, node, c, right + free_c), [inner_size, b.size(cols)])
    z = product(it, node, x, y)
    return plain(reshaped(it, node, z, [*rows, *cols]))


# ---- linear algebra ----
def _square(it: Any, node: Any, a: Any, what: str) -> Any:
    (a,) = operands(it, node, (a,), what)
    if not is_array(a) or a.type.ndim != 2:
        it.refuse(node, f"{what} takes one square matrix")
    n, m = a.type.dims
    if n is not m and not (not isinstance(n, Var) and n == m):
        it.b(
            "check_equal",
            n,
            m,
            message="Last 2 dimensions of the array must be square: {} against {}",
        )
    return a if is_float(a.type.dtype) else it.b.cast(a, Scalar("f64"))


@implements(np.linalg.solve)
def solve(it: Any, node: Any, a: Any, c: Any) -> Any:
    a = _square(it, node, a, "solve")
    a, c = _pair(it, node, a, c, "solve")
    _meet(it, node, a.type.dims[0], c.type.dims[0])
    return it.b("solve", a, c)


def _of_matrix(name: str, f: Any) -> None:
    def handler(it: Any, node: Any, a: Any) -> Any:
        return it.b(name, _square(it, node, a, name))

    implements(f)(handler)


_of_matrix("inv", np.linalg.inv)
_of_matrix("cholesky", np.linalg.cholesky)
_of_matrix("det", np.linalg.det)


@implements(np.linalg.slogdet)
def slogdet(it: Any, node: Any, a: Any) -> Any:
    a = _square(it, node, a, "slogdet")
    return it.b("detsign", a), it.b("logabsdet", a)


# ---- einsum ----
@implements(np.einsum)
def einsum(it: Any, node: Any, spec: Any, *xs: Any, optimize: Any = False) -> Any:
    if not isinstance(spec, str) or "." in spec:
        it.refuse(node, "einsum takes its subscripts as a string without ellipsis")
    xs = tuple(operands(it, node, xs, "einsum"))
    spec = spec.replace(" ", "")
    left, _, right = spec.partition("->")
    terms = left.split(",")
    if "->" not in spec:
        letters = left.replace(",", "")
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(terms) != len(xs) or any(len(t) != x.type.ndim for t, x in zip(terms, xs, strict=True)):
        it.refuse(node, "the subscripts of einsum do not fit the operands")
    kind = Scalar(xs[0].type.dtype)
    for x in xs[1:]:
        kind = join_scalars(kind, Scalar(x.type.dtype))
    parts = [_diagonals(it, node, it.b.cast(x, kind), t) for x, t in zip(xs, terms, strict=True)]
    while len(parts) > 1:
        (x, s), (y, t) = parts.pop(0), parts.pop(0)
        rest = {c for _, u in parts for c in u} | set(right)
        parts.insert(0, _contract(it, node, x, s, y, t, rest))
    x, s = parts[0]
    gone = tuple(k for k, c in enumerate(s) if c not in right)
    if gone:
        x = sum_(it, node, x, axis=gone)
        s = "".join(c for c in s if c in right)
    return (
        x if not is_array(x) or s == right else transpose(it, node, x, [s.index(c) for c in right])
    )


def _diagonals(it: Any, node: Any, x: Any, term: str) -> tuple[Any, str]:
    """A repeated subscript takes the diagonal."""
    for c in dict.fromkeys(term):
        if term.count(c) > 1:
            if len(term) != 2:
                it.refuse(node, "einsum with a repeated subscript of an array that is not a matrix")
            return it.call_numpy(np.diagonal, [x], {}, node), c
    return x, term


def _contract(
    it: Any, node: Any, x: Any, s: str, y: Any, t: str, rest: set[str]
) -> tuple[Any, str]:
    """One pair of operands: a product of matrices where it is one, else multiply and sum."""
    shared = [c for c in s if c in t]
    summed = [c for c in shared if c not in rest]
    if summed and len(summed) == len(shared):
        left, right = [s.index(c) for c in summed], [t.index(c) for c in summed]
        for i, j in zip(left, right, strict=True):
            _meet(it, node, x.type.dims[i], y.type.dims[j])
        free = "".join(c for c in s if c not in summed) + "".join(c for c in t if c not in summed)
        return contracted(it, node, x, y, left, right), free
    letters = s + "".join(c for c in t if c not in s)
    wide = [_placed(it, node, v, term, letters) for v, term in ((x, s), (y, t))]
    z = it.emit(node, "mul", *wide)
    gone = tuple(k for k, c in enumerate(letters) if c not in rest)
    if gone:
        z = sum_(it, node, z, axis=gone)
    return z, "".join(c for c in letters if c in rest)


def _placed(it: Any, node: Any, x: Any, term: str, letters: str) -> Any:
    """`x` with its axes in the order of `letters`, those it lacks of length 1."""
    order = [term.index(c) for c in letters if c in term]
    x = transpose(it, node, x, order)
    return it.b("view", x, spec=tuple(":" if c in term else "n" for c in letters))
