"""Colors of columns: one product has all of a color, and each element can be read in one."""

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


def colors_of_symmetric(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """A color of each of `count` columns of a symmetric matrix.

    A star coloring (Gebremedhin, Manne and Pothen 2005): neighbours differ, and a path of four
    vertices has three colors or more. So of two columns with an element in common one has no
    other neighbour of the other's color, and its row of that product is the element. Greedy, from
    the column with most neighbours to that with fewest.
    """
    apart = rows != columns
    neighbours = _grouped(rows[apart], columns[apart], count)
    stars = _Stars(neighbours)
    for v in sorted(range(count), key=lambda v: -len(neighbours[v])):
        stars.colored(v)
    return np.array(stars.colors, np.int64)


class _Stars:
    """A star coloring that is being made; sets of colors are integers with a bit for each."""

    def __init__(self, neighbours: list[list[int]]):
        self.neighbours = neighbours
        self.colors = [-1] * len(neighbours)
        self.seen = [0] * len(neighbours)  # the colors of its neighbours
        self.repeated = [0] * len(neighbours)  # those that several of them have
        self.hubs = [0] * len(neighbours)  # those of neighbours with a second neighbour like it

    def colored(self, v: int) -> None:
        """Colors `v` with the lowest color that closes no path of two colors.

        Two neighbours of a vertex without a color never have the same one.
        """
        taken = 0
        for w in self.neighbours[v]:
            color = self.colors[w]
            taken |= self.seen[w] if color < 0 else 1 << color | self.hubs[w]
        own = ~taken & (taken + 1)
        self.colors[v] = own.bit_length() - 1
        for x in self.neighbours[v]:
            if self.seen[x] & own:
                first = not self.repeated[x] & own
                for w in self.neighbours[x] if first else (v,):
                    if self.colors[w] == self.colors[v]:
                        self.hubs[w] |= 1 << self.colors[x]
                self.repeated[x] |= own
            self.seen[x] |= own
