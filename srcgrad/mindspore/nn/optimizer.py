"""The base of MindSpore's optimizers: cells that are called with the gradients.

`nn.Adam` and the others here follow MindSpore's formulae, those of `optim` PyTorch's. An update
is written once, on arrays, in place; inside a compiled training step the same source is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.indexing import getitem
from srcgrad.eager.inplace import touched
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, TensorError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.parameter import Parameter, ParameterTuple
from srcgrad.nn import parameter


class Optimizer(Cell):
    """Called with one gradient per Parameter, it updates the Parameters in place.

    `learning_rate`: a number, a list with one for each step (the last one stays), a function of
    the number of steps, or a `LearningRateSchedule`. `parameters`: Parameters, or dicts with
    "params" and their own options. Gradients are divided by `loss_scale`, then `weight_decay` times
    the Parameter is added.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> isinstance(ms.nn.SGD([w], 0.1), ms.nn.Optimizer)
    True
    """

    decoupled = False  # whether the weight decay is not part of the gradient
    parameters: Any  # the trained ones, not the method of modules
    schedule: Any  # a number, an array of them, or a function of the number of steps

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        positive(name, "loss_scale", loss_scale, strict=True)
        positive(name, "weight_decay", weight_decay)
        groups = _groups(parameters)
        self.global_step: Parameter = Parameter(np.zeros(1, np.int32), name="global_step")
        self.schedule = schedule = _schedule(name, learning_rate)
        first = schedule if isinstance(schedule, float) else self._rate()
        self.learning_rate: Parameter = Parameter(Tensor(float(first)), name="learning_rate")
        self.parameters = ParameterTuple(p for g in groups for p in g["params"])
        self.decays: tuple[float, ...] = tuple(
            float(g.get("weight_decay", weight_decay)) for g in groups for _ in g["params"]
        )
        self.rates: tuple[float | None, ...] = tuple(
            _rate(name, g) for g in groups for _ in g["params"]
        )
        self.loss_scale: float = float(loss_scale)

    def state_of(self, name: str, fill: float = 0.0) -> ParameterTuple:
        """Makes a Parameter of state for each Parameter that is trained."""
        made = self.parameters.clone(name, init="zeros" if fill == 0.0 else fill)
        setattr(self, name, made)
        return made

    def get_lr(self) -> Any:
        """The learning rate of the coming step, as a Parameter."""
        if not isinstance(self.schedule, float):
            self.learning_rate.set_data(float(self._rate()))
        return self.learning_rate

    def _rate(self) -> Any:
        if isinstance(self.schedule, float):
            return float(self.learning_rate)  # which may have been set
        step = self.global_step._a[0]
        if isinstance(self.schedule, np.ndarray):
            return self.schedule[min(step, len(self.schedule) - 1)]
        if isinstance(self.schedule, Cell):
            return _number(self.schedule(getitem(self.global_step, 0)))
        return float(self.schedule(int(step)))

    def construct(self, gradients: Any) -> bool:
        if len(gradients) != len(self.parameters):
            raise TensorError(
                f"The tuples in HyperMap should have the same length: there are "
                f"{len(self.parameters)} Parameters and {len(gradients)} gradients"
            )
        common = self._rate()
        self.prepare()
        for k in range(len(self.parameters)):
            a = self.parameters[k]._a
            g = gradients[k]._a
            if self.loss_scale != 1.0:
                g = g / self.loss_scale
            if self.decays[k] != 0.0 and not self.decoupled:
                g = g + self.decays[k] * a
            own = self.rates[k]
            self.update(k, a, g, common if own is None else own)
        _counted(self.global_step._a)
        touched(self.parameters)
        return True

    def prepare(self) -> None:
        """Runs once a step, before the Parameters are updated."""

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        """Writes the new value of the k-th Parameter into `a`; `g` may not be written."""
        raise NotImplementedError  # each optimizer has its own

    def extra_repr(self) -> str:
        return f"{len(self.parameters)} parameters"


def _number(rate: Any) -> float:
    """The number that a schedule returned: itself, or the one of a tensor."""
    return float(rate._a if isinstance(rate, Tensor) else rate)


def _counted(step: Any) -> None:
    step += 1


# ---- arguments ----
def _groups(parameters: Any) -> list[dict[str, Any]]:
    if isinstance(parameters, Tensor):
        _not_parameters()
    given = list(parameters)
    if not given:
        raise ArgumentValueError("For 'Optimizer', the argument parameters must not be empty.")
    if not isinstance(given[0], dict):
        given = [{"params": given}]
    made = []
    for g in given:
        if not isinstance(g, dict):
            _not_parameters()
        if "params" not in g:
            continue  # a separate "order_params" group
        params = list(g["params"])
        if not all(isinstance(p, parameter.Parameter) for p in params):
            _not_parameters()
        made.append({**g, "params": params})
    return made


def _not_parameters() -> NoReturn:
    raise ArgumentTypeError(
        "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
        "please check the 'parameters'."
    )


def _schedule(name: str, rate: Any) -> Any:  # a Schedule or a number
    """A number, an array with one for each step, or a function of the number of steps."""
    if isinstance(rate, Tensor):
        rate = rate.tolist()
    if isinstance(rate, str):
        raise ArgumentValueError(f"could not convert string to float: {rate!r}")
    if callable(rate):
        return rate
    if isinstance(rate, list | tuple | np.ndarray):
        return np.array([float(r) for r in rate])
    return positive(name, "learning rate", rate)


def _rate(name: str, group: dict[str, Any]) -> float | None:
    return positive(name, "learning rate", group["lr"]) if "lr" in group else None


def positive(name: str, what: str, value: Any, strict: bool = False) -> float:
    """A number that is not negative, or (`strict`) above zero; ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"For '{name}', the type of '{what}' should be 'float', but got type "
            f"'{type(value).__name__}'."
        )
    if value < 0 or (strict and not value > 0):
        raise ArgumentValueError(
            f"For '{name}', the '{what}' must be float and must {'>' if strict else '>='} 0, but "
            f"got '{value}' with type '{type(value).__name__}'."
        )
    return float(value)


def fraction(name: str, what: str, value: Any) -> float:
    """A number between 0 and 1; ValueError otherwise."""
    if not isinstance(value, float):
        raise ArgumentTypeError(
            f"For '{name}', the type of '{what}' should be 'float', but got type "
            f"'{type(value).__name__}'."
        )
    if not 0.0 < value < 1.0:
        raise ArgumentValueError(
            f"For '{name}', the '{what}' must be in range of (0.0, 1.0), but got {value} with type "
            "'float'."
        )
    return value


Schedule = Callable[[int], float]
