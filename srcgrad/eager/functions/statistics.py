"""Statistics: medians, quantiles, what passes over NaN, running products and extrema, counts.

What picks elements finds their places first and gathers them, so that the gradient goes there.
Nothing here has a derivative of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.functions.composed import argsort
from srcgrad.eager.functions.pointwise import add, cast, div, mul, sub, where
from srcgrad.eager.functions.reductions import amax, axes_of, mean, one_axis, std, sum, var
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.shapes import cat, gather, narrow, reshape, unsqueeze
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError

isnan, amin = TABLE["isnan"].function, TABLE["amin"].function
_Extremes = named("aminmax", "min", "max")


# ---- what passes over NaN ----
@declared("nansum")
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over `dim`, NaN counted as zero."""
    return sum(where(isnan(input), 0.0, input), dim, keepdim, dtype=dtype)


@declared("nanmean")
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over `dim` of the elements that are not NaN."""
    count = sum(make((~np.isnan(input._a)).astype(input._a.dtype)), dim, keepdim)
    return div(nansum(input, dim, keepdim, dtype=dtype), count)


# ---- pairs ----
@declared("var_mean")
def var_mean(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The variance and the mean over `dim`."""
    return var(input, dim, unbiased, keepdim), mean(input, dim, keepdim)


@declared("std_mean")
def std_mean(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The standard deviation and the mean over `dim`."""
    return std(input, dim, unbiased, keepdim), mean(input, dim, keepdim)


@declared("aminmax")
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The least and the greatest element over `dim`."""
    return _Extremes(amin(input, dim, keepdim), amax(input, dim, keepdim))


# ---- elements by rank ----
def _at_rank(name: str, input: Tensor, rank: Any, dim: int, keepdim: bool) -> Any:
    """The elements of a rank along a dim, and their places; `rank` may be an array."""
    k = one_axis(input._a.ndim, dim)
    if not input._a.ndim:
        return _pair(name)(mul(input, 1), make(np.zeros((), np.int64)))
    order = np.argsort(input._a, axis=k, kind="stable")
    rank = np.expand_dims(np.broadcast_to(rank, np.delete(order.shape, k)), k)
    places = make(np.take_along_axis(order, rank, k))
    values = gather(input, k, places)
    if keepdim:
        return _pair(name)(values, places)
    return _pair(name)(values.squeeze(k), places.squeeze(k))  # type: ignore[attr-defined]


_PAIRS = {
    n: named(n, "values", "indices")
    for n in ("median", "nanmedian", "kthvalue", "mode", "cummax", "cummin")
}


def _pair(name: str) -> Any:
    return _PAIRS[name]


def _median(name: str, skip: bool) -> None:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        x = input if dim is not None else reshape(input, -1)
        k = one_axis(x._a.ndim, -1 if dim is None else dim)
        n = x._a.shape[k] if x._a.ndim else 1
        numbers = (~np.isnan(x._a)).sum(axis=k if x._a.ndim else None)
        # NaN sorts last: with one among them the median is NaN, unless it is passed over
        rank = (np.maximum(numbers, 1) - 1) // 2
        if not skip:
            rank = np.where(numbers < n, n - 1, rank)
        made = _at_rank(name, x, rank, k, keepdim and dim is not None)
        return made.values if dim is None else made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The lower median over all, or along a dim with its places."
    declare(name, function)


_median("median", skip=False)
_median("nanmedian", skip=True)


@declared("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest elements along a dim, counted from 1, and their places."""
    n = input._a.shape[one_axis(input._a.ndim, dim)] if input._a.ndim else 1
    if not 1 <= k <= n:
        raise TensorError("kthvalue(): selected number k out of range for dimension")
    return _at_rank("kthvalue", input, k - 1, dim, keepdim)


@declared("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The commonest elements along a dim, the least of them, and their last places."""
    k = one_axis(input._a.ndim, dim)
    if not input._a.ndim:
        return _pair("mode")(mul(input, 1), make(np.zeros((), np.int64)))

    def place(row: np.ndarray) -> int:
        values, counts = np.unique(row, return_counts=True)
        return int(np.flatnonzero(row == values[counts.argmax()])[-1])

    places = make(np.expand_dims(np.apply_along_axis(place, k, input._a), k))
    values = gather(input, k, places)
    if keepdim:
        return _pair("mode")(values, places)
    return _pair("mode")(values.squeeze(k), places.squeeze(k))  # type: ignore[attr-defined]


@declared("quantile")
def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Tensor:  # fmt: skip
    """The q-quantiles over a dim or over all; those of a vector `q` along a new first dim.

    >>> import srcgrad as flow
    >>> flow.quantile(flow.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3., dtype=srcgrad.float32)
    """
    qs = np.asarray(q._a if isinstance(q, Tensor) else q, np.float64)
    if not ((qs >= 0) & (qs <= 1)).all():
        raise TensorError("quantile() q values must be in the range [0, 1]")
    x = input if dim is not None else reshape(input, -1)
    k = one_axis(x._a.ndim, -1 if dim is None else dim)
    ordered = gather(x, k, argsort(x, k))
    at = qs.reshape(-1) * (x._a.shape[k] - 1)
    low, high = np.floor(at).astype(np.int64), np.ceil(at).astype(np.int64)
    weights = {
        "linear": at - low, "lower": np.zeros_like(at), "higher": np.ones_like(at),
        "nearest": np.rint(at) - low, "midpoint": np.where(high > low, 0.5, 0.0),
    }  # fmt: skip
    if interpolation not in weights:
        raise TensorError(f"quantile() interpolation {interpolation!r} is not there")
    pick = TABLE["index_select"].function
    form = [-1 if a == k else 1 for a in range(x._a.ndim)]
    w = make(weights[interpolation].astype(x._a.dtype).reshape(form))
    one, other = (pick(ordered, k, make(n)) for n in (low, high))
    made = add(one, mul(sub(other, one), w)).transpose(0, k)  # type: ignore[attr-defined]
    made = unsqueeze(made, 1).transpose(1, k + 1) if x._a.ndim > 1 or keepdim else made  # type: ignore[attr-defined]
    if x._a.ndim > 1 and not keepdim:
        made = made.squeeze(k + 1)
    elif keepdim and dim is None:
        made = reshape(made, (made._a.shape[0], *(1,) * input._a.ndim))
    return made if qs.ndim else made[0]


# ---- running products and extrema ----
@declared("cumprod", in_place=True)
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running products along a dim; by doubling, so that zeros among them need no care."""
    x = input if dtype is None else cast(input, dtype)
    k = one_axis(x._a.ndim, dim)
    n, step = (x._a.shape[k] if x._a.ndim else 1), 1
    while step < n:
        earlier = narrow(x, k, 0, n - step)
        x = cat([narrow(x, k, 0, step), mul(narrow(x, k, step, n - step), earlier)], k)
        step *= 2
    return mul(x, 1)


def _running(name: str, better: Any) -> None:
    def function(input: Tensor, dim: int) -> Any:
        k = one_axis(input._a.ndim, dim)
        if not input._a.ndim:
            return _pair(name)(mul(input, 1), make(np.zeros((), np.int64)))
        a = np.moveaxis(input._a, k, 0)
        places = np.zeros(a.shape, np.int64)
        best = a[:1].copy()
        for i in range(1, len(a)):
            won = better(a[i], best[0]) | np.isnan(a[i])
            places[i] = np.where(won, i, places[i - 1])
            best[0] = np.where(won, a[i], best[0])
        at = make(np.moveaxis(places, 0, k))
        return _pair(name)(gather(input, k, at), at)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The running extremum along a dim, and the last place that reaches it."
    declare(name, function)


_running("cummax", np.greater_equal)
_running("cummin", np.less_equal)


@declared("logcumsumexp")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of the running sums of exp(x) along a dim, without overflow."""
    k = one_axis(input._a.ndim, dim)
    n, step, x = (input._a.shape[k] if input._a.ndim else 1), 1, input
    both = TABLE["logaddexp"].function
    while step < n:
        earlier = narrow(x, k, 0, n - step)
        x = cat([narrow(x, k, 0, step), both(narrow(x, k, step, n - step), earlier)], k)
        step *= 2
    return mul(x, 1)


@declared("diff")
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    """The differences of neighbours along a dim, `n` times over."""
    k = one_axis(input._a.ndim, dim)
    for _ in range(n):
        m = max(input._a.shape[k] - 1, 0)
        input = sub(narrow(input, k, 1, m), narrow(input, k, 0, m))
    return input


@declared("trapezoid", "trapz", method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dim by the trapezoidal rule, over places `x` or steps of `dx`."""
    k = one_axis(y._a.ndim, dim)
    m = y._a.shape[k] - 1
    both = add(narrow(y, k, 1, m), narrow(y, k, 0, m))
    steps: Any = dx if x is None else diff(x, dim=-1 if x._a.ndim == 1 else k)
    if isinstance(steps, Tensor) and steps._a.ndim == 1:
        steps = reshape(steps, tuple(-1 if a == k else 1 for a in range(y._a.ndim)))
    return div(sum(mul(both, steps), k), 2.0)


# ---- counts ----
@declared("count_nonzero")
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero, over `dim` or over all."""
    axes = None if dim is None else axes_of(input, dim)
    return make(np.asarray(np.count_nonzero(input._a, axis=axes), np.int64))


@declared("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer is there, or the sum of its weights."""
    if input._a.ndim != 1 or input._a.dtype.kind not in "iu" or (input._a < 0).any():
        raise TensorError("bincount only supports 1-d non-negative integral inputs.")
    return make(np.bincount(input._a, None if weights is None else weights._a, minlength))


@declared("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of equal bins between two bounds, or the extremes."""
    bounds = (input._a.min(), input._a.max()) if min == max == 0 else (min, max)
    return make(np.histogram(input._a, bins, bounds)[0].astype(input._a.dtype))


@declared("unique")
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The distinct elements in order; if asked, where each element went and how often it was."""
    values, inverse, counts = np.unique(
        input._a, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    wanted = [values, inverse.reshape(input._a.shape if dim is None else -1), counts]
    flags = (True, return_inverse, return_counts)
    made = tuple(make(a) for a, yes in zip(wanted, flags, strict=True) if yes)
    return made[0] if len(made) == 1 else made


@declared("unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """The elements without those that repeat the one before; if asked, places and counts."""
    flat = input._a.reshape(-1)
    new = np.concatenate([np.ones(min(flat.size, 1), bool), flat[1:] != flat[:-1]])
    group = np.cumsum(new) - 1
    made = [make(flat[new])]
    if return_inverse:
        made.append(make(group.reshape(input._a.shape)))
    if return_counts:
        made.append(make(np.bincount(group)))
    return made[0] if len(made) == 1 else tuple(made)


# ---- samples ----
@declared("cov")
def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """The covariances of variables, one per row."""
    x = unsqueeze(input, 0) if input._a.ndim < 2 else input
    if x._a.ndim > 2:
        raise ArgumentValueError("cov(): expected input to have two or fewer dimensions")
    centred = sub(x, mean(x, 1, True))
    made = div(centred @ centred.T, float(x._a.shape[1] - correction))  # type: ignore[attr-defined,operator]
    return made if input._a.ndim > 1 else reshape(made, ())


@declared("corrcoef")
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of variables, one per row."""
    c = cov(input)
    if not c._a.ndim:
        return div(c, c)
    d = TABLE["sqrt"].function(TABLE["diagonal"].function(c))
    return div(div(c, unsqueeze(d, 1)), unsqueeze(d, 0))
