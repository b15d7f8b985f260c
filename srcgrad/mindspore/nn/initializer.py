"""Initial values by MindSpore's names: "zeros", "ones", "normal", "xavier_uniform" and so on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, create, dtypes
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentValueError

Shape = tuple[int, ...]


def _fans(shape: Shape) -> tuple[int, int]:
    """The fan-in and the fan-out of a unit; the weight has shape (out, in, ...)."""
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _uniform(width: float) -> Callable[[Shape], np.ndarray]:
    return lambda shape: create.generator().uniform(-width, width, shape)


def _normal(spread: float) -> Callable[[Shape], np.ndarray]:
    return lambda shape: create.generator().normal(0.0, spread, shape)


def _truncated(shape: Shape, spread: float = 0.01) -> np.ndarray:
    """Normal numbers, those beyond two standard deviations drawn again."""
    drawn = create.generator().normal(0.0, 1.0, shape)
    while (far := np.abs(drawn) > 2).any():
        drawn = np.where(far, create.generator().normal(0.0, 1.0, shape), drawn)
    return spread * drawn


_NAMED: dict[str, Callable[[Shape], np.ndarray]] = {
    "zeros": np.zeros,
    "zero": np.zeros,
    "ones": np.ones,
    "one": np.ones,
    "normal": _normal(0.01),
    "uniform": _uniform(0.07),
    "truncatednormal": _truncated,
    # Glorot and Bengio 2010, He et al. 2015
    "xavier_uniform": lambda shape: _uniform(math.sqrt(6.0 / sum(_fans(shape))))(shape),
    "xavier_normal": lambda shape: _normal(math.sqrt(2.0 / sum(_fans(shape))))(shape),
    "he_uniform": lambda shape: _uniform(math.sqrt(6.0 / _fans(shape)[0]))(shape),
    "he_normal": lambda shape: _normal(math.sqrt(2.0 / _fans(shape)[0]))(shape),
}


def initial(init: Any, shape: Any, dtype: Any = None, width: float = 0.07) -> Tensor:
    """A tensor of initial values: by a name, a number or a tensor; None: uniform of a width.

    >>> initial("ones", (2,))
    tensor([1., 1.], dtype=srcgrad.float32)
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    target = (dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)).np
    if isinstance(init, str):
        if init.lower() not in _NAMED:
            raise ArgumentValueError(
                f"there is no initializer {init!r}: choose one of {', '.join(_NAMED)}"
            )
        made = _NAMED[init.lower()](shape)
    elif init is None:
        made = _uniform(width)(shape)
    else:
        made = init._a if isinstance(init, Tensor) else np.full(shape, init)
    if made.shape != shape:
        raise ArgumentValueError(f"the initial values have shape {made.shape}, not {shape}")
    return make(np.array(made, target))


initializer = initial
