"""Layers that are plain functions: linear maps, normalisation, embedding, distances.

All composed; no derivative is defined here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.functions.composed import norm
from srcgrad.eager.functions.pointwise import add, clamp, div, mul, sub, where
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import mean, one_axis, sum
from srcgrad.eager.functions.shapes import getitem, transpose, unsqueeze
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError, TensorIndexError
from srcgrad.primitives.libraries import near

sqrt = TABLE["sqrt"].function


# ---- layers without parameters of their own ----
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias; the weight has shape (out, in).

    >>> import srcgrad as flow
    >>> weight, bias = flow.tensor([[3.0, 4.0]]), flow.tensor([0.5])
    >>> flow.nn.functional.linear(flow.tensor([[1.0, 2.0]]), weight, bias)
    tensor([[11.5000]], dtype=srcgrad.float32)
    """
    made = matmul(input, transpose(weight, 0, 1) if weight._a.ndim > 1 else weight)
    return made if bias is None else add(made, bias)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """The last dims normalised to mean 0 and variance 1, then scaled and shifted.

    >>> import srcgrad as flow
    >>> flow.nn.functional.layer_norm(flow.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]], dtype=srcgrad.float32)
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input._a.shape[input._a.ndim - len(shape) :] != shape:
        raise TensorError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got input of size{list(input._a.shape)}"
        )
    dims = tuple(range(-len(shape), 0))
    centred = sub(input, mean(input, dims, True))
    spread = sqrt(add(mean(mul(centred, centred), dims, True), eps))
    made = div(centred, spread)
    made = made if weight is None else mul(made, weight)
    return made if bias is None else add(made, bias)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Integers as one-hot rows, in a new last dim.

    >>> import srcgrad as flow
    >>> flow.nn.functional.one_hot(flow.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]], dtype=srcgrad.int64)
    """
    a = tensor._a
    if a.dtype.kind not in "iu":
        raise TensorError("one_hot is only applicable to index tensor.")
    if a.size and a.min() < 0:
        raise TensorError("Class values must be non-negative.")
    n = int(a.max()) + 1 if num_classes == -1 else num_classes
    if a.size and a.max() >= n:
        raise TensorError("Class values must be smaller than num_classes.")
    return make((a[..., None] == near(a, np.arange(n))).astype(np.int64))


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of a matrix at given indices; no gradient flows to the row `padding_idx`.

    >>> import srcgrad as flow
    >>> flow.nn.functional.embedding(flow.tensor([1, 0]), flow.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]], dtype=srcgrad.float32)
    """
    if max_norm is not None or scale_grad_by_freq:
        raise ArgumentValueError(
            "embedding() has neither max_norm nor scale_grad_by_freq: scale the rows after a step, "
            "with weight.renorm_()"
        )
    a, n = input._a, weight._a.shape[0]
    if a.dtype.kind not in "iu":
        raise TensorError(f"expected indices of an integer dtype, but got {input.dtype}")
    if ((a < 0) | (a >= n)).any():
        raise TensorIndexError("index out of range in self")
    rows = getitem(weight, input)
    if padding_idx is None:
        return rows
    padding = input == padded_row(padding_idx, n)
    return where(unsqueeze(padding, -1), rows.detach(), rows)


def padded_row(padding_idx: int, n: int) -> int:
    """The row of `n` that gets no gradient, counted from the first; ValueError if out of range."""
    if not -n <= padding_idx < n:
        raise ArgumentValueError("Padding_idx must be within num_embeddings")
    return padding_idx % n


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """The tensor divided by its p-norm along a dim, or by `eps` where that is greater.

    >>> import srcgrad as flow
    >>> flow.nn.functional.normalize(flow.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]], dtype=srcgrad.float32)
    """
    return div(input, clamp(norm(input, p, dim, True), min=eps))


@declared("renorm", in_place=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Each slice of a dim scaled down to a p-norm of at most `maxnorm`.

    >>> import srcgrad as flow
    >>> flow.renorm(flow.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]], dtype=srcgrad.float32)
    """
    k = one_axis(input._a.ndim, dim)
    rest = tuple(a for a in range(input._a.ndim) if a != k)
    n = norm(input, p, rest, True)
    above = TABLE["gt"].function(n, maxnorm)
    return mul(input, where(above, div(float(maxnorm), add(n, 1e-7)), 1.0))


# ---- distances ----
@declared("cosine_similarity", method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dim.

    >>> import srcgrad as flow
    >>> flow.cosine_similarity(flow.tensor([[1.0, 0.0]]), flow.tensor([[1.0, 1.0]]))
    tensor([0.7071], dtype=srcgrad.float32)
    """
    one, other = (clamp(norm(x, 2, dim), min=eps) for x in (x1, x2))
    return div(sum(mul(x1, x2), dim), mul(one, other))


declare("dist", lambda input, other, p=2: norm(sub(input, other), p))


@declared("cdist", method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of the differences of all pairs of rows.

    >>> import srcgrad as flow
    >>> flow.cdist(flow.tensor([[0.0, 0.0]]), flow.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]], dtype=srcgrad.float32)
    """
    return norm(sub(unsqueeze(x1, -2), unsqueeze(x2, -3)), p, -1)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norms of x1 - x2 + eps along the last dim.

    >>> import srcgrad as flow
    >>> from srcgrad.nn import functional
    >>> functional.pairwise_distance(flow.tensor([[0.0, 0.0]]), flow.tensor([[3.0, 4.0]]))
    tensor([5.0000], dtype=srcgrad.float32)
    """
    return norm(add(sub(x1, x2), eps), p, -1, keepdim)
