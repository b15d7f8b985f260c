"""Matrix products: `matmul` and its special cases.

Each is one of three primitives (vector by vector, matrix by vector, stacks of matrices), after the
dims have been brought to their form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import Unsuitable, apply, operand
from srcgrad.eager.functions.pointwise import mul
from srcgrad.eager.functions.shapes import expand, transpose, unsqueeze
from srcgrad.eager.functions.table import by_its_name, declare, declared
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import TensorError, TensorTypeError
from srcgrad.primitives import arrays


def _check(a: Tensor, b: Tensor, inner: int) -> None:
    if a._a.dtype != b._a.dtype:
        raise TensorError(
            f"expected both tensors to have the same dtype, but found {a.dtype} and {b.dtype}"
        )
    if a._a.shape[-1] != inner:
        one, other = ("x".join(map(str, x._a.shape)) for x in (a, b))
        raise TensorError(f"mat1 and mat2 shapes cannot be multiplied ({one} and {other})")


@declared("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of matrices, stacks of them, or vectors; leading dims broadcast.

    RuntimeError if the lengths do not fit or the dtypes differ.

    >>> import srcgrad as flow
    >>> flow.ones(2, 3) @ flow.ones(3)
    tensor([3., 3.], dtype=srcgrad.float32)
    """
    for x in (input, other):
        if not isinstance(x, Tensor):
            raise TensorTypeError(f"matmul(): argument must be Tensor, not {type(x).__name__}")
    a, b, m, n = input, other, input._a.ndim, other._a.ndim
    if not m or not n:
        raise TensorError("both arguments to matmul need to be at least 1D, but they are 0D")
    _check(a, b, b._a.shape[-2] if n > 1 else b._a.shape[0])
    match m, n:
        case 1, 1:
            return apply(arrays.vecdot, (a, b), {})
        case 2, 1:
            return apply(arrays.matvec, (a, b), {})
        case 1, 2:
            return apply(arrays.matvec, (transpose(b, 0, 1), a), {})
        case 2, 2:
            return apply(arrays.matmul, (a, b), {})
    if m == 1:
        return matmul(unsqueeze(a, 0), b).squeeze(-2)
    if n == 1:
        return matmul(a, unsqueeze(b, 1)).squeeze(-1)
    lead = np.broadcast_shapes(a._a.shape[:-2], b._a.shape[:-2])
    a, b = (x if x._a.shape[:-2] == lead else expand(x, (*lead, *x._a.shape[-2:])) for x in (a, b))
    return apply(arrays.matmul, (a, b), {})


def _of_dims(name: str, m: int, n: int) -> None:
    def function(input: Tensor, other: Tensor) -> Tensor:
        for x, want in ((input, m), (other, n)):
            if x._a.ndim != want:
                raise TensorError(f"{name}: expected a {want}-D tensor, got {x._a.ndim}-D")
        return matmul(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The product of a tensor of {m} dims with one of {n}: see `matmul`."
    declare(name, function)


_of_dims("mm", 2, 2)
_of_dims("mv", 2, 1)
_of_dims("dot", 1, 1)
_of_dims("bmm", 3, 3)


@declared("outer", "ger")
def outer(input: Tensor, other: Tensor) -> Tensor:
    """The products of each element of one vector with each of another.

    >>> import srcgrad as flow
    >>> flow.ger(flow.tensor([1, 2]), flow.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]], dtype=srcgrad.int64)
    """
    for x in (input, other):
        if x._a.ndim != 1:
            raise TensorError(f"outer: Expected 1-D argument, but got {x._a.ndim}-D")
    return mul(unsqueeze(input, 1), unsqueeze(other, 0))


def _operator(self: Any, other: Any) -> Any:
    try:
        return matmul(operand(self), operand(other))
    except Unsuitable:
        return NotImplemented


Tensor.__matmul__ = by_its_name(_operator, "matmul")
Tensor.__rmatmul__ = lambda self, other: _operator(other, self)
