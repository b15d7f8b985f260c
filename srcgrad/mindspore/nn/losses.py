"""Losses that only MindSpore has: of one-hot labels, of absolute and of root mean squares."""

from __future__ import annotations

from typing import Any

import srcgrad.eager.functions as functions
from srcgrad.errors import ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.nn import functional

_F = {name: row.function for name, row in functions.TABLE.items()}


class LossBase(Cell):
    """The base of losses: `get_loss` reduces the elements by `reduction`.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> isinstance(ms.nn.MAELoss(), ms.nn.LossBase)
    True
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ArgumentValueError(
                f"For '{type(self).__name__}', the 'reduction' must be in ['mean', 'sum', 'none'], "
                f"but got {reduction}."
            )
        self.reduction = reduction

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """The elements times their weights, reduced."""
        x = _F["mul"](x, weights)
        if self.reduction == "none":
            return x
        return _F["mean"](x) if self.reduction == "mean" else _F["sum"](x)

    def extra_repr(self) -> str:
        return f"reduction={self.reduction}"


class SoftmaxCrossEntropyWithLogits(LossBase):
    """The cross entropy of softmax(logits): against probabilities, or classes if `sparse`.

    >>> import srcgrad as flow
    >>> loss = flow.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> loss(flow.tensor([[1.0, 2.0, 3.0]]), flow.tensor([2]))
    tensor(0.4076, dtype=srcgrad.float32)
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Any, labels: Any) -> Any:
        if self.sparse:
            return functional.cross_entropy(logits, labels, reduction=self.reduction)
        logs = functional.log_softmax(logits, -1)
        return self.get_loss(_F["sum"](_F["mul"](_F["mul"](labels, logs), -1.0), -1))


class MAELoss(LossBase):
    """The absolute differences, reduced.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.MAELoss()(flow.tensor([1.0, 2.0]), flow.tensor([1.0, 4.0]))
    tensor(1., dtype=srcgrad.float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return self.get_loss(_F["abs"](_F["sub"](logits, labels)))


class RMSELoss(LossBase):
    """The root of the mean of the squared differences.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.RMSELoss()(flow.tensor([1.0, 2.0]), flow.tensor([1.0, 4.0]))
    tensor(1.4142, dtype=srcgrad.float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Any, label: Any) -> Any:
        return _F["sqrt"](functional.mse_loss(logits, label))


class SoftMarginLoss(LossBase):
    """log(1 + exp(-label * logits)), reduced; labels are 1 or -1.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.SoftMarginLoss()(flow.tensor([0.0]), flow.tensor([1.0]))
    tensor(0.6931, dtype=srcgrad.float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return self.get_loss(functional.softplus(_F["mul"](_F["mul"](logits, labels), -1.0)))
