"""`ReduceLROnPlateau`: a rate that falls when a measure of the progress stays the same."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.scheduling import LRScheduler


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` after more than `patience` epochs without a better measure.

    `step(loss)` follows each epoch. Better is less (mode "min") or more ("max") by `threshold`:
    relative to the best one ("rel") or absolute ("abs"). `cooldown`: epochs that do not count after
    a change.

    >>> import srcgrad as flow
    >>> optimizer = flow.optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 3.0, 3.0): schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    optimizer: Optimizer
    factor: float
    eps: float
    min_lrs: list[float]
    threshold: float
    patience: int
    cooldown: int
    cooldown_counter: int
    best: float
    num_bad_epochs: int
    last_epoch: int

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 0.0001, threshold_mode: str = "rel", cooldown: int = 0,
        min_lr: Any = 0, eps: float = 1e-08,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ArgumentValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ArgumentValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentValueError(f"threshold mode {threshold_mode} is unknown!")
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        n = len(optimizer.param_groups)
        self.optimizer, self.factor, self.eps = optimizer, factor, eps
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * n
        if len(self.min_lrs) != n:
            raise ArgumentValueError(f"expected {n} min_lrs, got {len(self.min_lrs)}")
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.patience, self.cooldown, self.cooldown_counter = patience, cooldown, 0
        self.best, self.num_bad_epochs, self.last_epoch = self._worst(), 0, 0

    def _worst(self) -> float:
        return math.inf if self.mode == "min" else -math.inf

    def is_better(self, a: float, best: float) -> bool:
        """Whether a measure is better than another one by more than the threshold."""
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "rel":
            return sign * a < sign * best * (1.0 - sign * self.threshold)
        return sign * a < sign * best - self.threshold

    def step(self, metrics: Any) -> None:
        """Ends an epoch with its measure, a number or a tensor of one."""
        now = float(metrics)
        self.last_epoch += 1
        if self.is_better(now, self.best):
            self.best, self.num_bad_epochs = now, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                new = max(group["lr"] * self.factor, least)
                if group["lr"] - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
