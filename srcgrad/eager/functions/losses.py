"""Losses: differences, classes, probabilities.

`reduction` is "mean", "sum" or "none". All composed; no derivative is defined here.
"""

from __future__ import annotations

import numpy as np

from srcgrad.eager.functions.activations import log_softmax, softplus
from srcgrad.eager.functions.elementary import xlogy
from srcgrad.eager.functions.layers import cosine_similarity
from srcgrad.eager.functions.pointwise import abs_, add, clamp, div, mul, power, sub, where
from srcgrad.eager.functions.reductions import mean, sum
from srcgrad.eager.functions.selections import gather
from srcgrad.eager.functions.shapes import getitem, reshape
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError, TensorIndexError

_LEAST = 1e-12  # p (1 - p) below which binary_cross_entropy has a constant slope

exp, log, lt, sqrt = (TABLE[n].function for n in ("exp", "log", "lt", "sqrt"))


def reduced(loss: Tensor, reduction: str, weight: Tensor | None = None) -> Tensor:
    """The mean, weighted where weights are given, the sum, or all; ValueError for other names."""
    match reduction:
        case "mean":
            return mean(loss) if weight is None else div(sum(loss), sum(weight))
        case "sum":
            return sum(loss)
        case "none":
            return loss
    raise ArgumentValueError(f"{reduction} is not a valid value for reduction")


def _differences(input: Tensor, target: Tensor, name: str) -> Tensor:
    for x in (input, target):
        if not isinstance(x, Tensor):
            raise TensorError(f"{name}: expected Tensors, got {type(x).__name__}")
    return sub(input, target)


def mse_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """The squares of the differences, reduced; the mean of those with a `weight` is weighted.

    >>> import srcgrad as flow
    >>> flow.nn.functional.mse_loss(flow.tensor([1.0, 2.0]), flow.zeros(2))
    tensor(2.5000, dtype=srcgrad.float32)
    """
    return _averaged(power(_differences(input, target, "mse_loss"), 2), reduction, weight)


def _averaged(loss: Tensor, reduction: str, weight: Tensor | None) -> Tensor:
    """The elements times their weights, reduced."""
    return reduced(loss if weight is None else mul(loss, weight), reduction, weight)


def l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """The absolute differences, reduced; the mean of those with a `weight` is weighted.

    >>> import srcgrad as flow
    >>> flow.nn.functional.l1_loss(flow.tensor([0.0, 0.0]), flow.tensor([1.0, 3.0]))
    tensor(2., dtype=srcgrad.float32)
    """
    return _averaged(abs_(_differences(input, target, "l1_loss")), reduction, weight)


def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Half squares of differences below `beta`, over beta; absolute ones less beta / 2 above.

    >>> import srcgrad as flow
    >>> flow.nn.functional.smooth_l1_loss(flow.tensor([0.0, 0.0]), flow.tensor([1.0, 3.0]))
    tensor(1.5000, dtype=srcgrad.float32)
    """
    if beta < 0:
        raise TensorError("smooth_l1_loss does not support negative values for beta.")
    d = abs_(_differences(input, target, "smooth_l1_loss"))
    if beta == 0:
        return reduced(d, reduction)
    small = mul(mul(d, d), 0.5 / beta)
    return reduced(where(lt(d, beta), small, sub(d, 0.5 * beta)), reduction)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Half squares of differences below `delta`, straight lines above.

    >>> import srcgrad as flow
    >>> flow.nn.functional.huber_loss(flow.tensor([0.0, 0.0]), flow.tensor([1.0, 3.0]))
    tensor(1.5000, dtype=srcgrad.float32)
    """
    if delta <= 0:
        raise TensorError("huber_loss does not support non-positive values for delta.")
    return _averaged(mul(smooth_l1_loss(input, target, "none", delta), delta), reduction, weight)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos where the target is 1, cos - margin above zero where it is -1; along the last dim.

    >>> import srcgrad as flow
    >>> one, other = flow.tensor([[1.0, 0.0]]), flow.tensor([[0.0, 1.0]])
    >>> flow.nn.functional.cosine_embedding_loss(one, other, flow.tensor([1])).item()
    1.0
    """
    cosine = cosine_similarity(input1, input2, -1)
    apart = TABLE["relu"].function(sub(cosine, margin))
    return reduced(where(TABLE["eq"].function(target, 1), sub(1.0, cosine), apart), reduction)


# ---- classes ----
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probabilities of the target classes, which are along dim 1 (or 0).

    >>> import srcgrad as flow
    >>> flow.nn.functional.nll_loss(flow.tensor([[-1.0, -2.0]]), flow.tensor([1]))
    tensor(2., dtype=srcgrad.float32)
    """
    k = 1 if input._a.ndim > 1 else 0
    classes, n = target._a, input._a.shape[k]
    if classes.dtype.kind not in "iu":
        raise TensorError(f"expected scalar type Long but found {target.dtype}")
    if classes.shape != input._a.shape[:k] + input._a.shape[k + 1 :]:
        raise ArgumentValueError(
            f"Expected input batch_size ({input._a.shape[0]}) to match target batch_size "
            f"({classes.shape[0] if classes.ndim else 1})."
        )
    counted = classes != ignore_index
    if ((classes[counted] < 0) | (classes[counted] >= n)).any():
        raise TensorIndexError(f"Target {classes[counted].max()} is out of bounds.")
    places = make(np.expand_dims(np.where(counted, classes, 0), k))
    picked = gather(input, k, places).squeeze(k)
    scale = counted.astype(input._a.dtype)
    w = make(scale) if weight is None else mul(make(scale), getitem(weight, places.squeeze(k)))
    loss = where(make(counted), mul(mul(picked, w), -1.0), 0.0)
    return reduced(loss, reduction, w)


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """nll_loss of log_softmax; targets are classes, or probabilities of the input's shape.

    >>> import srcgrad as flow
    >>> flow.nn.functional.cross_entropy(flow.tensor([[1.0, 2.0, 3.0]]), flow.tensor([2]))
    tensor(0.4076, dtype=srcgrad.float32)
    """
    k = 1 if input._a.ndim > 1 else 0
    n, logs = input._a.shape[k], log_softmax(input, k)
    if target._a.dtype.kind == "f":
        if label_smoothing:
            target = add(mul(target, 1.0 - label_smoothing), label_smoothing / n)
        loss = mul(sum(mul(logs if weight is None else _weighted(logs, weight, k), target), k), -1)
        if reduction != "mean":
            return reduced(loss, reduction)
        return div(sum(loss), float(max(loss._a.size, 1)))
    hard = nll_loss(logs, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return hard
    taken = target._a != ignore_index
    spread = sum(logs if weight is None else _weighted(logs, weight, k), k)
    soft = where(make(taken), mul(spread, -1.0 / n), 0.0)
    w = make(taken.astype(input._a.dtype))
    if weight is not None:
        w = mul(w, getitem(weight, make(np.where(taken, target._a, 0))))
    return add(mul(hard, 1.0 - label_smoothing), mul(reduced(soft, reduction, w), label_smoothing))


def _weighted(logs: Tensor, weight: Tensor, k: int) -> Tensor:
    form = tuple(-1 if a == k else 1 for a in range(logs._a.ndim))
    return mul(logs, reshape(weight, form))


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """-(t log p + (1 - t) log(1 - p)), reduced; logarithms are clamped at -100.

    The derivative with respect to p is (p - t) / max(p (1 - p), 1e-12): not zero at p = 0 or 1.

    >>> import srcgrad as flow
    >>> flow.nn.functional.binary_cross_entropy(flow.tensor([0.5]), flow.tensor([1.0]))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    if ((input._a < 0) | (input._a > 1)).any():
        raise TensorError("all elements of input should be between 0 and 1")
    if input._a.shape != target._a.shape:
        raise ArgumentValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    at = input.detach()
    ends = lt(mul(at, sub(1.0, at)), _LEAST)
    p = where(ends, at, input)
    one, other = clamp(log(p), min=-100.0), clamp(log(sub(1.0, p)), min=-100.0)
    loss = mul(add(mul(target, one), mul(sub(1.0, target), other)), -1.0)
    slope = div(sub(at, target.detach()), _LEAST)
    loss = add(loss, where(ends, mul(sub(input, at), slope), 0.0))
    return reduced(loss if weight is None else mul(loss, weight), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """binary_cross_entropy of sigmoid(input), without overflow.

    >>> import srcgrad as flow
    >>> from srcgrad.nn import functional
    >>> functional.binary_cross_entropy_with_logits(flow.tensor([0.0]), flow.tensor([1.0]))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    if input._a.shape != target._a.shape:
        raise ArgumentValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    soft = softplus(mul(input, -1.0), 1.0, 50.0)
    if pos_weight is not None:
        soft = mul(soft, add(mul(target, sub(pos_weight, 1.0)), 1.0))
    loss = add(mul(sub(1.0, target), input), soft)
    return reduced(loss if weight is None else mul(loss, weight), reduction)


def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """target * (log(target) - input), reduced; "batchmean" divides by the length of dim 0.

    >>> import srcgrad as flow
    >>> flow.nn.functional.kl_div(flow.tensor([0.0]), flow.tensor([0.5]))
    tensor(-0.3466, dtype=srcgrad.float32)
    """
    logs = target if log_target else None
    loss = (
        mul(exp(target), sub(logs, input)) if logs is not None
        else sub(xlogy(target, target), mul(target, input))
    )  # fmt: skip
    if reduction == "batchmean":
        return div(sum(loss), float(input._a.shape[0]))
    return reduced(loss, reduction)
