"""Histograms of one variable and of several as NumPy programs.

Counts have no derivative; weights and edges have one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import floating, known, stands_for, unsupported


@stands_for(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Counts, or sums of weights, between edges that are given or evenly spaced.

    >>> histogram(np.array([0.0, 1.0, 2.0]), bins=2)[0]
    array([1, 2])
    """
    if isinstance(bins, str):
        return unsupported("histogram with bins by name is not supported", "state their number")
    a = np.ravel(floating(a))
    edges = _edges(a, bins, range, "bins")
    n = edges.shape[0] - 1
    if n < 0:  # only the run tells: there is no bin then
        raise NotImplementedError("a histogram without edges")
    place, inside = _places(a, edges)
    place = np.where(inside, place, n)
    if weights is None:
        found = np.zeros(n + 1, np.int64)
        np.add.at(found, place, 1)
    else:
        w = np.ravel(np.asarray(weights))
        found = np.zeros(n + 1, w.dtype)
        np.add.at(found, place, w)
    counts = found[:n].copy()
    if not density:
        return counts, edges
    return counts / (edges[1:] - edges[:-1]) / np.sum(counts), edges


@stands_for(np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Counts, or sums of weights, of pairs between edges that are given or evenly spaced.

    >>> histogram2d(np.array([0.0, 1.0]), np.array([0.0, 1.0]), bins=2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if not _is_number(bins) and known(len(bins)) not in (1, 2):
        bins = [bins, bins]
    pairs = np.array([x, y])
    if pairs.ndim != 2:
        raise ValueError("too many values to unpack (expected 2)")
    found, edges = _of_several([pairs[0], pairs[1]], bins, range, density, weights)
    return found, edges[0], edges[1]


def _of_several(
    columns: list, bins: Any, ranges: Any, density: Any, weights: Any
) -> tuple[Any, list]:
    """The sums in all cells, and the edges of each variable."""
    count = len(columns)
    if _is_number(bins):
        bins = [bins] * count
    elif known(len(bins)) != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if ranges is None:
        ranges = [None] * count
    elif len(ranges) != count:
        raise ValueError("range argument must have one entry per dimension")
    n, edges, shape = 1, [], []
    place, inside = np.zeros(columns[0].shape, np.int64), np.full(columns[0].shape, True)
    for k, (column, own, limits) in enumerate(zip(columns, bins, ranges, strict=True)):
        own_edges = _edges(column, own, limits, f"bins[{k}]")
        own_place, own_inside = _places(column, own_edges)
        cells = own_edges.shape[0] - 1
        if cells < 0:  # likewise
            raise NotImplementedError("a histogram without edges")
        place, inside, n = place * cells + own_place, inside & own_inside, n * cells
        edges.append(own_edges)
        shape.append(cells)
    w = np.ones(place.shape) if weights is None else np.asarray(weights)
    if w.dtype.kind == "c":
        raise TypeError("Cannot cast array data from complex weights to float64")
    if w.shape != place.shape:
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(n + 1, np.float64)
    np.add.at(sums, np.where(inside, place, n), w.astype(np.float64))
    found = sums[:n].reshape(tuple(shape))
    if density:
        total = np.sum(found)
        for k, own_edges in enumerate(edges):
            width = (own_edges[1:] - own_edges[:-1]).reshape((-1,) + (1,) * (count - 1 - k))
            found = found / width
        found = found / total
    return found, edges


def _is_number(bins: Any) -> bool:
    """Whether bins are a number of them, rather than one item for each variable."""
    return not isinstance(bins, list | tuple) and np.ndim(bins) == 0


def _edges(a: Any, bins: Any, limits: Any, name: str) -> Any:
    """The edges that are given, or a number of evenly spaced bins between limits."""
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`{name}` must be positive, when an integer")
        low, high = _bounds_of(a) if limits is None else (limits[0], limits[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) & np.isfinite(high)):
            raise ValueError("the range of a histogram must be finite")
        same = low == high
        low, high = np.where(same, low - 0.5, low), np.where(same, high + 0.5, high)
        return np.linspace(low, high, bins + 1)
    edges = np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"`{name}` must be 1d, when an array")
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError(f"`{name}` must increase monotonically, when an array")
    return edges


def _places(a: Any, edges: Any) -> tuple:
    """The bin of each number, the last one closed, and which numbers are in one at all."""
    n = edges.shape[0] - 1
    place = np.searchsorted(edges, a, side="right") - 1
    inside = (a >= edges[0]) & (a <= edges[n])
    return np.where(a == edges[n], n - 1, place), inside


def _bounds_of(a: Any) -> tuple:
    """The minimum and maximum; 0 and 1 for an empty array."""
    if a.size == 0:
        return np.zeros_like(a).sum(), np.zeros_like(a).sum() + 1.0
    return np.min(a), np.max(a)
