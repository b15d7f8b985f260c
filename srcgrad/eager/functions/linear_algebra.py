"""Linear algebra on square matrices and stacks of them: `flow.linalg` and its old names.

Functions with a primitive are differentiable; decompositions without one are not offered. No
derivative is defined here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import apply
from srcgrad.eager.functions.composed import norm
from srcgrad.eager.functions.contractions import matmul
from srcgrad.eager.functions.pointwise import abs_
from srcgrad.eager.functions.reductions import amax, sum
from srcgrad.eager.functions.results import named
from srcgrad.eager.functions.shapes import reshape, squeeze, stack, transpose, unsqueeze
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError
from srcgrad.primitives import cholesky_factors
from srcgrad.primitives import linalg as p

_SlogDet = named("slogdet", "sign", "logabsdet")


def _square(x: Tensor, name: str) -> None:
    if x._a.ndim < 2 or x._a.shape[-1] != x._a.shape[-2]:
        raise TensorError(
            f"linalg.{name}: A must be batches of square matrices, but they are "
            f"{' by '.join(map(str, x._a.shape[-2:]))} matrices"
        )


def _run(op: Any, *args: Tensor) -> Tensor:
    try:
        return apply(op, args, {})
    except np.linalg.LinAlgError as error:
        raise TensorError(f"linalg.{op.name}: {error}") from None


def _each(op: Any, x: Tensor) -> Tensor:
    """Applies a primitive for one matrix to each of a stack."""
    if x._a.ndim == 2:
        return _run(op, x)
    lead = x._a.shape[:-2]
    flat = reshape(x, (-1, *x._a.shape[-2:]))
    made = stack([_run(op, flat[k]) for k in range(flat._a.shape[0])])
    return reshape(made, (*lead, *made._a.shape[1:]))


def inv(A: Tensor) -> Tensor:
    """The inverse; RuntimeError for a singular matrix.

    >>> import srcgrad as flow
    >>> flow.linalg.inv(flow.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]], dtype=srcgrad.float32)
    """
    _square(A, "inv")
    return _run(p.inv, A)


@declared("matrix_power")
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A square matrix to an integer power, by squaring; a negative one inverts it.

    >>> import srcgrad as flow
    >>> flow.matrix_power(flow.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]], dtype=srcgrad.float32)
    """
    if n < 0:
        return matrix_power(inv(input), -n)
    eye = np.broadcast_to(np.eye(input._a.shape[-1], dtype=input._a.dtype), input._a.shape)
    made: Tensor | None = None
    square = input
    while n:
        if n & 1:
            made = square if made is None else matmul(made, square)
        n >>= 1
        square = matmul(square, square) if n else square
    return make(np.array(eye)) if made is None else made


def det(A: Tensor) -> Tensor:
    """The determinant; its gradient is right for singular matrices too.

    >>> import srcgrad as flow
    >>> flow.det(flow.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2., dtype=srcgrad.float32)
    """
    _square(A, "det")
    return _each(p.det, A)


def slogdet(A: Tensor) -> Any:
    """The determinant's sign, and the logarithm of its absolute value.

    >>> import srcgrad as flow
    >>> flow.slogdet(flow.tensor([[0.0, 1.0], [1.0, 0.0]])).sign
    tensor(-1., dtype=srcgrad.float32)
    """
    _square(A, "slogdet")
    return _SlogDet(_each(p.detsign, A.detach()), _each(p.logabsdet, A))


def logdet(A: Tensor) -> Tensor:
    """The logarithm of the determinant: NaN if that is negative.

    >>> import srcgrad as flow
    >>> flow.logdet(flow.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor(1.7918, dtype=srcgrad.float32)
    """
    return TABLE["where"].function(
        TABLE["lt"].function(det(A.detach()), 0), float("nan"), slogdet(A).logabsdet
    )


def solve(A: Tensor, B: Tensor) -> Tensor:
    """x with A x = B, for a vector or the columns of a matrix.

    >>> import srcgrad as flow
    >>> flow.linalg.solve(flow.tensor([[2.0, 0.0], [0.0, 4.0]]), flow.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000], dtype=srcgrad.float32)
    """
    _square(A, "solve")
    if B._a.ndim == A._a.ndim or (B._a.ndim == 1 and A._a.ndim == 2):
        return _run(p.solve, A, B)
    return squeeze(_run(p.solve, A, unsqueeze(B, -1)), -1)


def cholesky(A: Tensor) -> Tensor:
    """The lower triangular factor of a symmetric positive definite matrix.

    >>> import srcgrad as flow
    >>> flow.linalg.cholesky(flow.tensor([[4.0, 0.0], [0.0, 9.0]]))
    tensor([[2., 0.],
            [0., 3.]], dtype=srcgrad.float32)
    """
    _square(A, "cholesky")
    return _each(cholesky_factors.cholesky, A)


def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, from the left.

    >>> import srcgrad as flow
    >>> flow.linalg.multi_dot([flow.ones(2, 3), flow.ones(3, 4), flow.ones(4, 5)]).shape
    srcgrad.Size([2, 5])
    """
    return TABLE["chain_matmul"].function(*tensors)


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm over `dim`, or over all elements.

    >>> import srcgrad as flow
    >>> flow.linalg.vector_norm(flow.tensor([3.0, 4.0]))
    tensor(5., dtype=srcgrad.float32)
    """
    return norm(x, ord, dim, keepdim)


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The Frobenius norm, or the greatest (1) column or (inf) row sum; negative: the least.

    >>> import srcgrad as flow
    >>> flow.linalg.matrix_norm(flow.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5., dtype=srcgrad.float32)
    """
    rows, columns = (d % A._a.ndim for d in dim)
    if ord == "fro":
        return norm(A, 2, dim, keepdim)
    if ord not in (1, -1, float("inf"), -float("inf")):
        raise ArgumentValueError(f"linalg.matrix_norm: order {ord} is not there")
    summed, over = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = sum(abs_(A), summed, True)
    made = amax(sums, over, True) if ord > 0 else TABLE["amin"].function(sums, over, True)
    return made if keepdim else squeeze(made, (rows, columns))


def norm_(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of vectors, or of matrices if `ord` or two dims request it.

    >>> import srcgrad as flow
    >>> flow.linalg.norm(flow.tensor([3.0, 4.0]))
    tensor(5., dtype=srcgrad.float32)
    """
    if ord is None:
        return norm(A, 2, dim, keepdim)
    pair = isinstance(dim, tuple | list) and len(dim) == 2
    if pair or (dim is None and A._a.ndim == 2):
        return matrix_norm(A, ord, dim if pair else (0, 1), keepdim)
    return norm(A, ord, dim, keepdim)


def _vecdot(x: Tensor, y: Tensor, dim: int = -1) -> Tensor:
    """The sums of the products of two tensors along a dim.

    >>> import srcgrad as flow
    >>> flow.linalg.vecdot(flow.tensor([1, 2]), flow.tensor([3, 4]))
    tensor(11, dtype=srcgrad.int64)
    """
    return sum(x * y, dim)


# the names in `flow.linalg`
NAMES = {
    "inv": inv, "det": det, "slogdet": slogdet, "solve": solve, "cholesky": cholesky,
    "multi_dot": multi_dot, "vector_norm": vector_norm, "matrix_norm": matrix_norm,
    "norm": norm_, "matrix_power": matrix_power, "cross": TABLE["cross"].function,
    "diagonal": TABLE["diagonal"].function, "vecdot": _vecdot,
    "matmul": TABLE["matmul"].function,
}  # fmt: skip
for _name in ("det", "slogdet"):
    declare(_name, NAMES[_name])
declare("logdet", logdet)
declare("inverse", inv)
declare("cholesky", lambda input, upper=False: (
    transpose(cholesky(input), -2, -1) if upper else cholesky(input)
))  # fmt: skip
