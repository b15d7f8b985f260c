"""Matrix equations: Sylvester's, the square root, whose derivative solves one, the logarithm.

Formulae: M. Giles, "An extended collection of matrix derivative results" (2008); the square root by
its definition, Y Y = A, so that Y dY + dY Y = dA; the logarithm: N. Higham, "Functions of matrices"
(2008).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.primitives.arrays import concatenate, matmul, matrix_transpose, shape
from srcgrad.primitives.memory import view
from srcgrad.primitives.registry import custom

COMMON = "the first matrix and the negated second one have an eigenvalue in common"
NO_ROOT = "the matrix has no square root of its kind, or none that is finite"
NO_LOGARITHM = "the matrix has no logarithm of its kind, or none that is finite"


# ---- a x + x b = q ----
def _sylvester(a: Any, b: Any, q: Any) -> Any:
    """By Schur factors a = u r u' and b = w s w': r y + y s = u' q w for y = u' x w."""
    from scipy.linalg import get_lapack_funcs, schur  # loaded on first use

    if q.size == 0:
        return np.zeros_like(q)
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return np.full_like(q, np.nan)
    factors: Any = [schur(v, check_finite=False) for v in (a, b)]
    (r, u), (s, w) = factors
    (trsyl,) = get_lapack_funcs(("trsyl",), (r, s, q))
    y, scale, info = trsyl(r, s, u.conj().T @ q @ w)
    # LAPACK perturbs or scales equations without a moderate solution; SciPy does not report it
    if info != 0 or scale != 1.0:
        raise np.linalg.LinAlgError(COMMON)
    return np.ascontiguousarray(u @ y @ w.conj().T)


def _sylvester_jvp(ts: tuple[Any, ...], y: Any, a: Any, b: Any, q: Any) -> Any:
    ta, tb, right = ts
    for moved in (
        None if ta is None else matmul(ta, y),
        None if tb is None else matmul(y, tb),
    ):
        if moved is not None:
            right = -moved if right is None else right - moved
    return sylvester(a, b, right)


def _back(g: Any, a: Any, b: Any) -> Any:
    return sylvester(matrix_transpose(a), matrix_transpose(b), g)


sylvester = custom(
    "sylvester",
    _sylvester,
    _sylvester_jvp,
    lambda g, y, a, b, q: -matmul(_back(g, a, b), matrix_transpose(y)),
    lambda g, y, a, b, q: -matmul(matrix_transpose(y), _back(g, a, b)),
    lambda g, y, a, b, q: _back(g, a, b),
    typing=lambda build, a, b, q: (q.type.dtype, q.type.dims),
    raises=True,
    analytic=True,
    nonfinite=True,
)


# ---- the principal square root, where it is of the matrix's kind ----
def _sqrtm(a: Any) -> Any:
    from scipy.linalg import sqrtm

    if a.size == 0:
        return np.zeros_like(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a singular matrix: non-finite results are refused
        y = sqrtm(a)
    if (np.iscomplexobj(y) and not np.iscomplexobj(a)) or not np.all(np.isfinite(y)):
        raise np.linalg.LinAlgError(NO_ROOT)
    return np.ascontiguousarray(y, a.dtype)


sqrtm = custom(
    "sqrtm",
    _sqrtm,
    lambda ts, y, a: sylvester(y, y, ts[0]),
    lambda g, y, a: _back(g, y, y),
    typing=lambda build, a: (a.type.dtype, a.type.dims),
    raises=True,
    analytic=True,
)


# ---- the principal logarithm, where it is of the matrix's kind ----
def _logm(a: Any) -> Any:
    from scipy.linalg import logm

    if a.size == 0:
        return np.zeros_like(a)
    if not np.all(np.isfinite(a)):
        return np.full_like(a, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a singular matrix: non-finite results are refused
        y = logm(a)
    if (np.iscomplexobj(y) and not np.iscomplexobj(a)) or not np.all(np.isfinite(y)):
        raise np.linalg.LinAlgError(NO_LOGARITHM)
    return np.ascontiguousarray(y, a.dtype)


def _along(a: Any, t: Any) -> Any:
    """The derivative of the logarithm along t: a block of that of [[a, t], [0, a]]."""
    n = shape(a)[0]
    above, below = concatenate(a, t, axis=1), concatenate(t * 0.0, a, axis=1)
    return view(logm(concatenate(above, below, axis=0)), 0, n, 1, n, n, 1, spec=("s", "s"))


logm = custom(
    "logm",
    _logm,
    lambda ts, y, a: _along(a, ts[0]),
    lambda g, y, a: _along(matrix_transpose(a), g),
    typing=lambda build, a: (a.type.dtype, a.type.dims),
    raises=True,
    analytic=True,
)
