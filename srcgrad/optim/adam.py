"""`Adam` and `AdamW`, as PyTorch computes them: epsilon is added after the bias is corrected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentValueError
from srcgrad.optim.optimizer import Optimizer, checked, supported


class Adam(Optimizer):
    """Steps of the mean gradient over the root of the mean square, both corrected for their bias.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0]))
    >>> optimizer = flow.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000], dtype=srcgrad.float32)
    """

    def __init__(
        self, params: Any, lr: float = 0.001, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-08, weight_decay: float = 0.0, amsgrad: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        checked(lr=lr, eps=eps, weight_decay=weight_decay)
        supported(differentiable)
        for k, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ArgumentValueError(f"Invalid beta parameter at index {k}: {beta}")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(
        self, a: np.ndarray, g: np.ndarray, state: dict[Any, Any], group: dict[Any, Any]
    ) -> None:
        lr, decay, (b1, b2) = group["lr"], group["weight_decay"], group["betas"]
        if decay and group.get("decoupled_weight_decay"):
            a *= 1.0 - lr * decay
        elif decay:
            g = g + decay * a
        if not state:
            state.update(step=0, exp_avg=np.zeros_like(a), exp_avg_sq=np.zeros_like(a))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = np.zeros_like(a)
        state["step"] += 1
        n, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
        m += (1.0 - b1) * (g - m)
        v *= b2
        v += (1.0 - b2) * g * g
        if group["amsgrad"]:
            v = np.maximum(state["max_exp_avg_sq"], v, out=state["max_exp_avg_sq"])
        root = np.sqrt(v)
        root /= math.sqrt(1.0 - b2**n)
        root += group["eps"]
        a -= (lr / (1.0 - b1**n)) * (m / root)


class AdamW(Adam):
    """Adam with a weight decay that shrinks the parameters themselves: 0.01 unless given.

    >>> import srcgrad as flow
    >>> w = flow.ones(1, requires_grad=True)
    >>> optimizer = flow.optim.AdamW([w], lr=0.1)
    >>> w.sum().backward()
    >>> optimizer.step()
    >>> w.tolist()[0] < 1.0
    True
    """

    def __init__(
        self, params: Any, lr: float = 0.001, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-08, weight_decay: float = 0.01, amsgrad: bool = False, *,
        maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize,
            differentiable=differentiable, decoupled_weight_decay=True,
        )  # fmt: skip
