"""Covariances and correlations as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import is_static, stands_for, unsupported
from srcgrad.frontend.values import Known

# one row is a variable, whatever `rowvar` says: until NumPy 2.2
A_ROW_IS_A_VARIABLE = np.cov(np.ones((1, 2)), rowvar=False, bias=True).ndim == 0


@stands_for(np.cov)
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Known = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """The covariances of variables, whose observations are rows or columns.

    >>> cov(np.array([[0.0, 1.0], [0.0, 2.0]]))
    array([[0.5, 1. ],
           [1. , 2. ]])
    """
    x = _variables(m, rowvar)
    if y is not None:
        x = np.concatenate([x, _variables(y, rowvar)])
    if dtype is not None:
        return unsupported("cov with a dtype is not supported")
    free = (0 if bias else 1) if ddof is None else ddof
    if fweights is not None or aweights is not None:
        frequencies, weights = (1.0 if w is None else np.asarray(w) for w in (fweights, aweights))
        return weighted_cov(x, frequencies, weights, aweights is not None, free)
    gap = x - np.mean(x, axis=1, keepdims=True)
    degrees = x.shape[1] - free
    if not is_static(free) or free > 0:
        degrees = np.maximum(degrees, 0)
    return np.squeeze((gap @ gap.T) / degrees)


def _variables(x: Any, rowvar: Any) -> Any:
    """Samples as rows of float64, one row per variable."""
    x = np.asarray(x, np.float64)
    if x.ndim == 0 or x.ndim > 2:
        return unsupported("the covariance takes vectors and matrices", like=ValueError)
    if x.ndim == 1:
        return x[None, :]
    return x if rowvar or (A_ROW_IS_A_VARIABLE and _is_one(x.shape[0])) else x.T


def _is_one(length: Any) -> bool:
    if is_static(length):
        return length == 1
    if length == 1:
        raise ValueError("one row in this call, as is not known when compiling: give rowvar=True")
    return False


@stands_for(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """The coefficients of correlation of variables.

    >>> corrcoef(np.array([0.0, 1.0]), np.array([0.0, -2.0]))[0].round(9).tolist()
    [1.0, -1.0]
    """
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = np.sqrt(np.diagonal(c))
    return np.clip(c / deviation[:, None] / deviation[None, :], -1.0, 1.0)


def weighted_cov(x: Any, frequencies: Any, weights: Any, given: bool, ddof: Any) -> Any:
    """The covariance of rows whose observations count more than once, or with weights.

    >>> weighted_cov(np.array([[0.0, 1.0]]), np.array([1, 1]), 1.0, False, 0)
    array(0.25)
    """
    w = np.asarray(frequencies * np.asarray(weights), dtype=np.float64)
    total = np.sum(w)
    if total == 0.0 and x.shape[0] > 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.sum(x * w, axis=1, keepdims=True) / total
    if ddof == 0:
        free = total
    elif not given:
        free = total - ddof
    else:
        free = total - ddof * np.sum(w * weights) / total
    gap = x - mean
    return np.squeeze((gap * w) @ gap.T / np.maximum(free, 0.0))
