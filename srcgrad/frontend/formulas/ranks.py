"""Ranks as NumPy programs: locally constant, so they have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.frontend.formulas.registry import place, unsupported

METHODS = ("average", "min", "max", "dense", "ordinal")
POLICIES = ("propagate", "omit", "raise")
# until SciPy 1.17 ranks have 64 bits, and are integers where no mean is taken
FOLLOW_DTYPE = stats.rankdata(np.zeros(1, np.float32)).dtype == np.float32


def rankdata(
    a: Any, method: Any = "average", *, axis: Any = None, nan_policy: Any = "propagate"
) -> Any:
    """The ranks along an axis, from 1; `method` says which of their ranks equal values have.

    >>> rankdata(np.array([0.5, 2.0, 3.0, 2.0])).tolist()
    [1.0, 2.5, 4.0, 2.5]
    """
    if method not in METHODS:
        return unsupported(f'unknown method "{method}"', like=ValueError)
    if nan_policy not in POLICIES:
        return unsupported(f"nan_policy is one of {', '.join(POLICIES)}", like=ValueError)
    x = np.asarray(a)
    if x.dtype.kind == "c":
        return unsupported("ranks of complex numbers are not supported", "take those of a part")
    x = np.ravel(x) if axis is None else x
    k = place(-1 if axis is None else axis, x.ndim)
    lanes = np.swapaxes(x, k, -1)
    order = np.argsort(lanes, axis=-1)
    ranks = _of_sorted(np.take_along_axis(lanes, order, axis=-1), method)
    ranks = np.take_along_axis(ranks, np.argsort(order, axis=-1), axis=-1)
    dtype = _dtype(x.dtype, method)
    if x.dtype.kind == "f":
        ranks = _without_nan(ranks, np.isnan(lanes), dtype, nan_policy)
    return np.swapaxes(ranks.astype(dtype), k, -1)


def _dtype(of: Any, method: str) -> Any:
    """The dtype of SciPy's ranks of values of a dtype."""
    if FOLLOW_DTYPE:
        return of if of.kind == "f" else np.dtype(np.float64)
    return np.dtype(np.float64 if method == "average" else np.int64)


def _of_sorted(y: Any, method: str) -> Any:
    """The ranks of values that are sorted along the last axis."""
    n = y.shape[-1]
    places = np.broadcast_to(np.arange(n), y.shape)
    if method == "ordinal":
        return places + 1
    starts = y != np.take_along_axis(y, np.maximum(places - 1, 0), axis=-1)
    if method == "dense":
        return np.cumsum(starts | (places == 0), axis=-1)
    ends = y != np.take_along_axis(y, np.minimum(places + 1, n - 1), axis=-1)
    least = np.maximum.accumulate(np.where(starts, places, 0), axis=-1) + 1
    last = np.where(ends, places, n - 1)[..., ::-1]
    most = np.minimum.accumulate(last, axis=-1)[..., ::-1] + 1
    if method == "average":
        return 0.5 * (least + most)
    return least if method == "min" else most


def _without_nan(ranks: Any, missing: Any, dtype: Any, nan_policy: str) -> Any:
    """Ranks with NaN in place of those of NaNs ("omit") or of all in a lane with one."""
    if nan_policy == "raise" and np.any(missing):
        raise ValueError("The input contains nan values")
    if dtype.kind != "f":
        if np.any(missing):  # a SciPy with integer ranks has floats then, as only the run knows
            raise NotImplementedError("integer ranks beside NaN")
        return ranks
    lost = missing if nan_policy == "omit" else np.any(missing, axis=-1, keepdims=True)
    return np.where(lost, np.nan, ranks)
