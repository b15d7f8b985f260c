"""Finds which elements of a matrix are not zero from its products with vectors of zeros and ones.

The columns are halved again and again. Blocks of columns that no row has in common are tried
together, so a level takes two products for each color of its blocks: three or so for a band,
whatever its length. Cf. Griewank and Mitev (2002), Detecting Jacobian sparsity patterns by Bayesian
probing, Math. Program. 93.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from srcgrad.sparse.coloring import colors_of_columns

Product = Callable[[np.ndarray], np.ndarray]  # of n flags: the flags of the rows they reach


def probed(product: Product, columns: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The number of rows, and the row and column of each element that is not zero, by rows."""
    reached = product(np.ones(columns, bool))
    rows = np.flatnonzero(reached) if columns else np.zeros(0, np.int64)
    blocks, starts = np.zeros_like(rows), np.array([0, columns])
    while np.max(np.diff(starts), initial=0) > 1:
        colors = colors_of_columns(rows, blocks, len(starts) - 1)
        middles = (starts[:-1] + starts[1:] + 1) // 2
        found: list[tuple[np.ndarray, np.ndarray]] = []
        for color in range(colors.max(initial=-1) + 1):
            chosen = colors == color
            here = chosen[blocks]
            for half, (first, last) in enumerate(((starts[:-1], middles), (middles, starts[1:]))):
                seeds = _flags(first[chosen], last[chosen], columns)
                if seeds.any():
                    hit = here & product(seeds)[rows]
                    found.append((rows[hit], 2 * blocks[hit] + half))
        rows = np.concatenate([r for r, _ in found]) if found else rows
        blocks = np.concatenate([b for _, b in found]) if found else blocks
        starts = np.append(np.column_stack((starts[:-1], middles)).ravel(), columns)
        rows, blocks, starts = _without_empty(rows, blocks, starts)
    order = np.lexsort((blocks, rows))
    return len(reached), rows[order], starts[blocks[order]]


def _flags(first: np.ndarray, last: np.ndarray, columns: int) -> np.ndarray:
    """True in the ranges, which do not overlap."""
    steps = np.zeros(columns + 1, np.int64)
    np.add.at(steps, first, 1)
    np.add.at(steps, last, -1)
    return np.cumsum(steps)[:-1] > 0


def _without_empty(
    rows: np.ndarray, blocks: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The blocks renumbered without those of no columns."""
    there = np.diff(starts) > 0
    return rows, (np.cumsum(there) - 1)[blocks], np.append(starts[:-1][there], starts[-1])
