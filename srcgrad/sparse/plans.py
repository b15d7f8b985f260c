"""A plan: how few products give a sparse Jacobian, and where in them each of its elements is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.values import describe
from srcgrad.records import record
from srcgrad.sparse.coloring import colors_of_columns, colors_of_symmetric


@record(frozen=True, eq=False)
class Plan:
    """Seeds and places: the k-th element is `products.flat[places[k]]`.

    The products are those with columns of `seeds` (as many rows as the Jacobian), or, not
    `forward`, those of its transpose (as many rows as it has columns).
    """

    pattern: Any  # a csr_array
    forward: bool
    seeds: np.ndarray
    places: np.ndarray

    @staticmethod
    def of(pattern: Any) -> Plan:
        """The plan of a pattern: by columns, unless rows take fewer products."""
        (m, n), columns = pattern.shape, pattern.indices
        rows = np.repeat(np.arange(m), np.diff(pattern.indptr))
        by_columns = colors_of_columns(rows, columns, n)
        count = int(by_columns.max(initial=-1)) + 1
        densest = np.diff(pattern.indptr).max(initial=0)
        if densest * 2 <= count or count > 2 * _densest_column(columns, n):
            by_rows = colors_of_columns(columns, rows, m)
            other = int(by_rows.max(initial=-1)) + 1
            if 2 * other < count:  # a reverse sweep takes about twice as long as a forward one
                return Plan(pattern, False, _seeds(by_rows, other), columns * other + by_rows[rows])
        return Plan(pattern, True, _seeds(by_columns, count), rows * count + by_columns[columns])

    @staticmethod
    def symmetric(pattern: Any) -> Plan:
        """The plan of a symmetric matrix: an element and its mirror image are read in one place."""
        whole = pattern + pattern.T
        (n, _), columns = whole.shape, whole.indices
        rows = np.repeat(np.arange(n), np.diff(whole.indptr))
        colors = colors_of_symmetric(rows, columns, n)
        count = int(colors.max(initial=-1)) + 1
        places, mirrored = rows * count + colors[columns], columns * count + colors[rows]
        alone = np.bincount(places, minlength=n * count) == 1
        there = alone[places] & (~alone[mirrored] | (rows <= columns))
        return Plan(whole, True, _seeds(colors, count), np.where(there, places, mirrored))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the Jacobian."""
        return self.pattern.shape

    @property
    def products(self) -> int:
        """The number of products."""
        return self.seeds.shape[1]

    def filled(self, products: np.ndarray) -> csr_array:
        """The Jacobian with the elements in the products; it shares its index arrays."""
        data = np.take(products.ravel(), self.places, mode="wrap")  # in bounds: unchecked
        for shared in (self.pattern.indices, self.pattern.indptr):
            shared.flags.writeable = False  # by all Jacobians
        made = (data, self.pattern.indices, self.pattern.indptr)
        return csr_array(made, shape=self.pattern.shape, copy=False)


def _densest_column(columns: np.ndarray, n: int) -> int:
    return int(np.bincount(columns, minlength=n).max(initial=0))


def _seeds(colors: np.ndarray, count: int) -> np.ndarray:
    return (colors[:, None] == np.arange(count)).astype(np.float64)


def as_pattern(sparsity: Any) -> csr_array:
    """A pattern that the caller gives: a sparse array, or anything that NumPy makes a matrix of."""
    try:
        made = csr_array(sparsity, copy=True)
    except (TypeError, ValueError):
        made = None
    if made is None or made.ndim != 2:
        text = "the sparsity should be a sparse array or a matrix of flags, but got"
        raise ArgumentTypeError(f"{text} {describe(sparsity)}")
    made = csr_array((made.data != 0, made.indices, made.indptr), shape=made.shape)
    made.sum_duplicates()
    made.eliminate_zeros()
    return made
