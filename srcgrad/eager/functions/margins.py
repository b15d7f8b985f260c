"""Losses by margins, and of counts: what is far enough on the right side costs nothing.

The formulae are those of PyTorch's documentation. All composed; no derivative is defined here.
"""

from __future__ import annotations

import math

from srcgrad.eager.functions.activations import softplus
from srcgrad.eager.functions.layers import pairwise_distance
from srcgrad.eager.functions.losses import reduced
from srcgrad.eager.functions.pointwise import add, minimum, mul, neg, relu, sub, where
from srcgrad.eager.functions.reductions import mean
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor

eq, exp, gt, log = (TABLE[n].function for n in ("eq", "exp", "gt", "log"))


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean"
) -> Tensor:
    """max(0, margin - target (input1 - input2)): the first is to be greater where the target is 1.

    >>> import srcgrad as flow
    >>> one, other = flow.tensor([1.0, 2.0]), flow.tensor([0.5, 3.0])
    >>> flow.nn.functional.margin_ranking_loss(one, other, flow.ones(2)).item()
    0.5
    """
    return reduced(relu(sub(margin, mul(target, sub(input1, input2)))), reduction)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """The input where the target is 1, max(0, margin - input) where it is -1.

    >>> import srcgrad as flow
    >>> flow.nn.functional.hinge_embedding_loss(flow.tensor([0.5, 0.25]), flow.tensor([1, -1]))
    tensor(0.6250, dtype=srcgrad.float32)
    """
    return reduced(where(eq(target, 1), input, relu(sub(margin, input))), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target input)), for targets of 1 and -1.

    >>> import srcgrad as flow
    >>> flow.nn.functional.soft_margin_loss(flow.zeros(2), flow.tensor([1, -1]))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    return reduced(softplus(neg(mul(target, input))), reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The binary cross entropy of each class by its logit, averaged along the last dim.

    >>> import srcgrad as flow
    >>> flow.nn.functional.multilabel_soft_margin_loss(flow.zeros(1, 2), flow.ones(1, 2))
    tensor(0.6931, dtype=srcgrad.float32)
    """
    loss = add(mul(target, softplus(neg(input))), mul(sub(1.0, target), softplus(input)))
    return reduced(mean(loss if weight is None else mul(loss, weight), -1), reduction)


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), of distances in the p-norm.

    With `swap` the negative is compared with the nearer of the other two.

    >>> import srcgrad as flow
    >>> anchor, near, far = flow.tensor([[[0.0, 0.0]], [[0.0, 1.0]], [[3.0, 4.0]]])
    >>> flow.nn.functional.triplet_margin_loss(anchor, far, near)
    tensor(5.0000, dtype=srcgrad.float32)
    """
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    near = pairwise_distance(anchor, positive, p, eps)
    return reduced(relu(add(sub(near, far), margin)), reduction)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-likelihood of counts by their rate, or the rate's logarithm.

    With `full` Stirling's approximation of log(target!) is added, for targets above 1.

    >>> import srcgrad as flow
    >>> flow.nn.functional.poisson_nll_loss(flow.tensor([0.0]), flow.tensor([3.0]))
    tensor(1., dtype=srcgrad.float32)
    """
    if log_input:
        loss = sub(exp(input), mul(target, input))
    else:
        loss = sub(input, mul(target, log(add(input, eps))))
    if full:
        counts = where(gt(target, 1), target, 1.0)
        stirling = add(sub(mul(counts, log(counts)), counts), mul(log(mul(counts, math.tau)), 0.5))
        loss = add(loss, where(gt(target, 1), stirling, 0.0))
    return reduced(loss, reduction)
