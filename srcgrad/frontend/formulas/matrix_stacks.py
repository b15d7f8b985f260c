"""Applies functions of one matrix to stacks of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def map_matrices(f: Any, shapes: Any, *stacks: Any) -> Any:
    """The results of `f` for each matrix of a stack, or for the matrices of several in turn.

    All stacks have the same leading axes. `shapes` has a string for each result of `f`, one letter
    per axis: the matrices of the first stack are m by n, k is min(m, n), and p is the number of
    columns of the last stack's matrices; "" is a number. So ("mk", "kn") are the shapes of QR. One
    that begins with "|" is of real numbers.

    >>> map_matrices(np.linalg.inv, ("mn",), np.full((2, 1, 1, 1), 4.0)).shape
    (2, 1, 1, 1)
    >>> [v.shape for v in map_matrices(np.linalg.qr, ("mk", "kn"), np.ones((2, 3, 1)))]
    [(2, 3, 1), (2, 1, 1)]
    """
    lead, (m, n) = stacks[0].shape[:-2], stacks[0].shape[-2:]
    sides = {"m": m, "n": n, "k": min(m, n), "p": stacks[-1].shape[-1]}
    count = math.prod(lead)
    flat = [np.copy(x).reshape((count, *x.shape[-2:])) for x in stacks]
    # allocated before the loop: the results of an empty stack have shapes too
    real, kind = stacks[0].real.dtype, stacks[0].dtype
    outs = [
        np.empty((count, *[sides[c] for c in axes if c != "|"]), real if axes[:1] == "|" else kind)
        for axes in shapes
    ]
    for i in range(count):
        results = f(*[x[i] for x in flat])
        for out, value in zip(outs, results if len(outs) > 1 else (results,), strict=True):
            out[i] = value
    outs = [out.reshape((*lead, *out.shape[1:])) for out in outs]
    return outs[0] if len(outs) == 1 else tuple(outs)
