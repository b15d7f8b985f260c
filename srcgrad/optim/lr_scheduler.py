"""`flow.optim.lr_scheduler`: learning rates that change with the epochs, by PyTorch's formulae.

Each scheduler changes a group's current rate, so that several may work on one optimizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.optim.optimizer import Optimizer


class LRScheduler:
    """The base of schedulers: `step` after each epoch, `get_last_lr`, `state_dict`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        groups = optimizer.param_groups
        if last_epoch != -1 and any("initial_lr" not in g for g in groups):
            raise KeyError(
                "param 'initial_lr' is not specified in param_groups when resuming scheduler with "
                f"last_epoch >= 0: {last_epoch}"
            )
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        self.base_lrs = [g.setdefault("initial_lr", g["lr"]) for g in groups]
        self._set()

    def step(self) -> None:
        """Begins the next epoch."""
        self.last_epoch += 1
        self._set()

    def _set(self) -> None:
        for k, group in enumerate(self.optimizer.param_groups):
            group["lr"] = self._rate(k, group["lr"])

    def _rate(self, k: int, lr: float) -> float:
        """The rate of the k-th group in this epoch, which was `lr` in the last one."""
        raise NotImplementedError  # each scheduler has its own

    def get_last_lr(self) -> list[float]:
        """The rates of the groups in this epoch."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """The values that change with the epochs, and the options except functions."""
        given = {k: v for k, v in vars(self).items() if k != "optimizer" and not callable(v)}
        return {k: v for k, v in given.items() if k != "lr_lambdas"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state of another scheduler of this class."""
        vars(self).update(state_dict)


class StepLR(LRScheduler):
    """The rate times `gamma` after each `step_size` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return lr * self.gamma if due else lr


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        return lr * self.gamma ** self.milestones[self.last_epoch]


class ExponentialLR(LRScheduler):
    """The rate times `gamma` after each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        return lr * self.gamma if self.last_epoch else lr


class CosineAnnealingLR(LRScheduler):
    """The rate along half a cosine from the first one to `eta_min` in `T_max` epochs, and back."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        n, least = self.T_max, self.eta_min
        if not self.last_epoch:
            return lr
        if (self.last_epoch - 1 - n) % (2 * n) == 0:
            return lr + (self.base_lrs[k] - least) * (1 - math.cos(math.pi / n)) / 2
        now, before = (1 + math.cos(math.pi * (self.last_epoch - i) / n) for i in (0, 1))
        return now / before * (lr - least) + least


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch; one function, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        n = len(optimizer.param_groups)
        several = isinstance(lr_lambda, list | tuple)
        self.lr_lambdas: list[Callable] = list(lr_lambda) if several else [lr_lambda] * n
        if len(self.lr_lambdas) != n:
            raise ArgumentValueError(f"Expected {n} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        return self.base_lrs[k] * self.lr_lambdas[k](self.last_epoch)


__all__ = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "MultiStepLR", "StepLR",
]  # fmt: skip
