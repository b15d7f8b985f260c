"""Functions of `scipy.spatial.distance` as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from srcgrad.frontend.formulas import metrics  # noqa: F401 (registers functions)
from srcgrad.frontend.formulas.registry import floating, inexact, stands_for, unsupported
from srcgrad.frontend.versions import error_class

# ---- two vectors ----
# the exception of `euclidean` and `sqeuclidean` for matrices; None from SciPy 1.17 on, where they
# return the distances of rows
MATRIX_ERROR = error_class(distance.euclidean, np.ones((1, 1)), np.ones((1, 1)))


@stands_for(distance.euclidean)
def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The Euclidean length of the difference of two vectors, a Python number as SciPy's is.

    >>> euclidean([0.0, 0.0], [3.0, 4.0])
    5.0
    """
    d = _difference(u, v, MATRIX_ERROR)
    return float(np.linalg.norm(d if w is None else np.sqrt(np.asarray(w)) * d))


@stands_for(distance.sqeuclidean)
def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of the squared differences of two vectors.

    >>> float(sqeuclidean([0.0, 0.0], [3.0, 4.0]))
    25.0
    """
    d = _difference(inexact(u), inexact(v), MATRIX_ERROR)
    return np.dot(d, d if w is None else d * np.asarray(w))


@stands_for(distance.cityblock)
def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of the absolute differences of two vectors.

    >>> float(cityblock([0.0, 0.0], [3.0, -4.0]))
    7.0
    """
    d = np.abs(_difference(u, v))
    return np.sum(d if w is None else np.asarray(w) * d)


@stands_for(distance.cosine)
def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """1 minus the cosine of the angle between two vectors.

    >>> float(cosine([1.0, 0.0], [0.0, 2.0]))
    1.0
    """
    if w is not None:
        return unsupported("cosine with weights is not supported", "multiply u and v by np.sqrt(w)")
    u, v = floating(u), floating(v)
    _difference(u, v)
    return np.clip(1.0 - np.dot(u, v) / np.sqrt(np.dot(u, u) * np.dot(v, v)), 0.0, 2.0)


def _difference(u: Any, v: Any, error: Any = ValueError) -> Any:
    """The difference of two real vectors; `error` is SciPy's exception for other arguments."""
    u, v = np.asarray(u), np.asarray(v)
    if u.ndim != 1 or v.ndim != 1:
        unsupported("Input vector should be 1-D", like=error)
    if u.dtype.kind == "c" or v.dtype.kind == "c":
        unsupported("distances of complex vectors are not supported")
    return u - v


# ---- distances of all pairs, as vectors and matrices ----
@stands_for(distance.squareform)
def squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:
    """The symmetric matrix of the distances of all pairs, or the vector of such a matrix.

    >>> squareform(np.array([1.0, 2.0, 3.0])).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    """
    x, form = np.atleast_1d(np.asarray(X)), force.lower()
    if form == "tomatrix" and x.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if form == "tovector" and x.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if x.ndim == 1:
        return _matrix_of_pairs(x)
    if x.ndim != 2:
        raise ValueError(
            "The first argument must be one or two dimensional array. "
            f"A {x.ndim}-dimensional array is not permitted"
        )
    if x.shape[0] != x.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks:
        if not np.all(x == x.T):
            raise ValueError("Distance matrix 'X' must be symmetric.")
        if not np.all(np.diagonal(x) == 0):
            raise ValueError("Distance matrix 'X' diagonal must be zero.")
    i, j = np.triu_indices(x.shape[0], 1)
    return x[i, j]


def _matrix_of_pairs(x: Any) -> Any:
    n = max(int(np.ceil(np.sqrt(2 * x.shape[0]))), 1)
    if n * (n - 1) != 2 * x.shape[0]:
        raise ValueError(
            "Incompatible vector size. It must be a binomial coefficient n choose 2 for some "
            "integer n >= 2."
        )
    made = np.zeros((n, n), dtype=x.dtype)
    i, j = np.triu_indices(n, 1)
    made[i, j] = x
    made[j, i] = x
    return made
