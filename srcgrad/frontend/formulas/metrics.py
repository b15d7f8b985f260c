"""Distances of the rows of matrices: `cdist` and `pdist` of SciPy as NumPy programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial import distance

from srcgrad.frontend.formulas.registry import stands_for, unsupported


@stands_for(distance.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """The distance of each row of a matrix from each row of another, in double precision.

    >>> cdist([[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[5., 1.]])
    """
    if out is not None:
        return unsupported("cdist with out is not supported", "leave it out")
    a, b = _rows(XA), _rows(XB)
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns")
    if not isinstance(metric, str):
        return np.array([[metric(u, v, **kwargs) for v in b] for u in a], dtype=np.float64)
    name, given = metric.lower(), kwargs
    if name in SCALES:
        given = SCALES[name](np.concatenate((a, b)), **kwargs)
    return _distances(a[:, None, :], b[None, :, :], name, given)


@stands_for(distance.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """The distances of all pairs of rows of a matrix, as a vector.

    >>> pdist([[0.0], [1.0], [3.0]])
    array([1., 3., 2.])
    """
    if out is not None:
        return unsupported("pdist with out is not supported", "leave it out")
    x = _rows(X)
    if not isinstance(metric, str):
        pairs = [(x[i], x[j]) for i in range(len(x)) for j in range(i + 1, len(x))]
        return np.array([metric(u, v, **kwargs) for u, v in pairs], dtype=np.float64)
    i, j = np.triu_indices(x.shape[0], 1)
    name = metric.lower()
    given = SCALES[name](x, **kwargs) if name in SCALES else kwargs
    return _distances(x[i], x[j], name, given)


def _rows(x: Any) -> Any:
    x = np.asarray(x)
    if x.ndim != 2 or x.dtype.kind == "c":
        unsupported("distances of rows take matrices of real numbers")
    return x.astype(np.float64)


def _distances(u: Any, v: Any, name: str, given: Any) -> Any:
    """The distances of vectors along the last axis, by the metric of that name."""
    if name not in METRICS:
        return unsupported(
            f"distances by {name!r} are not supported",
            f"use one of {', '.join(map(repr, METRICS))}, or a function of two rows",
        )
    return METRICS[name](u, v, **given)


# ---- metrics of the difference ----
def _minkowski(u: Any, v: Any, p: Any = 2.0, w: Any = None) -> Any:
    if p <= 0:
        raise NotImplementedError("distances of an order that is not positive")  # p is of the run
    d = u - v
    if w is None:
        return np.linalg.norm(d, ord=p, axis=-1)
    w = _weights(w)
    if np.isinf(p):
        return np.max(np.abs(d) * (w != 0), axis=-1)
    return np.linalg.norm(w ** (1 / p) * d, ord=p, axis=-1)


def _weights(w: Any) -> Any:
    w = np.asarray(w, dtype=np.float64)
    if np.any(w < 0):
        raise ValueError("Input weights should be all non-negative")
    return w


def _squared(u: Any, v: Any, w: Any = None) -> Any:
    d = u - v
    return np.sum(d * d if w is None else _weights(w) * d * d, axis=-1)


def _scaled(u: Any, v: Any, V: Any) -> Any:
    return np.linalg.norm((u - v) / np.sqrt(V), axis=-1)


def _by_variance(x: Any, V: Any = None) -> Any:
    return {"V": np.var(x, axis=0, ddof=1) if V is None else np.asarray(V, dtype=np.float64)}


def _by_matrix(u: Any, v: Any, VI: Any) -> Any:
    d = u - v
    return np.sqrt(np.sum(d * (d @ VI.T), axis=-1))


def _by_covariance(x: Any, VI: Any = None) -> Any:
    inverse = np.linalg.inv(np.cov(x.T)).T if VI is None else np.asarray(VI, dtype=np.float64)
    return {"VI": inverse}


# ---- metrics of ratios ----
def _cosine(u: Any, v: Any) -> Any:
    lengths = np.sqrt(np.sum(u * u, axis=-1) * np.sum(v * v, axis=-1))
    return 1.0 - np.clip(np.sum(u * v, axis=-1) / lengths, -1.0, 1.0)


def _correlation(u: Any, v: Any) -> Any:
    middle = lambda x: x - np.mean(x, axis=-1, keepdims=True)
    return _cosine(middle(u), middle(v))


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    whole = np.abs(u) + np.abs(v)
    part = np.abs(u - v) / np.where(whole == 0, 1.0, whole)
    return np.sum(part if w is None else _weights(w) * part, axis=-1)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    part, whole = np.abs(u - v), np.abs(u + v)
    if w is not None:
        w = _weights(w)
        part, whole = w * part, w * whole
    return np.sum(part, axis=-1) / np.sum(whole, axis=-1)


METRICS: dict[str, Callable[..., Any]] = {
    "euclidean": lambda u, v, w=None: _minkowski(u, v, 2, w),
    "sqeuclidean": _squared,
    "cityblock": lambda u, v, w=None: _minkowski(u, v, 1, w),
    "chebyshev": lambda u, v, w=None: _minkowski(u, v, np.inf, w),
    "minkowski": _minkowski,
    "seuclidean": _scaled,
    "mahalanobis": _by_matrix,
    "cosine": _cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": _braycurtis,
}
# of metrics with a scale: their arguments, by all rows where they are left out
SCALES: dict[str, Callable[..., Any]] = {"seuclidean": _by_variance, "mahalanobis": _by_covariance}
