"""Jacobians on the tape: one backward pass for each element of an output.

Used where the compiler refuses a function, for `jacfwd` too: the tape has no forward mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import engine
from srcgrad.eager.functions import TABLE
from srcgrad.eager.tensor import Tensor, make

_stack, _reshape = TABLE["stack"].function, TABLE["reshape"].function


def rows(out: Any, by: dict[tuple, Tensor], recorded: bool) -> dict[tuple, Tensor]:
    """The Jacobian of one output with respect to each tensor; zero if it has no history."""
    a = np.asarray(getattr(out, "_a", out))
    lines = [_row(out, a, k, by, recorded) for k in range(a.size)]
    made = {}
    for path, x in by.items():
        shape = (*a.shape, *x.shape)
        row = [line[path] for line in lines]
        made[path] = _reshape(_stack(row), shape) if row else make(np.zeros(shape, x._a.dtype))
    return made


def _row(
    out: Any, a: np.ndarray, k: int, by: dict[tuple, Tensor], recorded: bool
) -> dict[tuple, Tensor]:
    found: Any = [None] * len(by)
    if getattr(out, "_node", None) is not None:
        seed = np.zeros(a.size, a.dtype)
        seed[k] = 1
        found = engine.grad(
            [out], [*by.values()], [make(seed.reshape(a.shape))], retain_graph=True,
            create_graph=recorded, allow_unused=True,
        )  # fmt: skip
    pairs = zip(by.items(), found, strict=True)
    return {p: make(np.zeros_like(x._a)) if g is None else g for (p, x), g in pairs}
