"""Filters of `scipy.ndimage` that take one of the values in a window: the largest, the middle one.

Of equal values that are largest or smallest in a window each has its share of the adjoint.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import ndimage, signal

from srcgrad.frontend.formulas.registry import place, stands_for, unsupported
from srcgrad.frontend.formulas.scipy_ndimage import (
    axes_of,
    check_origin,
    each_axis,
    image_of,
    widened,
)
from srcgrad.frontend.formulas.scipy_signal import medfilt


# ---- extrema ----
@stands_for(ndimage.maximum_filter1d)
def maximum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    """The largest value in windows along an axis.

    >>> maximum_filter1d(np.array([1.0, 4.0, 2.0, 3.0]), 2)
    array([1., 4., 4., 3.])
    """
    return _extreme(image_of(input, output), size, axis, mode, cval, origin, np.maximum)


@stands_for(ndimage.minimum_filter1d)
def minimum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    """The smallest value in windows along an axis.

    >>> minimum_filter1d(np.array([1.0, 4.0, 2.0, 3.0]), 2)
    array([1., 1., 2., 2.])
    """
    return _extreme(image_of(input, output), size, axis, mode, cval, origin, np.minimum)


@stands_for(ndimage.maximum_filter)
def maximum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The largest value in boxes, or in the places of a footprint.

    >>> maximum_filter(np.eye(2), 2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    x = image_of(input, output)
    if footprint is not None:
        windows, inside = _windows(x, None, footprint, mode, cval, origin, axes, False)
        return np.max(np.where(inside, windows, -np.inf), axis=-1).astype(x.dtype)
    return _boxes(x, size, mode, cval, origin, axes, np.maximum)


@stands_for(ndimage.minimum_filter)
def minimum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The smallest value in boxes, or in the places of a footprint.

    >>> minimum_filter(np.eye(2), 2).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    x = image_of(input, output)
    if footprint is not None:
        windows, inside = _windows(x, None, footprint, mode, cval, origin, axes, False)
        return np.min(np.where(inside, windows, np.inf), axis=-1).astype(x.dtype)
    return _boxes(x, size, mode, cval, origin, axes, np.minimum)


def _extreme(x: Any, size: Any, axis: Any, mode: Any, cval: Any, origin: Any, larger: Any) -> Any:
    if size < 1:
        raise RuntimeError("incorrect filter size")
    check_origin(origin, size)
    lanes = np.moveaxis(x, place(axis, x.ndim), -1)
    n = lanes.shape[-1]
    wide = widened(lanes, size // 2 + origin, size, mode, cval)
    out = wide[..., :n].copy()
    for k in range(1, size):
        out = larger(out, wide[..., k : k + n])
    return np.moveaxis(out.astype(x.dtype), -1, place(axis, x.ndim)).copy()


def _boxes(x: Any, size: Any, mode: Any, cval: Any, origin: Any, axes: Any, larger: Any) -> Any:
    if size is None:
        raise RuntimeError("no footprint provided")
    axes = axes_of(x, axes)
    given = [each_axis(v, axes) for v in (size, mode, origin)]
    x = x.copy()
    for axis, width, edge, shift in zip(axes, *given, strict=True):
        if width > 1:
            x = _extreme(x, width, axis, edge, cval, shift, larger)
    return x


# ---- the value of a rank ----
@stands_for(ndimage.rank_filter)
def rank_filter(
    input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The value of a rank in boxes, or in the places of a footprint.

    >>> rank_filter(np.array([1.0, 4.0, 2.0, 3.0]), 1, 3)
    array([1., 2., 3., 3.])
    """
    x = image_of(input, output)
    windows, inside = _windows(x, size, footprint, mode, cval, origin, axes)
    return _of_rank(windows, inside, rank, int(np.sum(inside))).astype(x.dtype)


@stands_for(ndimage.median_filter)
def median_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The middle value, of an even number the upper one.

    >>> median_filter(np.array([1.0, 4.0, 2.0, 3.0]), 3)
    array([1., 2., 3., 3.])
    """
    x = image_of(input, output)
    windows, inside = _windows(x, size, footprint, mode, cval, origin, axes)
    count = int(np.sum(inside))
    return _of_rank(windows, inside, count // 2, count).astype(x.dtype)


@stands_for(ndimage.percentile_filter)
def percentile_filter(
    input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The value that a share of those in a window are below of.

    >>> percentile_filter(np.array([1.0, 4.0, 2.0, 3.0]), 100, 3)
    array([4., 4., 4., 3.])
    """
    x = image_of(input, output)
    windows, inside = _windows(x, size, footprint, mode, cval, origin, axes)
    count = int(np.sum(inside))
    share = percentile + 100.0 if percentile < 0.0 else percentile
    if share < 0 or share > 100:
        raise RuntimeError("invalid percentile")
    rank = count - 1 if share == 100.0 else int(count * 1.0 * share / 100.0)
    return _of_rank(windows, inside, rank, count).astype(x.dtype)


def _of_rank(windows: Any, inside: Any, rank: Any, count: Any) -> Any:
    """The value of a rank among those inside: the others are sorted behind all."""
    at = rank + count if rank < 0 else rank
    if at < 0 or at >= count:
        raise RuntimeError("rank not within filter footprint size")
    return np.sort(np.where(inside, windows, np.inf), axis=-1)[..., at]


def _windows(
    x: Any, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any, axes: Any,
    ranked: bool = True,
) -> Any:  # fmt: skip
    """The values in the window of each place along a last axis, and which of them count."""
    axes = axes_of(x, axes)
    if footprint is None and size is None:
        raise RuntimeError("no footprint or filter size provided")
    if footprint is None:
        sizes = each_axis(size, axes)
    else:
        sizes = np.shape(footprint)
        if len(sizes) != len(axes):
            raise RuntimeError("footprint.ndim must match len(axes)")
        if x.ndim == 1 and ranked:  # SciPy takes as many neighbours, wherever its places are
            unsupported(
                "a footprint of a rank along one axis", "filter a matrix of one row: x[None, :]"
            )
    if isinstance(mode, tuple | list):
        raise RuntimeError("A sequence of modes is not supported by non-separable rank filters")
    wide = x
    for axis, m, shift in zip(axes, sizes, each_axis(origin, axes), strict=True):
        check_origin(shift, m)
        lanes = widened(np.moveaxis(wide, axis, -1), m // 2 + shift, m, mode, cval)
        wide = np.moveaxis(lanes, -1, axis)
    count = math.prod(sizes)
    if x.size == 0:  # `widened` leaves it empty, too short for a window
        flat = np.zeros((*x.shape, count), dtype=x.dtype)
    else:
        windows = np.lib.stride_tricks.sliding_window_view(wide, tuple(sizes), axes)
        flat = windows.reshape((*x.shape, count))
    if footprint is None:
        return flat, np.ones(count, dtype=bool)
    return flat, np.asarray(footprint, dtype=bool).reshape(-1)


@stands_for(signal.medfilt2d)
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    """The median of the box around each place of a matrix; outside are zeros.

    >>> medfilt2d(np.ones((3, 3))).tolist()
    [[0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """
    if np.ndim(input) != 2:
        raise ValueError("medfilt2d takes a matrix")
    return medfilt(input, kernel_size)
