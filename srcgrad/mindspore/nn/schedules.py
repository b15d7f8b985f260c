"""Learning rates that depend on the number of steps: MindSpore's schedules, and lists of rates.

Derive from `LearningRateSchedule` for one of your own: `construct` gets the number of steps.
"""

from __future__ import annotations

import math
from typing import Any

import srcgrad.eager.functions as functions
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell

_F = {name: row.function for name, row in functions.TABLE.items()}


class LearningRateSchedule(Cell):
    """The base of schedules: define `construct(global_step)`.

    >>> import srcgrad as flow
    >>> class Halved(flow.nn.LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.1 * 0.5**global_step
    >>> w = flow.Parameter(flow.tensor([1.0]), name="w")
    >>> flow.mindspore.nn.SGD([w], Halved())((flow.tensor([2.0]),))
    True
    """


class _Decay(LearningRateSchedule):
    """A rate that falls by `decay_rate` each `decay_steps`; in stairs on request."""

    decay_steps: int
    is_stair: bool

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.learning_rate: float = above(name, "learning_rate", learning_rate)
        self.decay_rate: float = above(name, "decay_rate", decay_rate)
        self.decay_steps, self.is_stair = steps(name, "decay_steps", decay_steps), is_stair

    def part(self, global_step: Any) -> Any:
        """The number of decays so far."""
        p = global_step / float(self.decay_steps)
        return _F["floor"](p) if self.is_stair else p


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate ** (step / decay_steps).

    >>> import srcgrad as flow
    >>> flow.nn.ExponentialDecayLR(0.1, 0.5, 2)(flow.tensor(4)).item()
    0.02500000037252903
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate * _F["exp"](self.part(global_step) * math.log(self.decay_rate))


class NaturalExpDecayLR(_Decay):
    """learning_rate * exp(-decay_rate * step), the step in stairs of decay_steps on request.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.NaturalExpDecayLR(1.0, 0.5, 1)(flow.tensor(2))
    tensor(0.3679, dtype=srcgrad.float32)
    """

    def construct(self, global_step: Any) -> Any:
        p = self.part(global_step) * float(self.decay_steps)
        return self.learning_rate * _F["exp"](p * -self.decay_rate)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps).

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.InverseDecayLR(1.0, 0.5, 1)(2)
    0.5
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate / (1.0 + self.decay_rate * self.part(global_step))


class CosineDecayLR(LearningRateSchedule):
    """Half a cosine from `max_lr` to `min_lr` in `decay_steps` steps.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.CosineDecayLR(0.0, 1.0, 4)(flow.tensor(2))
    tensor(0.5000, dtype=srcgrad.float32)
    """

    min_lr: float
    max_lr: float

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        name = type(self).__name__
        self.min_lr, self.max_lr = above(name, "min_lr", min_lr, 0.0), above(name, "max_lr", max_lr)
        self.decay_steps: int = steps(name, "decay_steps", decay_steps)
        if min_lr >= max_lr:
            raise ArgumentValueError(
                f"For '{name}', the 'max_lr' must be greater than the 'min_lr', but got 'max_lr' "
                f"value: {max_lr}, 'min_lr' value: {min_lr}."
            )

    def construct(self, global_step: Any) -> Any:
        p = _F["clamp"](global_step * 1.0, max=float(self.decay_steps))
        wave = 1.0 + _F["cos"](p * (math.pi / self.decay_steps))
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * wave


class PolynomialDecayLR(LearningRateSchedule):
    """A power of the part of `decay_steps` that is left, from one rate to another.

    With `update_decay_steps`, decay_steps is multiplied until it exceeds the step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.PolynomialDecayLR(1.0, 0.0, 4, 1.0)(flow.tensor(2))
    tensor(0.5000, dtype=srcgrad.float32)
    """

    def __init__(
        self, learning_rate: float, end_learning_rate: float, decay_steps: int, power: float,
        update_decay_steps: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        name = type(self).__name__
        self.learning_rate: float = above(name, "learning_rate", learning_rate)
        self.end_learning_rate: float = above(name, "end_learning_rate", end_learning_rate, 0.0)
        self.decay_steps: int = steps(name, "decay_steps", decay_steps)
        self.power: float = above(name, "power", power)
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step: Any) -> Any:
        p, n = global_step * 1.0, float(self.decay_steps)
        if self.update_decay_steps:
            whole = _F["clamp"](_F["ceil"](p / n), min=1.0) * n
            left = 1.0 - p / whole
        else:
            left = 1.0 - _F["clamp"](p, max=n) / n
        fall = self.learning_rate - self.end_learning_rate
        return fall * left**self.power + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """A rate that rises along a line for `warmup_steps` steps.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.WarmUpLR(1.0, 4)(flow.tensor(2))
    tensor(0.5000, dtype=srcgrad.float32)
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        name = type(self).__name__
        self.learning_rate: float = above(name, "learning_rate", learning_rate, 0.0)
        self.warmup_steps: int = steps(name, "warmup_steps", warmup_steps)

    def construct(self, global_step: Any) -> Any:
        p = _F["clamp"](global_step * 1.0, max=float(self.warmup_steps))
        return self.learning_rate * (p / float(self.warmup_steps))


# ---- lists of rates: the schedules at steps that count epochs ----
def exponential_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """learning_rate * decay_rate ** (epoch / decay_epoch) for each step.

    >>> exponential_decay_lr(0.1, 0.5, 4, 2, 1)
    [0.1, 0.1, 0.05, 0.05]
    """
    parts = _parts(total_step, step_per_epoch, decay_epoch, is_stair)
    return [learning_rate * decay_rate**p for p in parts]


def natural_exp_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """learning_rate * exp(-decay_rate * epoch) for each step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> [round(r, 3) for r in ms.nn.natural_exp_decay_lr(1.0, 0.5, 3, 1, 1)]
    [1.0, 0.607, 0.368]
    """
    parts = _parts(total_step, step_per_epoch, decay_epoch, is_stair)
    return [learning_rate * math.exp(-decay_rate * p * decay_epoch) for p in parts]


def inverse_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, is_stair: bool = False,
) -> list[float]:  # fmt: skip
    """learning_rate / (1 + decay_rate * epoch / decay_epoch) for each step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.inverse_decay_lr(1.0, 0.5, 3, 1, 1)
    [1.0, 0.6666666666666666, 0.5]
    """
    parts = _parts(total_step, step_per_epoch, decay_epoch, is_stair)
    return [learning_rate / (1.0 + decay_rate * p) for p in parts]


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Half a cosine from `max_lr` to `min_lr` in `decay_epoch` epochs, for each step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.cosine_decay_lr(0.0, 1.0, 2, 1, 2)
    [1.0, 0.5]
    """
    parts = (min(p, 1.0) for p in _parts(total_step, step_per_epoch, decay_epoch, False))
    return [min_lr + 0.5 * (max_lr - min_lr) * (1.0 + math.cos(math.pi * p)) for p in parts]


def polynomial_decay_lr(
    learning_rate: float, end_learning_rate: float, total_step: int, step_per_epoch: int,
    decay_epoch: int, power: float, update_decay_epoch: bool = False,
) -> list[float]:  # fmt: skip
    """A power of the part of `decay_epoch` epochs that is left, for each step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.polynomial_decay_lr(1.0, 0.0, 3, 1, 2, 1.0)
    [1.0, 0.5, 0.0]
    """
    made = []
    for k in range(total_step):
        epoch = k // step_per_epoch
        n = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else (
            decay_epoch
        )  # fmt: skip
        left = 1.0 - min(epoch, n) / n
        made.append((learning_rate - end_learning_rate) * left**power + end_learning_rate)
    return made


def piecewise_constant_lr(milestone: Any, learning_rates: Any) -> list[float]:
    """A rate until each milestone.

    >>> piecewise_constant_lr([2, 3], [0.1, 0.05])
    [0.1, 0.1, 0.05]
    """
    if len(milestone) != len(learning_rates):
        raise ArgumentValueError(
            "For 'piecewise_constant_lr', the size of 'milestone' must be the same as the size of "
            "'learning_rates'."
        )
    made: list[float] = []
    for end, rate in zip(milestone, learning_rates, strict=True):
        if end <= len(made):
            raise ArgumentValueError("For 'piecewise_constant_lr', the milestones must grow")
        made += [rate] * (end - len(made))
    return made


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """A rate that rises along a line for `warmup_epoch` epochs, for each step.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.warmup_lr(1.0, 3, 1, 2)
    [0.0, 0.5, 1.0]
    """
    epochs = (k // step_per_epoch for k in range(total_step))
    return [learning_rate * min(e, warmup_epoch) / warmup_epoch for e in epochs]


def _parts(total: int, per_epoch: int, decay_epoch: int, is_stair: bool) -> list[float]:
    """The number of decays before each step."""
    epochs = [k // per_epoch for k in range(total)]
    return [float(e // decay_epoch) if is_stair else e / decay_epoch for e in epochs]


# ---- arguments ----
def above(name: str, what: str, value: Any, least: float | None = None) -> float:
    """A float above zero, or at least another number."""
    if not isinstance(value, float):
        raise ArgumentTypeError(
            f"For '{name}', the type of '{what}' must be float, but got type "
            f"'{type(value).__name__}'."
        )
    if value < 0.0 or (least is None and value == 0.0):
        sign = ">" if least is None else ">="
        raise ArgumentValueError(f"For '{name}', the '{what}' must be {sign} 0, but got {value}.")
    return value


def steps(name: str, what: str, value: Any) -> int:
    """A number of steps: an integer above zero."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentTypeError(
            f"For '{name}', the type of '{what}' must be int, but got type "
            f"'{type(value).__name__}'."
        )
    if value <= 0:
        raise ArgumentValueError(f"For '{name}', the '{what}' must be int and must > 0.")
    return value
