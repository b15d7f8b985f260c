"""Orderings: a merge sort of places, stable, with NaN last as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives import scans
from srcgrad.routines.external import Routine, room


def argsort(out: Any, x: Any, axis: int) -> None:
    """The argsort of a vector: runs of 1, 2, 4, ... places are merged between two buffers."""
    n = x.shape[0]
    spare = room(n, 1, np.int64)
    for k in range(n):
        out[k, 0] = k
    width = 1
    while width < n:
        merged(spare, out, x, width)
        if 2 * width < n:
            merged(out, spare, x, 2 * width)
        else:
            for k in range(n):
                out[k, 0] = spare[k, 0]
        width = 4 * width


def merged(to: Any, of: Any, x: Any, width: int) -> None:
    """Merges each two adjacent runs of places into one."""
    n = x.shape[0]
    for block in range((n + 2 * width - 1) // (2 * width)):
        first = 2 * width * block
        middle, end = min(first + width, n), min(first + 2 * width, n)
        i, j = first, middle
        for k in range(first, end):
            a, b = of[min(i, n - 1), 0], of[min(j, n - 1), 0]
            left, right = x[a, 0], x[b, 0]
            before = (right < left) | ((left != left) & (right == right))
            taken = (i >= middle) | ((j < end) & before)
            to[k, 0] = np.where(taken, b, a)
            j = j + taken
            i = i + (1 - taken)


ROUTINES = {scans.argsort: Routine(argsort)}
