"""Means of scipy.stats as NumPy programs: geometric, harmonic, of powers, of trimmed samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.frontend.formulas.descriptive import propagated, samples_of
from srcgrad.frontend.formulas.registry import floating, known, stands_for, unsupported
from srcgrad.frontend.formulas.statistics import kept


def averaged(a: Any, weights: Any, axis: Any, nan_policy: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """The array, its samples as floats, and their weights or None."""
    if dtype is not None:
        if np.dtype(dtype).kind not in "fc":
            return unsupported("a mean in this dtype is not supported", "leave it out")
        a = np.asarray(a, dtype=dtype)
    if weights is None:
        x, lanes = samples_of(a, axis, nan_policy)
        return x, floating(lanes), None
    a, w = np.atleast_1d(a), np.atleast_1d(weights)
    if axis is None:
        a, w = np.ravel(a), np.ravel(w)
    a, w = np.broadcast_arrays(a, w)
    _, of_weights = samples_of(w, axis, nan_policy)
    x, lanes = samples_of(a, axis, nan_policy)
    kind = np.result_type(lanes, of_weights, np.float32 if lanes.dtype == np.float32 else float)
    return x, lanes.astype(kind), of_weights.astype(kind)


def mean_of(lanes: Any, weights: Any) -> Any:
    """The mean along the last axis, weighted if there are weights.

    >>> float(mean_of(np.array([1.0, 4.0]), np.array([1.0, 3.0])))
    3.25
    """
    if weights is None:
        return np.mean(lanes, axis=-1)
    return np.sum(lanes * weights, axis=-1) / np.sum(weights, axis=-1)


@stands_for(stats.gmean)
def gmean(
    a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The geometric mean.

    >>> round(float(gmean([1, 4])), 12)
    2.0
    """
    x, lanes, w = averaged(a, weights, axis, nan_policy, dtype)
    return kept(x, np.exp(mean_of(np.log(lanes), w)), axis, keepdims)


@stands_for(stats.hmean)
def hmean(
    a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The harmonic mean; NaN of samples with negative numbers.

    >>> round(float(hmean([1, 4])), 12)
    1.6
    """
    x, lanes, w = averaged(a, weights, axis, nan_policy, dtype)
    lanes = np.where(lanes < 0.0, np.nan, lanes)
    return kept(x, 1.0 / mean_of(1.0 / lanes, w), axis, keepdims)


@stands_for(stats.pmean)
def pmean(
    a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The power mean of a known order; NaN of samples with negative numbers.

    >>> round(float(pmean([1, 7], 2)), 12)
    5.0
    """
    p = known(p)
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    if abs(p) < 1e-5:
        return unsupported("pmean of an order near 0 is not supported", "use gmean")
    x, lanes, w = averaged(a, weights, axis, nan_policy, dtype)
    lanes = np.where(lanes < 0.0, np.nan, lanes)
    return kept(x, mean_of(lanes ** float(p), w) ** (1.0 / p), axis, keepdims)


@stands_for(stats.trim_mean)
def trim_mean(
    a: Any, proportiontocut: Any, axis: Any = 0, *, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The mean without a share of the smallest and of the largest values.

    >>> float(trim_mean([0, 1, 2, 9], 0.25))
    1.5
    """
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    n = lanes.shape[-1]
    cut = int(proportiontocut * n)
    if cut > n - cut:
        raise ValueError("Proportion too big.")
    inner = np.sort(lanes, axis=-1)[..., cut : n - cut]
    return kept(x, propagated(lanes, np.mean(inner, axis=-1)), axis, keepdims)
