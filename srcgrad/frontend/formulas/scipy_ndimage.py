"""Functions of `scipy.ndimage` as NumPy programs: sums over windows with margins.

SciPy sums in double precision and returns the dtype of the image; so does this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.frontend.formulas.padding import mirrored, reflected, wrapped
from srcgrad.frontend.formulas.registry import place, stands_for, unsupported

MIRRORED, WRAPPED = ("reflect", "grid-mirror"), ("wrap", "grid-wrap")
CONSTANT, MODES = ("constant", "grid-constant"), ("mirror", "nearest")
KNOWN = (*MIRRORED, *WRAPPED, *CONSTANT, *MODES)


# ---- one axis ----
@stands_for(ndimage.correlate1d)
def correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    """Weighted sums over windows along an axis; the place of a window is its middle.

    >>> correlate1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, 0.0])
    array([1., 1., 2.])
    """
    x, w = image_of(input, output), np.asarray(weights).astype(np.float64)
    return _filtered(x, w, place(axis, x.ndim), mode, cval, origin)


@stands_for(ndimage.convolve1d)
def convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    """The same with the weights turned.

    >>> convolve1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, 0.0])
    array([2., 4., 4.])
    """
    x, w = image_of(input, output), np.asarray(weights).astype(np.float64)
    shift = w.shape[0] % 2 - 1 - origin
    return _filtered(x, np.flip(w), place(axis, x.ndim), mode, cval, shift)


@stands_for(ndimage.uniform_filter1d)
def uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    """Means over windows along an axis.

    >>> uniform_filter1d(np.array([0.0, 3.0, 6.0]), 3)
    array([1., 3., 5.])
    """
    x = image_of(input, output)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    return _filtered(x, np.full(size, 1.0 / size), place(axis, x.ndim), mode, cval, origin)


@stands_for(ndimage.gaussian_filter1d)
def gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    """A convolution with a normal density, or a derivative of it.

    >>> gaussian_filter1d(np.ones(3), 1.0).round(12)
    array([1., 1., 1.])
    """
    x = image_of(input, output)
    w = _density(sigma, order, truncate, radius)
    return _filtered(x, w, place(axis, x.ndim), mode, cval, 0)


def _density(sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    """The normal density at whole places, the sum made 1; turned, or its derivative is."""
    sigma = float(sigma)
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    if reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    t = np.arange(-reach, reach + 1) * 1.0
    v = sigma * sigma
    density = np.exp(-0.5 * t**2 / v)
    density = density / np.sum(density)
    if order == 0:
        return density
    if order == 1:
        return t / v * density
    if order == 2:
        return (t**2 / v - 1.0) / v * density
    if order == 3:
        return (t**3 / v - 3.0 * t) / (v * v) * density
    return unsupported("derivatives of Gaussians have the orders 0 to 3 here")


def image_of(x: Any, output: Any) -> Any:
    x = np.asarray(x)
    if output is not None:
        unsupported("filters with output are not supported", "leave it out")
    if x.dtype.kind != "f" or x.ndim == 0:
        unsupported("filters take arrays of real floats", "use .astype(float)")
    return x


def _filtered(x: Any, w: Any, axis: int, mode: Any, cval: Any, origin: Any) -> Any:
    if w.ndim != 1:
        return unsupported("the weights of filters along an axis are a vector")
    m = w.shape[0]
    if m == 0:
        raise RuntimeError("no filter weights given")
    check_origin(origin, m)
    lanes = np.moveaxis(x, axis, -1)
    n = lanes.shape[-1]
    wide = widened(lanes.astype(np.float64), m // 2 + origin, m, mode, cval)
    out = np.zeros(lanes.shape)
    for k in range(m):
        out += w[k] * wide[..., k : k + n]
    return np.moveaxis(out.astype(x.dtype), -1, axis).copy()


def check_origin(origin: Any, m: Any) -> None:
    if origin < -(m // 2) or origin > (m - 1) // 2:
        raise ValueError("Invalid origin; it must lie within the weights")


def widened(x: Any, before: Any, m: Any, mode: Any, cval: Any) -> Any:
    """`x` with margins on the last axis, for windows of m that begin `before` places earlier."""
    n = x.shape[-1]
    count = n + m - 1 if n > 0 else 0  # an empty array stays empty
    if mode in WRAPPED:
        return x[..., wrapped(-before, count, n)]
    if mode in MIRRORED:
        return x[..., mirrored(-before, count, n)]
    if mode == "mirror":
        return x[..., reflected(-before, count, n)]
    places = np.arange(count) - before
    near = x[..., np.clip(places, 0, n - 1)]
    if mode == "nearest":
        return near
    if mode in CONSTANT:
        return np.where((places >= 0) & (places < n), near, cval)
    return unsupported(f"the mode {mode!r} is not supported", f"use one of {', '.join(KNOWN)}")


# ---- several axes ----
def axes_of(x: Any, axes: Any) -> Any:
    if axes is None:
        return tuple(range(x.ndim))
    places = tuple(place(a, x.ndim) for a in (axes if isinstance(axes, tuple | list) else (axes,)))
    return places if len(set(places)) == len(places) else unsupported("axes must be unique")


def each_axis(v: Any, axes: Any) -> Any:
    """One value for each axis, or the same for all."""
    if not isinstance(v, tuple | list):
        return (v,) * len(axes)
    if len(v) != len(axes):
        return unsupported("sequence argument must have length equal to input rank")
    return tuple(v)


@stands_for(ndimage.gaussian_filter)
def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """A Gaussian filter along one axis after the other; none where sigma is 0.

    >>> gaussian_filter(np.ones((2, 2)), 1.0).round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    x = image_of(input, output)
    axes = axes_of(x, axes)
    given = [each_axis(v, axes) for v in (sigma, order, mode, radius)]
    x = x.copy()
    for axis, width, degree, edge, reach in zip(axes, *given, strict=True):
        if width > 1e-15:
            w = _density(width, degree, truncate, reach)
            x = _filtered(x, w, axis, edge, cval, 0)
    return x


@stands_for(ndimage.uniform_filter)
def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Means over boxes.

    >>> uniform_filter(np.ones((2, 2))).round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    x = image_of(input, output)
    axes = axes_of(x, axes)
    given = [each_axis(v, axes) for v in (size, mode, origin)]
    x = x.copy()
    for axis, width, edge, shift in zip(axes, *given, strict=True):
        x = uniform_filter1d(x, width, axis, None, edge, cval, shift)
    return x


@stands_for(ndimage.laplace)
def laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    """The sum of second differences.

    >>> laplace(np.array([0.0, 1.0, 0.0]))
    array([ 1., -2.,  1.])
    """
    x = image_of(input, output)
    axes = axes_of(x, axes)
    total = np.zeros_like(x) if axes else x
    for axis, edge in zip(axes, each_axis(mode, axes), strict=True):
        total = total + _filtered(x, np.array([1.0, -2.0, 1.0]), axis, edge, cval, 0)
    return total


@stands_for(ndimage.gaussian_laplace)
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    *, axes: Any = None, truncate: Any = 4.0, radius: Any = None,
) -> Any:  # fmt: skip
    """The sum of second derivatives of a Gaussian filter.

    >>> gaussian_laplace(np.array([0.0, 1.0, 0.0]), 1.0).round(2).tolist()
    [0.16, -0.33, 0.16]
    """
    x = image_of(input, output)
    axes = axes_of(x, axes)
    widths = each_axis(sigma, axes)
    if len(axes) < x.ndim:  # those of all axes are in their order, as SciPy's
        widths = tuple(widths[axes.index(a)] if a in axes else 0.0 for a in range(x.ndim))
    total = np.zeros_like(x) if axes else x
    for axis, edge in zip(axes, each_axis(mode, axes), strict=True):
        order = tuple(2 if a == axis else 0 for a in range(x.ndim))
        total = total + gaussian_filter(x, widths, order, None, edge, cval, truncate, radius=radius)
    return total


@stands_for(ndimage.correlate)
def correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Weighted sums over windows of one or two axes.

    >>> correlate(np.eye(2), np.ones((1, 1)))
    array([[1., 0.],
           [0., 1.]])
    """
    x, w = image_of(input, output), np.asarray(weights).astype(np.float64)
    return _windows(x, w, mode, cval, each_axis(origin, (0,) * x.ndim), axes)


@stands_for(ndimage.convolve)
def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """`correlate` with the weights reversed.

    >>> convolve(np.eye(2), np.ones((1, 1)))
    array([[1., 0.],
           [0., 1.]])
    """
    x, w = image_of(input, output), np.asarray(weights).astype(np.float64)
    origins = each_axis(origin, (0,) * x.ndim)
    shifts = tuple(w.shape[k] % 2 - 1 - origins[k] for k in range(min(w.ndim, x.ndim)))
    return _windows(x, np.flip(w), mode, cval, shifts, axes)


def _windows(x: Any, w: Any, mode: Any, cval: Any, origins: Any, axes: Any) -> Any:
    if axes is not None or x.ndim != w.ndim or x.ndim > 2:
        return unsupported("filters of this form take two vectors or two matrices, and no axes")
    if isinstance(mode, tuple | list):
        return unsupported("A sequence of modes is not supported")
    if w.ndim == 1:
        return _filtered(x, w, 0, mode, cval, origins[0])
    (n, m), (p, q) = x.shape, w.shape
    if p * q == 0:
        raise RuntimeError("no filter weights given")
    check_origin(origins[0], p)
    check_origin(origins[1], q)
    wide = widened(x.astype(np.float64), q // 2 + origins[1], q, mode, cval)
    wide = widened(wide.T, p // 2 + origins[0], p, mode, cval).T
    out = np.zeros((n, m))
    for i in range(p):
        for j in range(q):
            out += w[i, j] * wide[i : i + n, j : j + m]
    return out.astype(x.dtype)
