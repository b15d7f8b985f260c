"""Elementwise functions of the standard: rows of the table under the standard's names.

Of one tensor they are the rows' functions themselves; of two the operands are promoted first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.array_api.examples import documented
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
    function.__module__ = "srcgrad.array_api"  # where its example is found
    text = f"`{row.__name__}` of two tensors, or of a tensor and a number, promoted."
    function.__doc__ = documented(name, text)
    return function


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Each element within two bounds, either of which may be absent; in the dtype of `x`.

    >>> from srcgrad import array_api as xp
    >>> xp.clip(xp.asarray([-1.0, 0.5, 2.0]), 0.0, 1.0)
    tensor([0.0000, 0.5000, 1.0000], dtype=srcgrad.float32)
    """
    bounds = [b.to(x.dtype) if isinstance(b, Tensor) else b for b in (min, max)]
    if min is None and max is None:
        return TABLE["clone"].function(x)
    return TABLE["clip"].function(x, *bounds)


def imag(x: Tensor, /) -> Tensor:
    """The imaginary parts of complex numbers.

    >>> from srcgrad import array_api as xp
    >>> xp.imag(xp.asarray([1 + 2j]))
    tensor([2.], dtype=srcgrad.float32)
    """
    return by_numpy(np.imag, x)


def nextafter(x1: Any, x2: Any, /) -> Tensor:
    """The next number of the dtype from `x1` towards `x2`.

    >>> from srcgrad import array_api as xp
    >>> xp.nextafter(xp.asarray(1.0), 2.0) - 1.0 == xp.finfo(xp.float32).eps
    tensor(True, dtype=srcgrad.bool)
    """
    return by_numpy(np.nextafter, *promoted(x1, x2))


ELEMENTWISE: dict[str, Callable[..., Tensor]] = {
    **{name: TABLE[name].function for name in ROWS[1]},
    **{name: _of_two(name, TABLE[row].function) for name, row in ROWS[2].items()},
    "bitwise_invert": TABLE["bitwise_not"].function,
    "clip": clip, "imag": imag, "nextafter": nextafter,
}  # fmt: skip
