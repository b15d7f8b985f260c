"""Colors of columns: columns of one color have no row in common, so one product has them all."""

from __future__ import annotations

import numpy as np


def colors_of_columns(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """A color of each of `count` columns; `rows` and `columns` are where the matrix is not zero.

    Greedy, from the first column to the last (Curtis, Powell and Reid 1974): the colors of a band
    are as few as there can be. Columns without elements get color 0.
    """
    taken: list[set[int]] = [set() for _ in range(int(rows.max(initial=-1)) + 1)]
    colors = np.zeros(count, np.int64)
    for column, its_rows in enumerate(_grouped(columns, rows, count)):
        color = 0
        sets = [taken[r] for r in its_rows]
        while any(color in s for s in sets):
            color += 1
        for s in sets:
            s.add(color)
        colors[column] = color
    return colors


def _grouped(keys: np.ndarray, values: np.ndarray, count: int | None = None) -> list[list[int]]:
    """The values of each key from 0 on."""
    order = np.argsort(keys, kind="stable")
    count = int(keys.max(initial=-1)) + 1 if count is None else count
    ends = np.cumsum(np.bincount(keys, minlength=count))
    ordered: list[int] = values[order].tolist()
    firsts = np.concatenate(([0], ends[:-1]))
    return [ordered[a:b] for a, b in zip(firsts.tolist(), ends.tolist(), strict=True)]
