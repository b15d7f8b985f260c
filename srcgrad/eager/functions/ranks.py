"""Elements by rank and along a dim: medians, quantiles, running sums, products and extrema.

Functions that pick elements find their indices first and gather them, so that the gradient goes
there. Nothing here has a derivative of its own: running sums and products are rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import apply
from srcgrad.eager.functions.composed import argsort
from srcgrad.eager.functions.pointwise import add, mul, sub
from srcgrad.eager.functions.reductions import one_axis, summable
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.selections import gather
from srcgrad.eager.functions.shapes import cat, narrow, reshape, unsqueeze
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError
from srcgrad.primitives import scans
from srcgrad.primitives.libraries import near


# ---- elements by rank ----
def _at_rank(name: str, input: Tensor, rank: Any, dim: int, keepdim: bool) -> Any:
    """The elements of a rank along a dim, and their indices; `rank` may be an array."""
    k = one_axis(input._a.ndim, dim)
    if not input._a.ndim:
        return _pair(name)(mul(input, 1), make(np.zeros((), np.int64)))
    order = np.argsort(input._a, axis=k, kind="stable")
    rank = near(
        order, np.expand_dims(np.broadcast_to(rank, (*order.shape[:k], *order.shape[k + 1 :])), k)
    )
    places = make(np.take_along_axis(order, rank, k))
    values = gather(input, k, places)
    if keepdim:
        return _pair(name)(values, places)
    return _pair(name)(values.squeeze(k), places.squeeze(k))


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
        # NaN sorts last: with one among them the median is NaN, unless it is skipped
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
    """The k-th smallest elements along a dim, counted from 1, and their indices.

    >>> import srcgrad as flow
    >>> flow.kthvalue(flow.tensor([30, 10, 20]), 2).values
    tensor(20, dtype=srcgrad.int64)
    """
    n = input._a.shape[one_axis(input._a.ndim, dim)] if input._a.ndim else 1
    if not 1 <= k <= n:
        raise TensorError("kthvalue(): selected number k out of range for dimension")
    return _at_rank("kthvalue", input, k - 1, dim, keepdim)


@declared("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent elements along a dim, the least of them, and their last indices.

    >>> import srcgrad as flow
    >>> flow.mode(flow.tensor([1, 2, 2])).values
    tensor(2, dtype=srcgrad.int64)
    """
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
    return _pair("mode")(values.squeeze(k), places.squeeze(k))


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
    qs = np.asarray(q.cpu()._a if isinstance(q, Tensor) else q, np.float64)
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
    w = make(near(x._a, weights[interpolation].astype(x._a.dtype).reshape(form)))
    one, other = (pick(ordered, k, make(n)) for n in (low, high))
    made = add(one, mul(sub(other, one), w)).transpose(0, k)
    made = unsqueeze(made, 1).transpose(1, k + 1) if x._a.ndim > 1 or keepdim else made
    if x._a.ndim > 1 and not keepdim:
        made = made.squeeze(k + 1)
    elif keepdim and dim is None:
        made = reshape(made, (made._a.shape[0], *(1,) * input._a.ndim))
    return made if qs.ndim else made[0]


# ---- running sums, products and extrema ----
@declared("cumsum", in_place=True)
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sums along a dim.

    >>> import srcgrad as flow
    >>> flow.cumsum(flow.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6], dtype=srcgrad.int64)
    """
    return _scan(scans.cumsum, summable(input, dtype), dim)


@declared("cumprod", in_place=True)
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running products along a dim.

    >>> import srcgrad as flow
    >>> flow.cumprod(flow.tensor([1, 2, 3]), 0)
    tensor([1, 2, 6], dtype=srcgrad.int64)
    """
    x = summable(input, dtype)
    before = _scan(scans.running_product, x, dim)
    return mul(before, x) if x._a.ndim else before


def _scan(op: Any, x: Tensor, dim: int) -> Tensor:
    k = one_axis(x._a.ndim, dim)
    return apply(op, (x,), {"axis": k, "reverse": False}) if x._a.ndim else mul(x, 1)


def _running(name: str, better: Any) -> None:
    def function(input: Tensor, dim: int) -> Any:
        k = one_axis(input._a.ndim, dim)
        if not input._a.ndim:
            return _pair(name)(mul(input, 1), make(np.zeros((), np.int64)))
        a = np.moveaxis(input._a, k, 0)
        places = np.zeros_like(a, np.int64)
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
    """The logarithm of the running sums of exp(x) along a dim, without overflow.

    >>> import srcgrad as flow
    >>> flow.logcumsumexp(flow.tensor([0.0, 0.0]), 0)
    tensor([0.0000, 0.6931], dtype=srcgrad.float32)
    """
    k = one_axis(input._a.ndim, dim)
    n, step, x = (input._a.shape[k] if input._a.ndim else 1), 1, input
    both = TABLE["logaddexp"].function
    while step < n:
        earlier = narrow(x, k, 0, n - step)
        x = cat([narrow(x, k, 0, step), both(narrow(x, k, step, n - step), earlier)], k)
        step *= 2
    return mul(x, 1)
