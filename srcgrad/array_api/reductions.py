"""Reductions and running sums of the standard, with its rules for dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.array_api.operands import promoted
from srcgrad.eager import dtypes
from srcgrad.eager.functions import ranks, reductions, shapes, statistics
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError
from srcgrad.primitives.libraries import near

Axes = int | tuple[int, ...] | None


def _summed_in(x: Tensor, dtype: Any) -> Any:
    """The dtype of a sum: integers are summed in 64 bits unless one is given."""
    if dtype is not None:
        return dtypes.to_dtype(dtype)
    return {"u": dtypes.uint64, "i": dtypes.int64, "b": dtypes.int64}.get(x._a.dtype.kind, x.dtype)


def _over(x: Tensor, axis: Axes, row: Callable[..., Tensor], keepdims: bool, **more: Any) -> Tensor:
    """A row of the table over dims; the rows take no dims for all of them."""
    if axis == ():
        x = shapes.unsqueeze(x, -1)
        return row(x, -1, False, **more)
    return row(x, axis, keepdims, **more)


def sum(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum over dims, or over all.

    >>> from srcgrad import array_api as xp
    >>> xp.sum(xp.asarray([200, 100], dtype=xp.uint8))
    tensor(300, dtype=srcgrad.uint64)
    """
    kind = _summed_in(x, dtype)
    return _over(cast(x, kind), axis, reductions.sum, keepdims, dtype=kind)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product over dims, or over all; its gradient is right with zeros among the factors.

    >>> from srcgrad import array_api as xp
    >>> xp.prod(xp.asarray([2.0, 3.0, 4.0]))
    tensor(24., dtype=srcgrad.float32)
    """
    kind = _summed_in(x, dtype)
    axes = tuple(range(x.ndim)) if axis is None and keepdims else axis
    return _over(cast(x, kind), axes, reductions.prod, keepdims, dtype=kind)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean over dims, or over all.

    >>> from srcgrad import array_api as xp
    >>> xp.mean(xp.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=0)
    tensor([2., 4.], dtype=srcgrad.float32)
    """
    return _over(x, axis, reductions.mean, keepdims)


def var(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance over dims, or over all: squares are divided by n - `correction`.

    >>> from srcgrad import array_api as xp
    >>> xp.var(xp.asarray([1.0, 2.0, 3.0]), correction=1)
    tensor(1., dtype=srcgrad.float32)
    """
    return _over(x, axis, _var, keepdims, correction=correction)


def std(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The root of the variance: see `var`; of equal elements the gradient is 0.

    >>> from srcgrad import array_api as xp
    >>> xp.std(xp.asarray([1.0, 3.0]))
    tensor(1., dtype=srcgrad.float32)
    """
    return _over(x, axis, _std, keepdims, correction=correction)


def _var(x: Tensor, axis: Axes, keepdims: bool, correction: float) -> Tensor:
    return reductions.var(x, axis, keepdim=keepdims, correction=correction)


def _std(x: Tensor, axis: Axes, keepdims: bool, correction: float) -> Tensor:
    return reductions.std(x, axis, keepdim=keepdims, correction=correction)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The greatest element over dims, or over all; ties share the gradient.

    >>> from srcgrad import array_api as xp
    >>> xp.max(xp.asarray([[1.0, 2.0], [3.0, 0.0]]), axis=1)
    tensor([2., 3.], dtype=srcgrad.float32)
    """
    return _over(x, axis, TABLE["amax"].function, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The least element over dims, or over all; ties share the gradient.

    >>> from srcgrad import array_api as xp
    >>> xp.min(xp.asarray([[1.0, 2.0], [3.0, 0.0]]), axis=1)
    tensor([1., 0.], dtype=srcgrad.float32)
    """
    return _over(x, axis, TABLE["amin"].function, keepdims)


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether all elements over dims are not zero.

    >>> from srcgrad import array_api as xp
    >>> xp.all(xp.asarray([[1, 0], [2, 3]]), axis=1)
    tensor([False,  True], dtype=srcgrad.bool)
    """
    return _over(x, axis, TABLE["all"].function, keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether any element over dims is not zero.

    >>> from srcgrad import array_api as xp
    >>> xp.any(xp.asarray([[0, 0], [2, 3]]), axis=1)
    tensor([False,  True], dtype=srcgrad.bool)
    """
    return _over(x, axis, TABLE["any"].function, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The number of elements over dims that are not zero.

    >>> from srcgrad import array_api as xp
    >>> xp.count_nonzero(xp.asarray([0.0, 2.0, 3.0]))
    tensor(2, dtype=srcgrad.int64)
    """
    return sum(TABLE["ne"].function(x, 0), axis=axis, dtype=dtypes.int64, keepdims=keepdims)


# ---- along a dim ----
def _running(
    row: Callable[..., Tensor], start: int, x: Tensor, axis: int | None, dtype: Any, initial: bool
) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise ArgumentValueError("an axis is needed where x has several dims")
        axis, x = 0, shapes.reshape(x, -1)
    kind = _summed_in(x, dtype)
    made = row(cast(x, kind), axis, dtype=kind)
    if not initial:
        return made
    shape = [1 if k == axis % x.ndim else n for k, n in enumerate(x.shape)]
    first = make(near(made._a, np.full(shape, start, made._a.dtype)))
    return shapes.cat([first, made], axis)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running sums along a dim, with a zero in front if `include_initial`.

    >>> from srcgrad import array_api as xp
    >>> xp.cumulative_sum(xp.asarray([1.0, 2.0, 3.0]), include_initial=True)
    tensor([0., 1., 3., 6.], dtype=srcgrad.float32)
    """
    return _running(ranks.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Running products along a dim, with a one in front if `include_initial`.

    >>> from srcgrad import array_api as xp
    >>> xp.cumulative_prod(xp.asarray([2.0, 3.0, 4.0]))
    tensor([ 2.,  6., 24.], dtype=srcgrad.float32)
    """
    return _running(ranks.cumprod, 1, x, axis, dtype, include_initial)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> Tensor:
    """The differences of neighbours along a dim, taken `n` times, with elements put at the ends.

    >>> from srcgrad import array_api as xp
    >>> xp.diff(xp.asarray([1, 4, 9]), prepend=xp.asarray([0]))
    tensor([1, 3, 5], dtype=srcgrad.int64)
    """
    parts = [t for t in (prepend, x, append) if t is not None]
    whole = shapes.cat(promoted(*parts), axis) if len(parts) > 1 else x
    return statistics.diff(whole, n, axis)
