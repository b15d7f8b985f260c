"""Sensitivities of initial value problems: the systems that derivatives of the states solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.transforms.entry_points import jvp


def sensitivities(rhs: Callable, t: Any, z: Any, p: Any, rest: tuple) -> Any:
    """The right-hand side of a state and of its derivatives by p, one after the other."""
    q = len(p)
    rows = z.reshape((q + 1, len(z) // (q + 1)))
    out = np.empty_like(rows)
    out[0] = rhs(t, rows[0], p, *rest)
    zeros = (None,) * len(rest)
    for j in range(q):
        unit = np.zeros(q)
        unit[j] = 1.0
        out[j + 1] = jvp(rhs, (t, rows[0], p, *rest), (None, rows[j + 1], unit, *zeros))[1]
    return out.reshape(-1)


def initial(p: np.ndarray, n: int, order: int) -> np.ndarray:
    """The initial state of a system: the first n elements of p, and their derivatives by p.

    >>> initial(np.array([5.0, 7.0]), 1, 1)
    array([5., 1., 0.])
    """
    z = p[:n].copy()
    for _ in range(order):
        rows = np.zeros((len(p) + 1, len(z)))
        rows[0] = z
        rows[1 : n + 1, :n] = np.eye(n)
        z = rows.reshape(-1)
    return z


def tensor(states: np.ndarray, q: int, n: int, order: int) -> np.ndarray:
    """The derivatives of an order by p, at each time: states, then an axis of p for each order.

    >>> tensor(np.array([[5.0, 1.0, 0.0]]), 2, 1, 1)
    array([[[1., 0.]]])
    """
    parts = states.reshape((len(states), *(q + 1,) * order, n))
    parts = parts[(slice(None), *(slice(1, None),) * order)]
    return np.ascontiguousarray(np.moveaxis(parts, -1, 1))
