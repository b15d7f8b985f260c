"""Sums of a fixed number of rows in the order of one binary tree, whoever computes which part.

Rank `r` has a run of rows, and adds up the largest whole subtrees in it. All ranks exchange these
sums and add up the rest, so that each sum is made of the same two sums for any number of ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Run = tuple[int, int]


def subtrees(run: Run, whole: Run) -> list[Run]:
    """The largest subtrees of the tree over `whole` that lie in `run`, in order.

    >>> subtrees((1, 5), (0, 8))
    [(1, 2), (2, 4), (4, 5)]
    """
    start, stop = max(run[0], whole[0]), min(run[1], whole[1])
    if start >= stop:
        return []
    if (start, stop) == whole:
        return [whole]
    left, right = halves(whole)
    return subtrees(run, left) + subtrees(run, right)


def halves(run: Run) -> tuple[Run, Run]:
    middle = (run[0] + run[1] + 1) // 2
    return (run[0], middle), (middle, run[1])


def total(run: Run, known: Callable[[Run], np.ndarray | None]) -> np.ndarray:
    """The sum over a subtree, from sums over subtrees below it that are known."""
    found = known(run)
    if found is not None:
        return found
    left, right = halves(run)
    return total(left, known) + total(right, known)
