"""Cubic splines of scipy.interpolate: the slopes at the points solve a tridiagonal system.

C. de Boor, "A Practical Guide to Splines" (1978), chapter 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy import interpolate

from srcgrad.frontend.formulas.piecewise import Pieces, hermite, prepared, spread
from srcgrad.frontend.formulas.registry import stands_for

NAMED = {"clamped": 1, "natural": 2, "not-a-knot": 0}  # the order of the derivative that is given


def condition(given: Any, shape: tuple) -> tuple[int, Any]:
    """The order of the derivative that is given at an end, 0 if none is, and its value.

    >>> condition("natural", ())
    (2, 0.0)
    """
    if isinstance(given, str):
        if given not in NAMED:
            raise ValueError(f"bc_type={given} is not allowed.")
        return NAMED[given], 0.0
    order, value = given
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    if np.shape(value) != shape:
        raise ValueError("`deriv_value` has not the expected shape.")
    return order, value


def end_row(order: int, value: Any, dx: Any, slope: Any, parabola: bool) -> tuple:
    """The equation at an end: the factors of its slope and the next one, and the right side.

    `parabola` says that three points are interpolated by one.

    >>> end_row(2, 0.0, np.array([1.0, 2.0]), np.array([3.0, 4.0]), False)[2].tolist()
    9.0
    """
    d, m = dx[0], slope[0]
    if order == 1:
        return 1.0, 0.0, value + np.zeros_like(m)
    if order == 2:
        return 2.0 * d, d, 3.0 * d * m - 0.5 * value * d**2
    if len(dx) == 1:
        return 1.0, 0.0, m
    if parabola:
        return 1.0, 1.0, 2.0 * m
    both = d + dx[1]
    return dx[1], both, ((d + 2.0 * both) * dx[1] * m + d**2 * slope[1]) / both


def tridiagonal(above: Any, diagonal: Any, below: Any, right: Any) -> Any:
    """The solution of a tridiagonal system, in the shape of its right side.

    >>> tridiagonal(np.zeros(2), np.ones(2), np.zeros(2), np.array([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    bands = np.stack([above, diagonal, below])
    found = scipy.linalg.solve_banded((1, 1), bands, right.reshape((len(diagonal), -1)))
    return found.reshape(right.shape)


def slopes_between(x: Any, y: Any, start: tuple[int, Any], end: tuple[int, Any]) -> Any:
    """The slopes of the spline with conditions at its ends.

    >>> slopes_between(np.arange(3.0), np.arange(3.0), (0, 0.0), (0, 0.0)).tolist()
    [1.0, 1.0, 1.0]
    """
    dx, trailing = np.diff(x), y.ndim - 1
    slope = np.diff(y, axis=0) / spread(dx, trailing)
    parabola = len(x) == 3 and start[0] == 0 and end[0] == 0
    first, second, at_start = end_row(*start, dx, slope, parabola)
    turned = -end[1] if end[0] == 2 else end[1]
    last, before, at_end = end_row(end[0], turned, dx[::-1], slope[::-1], parabola)
    wide = spread(dx, trailing)
    inner = 3.0 * (wide[1:] * slope[:-1] + wide[:-1] * slope[1:])
    return tridiagonal(
        np.concatenate((np.array([0.0, second]), dx[:-1])),
        np.concatenate((np.array([first]), 2.0 * (dx[:-1] + dx[1:]), np.array([last]))),
        np.concatenate((dx[1:], np.array([before, 0.0]))),
        np.concatenate((at_start[None], inner, at_end[None])),
    )


def slopes_around(x: Any, y: Any) -> Any:
    """The slopes of the periodic spline, by the system without its last equation and unknown.

    >>> slopes_around(np.arange(5.0), np.array([0.0, 1.0, 0.0, -1.0, 0.0])).round(12) + 0.0
    array([ 1.5,  0. , -1.5,  0. ,  1.5])
    """
    dx, trailing = np.diff(x), y.ndim - 1
    wide = spread(dx, trailing)
    slope = np.diff(y, axis=0) / wide
    if len(x) == 2:
        return np.concatenate((slope, slope))
    if len(x) == 3:
        mean = np.sum(slope / wide, axis=0) / np.sum(1.0 / wide, axis=0)
        return np.stack([mean, mean, mean])
    right = 3.0 * (wide[1:] * slope[:-1] + wide[:-1] * slope[1:])
    right = np.concatenate((3.0 * (wide[:1] * slope[-1:] + wide[-1:] * slope[:1]), right))
    above = np.concatenate((np.array([0.0]), dx[-1:], dx[:-3]))
    diagonal = np.concatenate((2.0 * (dx[-1:] + dx[:1]), 2.0 * (dx[:-2] + dx[1:-1])))
    below = np.concatenate((dx[1:-1], np.array([0.0])))
    one = tridiagonal(above, diagonal, below, right[:-1])
    left_out = np.concatenate((-dx[:1], np.zeros(len(x) - 4), -dx[-3:-2]))
    two = tridiagonal(above, diagonal, below, left_out)
    rest = right[-1] - dx[-2] * one[0] - dx[-1] * one[-1]
    last = rest / (2.0 * (dx[-1] + dx[-2]) + dx[-2] * two[0] + dx[-1] * two[-1])
    slopes = one + last * spread(two, trailing)
    return np.concatenate((slopes, last[None], slopes[:1]))


@stands_for(interpolate.CubicSpline)
class CubicSpline(Pieces):
    """The cubic spline through points.

    >>> float(CubicSpline(np.arange(4.0), np.arange(4.0))(1.5))
    1.5
    """

    def __init__(
        self, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
    ):
        x, y, axis = prepared(x, y, axis)
        periodic = isinstance(bc_type, str) and bc_type == "periodic"
        if periodic:
            if not np.all(np.abs(y[0] - y[-1]) <= 1e-15 + 1e-15 * np.abs(y[-1])):
                raise ValueError("The first and last `y` point must be identical (periodic)")
            slopes = slopes_around(x, y)
        else:
            pair = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
            if len(pair) != 2:
                raise ValueError("`bc_type` must contain 2 elements")
            start, end = [condition(b, y.shape[1:]) for b in pair]
            slopes = slopes_between(x, y, start, end)
        natural = "periodic" if periodic else True
        how = natural if extrapolate is None else extrapolate
        super().__init__(hermite(x, y, slopes), x, how, axis)
