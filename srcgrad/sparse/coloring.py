"""Colors of columns: columns of one color have no row in common, so one product has them all."""

from __future__ import annotations

import numpy as np


def colors_of_columns(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """A color of each of `count` columns; `rows` and `columns` are where the matrix is not zero.

    Greedy, from the first column to the last (Curtis, Powell and Reid 1974): the colors of a band
    are as few as there can be. Columns without elements get color 0.
    """
    taken = [0] * (int(rows.max(initial=-1)) + 1)  # the colors in each row, a bit for each
    colors = np.zeros(count, np.int64)
    for column, its_rows in enumerate(_grouped(columns, rows, count)):
        others = 0
        for r in its_rows:
            others |= taken[r]
        own = ~others & (others + 1)  # the lowest bit that is free
        for r in its_rows:
            taken[r] |= own
        colors[column] = own.bit_length() - 1
    return colors


def _grouped(keys: np.ndarray, values: np.ndarray, count: int | None = None) -> list[list[int]]:
    """The values of each key from 0 on."""
    order = np.argsort(keys, kind="stable")
    count = int(keys.max(initial=-1)) + 1 if count is None else count
    counts = np.bincount(keys, minlength=count)
    ends = np.cumsum(counts)
    ordered: list[int] = values[order].tolist()
    firsts = ends - counts
    return [ordered[a:b] for a, b in zip(firsts.tolist(), ends.tolist(), strict=True)]
