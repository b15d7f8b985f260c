"""`SGD`: gradient descent with momentum, Nesterov's form, and weight decay."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import ArgumentValueError
from srcgrad.optim.optimizer import Optimizer, checked, supported


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * g, then p = p - lr * v; v starts as the first g.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0]))
    >>> optimizer = flow.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000], dtype=srcgrad.float32)
    """

    def __init__(
        self, params: Any, lr: float = 0.001, momentum: float = 0.0, dampening: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        supported(differentiable)
        checked(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ArgumentValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(
        self, a: np.ndarray, g: np.ndarray, state: dict[Any, Any], group: dict[Any, Any]
    ) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * a
        if group["momentum"]:
            v = state.get("momentum_buffer")
            if v is None:
                v = state["momentum_buffer"] = np.copy(g)
            else:
                v *= group["momentum"]
                v += (1.0 - group["dampening"]) * g
            g = g + group["momentum"] * v if group["nesterov"] else v
        a -= group["lr"] * g
