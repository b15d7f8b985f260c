"""Learning rates that change with the epochs: steps, powers, cosines, lines. PyTorch's formulae."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.errors import ArgumentValueError
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.scheduling import LRScheduler


class StepLR(LRScheduler):
    """The rate times `gamma` after each `step_size` epochs.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.1]
    """

    step_size: int
    gamma: float

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return lr * self.gamma if due else lr


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the milestones.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1])
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.1]
    """

    milestones: Counter[int]
    gamma: float

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
    """The rate times `gamma` after each epoch.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        return lr * self.gamma if self.last_epoch else lr


class CosineAnnealingLR(LRScheduler):
    """The rate along half a cosine from the first one to `eta_min` in `T_max` epochs, and back.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    T_max: int
    eta_min: float

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
    """The first rate times a function of the epoch; one function, or one for each group.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        n = len(optimizer.param_groups)
        several = isinstance(lr_lambda, list | tuple)
        self.lr_lambdas: list[Callable[..., Any]] = list(lr_lambda) if several else [lr_lambda] * n
        if len(self.lr_lambdas) != n:
            raise ArgumentValueError(f"Expected {n} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        return self.base_lrs[k] * self.lr_lambdas[k](self.last_epoch)


class MultiplicativeLR(LambdaLR):
    """The rate times a function of the epoch; one function, or one for each group.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def _rate(self, k: int, lr: float) -> float:
        return lr * self.lr_lambdas[k](self.last_epoch) if self.last_epoch else lr


class LinearLR(LRScheduler):
    """The first rate times a factor that goes along a line in `total_iters` epochs.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.75]
    """

    start_factor: float
    end_factor: float

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0.0 < start_factor <= 1.0 or not 0.0 <= end_factor <= 1.0:
            raise ArgumentValueError("start_factor must be in (0, 1], end_factor in [0, 1]")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        first, n = self.start_factor, self.total_iters
        if not self.last_epoch:
            return lr * first
        if self.last_epoch > n:
            return lr
        rise = self.end_factor - first
        return lr * (1.0 + rise / (n * first + (self.last_epoch - 1) * rise))


class ConstantLR(LRScheduler):
    """The first rate times a factor, for `total_iters` epochs.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=1)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [1.0]
    """

    factor: float
    total_iters: int

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0.0 <= factor <= 1.0:
            raise ArgumentValueError("the factor must be between 0 and 1")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        if not self.last_epoch:
            return lr * self.factor
        return lr / self.factor if self.last_epoch == self.total_iters else lr


class PolynomialLR(LRScheduler):
    """The first rate times a power of the part of `total_iters` epochs that is left.

    >>> import srcgrad as flow
    >>> weights = [flow.ones(1, requires_grad=True)]
    >>> optimizer = flow.optim.SGD(weights, lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> [round(rate, 3) for rate in schedule.get_last_lr()]
    [0.5]
    """

    total_iters: int
    power: float

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _rate(self, k: int, lr: float) -> float:
        if not self.last_epoch or self.last_epoch > self.total_iters:
            return lr
        left, before = (self.total_iters - self.last_epoch + i for i in (0, 1))
        return lr * (left / before) ** self.power


class SequentialLR(LRScheduler):
    """Several schedulers of one optimizer, each from its milestone on.

    >>> import srcgrad as flow
    >>> optimizer = flow.optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=1.0)
    >>> parts = [
    ...     flow.optim.lr_scheduler.ConstantLR(optimizer, 0.5, total_iters=9),
    ...     flow.optim.lr_scheduler.ExponentialLR(optimizer, 0.5),
    ... ]
    >>> schedule = flow.optim.lr_scheduler.SequentialLR(optimizer, parts, [2])
    >>> rates = [schedule.get_last_lr()[0] for _ in range(4) if schedule.step() is None]
    >>> rates
    [0.5, 1.0, 0.5, 0.25]
    """

    optimizer: Optimizer
    schedulers: list[LRScheduler]
    milestones: list[int]

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not schedulers or len(milestones) != len(schedulers) - 1:
            raise ArgumentValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        if any(s.optimizer is not optimizer for s in schedulers):
            raise ArgumentValueError("all schedulers must belong to the optimizer that is given")
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        self.base_lrs: list[Any] = schedulers[0].base_lrs
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        if last_epoch == -1:
            schedulers[0].restart()

    def step(self) -> None:
        """Begins the next epoch, of the scheduler that it belongs to."""
        self.last_epoch += 1
        k = bisect_right(self.milestones, self.last_epoch)
        if k and self.milestones[k - 1] == self.last_epoch:
            self.schedulers[k].restart()
        else:
            self.schedulers[k].step()

    def state_dict(self) -> dict[str, Any]:
        """The epochs of this scheduler and of its parts."""
        return {
            "last_epoch": self.last_epoch,
            "schedulers": [s.state_dict() for s in self.schedulers],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state of another scheduler of this class, with parts alike."""
        self.last_epoch: int = state_dict["last_epoch"]
        for s, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            s.load_state_dict(state)
