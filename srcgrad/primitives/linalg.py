"""Dense linear algebra on square matrices.

Formulae: M. Giles, "Collected matrix derivative results for forward and reverse mode
algorithmic differentiation" (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import matmul, matrix_transpose
from srcgrad.primitives.registry import custom, nondiff
from srcgrad.primitives.triangular import applied, outer


def _rhs_dims(b: Any, a: Any, x: Any) -> Stated:
    return x.type.dtype, x.type.dims


def _square(b: Any, a: Any) -> Stated:
    return a.type.dtype, a.type.dims


def _real(b: Any, a: Any) -> Stated:
    return a.type.dtype.replace("c64", "f32").replace("c128", "f64"), ()


solve = custom(
    "solve",
    np.linalg.solve,
    lambda ts, y, a, b: solve(a, _solve_rhs(ts, y, a)),
    lambda g, y, a, b: -outer(solve(matrix_transpose(a), g), y),
    lambda g, y, a, b: solve(matrix_transpose(a), g),
    typing=_rhs_dims,
    raises=True,
    analytic=True,
    nonfinite=True,
)


def _solve_rhs(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    ta, tb = ts
    if ta is None:
        return tb
    moved = applied(ta, y)
    return -moved if tb is None else tb - moved


inv = custom(
    "inv",
    np.linalg.inv,
    lambda ts, y, a: -matmul(y, matmul(ts[0], y)),
    lambda g, y, a: -matmul(matrix_transpose(y), matmul(g, matrix_transpose(y))),
    typing=_square,
    raises=True,
    analytic=True,
    nonfinite=True,
)


def _trace_of(a: Any, b: Any) -> Any:
    from srcgrad.primitives.reductions import sum

    return sum(a * matrix_transpose(b), axes=(0, 1))


def _logabsdet(a: Any) -> Any:
    return np.linalg.slogdet(a)[1]


def _detsign(a: Any) -> Any:
    return np.linalg.slogdet(a)[0]


# log |det a|; the sign is locally constant
logabsdet = custom(
    "logabsdet",
    _logabsdet,
    lambda ts, y, a: _trace_of(inv(a), ts[0]),
    lambda g, y, a: matrix_transpose(inv(a)) * g,
    typing=_real,
    analytic=True,
    nonfinite=True,
)


def _definite(a: Any) -> Any:
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return a.real.dtype.type(0)
    return a.real.dtype.type(1)


# 1 where `cholesky` has a factor, else 0: the condition for a `try` around it
definite = nondiff(
    "definite",
    _definite,
    typing=_real,
    flat=True,
    decides=True,
)
detsign = nondiff(
    "detsign",
    _detsign,
    typing=lambda b, a: (a.type.dtype, ()),
    flat=True,
    decides=True,
)


# det through its cofactors, so that singular matrices have the right gradient
def _cofactors(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a)
    others = np.stack([np.prod(np.delete(s, k)) for k in range(len(s))]) if len(s) else s
    return np.linalg.det(u) * np.linalg.det(vt) * np.conj((u * others) @ vt)


det = custom(
    "det",
    np.linalg.det,
    lambda ts, y, a: _trace_of(matrix_transpose(cofactors(a)), ts[0]),
    lambda g, y, a: cofactors(a) * g,
    typing=lambda b, a: (a.type.dtype, ()),
    analytic=True,
)
# of a regular matrix; its own derivative goes through the inverse
cofactors = custom(
    "cofactors",
    _cofactors,
    lambda ts, y, a: _cofactor_bar(ts[0], a),
    lambda g, y, a: _cofactor_bar(g, a),
    typing=_square,
    analytic=True,
)


def _cofactor_bar(g: Any, a: Any) -> Any:
    """d cof(A) along G, self-adjoint: det (tr(A^-1 G) A^-T - A^-T G' A^-T)."""
    ia = inv(a)
    it = matrix_transpose(ia)
    return (it * _trace_of(ia, g) - matmul(it, matmul(matrix_transpose(g), it))) * det(a)
