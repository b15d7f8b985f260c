"""Reductions: sums, means, extrema, products, `any` and `all`.

`dim` is None, an int or a tuple (`axis` is taken as well), `keepdim` keeps the reduced dims with
length 1. Extrema share their gradient among ties.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.apply import apply, as_tensor_operand, reworded
from srcgrad.eager.dtypes import int64
from srcgrad.eager.functions.pointwise import cast, div, maximum, minimum, mul, power, root, sub
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError, TensorIndexError
from srcgrad.primitives import memory, scans
from srcgrad.primitives import reductions as p


def axes_of(x: Tensor, dim: Any) -> tuple[int, ...]:
    """The dims as a tuple of non-negative ints; IndexError outside the tensor's."""
    n = x._a.ndim
    if dim is None or dim == ():
        return tuple(range(n))
    return tuple(one_axis(n, d) for d in (dim if isinstance(dim, tuple | list) else (dim,)))


def one_axis(n: int, d: int) -> int:
    """One dim of a tensor of `n`; a 0-d tensor has the dims 0 and -1."""
    span = max(n, 1)
    if not -span <= d < span:
        raise TensorIndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], "
            f"but got {d})"
        )
    return d % span


def kept(y: Tensor, x: Tensor, axes: tuple, keepdim: bool) -> Tensor:
    """The reduced tensor with the reduced dims restored as dims of length 1."""
    if not keepdim:
        return y
    dims = tuple(1 if k in axes else d for k, d in enumerate(x._a.shape))
    return apply(memory.reshape, (y, *dims), {})


def summable(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in the dtype of its sum: integers are summed as int64 unless one is given."""
    if dtype is None and x._a.dtype.kind in "biu":
        dtype = int64
    return x if dtype is None else cast(x, dtype)


@declared("sum")
def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None
) -> Tensor:
    """The sum over `dim`, or over all.

    >>> import srcgrad as flow
    >>> flow.ones(2, 3).sum(dim=1)
    tensor([3., 3.], dtype=srcgrad.float32)
    """
    x = summable(as_tensor_operand(input, "sum"), dtype)
    axes = axes_of(x, axis if dim is None else dim)
    return kept(apply(p.sum, (x,), {"axes": axes if x._a.ndim else ()}), x, axes, keepdim)


def _count(x: Tensor, axes: tuple) -> int:
    """The number of elements reduced over."""
    return math.prod([x._a.shape[k] for k in axes]) if x._a.ndim else 1


def _divisor(n: float, x: Tensor) -> Any:
    """A number to divide by; Python's own zero would raise."""
    return float(n) if n else make(np.zeros((), x._a.dtype))


@declared("mean")
def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None
) -> Tensor:
    """The mean over `dim`, or over all; RuntimeError for integers.

    >>> import srcgrad as flow
    >>> flow.mean(flow.tensor([[1.0, 2.0], [3.0, 4.0]]), 0)
    tensor([2., 3.], dtype=srcgrad.float32)
    """
    x = as_tensor_operand(input, "mean")
    x = x if dtype is None else cast(x, dtype)
    if x._a.dtype.kind in "biu":
        raise TensorError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {x.dtype}"
        )
    axes = axes_of(x, axis if dim is None else dim)
    return div(sum(x, axes, keepdim), _divisor(_count(x, axes), x))


@declared("var")
def var(
    input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The variance over `dim`, divided by n - 1 unless `unbiased` is False.

    >>> import srcgrad as flow
    >>> flow.var(flow.tensor([1.0, 3.0, 5.0]))
    tensor(4., dtype=srcgrad.float32)
    """
    axes = axes_of(input, None if isinstance(dim, bool) else dim)
    lost = (dim if isinstance(dim, bool) else unbiased) if correction is None else correction
    centred = sub(input, mean(input, axes, True))
    total = sum(power(centred, 2), axes, keepdim)
    return div(total, _divisor(builtins.max(_count(input, axes) - lost, 0), input))


@declared("std")
def std(
    input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """The root of the variance: see `var`; of equal elements the gradient is 0.

    >>> import srcgrad as flow
    >>> flow.std(flow.tensor([1.0, 3.0, 5.0]))
    tensor(2., dtype=srcgrad.float32)
    """
    return root(var(input, dim, unbiased, keepdim, correction=correction))


@declared("prod")
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product over a dim, or over all; its gradient is right with zeros among the factors.

    >>> import srcgrad as flow
    >>> flow.prod(flow.tensor([2, 3, 4]))
    tensor(24, dtype=srcgrad.int64)
    """
    x = summable(input, dtype)
    if dim is None:
        flat = apply(memory.reshape, (x, x._a.size), {})
        return apply(scans.product, (flat,), {"axes": (0,)})
    if not x._a.ndim:
        return mul(x, 1)
    axes = axes_of(x, dim)
    return kept(apply(scans.product, (x,), {"axes": axes}), x, axes, keepdim)


# ---- extrema ----
_EMPTY = (
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
    "dim with the 'dim' argument."
)


def _extremum(name: str, op: Any, arg: Any, elementwise: Callable) -> Callable:
    result = named(name, "values", "indices")

    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        x = as_tensor_operand(input, name)
        if isinstance(dim, Tensor):
            return elementwise(x, dim)
        if dim is None:
            if not x._a.size:
                raise TensorError(_EMPTY.format(name))
            return amount(x)
        values = amount(x, dim, keepdim)
        return result(values, places(x, dim, keepdim))

    def amount(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = as_tensor_operand(input, f"a{name}")
        if not x._a.size and (dim is None or dim == ()):
            raise TensorIndexError(_EMPTY.format(name))
        axes = axes_of(x, dim)
        if not x._a.ndim:
            return TABLE["clone"].function(x)
        return kept(apply(op, (x,), {"axes": axes}), x, axes, keepdim)

    def places(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        x = as_tensor_operand(input, f"arg{name}")
        if not x._a.size and dim is None:
            raise TensorIndexError(_EMPTY.format(f"arg{name}"))
        axes = axes_of(x, dim)
        if not x._a.ndim:
            return make(np.zeros((), np.int64))
        return kept(apply(arg, (x,), {"axes": axes}), x, axes, keepdim)

    declare(name, function)
    declare(f"a{name}", amount)
    declare(f"arg{name}", places)
    return function


_extremum("max", p.max, p.argmax, maximum)
_extremum("min", p.min, p.argmin, minimum)


def _truth(name: str, op: Any) -> None:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        y = apply(op, (input,), {"axes": axes if input._a.ndim else ()})
        return kept(y, input, axes, keepdim)

    function.__name__ = function.__qualname__ = name
    declare(name, function)


amax = TABLE["amax"].function

_truth("any", p.any)
_truth("all", p.all)


# ---- comparison of whole tensors ----
@declared("allclose")
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are as close as NumPy's `allclose` requires.

    >>> import srcgrad as flow
    >>> flow.allclose(flow.tensor([1.0]), flow.tensor([1.0 + 1e-7]))
    True
    """
    try:
        return bool(np.allclose(input._a, other._a, rtol, atol, equal_nan))
    except ValueError as error:
        raise reworded(error, [input._a, other._a]) from None


@declared("equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> import srcgrad as flow
    >>> flow.equal(flow.tensor([1, 2]), flow.tensor([1, 2]))
    True
    """
    return bool(np.array_equal(input._a, other._a))


__all__ = ["axes_of", "kept", "one_axis"]
