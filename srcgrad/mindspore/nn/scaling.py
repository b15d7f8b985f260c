"""Training steps with a loss scale: the update is skipped where gradients overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.training import TrainOneStepCell
from srcgrad.mindspore.parameter import Parameter


class DynamicLossScaleUpdateCell(Cell):
    """A scale divided by a factor at an overflow, multiplied after a window without one.

    >>> import srcgrad as flow
    >>> cell = flow.nn.DynamicLossScaleUpdateCell(16.0, 2, 1)
    >>> scale = flow.Parameter(flow.tensor(16.0), name="scale")
    >>> cell(scale, True), scale.item()
    (True, 8.0)
    """

    scale_factor: int
    scale_window: int

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        for name, given in (("scale_factor", scale_factor), ("scale_window", scale_window)):
            if isinstance(given, bool) or not isinstance(given, int) or given <= 0:
                raise ArgumentValueError(
                    f"The '{name}' must be int and must > 0, but got '{given}'"
                )
        self.loss_scale_value: float = float(loss_scale_value)
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self._good = 0

    def get_loss_scale(self) -> float:
        """The initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        now = float(loss_scale)
        self._good = 0 if bool(overflow) else self._good + 1
        if bool(overflow):
            loss_scale.set_data(max(now / self.scale_factor, 1.0))
        elif self._good == self.scale_window:
            self._good = 0
            grown = np.float32(now * self.scale_factor)
            if np.isfinite(grown):
                loss_scale.set_data(float(grown))
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """A constant scale.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.FixedLossScaleUpdateCell(1024.0).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value: float = float(loss_scale_value)

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A step whose loss is scaled: returns (loss, overflow, scale).

    `scale_sense` is a cell that adjusts the scale, or a tensor of one element: a constant scale.
    Where a gradient is not finite, the Parameters do not change.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> dense = ms.nn.Dense(2, 1)
    >>> net = ms.nn.WithLossCell(dense, ms.nn.MSELoss())
    >>> optimizer = ms.nn.SGD(dense.trainable_params())
    >>> step = ms.nn.TrainOneStepWithLossScaleCell(net, optimizer, flow.tensor([2.0]))
    >>> loss, overflow, scale = step(flow.ones(1, 2), flow.ones(1, 1))
    >>> scale
    Parameter (name=scale_sense, shape=(), dtype=Float32, requires_grad=True)
    """

    loss_scaling_manager: Cell | None

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        name = type(self).__name__
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            start = scale_sense.get_loss_scale()
        elif isinstance(scale_sense, Tensor):
            if scale_sense.shape not in ((1,), ()):
                raise ArgumentValueError(
                    f"For '{name}', the shape of 'scale_sense' must be (1,) or (), but got "
                    f"{tuple(scale_sense.shape)}."
                )
            start = scale_sense.item()
        else:
            raise ArgumentTypeError(
                f"For '{name}', the 'scale_sense' must be Cell or Tensor, but got 'scale_sense' "
                f"type: {type(scale_sense)}."
            )
        self.scale_sense: Parameter = Parameter(Tensor(float(start)), name="scale_sense")

    def construct(self, *inputs: Any) -> Any:
        scale = float(self.scale_sense)
        (_, loss), grads = self._gradient(scale, *inputs)
        status, _ = self.start_overflow_check(loss, self.scale_sense)
        grads = tuple(make(g._a / np.asarray(scale, g._a.dtype)) for g in grads)
        overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
        if not bool(overflow):
            self.optimizer(grads)
        return loss, overflow, self.scale_sense

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """The argument of `get_overflow_status`: nothing has to be started here."""
        return pre_cond, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Any:
        """Whether a gradient is not finite: a tensor."""
        finite = [bool(np.isfinite(g._a).all()) for g in compute_output]
        return make(np.asarray(not all(finite)))

    def process_loss_scale(self, overflow: Any) -> Any:
        """Lets the manager adjust the scale; returns the overflow."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)

    def set_sense_scale(self, sens: Any) -> None:
        """Sets the scale to a tensor's value."""
        if not isinstance(sens, Tensor):
            raise ArgumentTypeError(
                f"For 'TrainOneStepWithLossScaleCell', the 'sens' must be Tensor, got {type(sens)}"
            )
        self.scale_sense.set_data(sens.item())
