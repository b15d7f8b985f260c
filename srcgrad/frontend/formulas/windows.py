"""Windows that slide along the axes of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import known, place


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
