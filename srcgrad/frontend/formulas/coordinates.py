"""Splines on images: scipy.ndimage's filter that makes one, and its values between the pixels.

P. Thévenaz, T. Blu, M. Unser, "Interpolation revisited" (2000). The coefficients solve a banded
system, which SciPy's recursive filter does to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy import ndimage

from srcgrad.frontend.formulas import rank_filters, scipy_ndimage  # noqa: F401 (registers filters)
from srcgrad.frontend.formulas.bsplines import basis
from srcgrad.frontend.formulas.registry import is_array, known, place, stands_for, unsupported

# the values of the splines at the pixels, by their order
AT_PIXELS = {
    2: (0.125, 0.75, 0.125), 3: (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0),
    4: (1.0 / 384.0, 76.0 / 384.0, 230.0 / 384.0, 76.0 / 384.0, 1.0 / 384.0),
    5: (1.0 / 120.0, 26.0 / 120.0, 66.0 / 120.0, 26.0 / 120.0, 1.0 / 120.0),
}  # fmt: skip
NAMED = {"grid-mirror": "reflect"}
PADDING = 12  # SciPy's, of the modes that are no symmetry


def folded(k: Any, n: Any, mode: str) -> Any:
    """Places of pixels beyond the image, as places within it.

    >>> [folded(np.arange(-2, 5), 3, mode).tolist() for mode in ("mirror", "reflect")]
    [[2, 1, 0, 1, 2, 1, 0], [1, 0, 0, 1, 2, 2, 1]]
    """
    if mode == "mirror":
        period = np.maximum(2 * n - 2, 1)
        k = np.abs(k) % period
        return np.minimum(k, period - k) if n > 1 else 0 * k
    if mode == "reflect":
        k = k % (2 * n)
        return np.minimum(k, 2 * n - 1 - k)
    return k % n if mode == "grid-wrap" else np.clip(k, 0, n - 1)


def edges_of(mode: str) -> str:
    """How the spline goes on at an edge."""
    return {"reflect": "reflect", "nearest": "reflect", "grid-wrap": "grid-wrap"}.get(
        mode, "mirror"
    )


def filtered(x: Any, order: int, axis: int, mode: str) -> Any:
    """The coefficients of the spline along one axis.

    >>> filtered(np.ones(3), 3, 0, "mirror").round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    weights, reach = AT_PIXELS[order], order // 2
    moved = np.moveaxis(x, axis, 0)
    n, many = moved.shape[0], 1
    for size in moved.shape[1:]:
        many = many * size
    right = np.reshape(moved, (n, many))
    edges = edges_of(mode)
    rows = np.arange(n)
    if edges == "grid-wrap":
        first = np.zeros(n)
        for d in range(-reach, reach + 1):
            first[d % n] += weights[d + reach]
        found = scipy.linalg.solve_circulant(first, right)
    else:
        bands = np.zeros((2 * reach + 1, n))
        for d in range(-reach, reach + 1):
            columns = folded(rows + d, n, edges)
            bands[reach + rows - columns, columns] += weights[d + reach]
        found = scipy.linalg.solve_banded((reach, reach), bands, right)
    return np.moveaxis(np.reshape(found, moved.shape), 0, axis)


def checked(order: Any, mode: Any) -> tuple[int, str]:
    order, mode = known(order), NAMED.get(known(mode), mode)
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    return order, mode


@stands_for(ndimage.spline_filter1d)
def spline_filter1d(
    input: Any, order: Any = 3, axis: Any = -1, output: Any = np.float64, mode: Any = "mirror"
) -> Any:
    """The coefficients of the spline along one axis.

    >>> spline_filter1d(np.ones(3)).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    order, mode = checked(order, mode)
    if output is not np.float64:
        return unsupported("output= is not supported here", "use .astype on the result")
    x = np.asarray(input).astype(np.float64)
    return filtered(x, order, place(known(axis), x.ndim), mode) if order > 1 else x


@stands_for(ndimage.spline_filter)
def spline_filter(
    input: Any, order: Any = 3, output: Any = np.float64, mode: Any = "mirror"
) -> Any:
    """The coefficients of the spline along every axis.

    >>> spline_filter(np.ones((2, 2))).round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    if order < 2 or order > 5:
        raise RuntimeError("spline order not supported")
    x = np.asarray(input)
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, output, mode)
    return x


def within(x: Any, n: Any, mode: str) -> Any:
    """Coordinates beyond an image, as coordinates within it.

    >>> [float(within(-0.25, 3, mode)) for mode in ("mirror", "reflect", "wrap", "grid-wrap")]
    [0.25, -0.75, 1.75, 2.75]
    """
    if mode == "nearest":  # places are cut off, not coordinates
        return np.clip(x, -PADDING, n + PADDING)
    if mode == "mirror":
        period = np.maximum(2.0 * n - 2.0, 1.0)
        rest = x - period * np.trunc(x / period)
        left = np.where(rest <= 1.0 - n, rest + period, -rest)
        return np.where(x < 0.0, left, np.where(rest >= n, period - rest, rest))
    if mode == "reflect":
        period = 2.0 * n
        rest = x - period * np.trunc(x / period)
        left = np.where(rest < -n, rest + period, -rest - 1.0)
        return np.where(x < 0.0, left, np.where(rest >= n, period - rest - 1.0, rest))
    if mode == "wrap":
        period = np.maximum(n - 1.0, 1.0)
        rest = x - period * np.trunc(x / period)
        return np.where(x < 0.0, rest + period, np.where(x > n - 1.0, rest, x))
    if mode == "grid-wrap":
        return x - n * np.floor(x / n)
    return x


MODES = ("constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap", "grid-constant")


def _stated(output: Any) -> Any:
    """The dtype that is stated for a result."""
    if is_array(output):
        return unsupported("output= takes a dtype here", "store the result: y[...] = ...")
    kind = np.dtype(output)
    if kind.name not in ("float32", "float64"):
        return unsupported("output= takes a dtype of floats here", "use .astype on the result")
    return kind


@stands_for(ndimage.map_coordinates)
def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    """The values of an image between its pixels.

    >>> map_coordinates(np.array([1.0, 3.0, 4.0]), np.array([[0.5, 9.0]]), order=1)
    array([2., 0.])
    """
    order, mode = checked(order, mode)
    if mode not in MODES:
        raise RuntimeError(f"boundary mode not supported: {mode}")
    x, at = np.asarray(input), np.asarray(coordinates)
    kind = x.dtype if output is None else _stated(output)
    if x.dtype.kind != "f":
        return unsupported(
            "map_coordinates of an image that is not of floats", "use .astype(float)"
        )
    if at.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if at.shape[0] != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    x, at = x.astype(np.float64), at.astype(np.float64)
    if mode in ("constant", "grid-constant") and x.size == 0:
        value = np.full(at.shape[1:], float(cval))
    else:
        value = interpolated(x, at, order, mode, cval, known(prefilter))
    return value.astype(kind)


def interpolated(x: Any, at: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """The values of an image that has pixels.

    >>> interpolated(np.array([1.0, 3.0]), np.array([[0.5, 9.0]]), 1, "constant", 0.0, True)
    array([2., 0.])
    """
    sizes = x.shape
    shift = 0
    if prefilter and order > 1:
        if mode in ("nearest", "grid-constant"):
            shift = PADDING
            x = (
                np.pad(x, shift, mode="edge")
                if mode == "nearest"
                else np.pad(x, shift, constant_values=cval)
            )
        for axis in range(x.ndim):
            x = filtered(x, order, axis, mode)
    value = between(x, at, order, mode, cval, shift)
    if mode == "constant":
        for axis in range(x.ndim):
            value = np.where((at[axis] >= 0.0) & (at[axis] <= sizes[axis] - 1.0), value, cval)
    return value


def between(c: Any, at: Any, order: int, mode: str, cval: Any, shift: int) -> Any:
    """The spline of the coefficients `c`, whose first `shift` along each axis are of padding.

    >>> between(np.array([1.0, 3.0]), np.array([[0.5]]), 1, "mirror", 0.0, 0)
    array([2.])
    """
    places, weights = [], []
    edges = "mirror" if mode in ("constant", "wrap") else mode
    for axis in range(c.ndim):
        n = c.shape[axis]
        moved = within(at[axis] + shift, n, mode)
        down = np.floor(moved if order % 2 else moved + 0.5)
        part = moved - down if order % 2 else moved + 0.5 - down
        weights.append(basis([float(k) for k in range(1 - order, order + 1)], part))
        first = down.astype(np.int64) - order // 2
        places.append([first + j for j in range(order + 1)])

    def along(axis: int, chosen: tuple) -> Any:
        if axis == c.ndim:
            return taken(c, chosen, edges, cval)
        total: Any = 0.0
        for k, weight in zip(places[axis], weights[axis], strict=True):
            total = total + weight * along(axis + 1, (*chosen, k))
        return total

    return along(0, ())


def taken(c: Any, chosen: tuple, edges: str, cval: Any) -> Any:
    """Coefficients at places that may lie beyond the edges."""
    if edges != "grid-constant":
        return c[tuple([folded(k, c.shape[a], edges) for a, k in enumerate(chosen)])]
    inside: Any = True
    for axis, k in enumerate(chosen):
        inside = inside & (k >= 0) & (k < c.shape[axis])
    near = c[tuple([np.clip(k, 0, c.shape[a] - 1) for a, k in enumerate(chosen)])]
    return np.where(inside, near, cval)
