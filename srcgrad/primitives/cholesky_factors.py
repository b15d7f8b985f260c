"""The Cholesky factor of a matrix, and the adjoint of the matrix by that of its factor.

The adjoint is an operation: by its formula it takes seven times as long as the factor, in place and
by blocks one to two times. I. Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import matmul, matrix_transpose
from srcgrad.primitives.factorisation_parts import adjoint, conjugate
from srcgrad.primitives.libraries import linalg_of
from srcgrad.primitives.registry import custom
from srcgrad.primitives.rules import plain
from srcgrad.primitives.triangular import lower_part, solve_triangular


def _square(b: Any, a: Any, *_: Any) -> Stated:
    return a.type.dtype, a.type.dims


def _below(y: Any, b: Any, transposed: bool = False) -> Any:
    """The solution by a lower triangle."""
    return solve_triangular(y, b, lower=True, transposed=transposed, unit=False)


def from_lower(t: Any) -> Any:
    """The symmetric or Hermitian tangent that the lower triangle represents, which NumPy reads."""
    low = lower_part(t, 0.5)
    return low + adjoint(low)


def _moved(y: Any, t: Any) -> Any:
    """The tangent of the factor `y`."""
    s = _below(y, adjoint(_below(y, from_lower(t))))
    return matmul(y, lower_part(s, 0.5))


cholesky = custom(
    "cholesky",
    np.linalg.cholesky,
    lambda ts, y, a: _moved(y, ts[0]),
    lambda g, y, a: cholesky_adjoint(conjugate(y), g),
    typing=_square,
    raises=True,
    analytic=True,
    nonfinite=True,
)


# ---- the adjoint: of the lower triangles of a factor and of its adjoint ----
def _cholesky_adjoint(y: Any, g: Any) -> Any:
    solve = linalg_of(y, g).solve_triangular
    p = _half(np.conj(np.tril(y).T) @ np.tril(g))
    right = solve(y, p.T, trans=1, lower=True, check_finite=False).T
    s = solve(y, right, trans=2, lower=True, check_finite=False)
    return _half(s + np.conj(s.T))


def _half(x: Any) -> Any:
    """The lower triangle, half of its diagonal."""
    return np.tril(x) - np.diag(np.diag(x)) / 2


def _cholesky_adjoint_jvp(ts: tuple[Any, ...], a: Any, y: Any, g: Any) -> Any:
    ty, tg = ts
    if ty is None:
        return cholesky_adjoint(y, tg)
    low = lower_part(ty)
    # y' through = dy' g
    right = matmul(matrix_transpose(low), conjugate(lower_part(g)))
    through = conjugate(_below(y, right, True))
    moved = cholesky_adjoint(y, through if tg is None else tg + through)
    # f dy y^-1 with the Hermitian f
    f = a + adjoint(a)
    p = matrix_transpose(_below(y, matrix_transpose(matmul(f, low)), True))
    return moved - lower_part(p + adjoint(p), 0.5)


def _of_factor(g: Any, a: Any, y: Any, given: Any) -> Any:
    """The adjoint of the factor, by that of the result."""
    other = conjugate(plain(lower_part(y)))
    t, f = _moved(other, g), a + adjoint(a)
    inner = matmul(conjugate(lower_part(given)), adjoint(t)) - matmul(conjugate(f), from_lower(g))
    return lower_part(matrix_transpose(_below(y, matrix_transpose(inner))))


cholesky_adjoint = custom(
    "cholesky_adjoint",
    _cholesky_adjoint,
    _cholesky_adjoint_jvp,
    _of_factor,
    lambda g, a, y, given: _moved(conjugate(plain(lower_part(y))), g),
    typing=_square,
    analytic=True,
    nonfinite=True,
)
