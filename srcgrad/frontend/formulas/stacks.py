"""Functions of one matrix on stacks of matrices, one after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def stacked(f: Any, shapes: Any, *stacks: Any) -> Any:
    """The results of `f` for the matrices of stacks with the same leading axes.

    `shapes` has the axes of each result: m and n are the sides of a matrix of the first stack, k is
    the shorter one, p is the last axis of the last stack. Results are allocated before the
    loop, so that empty stacks have results too.

    >>> stacked(np.linalg.inv, ("mn",), np.full((2, 1, 1, 1), 4.0)).shape
    (2, 1, 1, 1)
    >>> [v.shape for v in stacked(np.linalg.qr, ("mk", "kn"), np.ones((2, 3, 1)))]
    [(2, 3, 1), (2, 1, 1)]
    """
    lead, (m, n) = stacks[0].shape[:-2], stacks[0].shape[-2:]
    sides = {"m": m, "n": n, "k": min(m, n), "p": stacks[-1].shape[-1]}
    count = math.prod(lead)
    flat = [np.copy(x).reshape((count, *x.shape[-2:])) for x in stacks]
    made = [np.empty((count, *[sides[c] for c in axes]), stacks[0].dtype) for axes in shapes]
    for i in range(count):
        found = f(*[x[i] for x in flat])
        for out, value in zip(made, found if len(made) > 1 else (found,), strict=True):
            out[i] = value
    made = [out.reshape((*lead, *out.shape[1:])) for out in made]
    return made[0] if len(made) == 1 else tuple(made)
