"""`OneCycleLR` and `CosineAnnealingWarmRestarts`: rates that are known for every step."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.errors import ArgumentValueError
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.scheduling import LRScheduler


def _of_groups(optimizer: Optimizer, value: Any, name: str) -> list[float]:
    """A number for each group."""
    n = len(optimizer.param_groups)
    given = list(value) if isinstance(value, list | tuple) else [value] * n
    if len(given) != n:
        raise ArgumentValueError(f"Expected {n} values for {name}, but got {len(given)}")
    return given


class OneCycleLR(LRScheduler):
    """A rate that rises to a maximum and falls far below its start: Smith and Topin 2017.

    `step` follows each batch, `total_steps` (or epochs times steps_per_epoch) in all. With
    `cycle_momentum` the momentum, or the first beta, goes the other way.

    >>> import srcgrad as flow
    >>> optimizer = flow.optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=0.1, momentum=0.9)
    >>> schedule = flow.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10)
    >>> round(schedule.get_last_lr()[0], 6)
    0.04
    """

    total_steps: int

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: Any = 0.85,
        max_momentum: Any = 0.95, div_factor: float = 25.0, final_div_factor: float = 10000.0,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ArgumentValueError(
                    "You must define either total_steps OR (epochs AND steps_per_epoch)"
                )
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not 0.0 <= pct_start <= 1.0:
            raise ArgumentValueError("total_steps must be above 0, pct_start between 0 and 1")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps, self.anneal_strategy = total_steps, anneal_strategy
        last, n = total_steps - 1, pct_start * total_steps
        if three_phase:
            self._ends = (n - 1, 2.0 * n - 2, last)
            self._path = ("first", "top", "first", "least")
            self._momenta = ("top", "base", "top", "top")
        else:
            self._ends, self._path = (n - 1, last), ("first", "top", "least")
            self._momenta = ("top", "base", "top")
        groups = optimizer.param_groups
        tops = _of_groups(optimizer, max_lr, "max_lr")
        bases = _of_groups(optimizer, base_momentum, "base_momentum")
        highs = _of_groups(optimizer, max_momentum, "max_momentum")
        self.cycle_momentum = cycle_momentum
        if cycle_momentum and not {"momentum", "betas"} & set(optimizer.defaults):
            raise ArgumentValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self._rates, self._weights = [], []
        for group, top, low, high in zip(groups, tops, bases, highs, strict=True):
            first = top / div_factor
            self._rates.append({"first": first, "top": top, "least": first / final_div_factor})
            self._weights.append({"base": low, "top": high})
            if last_epoch == -1:
                group["lr"] = group["initial_lr"] = first
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        if self.last_epoch > self.total_steps:
            raise ArgumentValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        if self.cycle_momentum:
            group, weight = (
                self.optimizer.param_groups[k], self._at(self._weights[k], self._momenta)
            )  # fmt: skip
            if "betas" in group:
                group["betas"] = (weight, *group["betas"][1:])
            else:
                group["momentum"] = weight
        return self._at(self._rates[k], self._path)

    def _at(self, values: dict[str, float], path: tuple[str, ...]) -> float:
        """The value in this step on a path through named values."""
        begin = 0.0
        for k, end in enumerate(self._ends):
            if self.last_epoch <= end or k == len(self._ends) - 1:
                part = (self.last_epoch - begin) / (end - begin)
                one, other = values[path[k]], values[path[k + 1]]
                if self.anneal_strategy == "cos":
                    return other + (one - other) / 2.0 * (1.0 + math.cos(math.pi * part))
                return (other - one) * part + one
            begin = end
        raise AssertionError  # the last phase has no end


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines to `eta_min`, each `T_mult` times as long as the one before: SGDR, 2017.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    T_mult: int
    eta_min: float

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if T_0 <= 0 or T_mult < 1:
            raise ArgumentValueError("T_0 must be above 0, T_mult at least 1")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        now, length = self.last_epoch, self.T_0
        while now >= length:
            now, length = now - length, length * self.T_mult
        height = (1.0 + math.cos(math.pi * now / length)) / 2.0
        return self.eta_min + (self.base_lrs[k] - self.eta_min) * height
