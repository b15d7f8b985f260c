"""Sampled functions and vectors: differences, gradients, products along any axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import known, place, stands_for, unsupported


@stands_for(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th difference along an axis, of the array with what stands in front and behind.

    >>> diff(np.array([1.0, 3.0]), prepend=0.0)
    array([1., 2.])
    """
    a = np.asarray(a)
    axis = place(axis, a.ndim)
    parts = [a]
    if prepend is not None:
        parts = [_beside(a, prepend, axis), *parts]
    if append is not None:
        parts = [*parts, _beside(a, append, axis)]
    return differences(np.concatenate(parts, axis=axis) if len(parts) > 1 else a, n, axis)


def _beside(a: Any, part: Any, axis: int) -> Any:
    """A number as a slice of the array's shape; an array as it is."""
    part = np.asarray(part)
    if part.ndim > 0:
        return part
    return np.broadcast_to(part, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))


def differences(a: Any, n: Any, axis: Any) -> Any:
    """np.diff without more; its handler takes slices."""
    return np.diff(a, n, axis)


def second_order_edges(f: Any, axis: int, inner: Any, h: Any) -> Any:
    """A gradient with parabolas at its ends, the inner places as they are.

    >>> x = np.array([0.0, 1.0, 4.0])
    >>> second_order_edges(x, 0, np.array([2.0]), 1.0)
    array([0., 2., 4.])
    """
    n = f.shape[axis]
    if n < 3:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    at = [np.take(f, np.arange(k, k + 1), axis=axis) for k in (0, 1, 2)]
    to = [np.take(f, np.arange(n - k, n - k + 1), axis=axis) for k in (3, 2, 1)]
    if np.ndim(h) == 0:
        first = (-1.5 * at[0] + 2.0 * at[1] - 0.5 * at[2]) / h
        last = (0.5 * to[0] - 2.0 * to[1] + 1.5 * to[2]) / h
    else:
        p, q = h[1] - h[0], h[2] - h[1]
        first = _parabola(at[0], at[1], at[2], p, q)
        p, q = h[n - 1] - h[n - 2], h[n - 2] - h[n - 3]
        last = -_parabola(to[2], to[1], to[0], p, q)
    return np.concatenate([first, inner, last], axis=axis)


def _parabola(a: Any, b: Any, c: Any, p: Any, q: Any) -> Any:
    """The slope at the first of three places, p and q apart."""
    return -(2.0 * p + q) / (p * (p + q)) * a + (p + q) / (p * q) * b - p / (q * (p + q)) * c


@stands_for(np.cross)
def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """The cross product of vectors along axes.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a = np.moveaxis(np.asarray(a), known(axisa), -1)
    b = np.moveaxis(np.asarray(b), known(axisb), -1)
    c = cross_of_last(a, b)
    return np.moveaxis(c, -1, known(axisc)) if c.ndim == max(a.ndim, b.ndim) else c


def cross_of_last(a: Any, b: Any) -> Any:
    """The cross product along the last axis; its handler multiplies components."""
    return np.cross(a, b)


@stands_for(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Linear interpolation, of a periodic function if there is a period.

    >>> float(interp(2.5, np.array([0.0, 1.0]), np.array([0.0, 1.0]), period=2.0))
    0.5
    """
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("object too deep for desired array")
    if np.size(xp) == 0:
        raise ValueError("array of sample points is empty")
    if np.size(xp) != np.size(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is None:
        return interpolated(x, xp, fp, left, right)
    x = np.asarray(x, dtype=np.float64) % period
    xp = np.asarray(xp, dtype=np.float64) % period
    order = np.argsort(xp)
    xp, fp = xp[order], np.asarray(fp)[order]
    xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return interpolated(x, xp, np.concatenate([fp[-1:], fp, fp[:1]]), None, None)


def interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """np.interp without a period."""
    return np.interp(x, xp, fp, left, right)


def products_along(a: Any, b: Any, axis: Any) -> Any:
    """The sum of products along an axis.

    >>> float(products_along(np.array([1.0, 2.0]), np.array([3.0, 4.0]), -1))
    11.0
    """
    return np.sum(np.asarray(a) * np.asarray(b), axis=axis)


# ---- values of arrays ----
@stands_for(np.unique)
def unique(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
    axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Any:  # fmt: skip
    """The sorted values without repetition; the first of equal ones has the derivative.

    >>> unique(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    if axis is not None or not equal_nan:
        return unsupported("unique along an axis, or with equal_nan=False, is not supported")
    flat = np.ravel(np.asarray(ar))
    order = np.argsort(flat)
    ordered = flat[order]
    n = flat.shape[0]
    new = np.ones(n, bool)
    new[1:] = (ordered[1:] != ordered[:-1]) & (ordered[:-1] == ordered[:-1])
    starts = np.flatnonzero(new)
    found = [ordered[starts]]
    if return_index:
        found = [*found, order[starts]]
    if return_inverse:
        inverse = np.zeros(n, np.int64)
        inverse[order] = np.cumsum(new) - 1
        found = [*found, np.reshape(inverse, np.shape(ar))]
    if return_counts:
        ends = np.concatenate([starts[1:], np.full(np.minimum(n, 1), n)])
        found = [*found, ends - starts]
    return found[0] if len(found) == 1 else tuple(found)
