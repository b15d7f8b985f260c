"""Windows that slide along the axes of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import known, place, refused_where


def windows(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """The windows at each place of the axes, as axes of their own at the end.

    >>> windows(np.arange(4), 2).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    lengths = tuple(window_shape) if np.iterable(window_shape) else (window_shape,)
    given = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple([place(k, x.ndim) for k in known(tuple(given))])
    if len(axes) != len(lengths):
        raise ValueError("Must provide a window shape for each axis, and each once")
    for k, n in zip(axes, lengths):  # noqa: B905 (they are equally many)
        if n < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if x.shape[k] < n:
            raise ValueError("window shape cannot be larger than input array shape")
        starts = np.arange(x.shape[k] - n + 1)
        x = np.moveaxis(np.take(x, starts[:, None] + np.arange(n), axis=k), k + 1, -1)
    return x


def strided(x: Any, shape: Any, strides: Any) -> Any:
    """The elements at all distances in memory from the first one, of an array in C order.

    >>> strided(np.arange(4.0), (3, 2), (8, 8)).tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    """
    shape = x.shape if shape is None else tuple(shape) if np.iterable(shape) else (shape,)
    steps = x.strides if strides is None else tuple(strides) if np.iterable(strides) else (strides,)
    if len(shape) != len(steps):
        raise ValueError("mismatch in length of strides and shape")
    places = np.zeros((), np.int64)
    for n, step in zip(shape, steps):  # noqa: B905 (they are equally many)
        refused_where(
            step % x.itemsize != 0, "strides that are no multiple of the size of an element",
            "use multiples of x.itemsize",
        )  # fmt: skip
        places = np.expand_dims(places, -1) + np.arange(n) * (step // x.itemsize)
    refused_where(
        np.any((places < 0) | (places >= x.size)),
        "as_strided reaches outside of the array that it is given",
        "ask for a smaller shape, or pad the array before",
    )
    return np.take(np.ravel(x), places)
