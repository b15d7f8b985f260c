"""B-splines of scipy.interpolate, and the interpolating splines that are made as such.

C. de Boor, "A Practical Guide to Splines" (1978), chapters 9 and 10. All is local: a value needs
the k + 1 coefficients and 2 k knots about its interval, whatever the number of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy import interpolate

from srcgrad.frontend.formulas.piecewise import (
    in_its_place,
    into_period,
    of_doubles,
    over_periods,
    spread,
)
from srcgrad.frontend.formulas.registry import known, stands_for, unsupported


def interval(t: Any, k: int, x: Any) -> Any:
    """The place of the last of the inner knots at or before each point.

    >>> int(interval(np.array([0.0, 0.0, 1.0, 2.0, 2.0]), 1, 1.5))
    2
    """
    return np.clip(np.searchsorted(t, x, side="right") - 1, k, len(t) - k - 2)


def knots_about(t: Any, k: int, i: Any) -> list:
    """The 2 k knots about an interval, which lies in their middle."""
    return [t[i + s] for s in range(1 - k, k + 1)]


def collapsed(d: list, knots: list, x: Any, nu: int, axes: int) -> Any:
    """The value or the derivative of order `nu` by the coefficients and knots about an interval.

    >>> float(collapsed([2.0, 4.0], [np.float64(0.0), np.float64(1.0)], 0.5, 0, 0))
    3.0
    """
    k = len(d) - 1
    if nu > k:
        return np.zeros_like(d[0])
    for p in range(k, 0, -1):
        if nu > k - p:
            d = [p * (d[j + 1] - d[j]) / spread(knots[j + p] - knots[j], axes) for j in range(p)]
        else:
            parts = [(x - knots[j]) / (knots[j + p] - knots[j]) for j in range(p)]
            parts = [spread(a, axes) for a in parts]
            d = [(1.0 - parts[j]) * d[j] + parts[j] * d[j + 1] for j in range(p)]
        knots = knots[1:-1]
    return d[0]


def evaluated(t: Any, c: Any, k: int, x: Any, nu: int, how: Any) -> Any:
    """A spline or a derivative of it at points; the coefficients' other axes come last.

    >>> float(evaluated(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1, 0.5, 0, True))
    3.0
    """
    first, last = t[k], t[len(t) - k - 1]
    if how == "periodic":
        x = into_period(x, first, last)
    i = interval(t, k, x)
    axes = c.ndim - 1
    value = collapsed([c[i - k + j] for j in range(k + 1)], knots_about(t, k, i), x, nu, axes)
    inside = (x >= first) & (x <= last) if how is False else x == x
    return np.where(spread(inside, axes), value, np.nan)


def derived(t: Any, c: Any, k: int, nu: int) -> tuple[Any, Any, int]:
    """Knots, coefficients and degree of a derivative.

    >>> derived(np.array([0.0, 0.0, 2.0, 2.0]), np.array([2.0, 4.0]), 1, 1)[1].tolist()
    [1.0]
    """
    if nu > k:
        raise ValueError("the order of the derivative must be <= the order of the spline")
    for p in range(k, k - nu, -1):
        n = len(t) - p - 1
        span = t[p + 1 : -1] - t[1 : -p - 1]
        if not np.all(span > 0.0):
            raise ValueError("The spline has internal repeated knots and is not differentiable")
        c = (c[1:n] - c[: n - 1]) * spread(p / span, c.ndim - 1)
        t = t[1:-1]
    return t, c, k - nu


def integrated(t: Any, c: Any, k: int, nu: int) -> tuple[Any, Any, int]:
    """Knots, coefficients and degree of the integral from the first knot, `nu` times.

    >>> integrated(np.array([0.0, 1.0]), np.array([3.0]), 0, 1)[1].tolist()
    [0.0, 3.0]
    """
    for p in range(k, k + nu):
        n = len(t) - p - 1
        span = t[p + 1 :] - t[: -p - 1]
        total = np.cumsum(c[:n] * spread(span, c.ndim - 1), axis=0) / (p + 1)
        c = np.concatenate((np.zeros_like(total[:1]), total))
        t = np.concatenate((t[:1], t, t[-1:]))
    return t, c, k + nu


class Spline:
    """A B-spline, without a check of what it is made of.

    >>> line = Spline(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1, True, 0)
    >>> float(line(0.5)), float(line.derivative()(0.5)), float(line.integrate(0.0, 1.0))
    (3.0, 2.0, 3.0)
    """

    def __init__(self, t: Any, c: Any, k: Any, extrapolate: Any, axis: int):
        self.t = t
        self.c = c
        self.k = k
        self.extrapolate = extrapolate
        self.axis = axis

    @property
    def tck(self) -> tuple:
        return self.t, self.c, self.k

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        how = known(self.extrapolate if extrapolate is None else extrapolate)
        x = np.asarray(x, dtype=np.float64)
        value = evaluated(self.t, self.c, known(self.k), x, known(nu), how)
        return in_its_place(value, x.ndim, self.axis)

    def derivative(self, nu: Any = 1) -> Spline:
        nu = known(nu)
        if nu < 0:
            return self.antiderivative(-nu)
        return Spline(*derived(self.t, self.c, known(self.k), nu), self.extrapolate, self.axis)

    def antiderivative(self, nu: Any = 1) -> Spline:
        nu = known(nu)
        if nu < 0:
            return self.derivative(-nu)
        how = False if self.extrapolate == "periodic" else self.extrapolate
        return Spline(*integrated(self.t, self.c, known(self.k), nu), how, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        how = known(self.extrapolate if extrapolate is None else extrapolate)
        first, last = self.t[self.k], self.t[len(self.t) - self.k - 1]
        t, c, k = integrated(self.t, self.c, known(self.k), 1)

        def whole(x: Any, nu: int, how: Any) -> Any:
            return evaluated(t, c, k, x, nu, how)

        if how == "periodic":
            return over_periods(whole, first, last, a, b)
        if not how:
            a, b = np.clip(a, first, last), np.clip(b, first, last)
        return whole(b, 0, True) - whole(a, 0, True)


@stands_for(interpolate.BSpline)
class BSpline(Spline):
    """A B-spline of knots and coefficients.

    >>> float(BSpline([0.0, 0.0, 1.0, 1.0], [2.0, 4.0], 1)(0.5))
    3.0
    """

    def __init__(self, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0):
        t, c, k = np.asarray(t, dtype=np.float64), of_doubles(c), known(k)
        if c.ndim < 1:
            raise ValueError("Coefficients must be at least 1-dimensional.")
        axis = known(axis) % c.ndim
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        n = len(t) - k - 1
        if n < k + 1:
            raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
        if not np.all(np.diff(t) >= 0.0):
            raise ValueError("Knots must be in a non-decreasing order.")
        if not t[k] < t[n]:
            raise ValueError("Need at least two internal knots.")
        c = np.moveaxis(c, axis, 0)
        if c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")
        super().__init__(t, c, k, extrapolate, axis)


@stands_for(interpolate.BSpline.basis_element)
def basis_element(t: Any, extrapolate: Any = True) -> Spline:
    """The B-spline that is not zero on the knots `t` alone.

    >>> float(basis_element(np.arange(3.0))(1.0))
    1.0
    """
    t = np.asarray(t, dtype=np.float64)
    k = known(len(t)) - 2
    if k < 0:
        raise ValueError("BSpline.basis_element requires at least 2 knots")
    before, after = np.repeat(t[:1] - 1.0, k), np.repeat(t[-1:] + 1.0, k)
    c = np.zeros(3 * k + 2)
    c[k] = 1.0
    return Spline(np.concatenate((before, t, after)), c, k, extrapolate, 0)


# ---- interpolation ----
def basis(knots: list, x: Any) -> list:
    """The B-splines that are not zero between the knots, at points there.

    >>> [float(v) for v in basis([0.0, 1.0], np.float64(0.25))]
    [0.75, 0.25]
    """
    k = len(knots) // 2
    values = [np.ones_like(x)]
    for p in range(1, k + 1):
        near = knots[k - p : k + p]
        parts = [values[r] / (near[r + p] - near[r]) for r in range(p)]
        left = [(x - near[r]) * parts[r] for r in range(p)]
        right = [(near[r + p] - x) * parts[r] for r in range(p)]
        inner = [left[r - 1] + right[r] for r in range(1, p)]
        values = [right[0], *inner, left[p - 1]]
    return values


def not_a_knot(x: Any, k: int) -> Any:
    """The knots of the interpolating spline that has none at the first and last inner points.

    >>> not_a_knot(np.arange(4.0), 3).tolist()
    [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0]
    """
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2.0
    side = (k + 1) // 2 if k % 2 else k // 2
    return np.concatenate((np.repeat(x[:1], k + 1), inner[side:-side], np.repeat(x[-1:], k + 1)))


def at_end(given: Any, shape: tuple) -> list:
    """The orders of the derivatives that are given at an end, and their values.

    >>> at_end("natural", ())[0][0]
    2
    """
    if given is None:
        return []
    if isinstance(given, str):
        if given not in ("clamped", "natural"):
            raise ValueError(f"Unknown boundary condition : {given}")
        return [(1 if given == "clamped" else 2, np.zeros(shape))]
    return [(order, np.asarray(value)) for order, value in given]


def conditions(t: Any, k: int, at: Any, given: list) -> list:
    """For each derivative that is given at an end: the place and the factors of the coefficients.

    >>> conditions(np.array([0.0, 0.0, 1.0, 1.0]), 1, 0.0, [(1, 5.0)])[0][1]
    [np.float64(-1.0), np.float64(1.0)]
    """
    i = interval(t, k, at)
    near = knots_about(t, k, i)
    units = [[float(a == b) for b in range(k + 1)] for a in range(k + 1)]
    return [(i, [collapsed(d, near, at, order, 0) for d in units]) for order, _ in given]


def interpolating(x: Any, y: Any, t: Any, k: int, start: list, end: list) -> Any:
    """The coefficients of the spline through points: a banded system.

    >>> x = np.arange(4.0)
    >>> interpolating(x, x, not_a_knot(x, 3), 3, [], []).round(12).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    n = len(t) - k - 1
    if n != len(x) + len(start) + len(end):
        raise ValueError("The number of derivatives at boundaries does not match")
    if not (x[0] >= t[k] and x[-1] <= t[n]):
        raise ValueError("Out of bounds: points outside of the knots")
    i = interval(t, k, x)
    rows = np.arange(len(x)) + len(start)
    bands = np.zeros((2 * k + 1, n))
    for a, values in enumerate(basis(knots_about(t, k, i), x)):
        columns = i - k + a
        bands[k + rows - columns, columns] = values
    for row, (i, factors) in enumerate(conditions(t, k, x[0], start)):
        for a in range(k + 1):
            bands[k + row - (i - k + a), i - k + a] = factors[a]
    for row, (i, factors) in enumerate(conditions(t, k, x[-1], end)):
        for a in range(k + 1):
            bands[k + n - len(end) + row - (i - k + a), i - k + a] = factors[a]
    right = [np.reshape(v, (1, *y.shape[1:])) for _, v in start]
    right = np.concatenate((*right, y, *[np.reshape(v, (1, *y.shape[1:])) for _, v in end]))
    found = scipy.linalg.solve_banded((k, k), bands, np.reshape(right, (n, -1)))
    return np.reshape(found, (n, *y.shape[1:]))


@stands_for(interpolate.make_interp_spline)
def make_interp_spline(
    x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0,
    check_finite: Any = True,
) -> Spline:  # fmt: skip
    """The interpolating spline.

    >>> float(make_interp_spline(np.arange(5.0), np.arange(5.0) ** 3)(1.5))
    3.375
    """
    x, y, k = np.asarray(x, dtype=np.float64), of_doubles(y), known(k)
    axis = known(axis) % y.ndim
    y = np.moveaxis(y, axis, 0)
    if isinstance(bc_type, str) and bc_type == "periodic":
        return unsupported("make_interp_spline with bc_type='periodic'", "use CubicSpline")
    named = bc_type is None or isinstance(bc_type, str)
    pair: Any = (bc_type, bc_type) if named else bc_type
    start, end = pair
    if named and bc_type == "not-a-knot":
        start, end = None, None
    if x.ndim != 1 or len(x) != y.shape[0]:
        raise ValueError("Shapes of x and y are incompatible")
    if not np.all(np.diff(x) > 0.0):
        raise ValueError("Expect x to be a 1D strictly increasing sequence without duplicates.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    ends = start is not None or end is not None
    if k == 0 or (k == 1 and t is None):
        if ends or (k == 0 and t is not None):
            raise ValueError(f"Too much info for k={k}")
        t = np.concatenate((x[:k], x, x[-1:]))
        return Spline(t, y, k, True, axis)
    if t is None:
        wide = np.concatenate((np.repeat(x[:1], k), x, np.repeat(x[-1:], k)))
        t = wide if ends else not_a_knot(x, k)
    t = np.asarray(t, dtype=np.float64)
    shape = y.shape[1:]
    c = interpolating(x, y, t, k, at_end(start, shape), at_end(end, shape))
    return Spline(t, c, k, True, axis)
