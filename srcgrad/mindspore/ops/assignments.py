"""Writes values into Parameters: trained ones, counters, averages. Never recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.inplace import write
from srcgrad.errors import ArgumentTypeError, ArgumentValueError


def assign(variable: Any, value: Any) -> Any:
    """Writes a value of the same shape into a Parameter, and returns the Parameter.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.zeros(2), name="w")
    >>> flow.ops.assign(w, flow.ones(2)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return _written("Assign", variable, _array(value))


def assign_add(variable: Any, value: Any) -> Any:
    """Adds a value to a Parameter in place, and returns the Parameter.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> flow.ops.assign_add(w, flow.tensor([2.0])).tolist()
    [3.0]
    """
    return _written("AssignAdd", variable, variable._a + _array(value))


def assign_sub(variable: Any, value: Any) -> Any:
    """Subtracts a value from a Parameter in place, and returns the Parameter.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> flow.ops.assign_sub(w, flow.tensor([2.0])).tolist()
    [-1.0]
    """
    return _written("AssignSub", variable, variable._a - _array(value))


def depend(value: Any, expr: Any) -> Any:
    """The value unchanged: statements run in order here.

    >>> import srcgrad as flow
    >>> flow.ops.depend(flow.tensor([1.0]), None)
    tensor([1.], dtype=srcgrad.float32)
    """
    return value


def _array(value: Any) -> np.ndarray:
    return value._a if isinstance(value, Tensor) else np.asarray(value)


def _written(name: str, variable: Any, a: np.ndarray) -> Any:
    if not isinstance(variable, Tensor):
        kind = type(variable).__name__
        raise ArgumentTypeError(f"For '{name}', 'variable' must be a Parameter, but got {kind}")
    if a.shape != variable._a.shape:
        raise ArgumentValueError(
            f"For '{name}','value' must have the same shape as 'variable'. But got 'value' shape: "
            f"{a.shape}, 'variable' shape: {variable._a.shape}."
        )
    write(variable, a)
    return variable
