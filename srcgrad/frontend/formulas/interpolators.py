"""interp1d of scipy.interpolate, and interpolation on grids."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.frontend.formulas.bsplines import (
    collapsed,
    interpolating,
    interval,
    knots_about,
    make_interp_spline,
    not_a_knot,
)
from srcgrad.frontend.formulas.piecewise import in_its_place, of_doubles, spread
from srcgrad.frontend.formulas.registry import floating, inexact, known, stands_for, unsupported

DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3, "quintic": 5}
STEPS = ("nearest", "nearest-up", "previous", "next")


def step_at(kind: str, x: Any, at: Any) -> Any:
    """The place of the point whose value a step function has.

    >>> [int(step_at(kind, np.arange(3.0), 0.5)) for kind in STEPS]
    [0, 1, 0, 1]
    """
    if kind == "previous":
        return np.searchsorted(x, at, side="right") - 1
    if kind == "next":
        return np.searchsorted(x, at)
    half = x / 2.0
    return np.searchsorted(half[1:] + half[:-1], at, side="left" if kind == "nearest" else "right")


def is_extrapolating(fill: Any) -> bool:
    return isinstance(fill, str) and fill == "extrapolate"


@stands_for(interpolate.interp1d)
class Interp1d:
    """Interpolation of points on a line.

    >>> float(Interp1d([0.0, 1.0], [0.0, 2.0])(0.5))
    1.0
    """

    spline: Any = None  # of the kinds that are splines
    below: Any = None  # the values outside
    above: Any = None

    def __init__(
        self, x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True,
        bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: Any = False,
    ):  # fmt: skip
        x, y = np.asarray(x), inexact(y)
        if x.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if y.ndim == 0:
            raise ValueError("the y array must have at least one dimension.")
        self.axis = known(axis) % y.ndim
        if len(x) != y.shape[self.axis]:
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        if not known(assume_sorted):
            order = np.argsort(x, kind="stable")
            x, y = x[order], np.take(y, order, axis=self.axis)
        self.x = x
        self.y = y
        self.kind = kind
        if not isinstance(kind, str) or kind in ("zero", "slinear", "quadratic", "cubic"):
            degree = known(DEGREES[kind] if isinstance(kind, str) else kind)
            if len(x) <= degree:
                raise ValueError(f"x and y arrays must have at least {degree + 1} entries")
            self.kind = "spline"
            self.spline = make_interp_spline(x, np.moveaxis(y, self.axis, 0), degree)
        elif kind != "linear" and kind not in STEPS:
            raise NotImplementedError(f"{kind} is unsupported")
        elif len(x) < 1:
            raise ValueError("x and y arrays must have at least 1 entries")
        self.extrapolate = is_extrapolating(fill_value)
        if self.extrapolate and bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = not self.extrapolate if bounds_error is None else bool(bounds_error)
        pair = isinstance(fill_value, tuple) and len(fill_value) == 2
        below, above = fill_value if pair else (fill_value, fill_value)
        first, last = np.take(y, 0, axis=self.axis), np.take(y, -1, axis=self.axis)
        if self.extrapolate and kind in ("previous", "next"):
            self.extrapolate = False
            below, above = (np.nan, last) if kind == "previous" else (first, np.nan)
        if not self.extrapolate:
            self.below, self.above = flat(below, np.shape(first)), flat(above, np.shape(last))

    def __call__(self, x: Any) -> Any:
        at = floating(x)
        y = np.moveaxis(self.y, self.axis, 0)
        value = self.among(at, y)
        if not self.extrapolate:
            under, over = at < self.x[0], at > self.x[-1]
            if self.bounds_error and np.any(under):
                raise ValueError("A value in x_new is below the interpolation range.")
            if self.bounds_error and np.any(over):
                raise ValueError("A value in x_new is above the interpolation range.")
            if not self.bounds_error:
                kind, shape = value.dtype, y.shape[1:]
                below, above = unfolded(self.below, y[0], shape), unfolded(self.above, y[0], shape)
                value = np.where(spread(over, y.ndim - 1), above, value)
                value = np.where(spread(under, y.ndim - 1), below, value).astype(kind)
        return in_its_place(value, at.ndim, self.axis)

    def among(self, at: Any, y: Any) -> Any:
        """The values at points in the range, or continued."""
        x, axes = self.x, y.ndim - 1
        if self.kind == "spline":
            value = np.reshape(self.spline(at), (*at.shape, *y.shape[1:]))
            missing = np.isnan(np.sum(y)) | np.isnan(np.sum(x))
            return np.where(missing, np.nan, value)
        if self.kind in STEPS:
            return y[np.clip(step_at(self.kind, x, at), 0, len(x) - 1)]
        if axes == 0 and not self.extrapolate and y.dtype == np.float64 and x.dtype in OF_NUMPY:
            return np.interp(at, x, y)
        i = np.clip(np.searchsorted(x, at), 1, len(x) - 1)
        low, high = x[i - 1], x[i]
        right, left = (at - low) / (high - low), (high - at) / (high - low)
        return spread(right, axes) * y[i] + spread(left, axes) * y[i - 1]


OF_NUMPY = (np.dtype(np.float64), np.dtype(np.int64))


def flat(fill: Any, shape: tuple) -> Any:
    """A value for points outside, as a vector for results of a shape, as SciPy keeps it.

    >>> flat(1.0, (2, 1)).tolist()
    [1.0, 1.0]
    """
    return np.ravel(np.broadcast_to(fill, shape))


def unfolded(fill: Any, value: Any, shape: tuple) -> Any:
    """A vector of one or of all values outside, in the shape of one point's value.

    >>> unfolded(np.array([1.0]), np.zeros(2), (2,)).tolist()
    [1.0, 1.0]
    """
    return np.reshape(np.broadcast_to(fill, (np.size(value),)), shape)


# ---- grids ----
def as_points(xi: Any, many: int) -> Any:
    """Points of a grid with `many` axes, their coordinates last.

    >>> as_points((np.arange(3.0), 1.0), 2).shape
    (3, 2)
    """
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*[np.asarray(v, dtype=np.float64) for v in xi]), -1)
    xi = np.asarray(xi, dtype=np.float64)
    return np.reshape(xi, (-1, many)) if xi.ndim < 2 else xi


def corner_values(grid: list, values: Any, at: list, steps: bool) -> Any:
    """Multilinear interpolation, or the values of the nearest corners.

    >>> float(corner_values([np.arange(2.0)], np.array([1.0, 3.0]), [np.float64(0.5)], False))
    2.0
    """
    near, far, parts = [], [], []
    for g, x in zip(grid, at, strict=True):
        i = np.clip(np.searchsorted(g, x, side="right") - 1, 0, np.maximum(len(g) - 2, 0))
        j = np.minimum(i + 1, len(g) - 1)
        width = g[j] - g[i]
        near.append(i)
        far.append(j)
        parts.append((x - g[i]) / np.where(width == 0.0, 1.0, width))
    axes = values.ndim - len(grid)
    if steps:
        chosen = [np.where(p <= 0.5, i, j) for p, i, j in zip(parts, near, far, strict=True)]
        return values[tuple(chosen)]
    value = 0.0
    for corner in itertools.product((False, True), repeat=len(grid)):
        weight = 1.0
        for is_far, part in zip(corner, parts, strict=True):
            weight = weight * (part if is_far else 1.0 - part)
        place = [j if is_far else i for is_far, i, j in zip(corner, near, far, strict=True)]
        value = value + values[tuple(place)] * spread(weight, axes)
    return value


def tensor_value(knots: list, c: Any, degrees: list, at: list, orders: list) -> Any:
    """A spline of several variables or a derivative of it, one axis after the other.

    >>> t = np.array([0.0, 0.0, 1.0, 1.0])
    >>> float(tensor_value([t], np.array([2.0, 4.0]), [1], [0.5], [0]))
    3.0
    """
    places = [interval(t, k, x) for t, k, x in zip(knots, degrees, at, strict=True)]
    near = [knots_about(t, k, i) for t, k, i in zip(knots, degrees, places, strict=True)]
    axes = c.ndim - len(knots)

    def along(axis: int, place: tuple) -> Any:
        if axis == len(knots):
            return c[place]
        k, i = degrees[axis], places[axis]
        d = [along(axis + 1, (*place, i - k + j)) for j in range(k + 1)]
        return collapsed(d, near[axis], at[axis], orders[axis], axes)

    return along(0, ())


class TensorSpline:
    """A spline of several variables by its knots along each axis and its coefficients."""

    def __init__(self, knots: list, c: Any):
        self.knots = knots
        self.c = c

    def along_axes(self, many: int) -> list:
        return self.knots


class PaddedSpline:
    """SciPy's NdBSpline: the knots of all axes are rows of one array."""

    def __init__(self, t: Any, lengths: Any, c: Any):
        self.t = t
        self.lengths = lengths
        self.c = c

    def along_axes(self, many: int) -> list:
        return [self.t[d, : self.lengths[d]] for d in range(many)]


def tensor_spline(grid: list, values: Any, k: int) -> TensorSpline:
    """The interpolating spline, along one axis of the grid after the other."""
    knots, c = [], of_doubles(values)
    for axis, x in enumerate(grid):
        if len(x) <= k:
            raise ValueError(f"the method requires at least {k + 1} points per dimension.")
        t = not_a_knot(x, k)
        c = np.moveaxis(interpolating(x, np.moveaxis(c, axis, 0), t, k, [], []), 0, axis)
        knots.append(t)
    return TensorSpline(knots, c)


METHODS = ("linear", "nearest", "slinear", "cubic", "quintic")


@stands_for(interpolate.RegularGridInterpolator)
class GridInterpolator:
    """Interpolation of values on a grid.

    >>> made = GridInterpolator((np.arange(2.0), np.arange(3.0)), np.ones((2, 3)))
    >>> made([[0.5, 1.5]])
    array([1.])
    """

    def __init__(
        self, points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
        fill_value: Any = np.nan, *, solver: Any = None, solver_args: Any = None,
    ):  # fmt: skip
        values = inexact(values)
        grid = [np.asarray(p, dtype=np.float64) for p in points]
        if len(grid) > values.ndim:
            raise ValueError(f"There are {len(grid)} point arrays, but values has fewer dimensions")
        for axis, p in enumerate(grid):
            if p.ndim != 1:
                raise ValueError(f"The points in dimension {axis} must be 1-dimensional")
            if len(p) != values.shape[axis]:
                raise ValueError(f"There are not as many points as values in dimension {axis}")
            if p[0] > p[-1]:
                p, values = p[::-1].copy(), np.flip(values, axis).copy()
            if not np.all(np.diff(p) > 0.0):
                raise ValueError(
                    f"The points in dimension {axis} must be strictly ascending or descending"
                )
            grid[axis] = p
        self.grid = tuple(grid)
        self.values = values
        self.method = checked_method(method)
        self.bounds_error = known(bounds_error)
        self.fill_value = fill_value
        self.spline: Any = None
        if method in DEGREES:
            self.spline = tensor_spline(grid, values, DEGREES[method])

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        method = self.method if method is None else checked_method(method)
        grid, many = self.grid, len(self.grid)
        points = as_points(xi, many)
        if points.shape[-1] != many:
            raise ValueError(f"The requested sample points do not have the dimension {many}")
        at = [points[..., d] for d in range(many)]
        inside = [(g[0] <= x) & (x <= g[-1]) for g, x in zip(grid, at, strict=True)]
        if self.bounds_error:
            for axis, within in enumerate(inside):
                if not np.all(within):
                    raise ValueError(
                        f"One of the requested xi is out of bounds in dimension {axis}"
                    )
        value = self.among(method, at, nu)
        axes = self.values.ndim - many
        if not self.bounds_error and self.fill_value is not None:
            all_inside = True
            for within in inside:
                all_inside = all_inside & within
            kind = value.dtype
            value = np.where(spread(all_inside, axes), value, self.fill_value).astype(kind)
        missing = spread(np.isnan(np.sum(points, axis=-1)), axes)
        return np.where(missing, np.nan, value).astype(value.dtype)

    def among(self, method: str, at: list, nu: Any) -> Any:
        many = len(self.grid)
        if method not in DEGREES:
            if nu is not None:
                raise ValueError("Can only compute derivatives for slinear, cubic and quintic")
            return corner_values([*self.grid], self.values, at, method == "nearest")
        k = DEGREES[method]
        made = self.spline
        if method != self.method:
            made = tensor_spline([*self.grid], self.values, k)
        orders = [0] * many if nu is None else [known(n) for n in nu]
        return tensor_value(made.along_axes(many), made.c, [k] * many, at, orders)


def checked_method(method: Any) -> str:
    if method in METHODS:
        return method
    return unsupported(f"the method {method!r} of interpolation on a grid", f"use one of {METHODS}")


@stands_for(interpolate.interpn)
def interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    """`RegularGridInterpolator` for one call.

    >>> interpn((np.arange(2.0),), np.array([1.0, 3.0]), np.array([0.5]))
    array([2.])
    """
    made = GridInterpolator(
        points, values, method, bounds_error=bounds_error, fill_value=fill_value
    )
    return made(xi)
