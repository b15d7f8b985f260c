"""Elementwise functions of the standard: rows of the table under the standard's names.

Of one tensor they are the rows' functions themselves; of two the operands are promoted first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.array_api.operands import promoted
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.protocols import by_numpy
from srcgrad.eager.tensor import Tensor

# functions and their rows by the number of tensors: of one the rows have the standard's names
ROWS: dict[int, Any] = {
    1: (
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos",
        "cosh", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10",
        "log1p", "log2", "logical_not", "negative", "positive", "real", "reciprocal", "round",
        "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    ),
    2: {
        "add": "add", "atan2": "atan2", "bitwise_and": "bitwise_and", "bitwise_left_shift":
        "bitwise_left_shift", "bitwise_or": "bitwise_or", "bitwise_right_shift":
        "bitwise_right_shift", "bitwise_xor": "bitwise_xor", "copysign": "copysign", "divide":
        "div", "equal": "eq", "floor_divide": "floor_divide", "greater": "gt",
        "greater_equal": "ge", "hypot": "hypot", "less": "lt", "less_equal": "le",
        "logaddexp": "logaddexp", "logical_and": "logical_and", "logical_or": "logical_or",
        "logical_xor": "logical_xor", "maximum": "maximum", "minimum": "minimum", "multiply":
        "mul", "not_equal": "ne", "pow": "pow", "remainder": "remainder", "subtract": "sub",
    },
}  # fmt: skip


def _of_two(name: str, row: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(x1: Any, x2: Any, /) -> Tensor:
        x1, x2 = promoted(x1, x2)
        return row(x1, x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{row.__name__}` of two tensors, or of a tensor and a number, promoted."
    return function


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Each element within two bounds, either of which may be absent; in the dtype of `x`."""
    bounds = [b.to(x.dtype) if isinstance(b, Tensor) else b for b in (min, max)]
    if min is None and max is None:
        return TABLE["clone"].function(x)
    return TABLE["clip"].function(x, *bounds)


def imag(x: Tensor, /) -> Tensor:
    """The imaginary parts of complex numbers."""
    return by_numpy(np.imag, x)


def nextafter(x1: Any, x2: Any, /) -> Tensor:
    """The next number of the dtype from `x1` towards `x2`."""
    return by_numpy(np.nextafter, *promoted(x1, x2))


ELEMENTWISE: dict[str, Callable[..., Tensor]] = {
    **{name: TABLE[name].function for name in ROWS[1]},
    **{name: _of_two(name, TABLE[row].function) for name, row in ROWS[2].items()},
    "bitwise_invert": TABLE["bitwise_not"].function,
    "clip": clip, "imag": imag, "nextafter": nextafter,
}  # fmt: skip
