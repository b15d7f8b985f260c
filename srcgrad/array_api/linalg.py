"""Linear algebra of the standard: rows of the table, and NumPy's functions on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.array_api.operands import promoted
from srcgrad.array_api.reductions import sum
from srcgrad.eager.functions import contractions, shapes
from srcgrad.eager.functions.pointwise import cast, mul
from srcgrad.eager.functions.products import matmul as product
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.protocols import by_numpy
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError
from srcgrad.namespace import publish

Axes = int | tuple[int, ...] | None
_conj, _sum = TABLE["conj"].function, TABLE["sum"].function


# ---- products ----
def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The product of matrices, stacks of them, or vectors; leading dims broadcast.

    >>> from srcgrad import array_api as xp
    >>> xp.matmul(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 1.0]))
    tensor([3., 7.], dtype=srcgrad.float32)
    """
    return product(*promoted(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The matrices with rows and columns exchanged; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]], dtype=srcgrad.int64)
    """
    if x.ndim < 2:
        raise ArgumentValueError("matrix_transpose() takes matrices, or stacks of them")
    return shapes.transpose(x, -1, -2)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of all pairs of elements of two vectors.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.outer(xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]], dtype=srcgrad.float32)
    """
    one, other = promoted(x1, x2)
    if one.ndim != 1 or other.ndim != 1:
        raise ArgumentValueError("outer() takes vectors")
    return mul(shapes.unsqueeze(one, 1), other)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """The sum of products over the last dims of one and the first of the other, or given dims.

    >>> from srcgrad import array_api as xp
    >>> xp.tensordot(xp.ones((2, 3)), xp.ones((3, 4)), axes=1).shape
    srcgrad.Size([2, 4])
    """
    one, other = promoted(x1, x2)
    if one._a.dtype.kind in "iub" or axes in (0, ((), ())):
        return by_numpy(np.tensordot, one, other, axes)
    return contractions.tensordot(one, other, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The sum of products of vectors along a dim, of which those of `x1` are conjugated.

    >>> from srcgrad import array_api as xp
    >>> xp.vecdot(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 1.0]))
    tensor([3., 7.], dtype=srcgrad.float32)
    """
    one, other = promoted(x1, x2)
    if one.shape[axis] != other.shape[axis]:
        raise ArgumentValueError(
            f"vecdot() of vectors of {one.shape[axis]} and of {other.shape[axis]} elements"
        )
    return _sum(mul(_conj(one), other), axis, dtype=one.dtype)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The vector products of vectors of 3 elements along a dim; the others broadcast.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.cross(xp.asarray([1.0, 0.0, 0.0]), xp.asarray([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.], dtype=srcgrad.float32)
    """
    one, other = promoted(x1, x2)
    return by_numpy(np.linalg.cross, one, other, axis=axis)


# ---- matrices ----
def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    tensor([1, 4], dtype=srcgrad.int64)
    """
    return TABLE["diagonal"].function(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of matrices.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    tensor(5, dtype=srcgrad.int64)
    """

    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norm of matrices: Frobenius's, the nuclear one, or one of vectors' norms induces.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.matrix_norm(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5., dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The p-norm over dims, or of all elements as one vector.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.vector_norm(xp.asarray([3.0, -4.0]), ord=1)
    tensor(7., dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.vector_norm, x, axis=axis, keepdims=keepdims, ord=ord)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Square matrices to an integer power; a negative one inverts them.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]], dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.matrix_power, x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """The number of singular values that are greater than `rtol` times the greatest.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1, dtype=srcgrad.int64)
    """
    return by_numpy(np.linalg.matrix_rank, x.detach(), rtol=_array(rtol))


def _array(rtol: Any) -> Any:
    return rtol._a if isinstance(rtol, Tensor) else rtol


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """The pseudoinverses of matrices; singular values up to `rtol` times the greatest are 0.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.pinv(xp.asarray([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]], dtype=srcgrad.float32)
    """
    if rtol is None:
        rtol = max(x.shape[-2:]) * np.finfo(x._a.dtype).eps
    return by_numpy(np.linalg.pinv, x, rtol=_array(rtol))


def inv(x: Tensor, /) -> Tensor:
    """The inverses of square matrices; LinAlgError for a singular one.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]], dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.inv, x)


def det(x: Tensor, /) -> Tensor:
    """The determinants of square matrices.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    tensor(8., dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.det, x)


def slogdet(x: Tensor, /) -> Any:
    """The signs of determinants, and the logarithms of their absolute values.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.slogdet(xp.asarray([[2.0, 0.0], [0.0, -0.5]])).sign
    tensor(-1., dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.slogdet, x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions y of x1 y = x2, for a vector or the columns of matrices.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 2.0]))
    tensor([1.0000, 0.5000], dtype=srcgrad.float32)
    """
    one, other = promoted(x1, x2)
    if other.ndim == 1:
        return shapes.squeeze(by_numpy(np.linalg.solve, one, shapes.unsqueeze(other, -1)), -1)
    return by_numpy(np.linalg.solve, one, other)


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factors of symmetric positive definite matrices.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]], dtype=srcgrad.float32)
    """
    made = by_numpy(np.linalg.cholesky, x)
    return _conj(matrix_transpose(made)) if upper else made


# ---- decompositions ----
def eig(x: Tensor, /) -> Any:
    """The eigenvalues and eigenvectors of square matrices, complex ones.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
    tensor([2.+0.j, 3.+0.j], dtype=srcgrad.complex64)
    """
    return by_numpy(np.linalg.eig, _complex(x))


def eigvals(x: Tensor, /) -> Tensor:
    """The eigenvalues of square matrices, complex ones.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.eigvals(xp.asarray([[2.0, 1.0], [0.0, 3.0]]))
    tensor([2.+0.j, 3.+0.j], dtype=srcgrad.complex64)
    """
    return by_numpy(np.linalg.eigvals, _complex(x))


def _complex(x: Tensor) -> Tensor:
    """The tensor in the complex dtype of its precision."""
    return cast(x, np.result_type(x._a.dtype, np.complex64))


def eigh(x: Tensor, /) -> Any:
    """The eigenvalues, ascending, and eigenvectors of symmetric matrices.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.eigh(xp.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
    tensor([2., 3.], dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.eigh, x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues of symmetric matrices, ascending.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.eigvalsh(xp.asarray([[3.0, 0.0], [0.0, 2.0]]))
    tensor([2., 3.], dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.eigvalsh, x)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """The singular value decompositions U diag(S) Vh, singular values descending.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.svd(xp.ones((3, 2)), full_matrices=False).U.shape
    srcgrad.Size([3, 2])
    """
    return by_numpy(np.linalg.svd, x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """The singular values of matrices, descending.

    >>> from srcgrad import array_api as xp
    >>> xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.], dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.svdvals, x)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """The factors Q, with orthonormal columns, and R, upper triangular.

    >>> from srcgrad import array_api as xp
    >>> q, r = xp.linalg.qr(xp.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> xp.abs(r[0, 0])
    tensor(5., dtype=srcgrad.float32)
    """
    return by_numpy(np.linalg.qr, x, mode)


__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip
publish(globals())
