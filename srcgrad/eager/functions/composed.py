"""Functions composed of others: softmax and related ones, norms, sorts, a few products.

Nothing here has a derivative of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import apply
from srcgrad.eager.functions.pointwise import abs_, cast, div, mul, power, root, sub, where
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import amax, one_axis, sum
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.selections import gather
from srcgrad.eager.functions.shapes import flip, reshape
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError, UnsupportedError
from srcgrad.primitives import indexing, scans

exp, log, add = (TABLE[name].function for name in ("exp", "log", "add"))


# ---- softmax and related ones ----
@declared("logsumexp")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) over `dim`, without overflow.

    >>> import srcgrad as flow
    >>> flow.logsumexp(flow.tensor([1000.0, 1.0]), 0)
    tensor(1000., dtype=srcgrad.float32)
    """
    if input._a.dtype.kind in "biu":
        input = div(input, 1)  # in the default dtype
    top = amax(input, dim, True).detach()
    top = where(TABLE["isfinite"].function(top), top, make(np.zeros((), input._a.dtype)))
    total = log(sum(exp(sub(input, top)), dim, keepdim))
    return add(total, top if keepdim else sum(top, dim))


@declared("softmax")
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along a dim.

    >>> import srcgrad as flow
    >>> flow.softmax(flow.tensor([1.0, 1.0]), 0)
    tensor([0.5000, 0.5000], dtype=srcgrad.float32)
    """
    return _proportional(scans.softmax, input, dim, dtype)


@declared("log_softmax")
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along a dim.

    >>> import srcgrad as flow
    >>> flow.log_softmax(flow.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931], dtype=srcgrad.float32)
    """
    return _proportional(scans.log_softmax, input, dim, dtype)


def _proportional(op: Any, input: Tensor, dim: int, dtype: Any) -> Tensor:
    x = input if dtype is None else cast(input, dtype)
    if x._a.dtype.kind != "f":
        raise UnsupportedError(f"\"{op.name}\" not implemented for '{x.dtype}'")
    if not x._a.ndim:
        one_axis(0, dim)
        return reshape(apply(op, (reshape(x, 1),), {"axes": (0,)}), ())
    return apply(op, (x,), {"axes": (one_axis(x._a.ndim, dim),)})


@declared("norm")
def norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm over `dim`, or of all elements; the gradient at zero is zero.

    >>> import srcgrad as flow
    >>> flow.norm(flow.tensor([3.0, 4.0]))
    tensor(5., dtype=srcgrad.float32)
    """
    if p in (2, 2.0, "fro", None):
        return root(sum(power(input, 2), dim, keepdim))
    if p in (float("inf"), float("-inf")):
        return (amax if p > 0 else TABLE["amin"].function)(abs_(input), dim, keepdim)
    if p == 0:
        return sum(cast(TABLE["ne"].function(input, 0), input.dtype), dim, keepdim)
    if p == 1:
        return sum(abs_(input), dim, keepdim)
    total = sum(power(abs_(input), p), dim, keepdim)
    zero = TABLE["eq"].function(total, 0)
    return where(zero, mul(total, 0.0), power(where(zero, 1.0, total), 1.0 / p))


# ---- sorts ----
_Sorted = named("sort", "values", "indices")
_Largest = named("topk", "values", "indices")


@declared("argsort")
def argsort(input: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """The indices that sort the elements along a dim; equal elements keep their order.

    >>> import srcgrad as flow
    >>> flow.argsort(flow.tensor([30, 10, 20]))
    tensor([1, 2, 0], dtype=srcgrad.int64)
    """
    k = one_axis(input._a.ndim, dim)
    if not input._a.ndim:
        return make(np.zeros((), np.int64))
    if not descending:
        return apply(scans.argsort, (input.detach(),), {"axis": k})
    n = input._a.shape[k]
    return flip(sub(n - 1, apply(scans.argsort, (flip(input.detach(), k),), {"axis": k})), k)


@declared("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False) -> Any:
    """The sorted elements along a dim, and their indices.

    >>> import srcgrad as flow
    >>> flow.sort(flow.tensor([3, 1, 2])).indices
    tensor([1, 2, 0], dtype=srcgrad.int64)
    """
    places = argsort(input, dim, descending)
    if not input._a.ndim:
        return _Sorted(TABLE["clone"].function(input), places)
    return _Sorted(gather(input, dim, places), places)


declare("msort", lambda input: sort(input, 0)[0])


@declared("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) elements along a dim, and their indices.

    >>> import srcgrad as flow
    >>> flow.topk(flow.tensor([10, 30, 20]), 2).values
    tensor([30, 20], dtype=srcgrad.int64)
    """
    axis = one_axis(input._a.ndim, dim)
    if k > input._a.shape[axis]:
        raise TensorError("selected index k out of range")
    places = TABLE["narrow"].function(argsort(input, dim, largest), axis, 0, k)
    return _Largest(gather(input, axis, places), places)


# ---- diagonals and products ----
@declared("diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector as its diagonal.

    >>> import srcgrad as flow
    >>> flow.diag(flow.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]], dtype=srcgrad.int64)
    """
    if input._a.ndim == 2:
        places = np.diagonal(np.arange(input._a.size).reshape(input._a.shape), diagonal).copy()
        return apply(indexing.pick, (reshape(input, -1),), {"index": places})
    if input._a.ndim != 1:
        raise TensorError("diag(): the input must be a vector or a matrix")
    n = input._a.size + abs(diagonal)
    rows, columns = np.nonzero(np.eye(n, k=diagonal))
    return apply(indexing.put, (input,), {"index": (rows, columns), "shape": (n, n)})


@declared("trace")
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    >>> import srcgrad as flow
    >>> flow.trace(flow.tensor([[1, 2], [3, 4]]))
    tensor(5, dtype=srcgrad.int64)
    """
    if input._a.ndim != 2:
        raise TensorError(f"trace: expected a matrix, but got tensor with dim {input._a.ndim}")
    return sum(diag(input))


@declared("addmm", in_place=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    >>> import srcgrad as flow
    >>> flow.addmm(flow.tensor([1.0, 2.0]), flow.eye(2), flow.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 4.],
            [4., 6.]], dtype=srcgrad.float32)
    """
    return add(mul(input, beta), mul(matmul(mat1, mat2), alpha))


@declared("lerp", in_place=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight * (end - input).

    >>> import srcgrad as flow
    >>> flow.lerp(flow.tensor([0.0, 2.0]), flow.tensor([4.0, 4.0]), 0.25)
    tensor([1.0000, 2.5000], dtype=srcgrad.float32)
    """
    return add(input, mul(sub(end, input), weight))


@declared("type", top=False)
def type_(self: Tensor, dtype: Any = None) -> Any:
    """The tensor in another dtype; without one, the name of its dtype."""
    return str(self.dtype) if dtype is None else cast(self, dtype)
