"""Isotonic regression of `scipy.optimize` inside compiled code: SciPy finds the blocks.

The derivative is that of the means of the same blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.results import Result
from srcgrad.solvers.scipy_linear import real_of


@dataclass(eq=False)
class Steps(Result):
    """Monotonic values, and the weights and the places of the blocks in which they are equal."""

    x: Any
    weights: Any
    blocks: Any


@stands_for(optimize.isotonic_regression)
def isotonic_regression(y: Any, *, weights: Any = None, increasing: Any = True) -> Any:
    """The closest values that rise, or fall: means over blocks.

    >>> isotonic_regression(np.array([1.0, 3.0, 2.0])).x
    array([1. , 2.5, 2.5])
    """
    y = np.atleast_1d(real_of(y, "isotonic_regression"))
    w = np.ones_like(y) if weights is None else real_of(weights, "isotonic_regression")
    w = np.atleast_1d(w)
    if y.ndim != 1 or w.ndim != 1 or len(y) != len(w):
        raise ValueError("Input arrays y and w must have one dimension of equal length.")
    block = by_library(_block_of_each, np.zeros(len(y), np.int64), (), y, w, increasing)
    count = np.max(block, initial=-1) + 1
    total, weighted = np.zeros(count), np.zeros(count)
    np.add.at(total, block, w)
    np.add.at(weighted, block, w * y)
    return Steps((weighted / total)[block], total, np.searchsorted(block, np.arange(count + 1)))


def _block_of_each(
    functions: Sequence[Any], y: np.ndarray, w: np.ndarray, increasing: Any
) -> np.ndarray:
    blocks = optimize.isotonic_regression(y, weights=w, increasing=bool(increasing)).blocks
    return np.repeat(np.arange(len(blocks) - 1), np.diff(blocks))
