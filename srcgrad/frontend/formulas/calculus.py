"""Sampled functions and vectors: differences, gradients, products along any axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    inexact,
    known,
    part,
    place,
    shaped,
    stands_for,
    unsupported,
)
from srcgrad.frontend.versions import raised


@stands_for(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th difference along an axis, of `prepend`, the array and `append`.

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
    """A number as a slice of the array's shape; an array unchanged."""
    part = np.asarray(part)
    if part.ndim > 0:
        return part
    return np.broadcast_to(part, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))


def differences(a: Any, n: Any, axis: Any) -> Any:
    """np.diff without further arguments; its handler takes slices."""
    return np.diff(a, n, axis)


@stands_for(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral by the trapezoidal rule.

    >>> float(trapezoid(np.array([1.0, 3.0]), dx=0.5))
    1.0
    """
    y = np.asarray(y)
    axis, width = place(axis, y.ndim), dx
    if x is not None:
        x = np.asarray(x)
        width = np.diff(x, axis=axis if x.ndim > 1 else -1)
        width = width if x.ndim > 1 else _along(width, y.ndim, axis)
    ends = part(y, axis, slice(1, None)) + part(y, axis, slice(None, -1))
    return np.sum(width * ends / 2.0, axis=axis)


def _along(x: Any, ndim: int, axis: int) -> Any:
    """A vector as an array of `ndim` axes, along one of them."""
    return x[(None,) * axis + (slice(None),) + (None,) * (ndim - 1 - axis)]


@stands_for(np.gradient)
def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Slopes of second order, of first or second order at the edges, along one or more axes.

    >>> gradient(np.array([0.0, 1.0, 4.0]))
    array([1., 2., 3.])
    """
    f, order = inexact(f), known(edge_order)
    if order not in (1, 2):
        return unsupported("gradient takes an edge_order of 1 or 2", like=ValueError)
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    axes = sorted([place(k, f.ndim) for k in axes])
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    if len(steps) != len(axes):
        return unsupported("gradient takes one spacing, or one for each axis", like=TypeError)
    # NumPy stores them into arrays of the dtype of f, whatever that of the places
    slopes = [np.asarray(_slope(f, h, k, order), f.dtype) for h, k in zip(steps, axes, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(f: Any, h: Any, axis: int, order: int) -> Any:
    n = f.shape[axis]
    if n < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least 2 are required."
        )
    h = h if np.ndim(h) == 0 else np.asarray(h)
    if np.ndim(h) and h.dtype.kind in "iu":
        h = h.astype(np.float64)  # differences of narrow integers would wrap around
    inner, first, last = (_even if np.ndim(h) == 0 else _uneven)(f, h, axis)
    if order == 2:
        return shaped(_second_order_edges(f, axis, inner, h), f.shape)
    rise = np.diff(part(f, axis, slice(0, 2)), axis=axis)
    fall = np.diff(part(f, axis, slice(-2, None)), axis=axis)
    return shaped(np.concatenate([rise / first, inner, fall / last], axis=axis), f.shape)


def _even(f: Any, h: Any, axis: int) -> tuple[Any, Any, Any]:
    return (part(f, axis, slice(2, None)) - part(f, axis, slice(None, -2))) / (2.0 * h), h, h


def _uneven(f: Any, x: Any, axis: int) -> tuple[Any, Any, Any]:
    """Second order between places `x`: weights of the three neighbours."""
    if x.ndim != 1:
        return unsupported("the places of gradient are a vector", like=ValueError)
    if x.shape[0] != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    gaps = _along(np.diff(x), f.ndim, axis)
    p, q = part(gaps, axis, slice(None, -1)), part(gaps, axis, slice(1, None))
    inner = -(q / (p * (p + q))) * part(f, axis, slice(None, -2))
    inner = inner + (q - p) / (p * q) * part(f, axis, slice(1, -1))
    inner = inner + p / (q * (p + q)) * part(f, axis, slice(2, None))
    return inner, part(gaps, axis, slice(0, 1)), part(gaps, axis, slice(-1, None))


def _second_order_edges(f: Any, axis: int, inner: Any, h: Any) -> Any:
    """A gradient with parabolas at its ends, the inner places unchanged."""
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


# since NumPy 2.5
NOTHING_IS_SAMPLED = raised(np.interp, np.zeros(0), np.zeros(0), np.zeros(0)) is None


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
    if np.size(xp) == 0 and (np.size(x) > 0 or not NOTHING_IS_SAMPLED):
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
