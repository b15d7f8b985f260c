"""Loss scalers: multiply a loss by a number, divide its gradients by it, adjust the number.

Small gradients vanish in float16; those of a loss times 1024 need not. Works inside compiled
functions too, `adjust` outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.parameter import Parameter
from srcgrad.tree import mapped


class LossScaler:
    """The base of scalers: `scale`, `unscale`, `adjust`.

    >>> import srcgrad as flow
    >>> isinstance(flow.amp.StaticLossScaler(2.0), flow.amp.LossScaler)
    True
    """

    scale_value: Any

    def scale(self, inputs: Any) -> Any:
        """Tensors, also in tuples, lists and dicts, times the scale; dtypes stay."""
        return _times(inputs, float(self.scale_value._a))

    def unscale(self, inputs: Any) -> Any:
        """Tensors, also in tuples, lists and dicts, divided by the scale; dtypes stay."""
        return _times(inputs, 1.0 / float(self.scale_value._a))

    def adjust(self, grads_finite: Any) -> bool:
        """Adjusts the scale after a step whose gradients were finite, or not."""
        raise NotImplementedError  # each kind of scaler has its own


class StaticLossScaler(LossScaler):
    """A constant scale.

    >>> import srcgrad as flow
    >>> flow.amp.StaticLossScaler(1024.0).scale(flow.tensor([1.0]))
    tensor([1024.], dtype=srcgrad.float32)
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value: Any = _scale(scale_value)

    def adjust(self, grads_finite: Any) -> bool:
        """Changes nothing; False."""
        return False


class DynamicLossScaler(LossScaler):
    """A scale divided by a factor at an overflow, and multiplied after a window without one.

    >>> import srcgrad as flow
    >>> scaler = flow.amp.DynamicLossScaler(16.0, 2, 1)
    >>> scaler.adjust(True), float(scaler.scale_value)
    (True, 32.0)
    """

    scale_factor: int
    scale_window: int

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        self.scale_value: Any = _scale(scale_value)
        if not _is_integer(scale_window) or scale_window <= 0:
            raise ArgumentValueError(
                f"The 'scale_window' must be int and must > 0, but got '{scale_window}' with type "
                f"'{type(scale_window).__name__}'."
            )
        if not _is_integer(scale_factor):
            raise ArgumentTypeError(
                f"The 'scale_factor' must be int, but got '{type(scale_factor).__name__}'"
            )
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.counter: Parameter = Parameter(
            Tensor(np.int32(0)), name="counter", requires_grad=False
        )

    def adjust(self, grads_finite: Any) -> bool:
        """Adjusts the scale; it stays finite and at least 1. True."""
        now = float(self.scale_value)
        if bool(grads_finite):
            steps = int(self.counter) + 1
            grown = np.float32(now * self.scale_factor)
            if steps % self.scale_window == 0 and np.isfinite(grown):
                self.scale_value.set_data(float(grown))
            self.counter.set_data(steps % self.scale_window)
        else:
            self.scale_value.set_data(max(now / self.scale_factor, 1.0))
            self.counter.set_data(0)
        return True


def all_finite(inputs: Any) -> Any:
    """Whether all elements of a tensor, or of a sequence of tensors, are finite: a tensor.

    >>> import srcgrad as flow
    >>> flow.amp.all_finite((flow.tensor([1.0]), flow.tensor([float("inf")])))
    tensor(False, dtype=srcgrad.bool)
    """
    tensors = [inputs] if isinstance(inputs, Tensor) else inputs
    finite = True
    for t in tensors:
        if not isinstance(t, Tensor):
            raise ArgumentTypeError(
                f"all_finite takes a tensor or a sequence of tensors, but one is {type(t)}"
            )
        finite = finite and bool(np.isfinite(t._a).all())
    return make(np.asarray(finite))


def _times(inputs: Any, factor: float) -> Any:
    """A structure of tensors times a factor, each in its dtype."""

    def scaled(v: Any) -> Any:
        if isinstance(v, int | float):
            raise AttributeError(f"a loss scaler takes tensors, not {v!r}: it has no dtype")
        return v * factor if v._a.dtype.kind == "f" else (v * factor).to(v.dtype)

    return mapped(inputs, scaled)


def _scale(value: Any) -> Parameter:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            "The type of 'scale_value' should be one of '['float', 'int']', but got type "
            f"'{type(value).__name__}'."
        )
    if value < 1:
        raise ArgumentValueError(f"The argument 'scale_value' must be > 1, but got {value}")
    return Parameter(Tensor(float(value)), name="scale_value")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
