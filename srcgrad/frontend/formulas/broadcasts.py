"""Arrays that are run over together, in their common shape."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np


class Broadcast:
    """The tuples of elements in the places of the common shape, in order; run over once.

    >>> pairs = Broadcast((np.array([1, 2]), 3))
    >>> pairs.shape, pairs.size, pairs.numiter
    ((2,), 2, 2)
    >>> [tuple(map(int, pair)) for pair in pairs], pairs.index, list(pairs)
    ([(1, 3), (2, 3)], 2, [])
    """

    def __init__(self, args: Any):
        self.shape = np.broadcast_shapes(*[np.shape(a) for a in args])
        self.ndim = self.nd = len(self.shape)
        self.size = math.prod(self.shape)
        self.numiter = len(args)
        self.index = 0
        self.views = tuple(np.broadcast_to(a, self.shape) for a in args)

    def __iter__(self) -> Iterator:
        for k in range(self.index, self.size):
            self.index = k + 1
            yield tuple(v.flat[k] for v in self.views)

    def reset(self) -> None:
        self.index = 0


Broadcast.__name__ = "broadcast"  # in messages
