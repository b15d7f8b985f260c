"""Functions whose MindSpore form differs from the table's: an `axis`, another order, a default."""

from __future__ import annotations

from typing import Any

import srcgrad.eager.functions.activations as activations
import srcgrad.eager.functions.composed as composed
import srcgrad.eager.functions.layers as layers
import srcgrad.eager.functions.losses as losses
from srcgrad.eager import create
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import TABLE

_where, _sum, _mean = (TABLE[n].function for n in ("where", "sum", "mean"))
_cat, _stack, _squeeze, _split = (TABLE[n].function for n in ("cat", "stack", "squeeze", "split"))
_permute, _unsqueeze, _take = (TABLE[n].function for n in ("permute", "unsqueeze", "index_select"))
_std, _var = (TABLE[n].function for n in ("std", "var"))


def ones(shape: Any, dtype: Any = None) -> Any:
    """A tensor of ones.

    >>> import srcgrad as flow
    >>> flow.ops.ones((2,))
    tensor([1., 1.], dtype=srcgrad.float32)
    """
    return create.ones(shape, dtype=dtype)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """A tensor of zeros.

    >>> import srcgrad as flow
    >>> flow.ops.zeros((2,))
    tensor([0., 0.], dtype=srcgrad.float32)
    """
    return create.zeros(shape, dtype=dtype)


def softmax(input: Any, axis: int = -1, *, dtype: Any = None) -> Any:
    """exp(x) divided by its sum along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.softmax(flow.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000], dtype=srcgrad.float32)
    """
    return composed.softmax(input, axis, dtype)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """The logarithm of softmax along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.log_softmax(flow.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931], dtype=srcgrad.float32)
    """
    return composed.log_softmax(logits, axis)


def select(condition: Any, input: Any, other: Any) -> Any:
    """`input` where the condition holds, `other` elsewhere.

    >>> import srcgrad as flow
    >>> flow.ops.select(flow.tensor([True, False]), flow.tensor([1, 2]), flow.tensor([8, 9]))
    tensor([1, 9], dtype=srcgrad.int64)
    """
    return _where(condition, input, other)


def leaky_relu(input: Any, alpha: float = 0.2) -> Any:
    """x above zero, alpha times x below.

    >>> import srcgrad as flow
    >>> flow.ops.leaky_relu(flow.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000], dtype=srcgrad.float32)
    """
    return activations.leaky_relu(input, alpha)


def binary_cross_entropy(
    logits: Any, labels: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The cross entropy of probabilities against labels.

    >>> import srcgrad as flow
    >>> flow.ops.binary_cross_entropy(flow.tensor([0.5]), flow.tensor([1.0]))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    return losses.binary_cross_entropy(logits, labels, weight, reduction)


def binary_cross_entropy_with_logits(
    logits: Any, label: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """binary_cross_entropy of sigmoid(logits), without overflow.

    >>> import srcgrad as flow
    >>> flow.ops.binary_cross_entropy_with_logits(flow.tensor([0.0]), flow.tensor([1.0]))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    return losses.binary_cross_entropy_with_logits(logits, label, weight, reduction, pos_weight)


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """Half squares of differences below `beta`, over beta; absolute ones less beta / 2 above.

    >>> import srcgrad as flow
    >>> flow.ops.smooth_l1_loss(flow.tensor([0.0, 0.0]), flow.tensor([1.0, 3.0]))
    tensor([0.5000, 2.5000], dtype=srcgrad.float32)
    """
    return losses.smooth_l1_loss(input, target, reduction, beta)


# ---- reductions ----
def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The mean over axes, or of all elements.

    >>> import srcgrad as flow
    >>> flow.ops.mean(flow.tensor([1.0, 3.0]))
    tensor(2., dtype=srcgrad.float32)
    """
    return _mean(x, None if axis == () else axis, keep_dims)


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes: the sum of squares is divided by n - ddof.

    >>> import srcgrad as flow
    >>> flow.ops.std(flow.tensor([1.0, 3.0]))
    tensor(1., dtype=srcgrad.float32)
    """
    return _std(input, None if axis == () else axis, keepdim=keepdims, correction=ddof)


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes: the sum of squares is divided by n - ddof.

    >>> import srcgrad as flow
    >>> flow.ops.var(flow.tensor([1.0, 3.0]))
    tensor(1., dtype=srcgrad.float32)
    """
    return _var(input, None if axis == () else axis, keepdim=keepdims, correction=ddof)


# ---- arrangement ----
def transpose(input: Any, input_perm: Any) -> Any:
    """The axes in another order.

    >>> import srcgrad as flow
    >>> flow.ops.transpose(flow.ones(2, 3, 4), (1, 2, 0)).shape
    srcgrad.Size([3, 4, 2])
    """
    return _permute(input, input_perm)


def concat(tensors: Any, axis: int = 0) -> Any:
    """Tensors joined along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.concat([flow.tensor([1, 2]), flow.tensor([3])])
    tensor([1, 2, 3], dtype=srcgrad.int64)
    """
    return _cat(tensors, axis)


def stack(tensors: Any, axis: int = 0) -> Any:
    """Tensors of one shape joined along a new axis.

    >>> import srcgrad as flow
    >>> flow.ops.stack([flow.tensor([1, 2]), flow.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """
    return _stack(tensors, axis)


def squeeze(input: Any, axis: Any = None) -> Any:
    """The tensor without axes of length 1, all or the given ones.

    >>> import srcgrad as flow
    >>> flow.ops.squeeze(flow.ones(1, 3)).shape
    srcgrad.Size([3])
    """
    return _squeeze(input, axis)


def expand_dims(input_x: Any, axis: int) -> Any:
    """The tensor with one more axis of length 1.

    >>> import srcgrad as flow
    >>> flow.ops.expand_dims(flow.tensor([1, 2]), 0)
    tensor([[1, 2]], dtype=srcgrad.int64)
    """
    return _unsqueeze(input_x, axis)


def split(tensor: Any, split_size_or_sections: Any, axis: int = 0) -> Any:
    """The pieces of a length along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.split(flow.tensor([1, 2, 3]), 2)
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3], dtype=srcgrad.int64))
    """
    return _split(tensor, split_size_or_sections, axis)


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Any:
    """The slices of an axis at given indices; the indices' axes replace it.

    >>> import srcgrad as flow
    >>> flow.ops.gather(flow.tensor([[1.0, 2.0, 3.0]]), flow.tensor([2, 0]), 1).tolist()
    [[3.0, 1.0]]
    """
    if batch_dims:
        raise NotImplementedError("gather() has no batch_dims: write input_params[..., indices]")
    before = (slice(None),) * (axis if axis >= 0 else input_params.ndim + axis)
    return input_params[(*before, input_indices)]


def one_hot(indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Any:
    """`on_value` at the index along a new axis, `off_value` elsewhere.

    >>> import srcgrad as flow
    >>> flow.ops.one_hot(flow.tensor([0, 1]), 2)
    tensor([[1, 0],
            [0, 1]], dtype=srcgrad.int64)
    """
    ones = layers.one_hot(indices, depth)
    made = _where(TABLE["eq"].function(ones, 1), on_value, off_value)
    return made if axis == -1 else TABLE["movedim"].function(made, -1, axis)


def cumsum(x: Any, axis: int, dtype: Any = None) -> Any:
    """The sums of the elements up to each along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.cumsum(flow.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6], dtype=srcgrad.int64)
    """
    return TABLE["cumsum"].function(x, axis, dtype=dtype)


def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """input @ weight.T + bias.

    >>> import srcgrad as flow
    >>> flow.ops.dense(flow.tensor([[1.0, 2.0]]), flow.tensor([[3.0, 4.0]]), flow.tensor([0.5]))
    tensor([[11.5000]], dtype=srcgrad.float32)
    """
    return layers.linear(input, weight, bias)


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cast", "concat", "cumsum", "dense",
    "expand_dims", "gather", "leaky_relu", "log_softmax", "mean", "one_hot", "ones", "select",
    "smooth_l1_loss", "softmax", "split", "squeeze", "stack", "std", "transpose", "var", "zeros",
]  # fmt: skip
