"""Functions of `scipy.integrate` on samples, as NumPy programs; read only where it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, special

from srcgrad.frontend.formulas.registry import floating, place, stands_for, unsupported


@stands_for(integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral by the trapezoidal rule; the dtype is that of `y`, whatever the places have.

    >>> float(trapezoid(np.array([1.0, 3.0]), dx=0.5))
    1.0
    """
    y = floating(y)
    return np.asarray(np.trapezoid(y, x, dx, axis)).astype(y.dtype)


@stands_for(integrate.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    """The running integral by the trapezoidal rule.

    >>> cumulative_trapezoid(np.array([1.0, 3.0, 5.0]), initial=0)
    array([0., 2., 6.])
    """
    y = np.asarray(y)
    axis = place(axis, y.ndim)
    y = np.moveaxis(y, axis, -1)
    if y.shape[-1] == 0:
        raise ValueError("At least one point is required along `axis`.")
    width = dx if x is None else _widths(x, y, axis)
    sums = np.cumsum(width * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        sums = np.concatenate([np.zeros((*y.shape[:-1], 1), sums.dtype), sums], axis=-1)
    return np.moveaxis(sums, -1, axis).copy()


def _widths(x: Any, y: Any, axis: int) -> Any:
    """Widths between neighbouring places along the last axis, for one line or like `y`."""
    x = np.asarray(x)
    if x.ndim > 1:
        if x.ndim != y.ndim:
            return unsupported("If given, shape of x must be 1-D or the same as y.")
        x = np.moveaxis(x, axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("If given, length of x along axis must be the same as y.")
    return np.diff(x, axis=-1)


@stands_for(integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral by parabolas through three points; one through the last three closes a gap.

    >>> float(simpson(np.array([0.0, 1.0, 4.0, 9.0])))
    9.0
    """
    y = floating(y)
    axis = place(axis, y.ndim)
    y = np.moveaxis(y, axis, -1)
    n = y.shape[-1]
    if n == 0 and x is None:
        raise IndexError("simpson of no points")
    if n == 0:
        raise ValueError("simpson of no points")
    if x is None:
        gaps = np.full(np.maximum(n - 1, 0), np.asarray(dx, dtype=np.float64))
    else:
        gaps = _widths(np.asarray(x), y, axis).astype(np.float64)
    if y.dtype in (np.float32, np.complex64):
        return unsupported(
            "the dtype of simpson of single precision depends on the number of points",
            "use .astype(np.float64)",
        )
    odd = n - 1 + n % 2  # the points of whole pairs of intervals
    total = _parabolas(y[..., :odd], gaps[..., : odd - 1])
    if n == 2:
        total = total + 0.5 * gaps[..., -1] * (y[..., -1] + y[..., -2])
    elif n % 2 == 0:
        total = total + _last_interval(y, gaps[..., -2], gaps[..., -1])
    return total


def _parabolas(y: Any, gaps: Any) -> Any:
    """The integral over pairs of intervals; a term over an empty interval counts as 0."""
    p, q = gaps[..., ::2], gaps[..., 1::2]
    both = p + q
    first = 2.0 - _ratio(1.0, _ratio(p, q))
    middle = both * _ratio(both, p * q)
    last = 2.0 - _ratio(p, q)
    ends = y[..., :-1:2] * first + y[..., 2::2] * last
    return np.sum(both / 6.0 * (ends + y[..., 1::2] * middle), axis=-1)


def _last_interval(y: Any, p: Any, q: Any) -> Any:
    """The last interval, under the parabola through the last three points: p and q apart."""
    last = _ratio(2.0 * q**2 + 3.0 * p * q, 6.0 * (p + q))
    before = _ratio(q**2 + 3.0 * p * q, 6.0 * p)
    first = _ratio(q**3, 6.0 * p * (p + q))
    return last * y[..., -1] + before * y[..., -2] - first * y[..., -3]


def _ratio(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0."""
    zero = np.equal(b, 0.0)
    return np.where(zero, 0.0, a / np.where(zero, 1.0, b))


@stands_for(integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: Any = -1, show: Any = False) -> Any:
    """The integral of 2**k + 1 equally spaced samples by Romberg's rule.

    >>> float(romb(np.array([0.0, 1.0, 4.0]), dx=0.5))
    1.3333333333333333
    """
    if show:
        unsupported("romb with show", "leave it out")
    y = np.asarray(y)
    y = floating(np.moveaxis(y, place(axis, y.ndim), -1))
    width, levels = 1, 0
    while width < y.shape[-1] - 1:
        width, levels = 2 * width, levels + 1
    if width != y.shape[-1] - 1:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    length = width * dx * 1.0
    row = np.zeros((levels + 1, *y.shape[:-1]))
    row[0] = (y[..., 0] + y[..., -1]) / 2.0 * length
    for i in range(1, levels + 1):
        half = width // 2
        better = 0.5 * (row[0] + length * np.sum(y[..., half::width], axis=-1))
        for j in range(1, i + 1):
            coarse = row[j - 1] * 1.0
            row[j - 1] = better
            better = better + (better - coarse) / (4.0**j - 1.0)
        row[i] = better
        width, length = half, length / 2.0
    return row[levels]


@stands_for(integrate.fixed_quad)
def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """The integral of a function of an array by Gauss' rule of order `n`, and None.

    >>> round(float(fixed_quad(lambda x: x**4, 0.0, 1.0)[0]), 12)
    0.2
    """
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    x, w = special.roots_legendre(n)
    y = (b - a) * (x + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *args), axis=-1), None
