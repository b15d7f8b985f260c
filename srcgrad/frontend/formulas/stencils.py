"""Stencils: a function of the elements around a place, at each place of an array."""

from __future__ import annotations

from typing import Any

import numpy as np


class Around:
    """An array whose indices count from a place, within a neighbourhood of it.

    >>> float(Around(np.arange(5.0), (2,), (-1,), (1,))[-1])
    1.0
    """

    def __init__(self, array: Any, at: Any, low: Any, high: Any):
        self.array, self.at, self.low, self.high = array, at, low, high

    def __getitem__(self, by: Any) -> Any:
        by = by if isinstance(by, tuple) else (by,)
        if len(by) != len(self.at):
            raise IndexError("a stencil has an index for each axis of its array")
        for step, low, high in zip(by, self.low, self.high):  # noqa: B905 (they are equally many)
            if step < low or step > high:
                raise IndexError("a stencil reads outside of its neighborhood")
        return self.array[tuple([self.at[k] + step for k, step in enumerate(by)])]


def stenciled(
    kernel: Any, given: Any, relative: Any, low: Any, high: Any, fill: Any, out: Any
) -> Any:
    """The results of a kernel where its neighbourhood lies in the array, and `fill` elsewhere.

    `relative` are the places of the arguments whose indices count from the place.

    >>> stenciled(lambda u: u[-1] + u[1], (np.arange(4.0),), (0,), (-1,), (1,), None, None)
    array([0., 2., 4., 0.])
    """
    first = given[relative[0]]
    for k in relative[1:]:
        for mine, other in zip(given[k].shape, first.shape, strict=True):
            if mine < other:
                raise ValueError("a further array of a stencil is smaller than the first one")
    if out is None:
        # the kernel's result for ones has the dtype of all its results
        shape = tuple([high[k] - low[k] + 1 for k in range(len(low))])
        ones = [np.ones(shape, v.dtype) if k in relative else v for k, v in enumerate(given)]
        at = tuple([-a for a in low])
        kind = np.asarray(_at(kernel, ones, relative, low, high, at)).dtype
        out = np.full(first.shape, 0 if fill is None else fill, kind)
    elif fill is not None:
        out[...] = fill
    _filled(kernel, given, relative, low, high, out, ())
    return out


def _at(kernel: Any, given: Any, relative: Any, low: Any, high: Any, at: Any) -> Any:
    """The kernel's result at one place."""
    return kernel(*[Around(v, at, low, high) if k in relative else v for k, v in enumerate(given)])


def _filled(kernel: Any, given: Any, relative: Any, low: Any, high: Any, out: Any, at: Any) -> None:
    """Stores the results at all places that begin with these indices."""
    axis = len(at)
    if axis == out.ndim:
        out[at] = _at(kernel, given, relative, low, high, at)
    else:
        for i in range(-low[axis], out.shape[axis] - high[axis]):
            _filled(kernel, given, relative, low, high, out, (*at, i))
