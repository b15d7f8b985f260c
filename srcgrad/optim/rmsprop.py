"""`RMSprop` and `Adagrad`: steps over the root of a mean, or of the sum, of squared gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.optim.optimizer import Optimizer, checked, supported


class RMSprop(Optimizer):
    """Steps of the gradient over the root of its mean square; `centered`: less the squared mean.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0]))
    >>> optimizer = flow.optim.RMSprop([w], lr=0.1, alpha=0.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000], dtype=srcgrad.float32)
    """

    def __init__(
        self, params: Any, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-08,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False,
        capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        checked(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        supported(differentiable)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(
        self, a: np.ndarray, g: np.ndarray, state: dict[Any, Any], group: dict[Any, Any]
    ) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * a
        if not state:
            state.update(step=0, square_avg=np.zeros_like(a))
            state.update({"momentum_buffer": np.zeros_like(a)} if group["momentum"] else {})
            state.update({"grad_avg": np.zeros_like(a)} if group["centered"] else {})
        state["step"] += 1
        square, kept = state["square_avg"], group["alpha"]
        square *= kept
        square += (1.0 - kept) * g * g
        spread = square
        if group["centered"]:
            centre = state["grad_avg"]
            centre += (1.0 - kept) * (g - centre)
            spread = square - centre * centre
        step = g / (np.sqrt(spread) + group["eps"])
        if group["momentum"]:
            v = state["momentum_buffer"]
            v *= group["momentum"]
            v += step
            step = v
        a -= group["lr"] * step


class Adagrad(Optimizer):
    """Steps of the gradient over the root of the sum of its squares: Duchi et al. 2011.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0]))
    >>> optimizer = flow.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000], dtype=srcgrad.float32)
    """

    def __init__(
        self, params: Any, lr: float = 0.01, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        start = initial_accumulator_value
        checked(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps)
        checked(initial_accumulator_value=start)
        supported(differentiable)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": start, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(
        self, a: np.ndarray, g: np.ndarray, state: dict[Any, Any], group: dict[Any, Any]
    ) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * a
        if not state:
            state.update(step=0, sum=np.full_like(a, group["initial_accumulator_value"]))
        state["step"] += 1
        rate = group["lr"] / (1.0 + (state["step"] - 1) * group["lr_decay"])
        total = state["sum"]
        total += g * g
        a -= rate * g / (np.sqrt(total) + group["eps"])
