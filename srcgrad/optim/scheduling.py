"""`LRScheduler`: the base of learning rates that change with the epochs.

Each scheduler changes a group's current rate, so that several may work on one optimizer.
"""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ArgumentTypeError
from srcgrad.optim.optimizer import Optimizer


class LRScheduler:
    """The base of schedulers: `step` after each epoch, `get_last_lr`, `state_dict`.

    >>> import srcgrad as flow
    >>> optimizer = flow.optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> state = schedule.state_dict()
    >>> schedule.step()
    >>> schedule.get_last_lr(), state["last_epoch"]
    ([0.5], 0)
    """

    optimizer: Optimizer

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
        self.base_lrs: list[Any] = [g.setdefault("initial_lr", g["lr"]) for g in groups]
        self._set()

    def step(self) -> None:
        """Begins the next epoch."""
        self.last_epoch += 1
        self._set()

    def restart(self) -> None:
        """Begins the first epoch anew, with the first rates."""
        self.last_epoch: int = 0
        for group, rate in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = rate
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
