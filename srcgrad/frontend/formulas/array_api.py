"""Helpers of SciPy that convert arguments and store to parts of arrays, for NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def promoted(
    *args: Any, broadcast: Any = False, force_floating: Any = False, xp: Any = None
) -> Any:
    """Arrays of the dtype that all arguments promote to; None stays None.

    >>> promoted([1, 2], 0.5)
    (array([1., 2.]), array(0.5))
    """
    given = [a for a in args if a is not None]
    if not given:
        return args[0] if len(args) == 1 else args
    dtype = np.result_type(*[a if np.isscalar(a) else np.asarray(a) for a in given])
    if force_floating and dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
    made = [None if a is None else np.asarray(a, dtype=dtype) for a in args]
    if broadcast:
        shape = np.broadcast_shapes(*[a.shape for a in made if a is not None])
        made = [None if a is None else np.broadcast_to(a, shape) for a in made]
    return made[0] if len(made) == 1 else tuple(made)


class At:
    """A part of an array, which is stored to in place.

    >>> At(np.zeros(3))[1:].add(2.0)
    array([0., 2., 2.])
    """

    def __init__(self, x: Any, idx: Any = ...):
        self.x = x
        self.idx = idx

    def __getitem__(self, idx: Any) -> Any:
        return At(self.x, idx)

    def set(self, y: Any, copy: Any = None, xp: Any = None) -> Any:
        x = np.copy(self.x) if copy else self.x
        x[self.idx] = y
        return x

    def add(self, y: Any, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] + y, copy)

    def subtract(self, y: Any, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] - y, copy)

    def multiply(self, y: Any, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] * y, copy)

    def divide(self, y: Any, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] / y, copy)
