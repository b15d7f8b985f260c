"""Piecewise polynomials of scipy.interpolate, and the interpolators that are made as such.

The coefficients are SciPy's: `c[m, i]` belongs to the power k - 1 - m of x - `x[i]`, the axis of
interpolation comes first. Imported when a program uses that module.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.frontend.formulas.registry import known, stands_for, unsupported


def of_doubles(v: Any) -> Any:
    """An array of doubles, or of complex numbers of these.

    >>> of_doubles([1, 2])
    array([1., 2.])
    """
    return np.asarray(v, dtype=np.complex128 if np.iscomplexobj(v) else np.float64)


def spread(v: Any, axes: int) -> Any:
    """An array with further axes of length 1 at its end.

    >>> spread(np.ones(2), 1).shape
    (2, 1)
    """
    return np.asarray(v)[(...,) + (None,) * axes] if axes else v


def in_its_place(value: Any, before: int, axis: int) -> Any:
    """Values whose first `before` axes take the place of one axis of the data.

    >>> in_its_place(np.zeros((5, 2, 3)), 1, 1).shape
    (2, 5, 3)
    """
    if axis == 0:
        return value
    order = (*range(before, before + axis), *range(before), *range(before + axis, value.ndim))
    return np.transpose(value, order)


def into_period(x: Any, first: Any, last: Any) -> Any:
    """Points moved by periods into an interval.

    >>> float(into_period(2.5, 0.0, 1.0))
    0.5
    """
    return first + (x - first) % (last - first)


class Pieces:
    """A piecewise polynomial, without a check of what it is made of.

    >>> line = Pieces(np.array([[2.0], [1.0]]), np.array([0.0, 1.0]), True, 0)
    >>> float(line(0.5)), float(line.integrate(0.0, 1.0)), float(line(0.5, 1))
    (2.0, 2.0, 2.0)
    """

    def __init__(self, c: Any, x: Any, extrapolate: Any, axis: int):
        self.c = c
        self.x = x
        self.extrapolate = extrapolate
        self.axis = axis

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        how = known(self.extrapolate if extrapolate is None else extrapolate)
        nu, many = known(nu), known(self.c.shape[0])
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        x = np.asarray(x, dtype=np.float64)
        first, last = self.x[0], self.x[-1]
        if first > last:
            raise ValueError("breakpoints that decrease are not supported")
        if how == "periodic":
            x = into_period(x, first, last)
        i = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2)
        step = spread(x - self.x[i], self.c.ndim - 2)
        value = np.zeros_like(self.c[0][i])
        power = 1.0
        for degree in range(nu, many):
            value = value + self.c[many - 1 - degree][i] * power * float(math.perm(degree, nu))
            power = power * step
        if not how:
            value = np.where(spread((x >= first) & (x <= last), self.c.ndim - 2), value, np.nan)
        elif many - nu < 2:  # a constant, that knows of no NaN
            value = np.where(spread(x == x, self.c.ndim - 2), value, np.nan)
        return in_its_place(value, x.ndim, self.axis)

    def derivative(self, nu: Any = 1) -> Pieces:
        nu, many = known(nu), known(self.c.shape[0])
        if nu < 0:
            return self.antiderivative(-nu)
        rows = [self.c[m] * float(math.perm(many - 1 - m, nu)) for m in range(many - nu)]
        c = np.stack(rows if rows else [np.zeros_like(self.c[0])])
        return Pieces(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: Any = 1) -> Pieces:
        nu, many = known(nu), known(self.c.shape[0])
        if nu < 0:
            return self.derivative(-nu)
        if nu == 0:
            return self
        rows = [self.c[m] / float(many - m) for m in range(many)]
        length = spread(np.diff(self.x), self.c.ndim - 2)
        rise = np.zeros_like(self.c[0])
        for row in rows:
            rise = (rise + row) * length
        start = np.concatenate((np.zeros_like(rise[:1]), np.cumsum(rise, axis=0)[:-1]))
        how = False if self.extrapolate == "periodic" else self.extrapolate
        return Pieces(np.stack([*rows, start]), self.x, how, self.axis).antiderivative(nu - 1)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        how = known(self.extrapolate if extrapolate is None else extrapolate)
        whole = self.antiderivative()
        if how == "periodic":
            return over_periods(whole, self.x[0], self.x[-1], a, b)
        return whole(b, 0, how) - whole(a, 0, how)

    def solve(self, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        return unsupported("the roots of a piecewise polynomial are not supported", ROOTS)

    def roots(self, discontinuity: Any = True, extrapolate: Any = None) -> Any:
        return unsupported("the roots of a piecewise polynomial are not supported", ROOTS)

    def extend(self, c: Any, x: Any) -> Any:
        return unsupported("extend() is not supported", "make one of all the pieces")


ROOTS = "find one with flow.implicit_root or scipy.optimize.brentq"


def over_periods(whole: Any, first: Any, last: Any, a: Any, b: Any) -> Any:
    """The integral from a to b of a periodic function, whose integral from `first` is `whole`.

    >>> float(over_periods(lambda x, nu, how: x, 0.0, 1.0, -1.5, 3.0))
    4.5
    """
    period = last - first
    upper = whole(into_period(b, first, last), 0, True)
    lower = whole(into_period(a, first, last), 0, True)
    turns = np.floor((b - first) / period) - np.floor((a - first) / period)
    return upper - lower + turns * whole(last, 0, True)


@stands_for(interpolate.PPoly)
class PPoly(Pieces):
    """A piecewise polynomial of coefficients and breakpoints.

    >>> float(PPoly([[1.0], [0.0]], [0.0, 1.0])(3.0))
    3.0
    """

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: Any = 0):
        c, x, axis = of_doubles(c), np.asarray(x, dtype=np.float64), known(axis)
        if c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < c.ndim - 1:
            raise ValueError("axis must be between 0 and the number of axes of c less 1")
        if axis != 0:
            c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
        if x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if len(x) < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if known(c.shape[0]) == 0:
            raise ValueError("polynomial must be at least of order 0")
        if c.shape[1] != len(x) - 1:
            raise ValueError("number of coefficients != len(x)-1")
        if not np.all(np.diff(x) >= 0.0):
            raise ValueError("`x` must be increasing: breakpoints that decrease are not supported")
        super().__init__(c, x, True if extrapolate is None else extrapolate, axis)


def prepared(x: Any, y: Any, axis: Any) -> tuple:
    """The places, the values with the axis of interpolation first, and the place of that axis.

    >>> prepared([0, 1], np.zeros((3, 2)), -1)[1].shape
    (2, 3)
    """
    x, y = np.asarray(x, dtype=np.float64), of_doubles(y)
    axis = known(axis) % y.ndim
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if len(x) < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if len(x) != y.shape[axis]:
        raise ValueError("The length of `y` along `axis` doesn't match the length of `x`")
    if not np.all(np.abs(x) < np.inf):
        raise ValueError("`x` must contain only finite values.")
    if not np.all(np.abs(y) < np.inf):
        raise ValueError("`y` must contain only finite values.")
    if not np.all(np.diff(x) > 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, np.moveaxis(y, axis, 0), axis


def hermite(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients of the cubic polynomials with given values and slopes at their ends.

    >>> hermite(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0])).ravel().tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    dx = spread(np.diff(x), y.ndim - 1)
    rise = np.diff(y, axis=0) / dx
    t = (slopes[:-1] + slopes[1:] - 2.0 * rise) / dx
    return np.stack([t / dx, (rise - slopes[:-1]) / dx - t, slopes[:-1], y[:-1]])


@stands_for(interpolate.CubicHermiteSpline)
class CubicHermiteSpline(Pieces):
    """The interpolator of values and slopes.

    >>> float(CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])(0.5))
    0.5
    """

    def __init__(self, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None):
        x, y, axis = prepared(x, y, axis)
        slopes = np.moveaxis(of_doubles(dydx), axis, 0)
        if slopes.shape != y.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        if not np.all(np.abs(slopes) < np.inf):
            raise ValueError("`dydx` must contain only finite values.")
        how = True if extrapolate is None else extrapolate
        super().__init__(hermite(x, y, slopes), x, how, axis)


def real(y: Any, name: str) -> Any:
    """Values that are not complex."""
    return unsupported(f"{name} of complex values", "use .real") if np.iscomplexobj(y) else y


# ---- monotone interpolation ----
def end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """A one-sided estimate from three points that preserves the shape.

    >>> float(end_slope(1.0, 1.0, 1.0, 1.0))
    1.0
    """
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turned = np.sign(d) != np.sign(m0)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(turned, 0.0, np.where(steep, 3.0 * m0, d))


def monotone_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the slopes beside each point, 0 where these change sign.

    >>> monotone_slopes(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1.0, 1.0, 1.0]
    """
    h = spread(np.diff(x), y.ndim - 1)
    m = np.diff(y, axis=0) / h
    if len(x) == 2:
        return np.concatenate((m, m))
    before, after = m[:-1], m[1:]
    flat = (np.sign(before) != np.sign(after)) | (before == 0.0) | (after == 0.0)
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (w1 / np.where(flat, 1.0, before) + w2 / np.where(flat, 1.0, after)) / (w1 + w2)
    inner = np.where(flat, 0.0, 1.0 / np.where(flat, 1.0, mean))
    start = end_slope(h[:1], h[1:2], m[:1], m[1:2])
    end = end_slope(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return np.concatenate((start, inner, end))


@stands_for(interpolate.PchipInterpolator)
class PchipInterpolator(Pieces):
    """Monotone cubic interpolation.

    >>> float(PchipInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])(0.5))
    0.5
    """

    def __init__(self, x: Any, y: Any, axis: Any = 0, extrapolate: Any = None):
        x, y, axis = prepared(x, real(y, "PchipInterpolator"), axis)
        how = True if extrapolate is None else extrapolate
        super().__init__(hermite(x, y, monotone_slopes(x, y)), x, how, axis)


@stands_for(interpolate.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    """Values or derivatives of `PchipInterpolator`.

    >>> float(pchip_interpolate([0.0, 1.0], [0.0, 1.0], 0.5))
    0.5
    """
    made = PchipInterpolator(xi, yi, axis)
    if isinstance(der, list | tuple):
        return np.stack([made(x, nu) for nu in der])
    return made(x, der)


# ---- Akima's interpolation ----
BREAK = 1e-9  # SciPy's: below this part of the largest one a difference of slopes counts as none


def akima_slopes(x: Any, y: Any, modified: bool) -> Any:
    """Means of the slopes beside each point, weighted by how much the next ones change.

    >>> akima_slopes(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]), False).tolist()
    [1.0, 1.0, 1.0]
    """
    m = np.diff(y, axis=0) / spread(np.diff(x), y.ndim - 1)
    if len(x) == 2:
        return np.concatenate((m, m))
    left = 2.0 * m[:1] - m[1:2]
    right = 2.0 * m[-1:] - m[-2:-1]
    m = np.concatenate((2.0 * left - m[:1], left, m, right, 2.0 * right - m[-1:]))
    change = np.abs(np.diff(m, axis=0))
    if modified:
        size = np.abs(m[1:] + m[:-1])
        change = change + 0.5 * size
    before, after = change[:-2], change[2:]
    both = before + after
    told = both > BREAK * np.max(both)
    part = before / np.where(told, both, 1.0)
    return np.where(told, m[1:-2] + part * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


@stands_for(interpolate.Akima1DInterpolator)
class Akima1DInterpolator(Pieces):
    """Akima's interpolation, or the modified one.

    >>> float(Akima1DInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])(0.5))
    0.5
    """

    def __init__(
        self, x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None
    ):
        if method not in ("akima", "makima"):
            raise NotImplementedError(f"`method`={method} is unsupported.")
        x, y, axis = prepared(x, real(y, "Akima1DInterpolator"), axis)
        how = False if extrapolate is None else extrapolate
        super().__init__(hermite(x, y, akima_slopes(x, y, method == "makima")), x, how, axis)
