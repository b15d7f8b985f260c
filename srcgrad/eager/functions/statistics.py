"""Statistics: sums without NaN, pairs, differences, counts, covariances.

Nothing here has a derivative of its own; medians and quantiles are in `ranks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.functions.pointwise import add, div, mul, sub, where
from srcgrad.eager.functions.reductions import amax, axes_of, mean, one_axis, std, sum, var
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.shapes import narrow, reshape, unsqueeze
from srcgrad.eager.functions.table import TABLE, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError

isnan, amin = TABLE["isnan"].function, TABLE["amin"].function
_Extremes = named("aminmax", "min", "max")


# ---- without NaN ----
@declared("nansum")
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over `dim`, NaN counted as zero.

    >>> import srcgrad as flow
    >>> flow.nansum(flow.tensor([1.0, float("nan"), 3.0]))
    tensor(4., dtype=srcgrad.float32)
    """
    if input._a.dtype.kind in "biu":
        return sum(input, dim, keepdim, dtype=dtype)
    return sum(where(isnan(input), 0.0, input), dim, keepdim, dtype=dtype)


@declared("nanmean")
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over `dim` of the elements that are not NaN.

    >>> import srcgrad as flow
    >>> flow.nanmean(flow.tensor([1.0, float("nan"), 3.0]))
    tensor(2., dtype=srcgrad.float32)
    """
    count = sum(make((~np.isnan(input._a)).astype(input._a.dtype)), dim, keepdim)
    return div(nansum(input, dim, keepdim, dtype=dtype), count)


# ---- pairs ----
@declared("var_mean")
def var_mean(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The variance and the mean over `dim`.

    >>> import srcgrad as flow
    >>> flow.var_mean(flow.tensor([1.0, 3.0, 5.0]))[0]
    tensor(4., dtype=srcgrad.float32)
    """
    return var(input, dim, unbiased, keepdim), mean(input, dim, keepdim)


@declared("std_mean")
def std_mean(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The standard deviation and the mean over `dim`.

    >>> import srcgrad as flow
    >>> flow.std_mean(flow.tensor([1.0, 3.0, 5.0]))[1]
    tensor(3., dtype=srcgrad.float32)
    """
    return std(input, dim, unbiased, keepdim), mean(input, dim, keepdim)


@declared("aminmax")
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The least and the greatest element over `dim`.

    >>> import srcgrad as flow
    >>> flow.aminmax(flow.tensor([2, 5, 1])).max
    tensor(5, dtype=srcgrad.int64)
    """
    return _Extremes(amin(input, dim, keepdim), amax(input, dim, keepdim))


# ---- differences ----
@declared("diff")
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    """The differences of neighbours along a dim, taken `n` times.

    >>> import srcgrad as flow
    >>> flow.diff(flow.tensor([1, 4, 9]))
    tensor([3, 5], dtype=srcgrad.int64)
    """
    k = one_axis(input._a.ndim, dim)
    for _ in range(n):
        m = max(input._a.shape[k] - 1, 0)
        input = sub(narrow(input, k, 1, m), narrow(input, k, 0, m))
    return input


@declared("trapezoid", "trapz", method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dim by the trapezoidal rule, over places `x` or steps of `dx`.

    >>> import srcgrad as flow
    >>> flow.trapezoid(flow.tensor([1.0, 2.0, 3.0]))
    tensor(4., dtype=srcgrad.float32)
    """
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
    """The number of elements that are not zero, over `dim` or over all.

    >>> import srcgrad as flow
    >>> flow.count_nonzero(flow.tensor([0, 3, 0, 4]))
    tensor(2, dtype=srcgrad.int64)
    """
    axes = None if dim is None else axes_of(input, dim)
    return make(np.asarray(np.count_nonzero(input._a, axis=axes), np.int64))


@declared("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """The count of each non-negative integer, or the sum of its weights.

    >>> import srcgrad as flow
    >>> flow.bincount(flow.tensor([0, 2, 2]))
    tensor([1, 0, 2], dtype=srcgrad.int64)
    """
    if input._a.ndim != 1 or input._a.dtype.kind not in "iu" or (input._a < 0).any():
        raise TensorError("bincount only supports 1-d non-negative integral inputs.")
    return make(np.bincount(input._a, None if weights is None else weights._a, minlength))


@declared("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """The number of elements in each of equal bins between two bounds, or the extremes.

    >>> import srcgrad as flow
    >>> flow.histc(flow.tensor([1.0, 2.0, 2.5]), bins=3, min=0, max=3)
    tensor([0., 1., 2.], dtype=srcgrad.float32)
    """
    bounds = (input._a.min(), input._a.max()) if min == max == 0 else (min, max)
    return make(np.histogram(input._a, bins, bounds)[0].astype(input._a.dtype))


@declared("unique")
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The distinct elements in order; on request, where each element went and their counts.

    >>> import srcgrad as flow
    >>> flow.unique(flow.tensor([3, 1, 3]))
    tensor([1, 3], dtype=srcgrad.int64)
    """
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
    """The elements without those that repeat the one before; on request, places and counts.

    >>> import srcgrad as flow
    >>> flow.unique_consecutive(flow.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1], dtype=srcgrad.int64)
    """
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
    """The covariances of variables, one per row.

    >>> import srcgrad as flow
    >>> flow.cov(flow.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]], dtype=srcgrad.float32)
    """
    x = unsqueeze(input, 0) if input._a.ndim < 2 else input
    if x._a.ndim > 2:
        raise ArgumentValueError("cov(): expected input to have two or fewer dimensions")
    centred = sub(x, mean(x, 1, True))
    made = div(centred @ centred.T, float(x._a.shape[1] - correction))
    return made if input._a.ndim > 1 else reshape(made, ())


@declared("corrcoef")
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of variables, one per row.

    >>> import srcgrad as flow
    >>> flow.corrcoef(flow.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]], dtype=srcgrad.float32)
    """
    c = cov(input)
    if not c._a.ndim:
        return div(c, c)
    d = TABLE["sqrt"].function(TABLE["diagonal"].function(c))
    return div(div(c, unsqueeze(d, 1)), unsqueeze(d, 0))
