"""Joins of arrays of several shapes, as many as the run tells. Plain Python runs them as well."""

from __future__ import annotations

from typing import Any

import numpy as np


def joined_items(items: Any, whole: Any, axis: Any) -> Any:
    """An array with the items one after another along an axis.

    >>> joined_items([np.ones((1, 2)), np.zeros((1, 1))], np.empty((1, 3)), 1)
    array([[1., 1., 0.]])
    """
    rows, at = np.moveaxis(whole, axis, 0), 0
    for v in items:
        n = v.shape[axis]
        rows[at : at + n] = np.moveaxis(v, axis, 0)
        at += n
    return whole


def stacked_items(items: Any) -> Any:
    """An array with the items, which have one shape, along a first axis.

    >>> stacked_items([np.ones(2), np.zeros(2)])
    array([[1., 1.],
           [0., 0.]])
    """
    whole = np.empty((len(items), *items[0].shape), items[0].dtype)
    for k, v in enumerate(items):
        whole[k] = v
    return whole


def flat_array(items: Any, whole: Any) -> Any:
    """An array with the elements of all items.

    >>> flat_array([np.ones((1, 2)), np.zeros((1, 1))], np.empty(3))
    array([1., 1., 0.])
    """
    at = 0
    for v in items:
        whole[at : at + v.size] = v.ravel()
        at += v.size
    return whole


def parts_between(x: Any, cuts: Any, axis: Any) -> Any:
    """The parts of an array between places along an axis, as `np.split` gives them.

    >>> [v.tolist() for v in parts_between(np.arange(4), np.array([1, 3]), 0)]
    [[0], [1, 2], [3]]
    """
    turned, parts, start = np.swapaxes(x, 0, axis), [], 0
    for stop in cuts:
        parts.append(np.swapaxes(turned[start:stop], 0, axis))
        start = int(stop)
    parts.append(np.swapaxes(turned[start:], 0, axis))
    return parts


def equal_parts(x: Any, count: Any, axis: Any, even: Any) -> Any:
    """As many parts of an array along an axis, of which the first ones may be longer by one.

    >>> [v.tolist() for v in equal_parts(np.arange(3), 2, 0, False)]
    [[0, 1], [2]]
    """
    if count < 1:
        raise ValueError("number sections must be larger than 0.")
    turned, parts = np.swapaxes(x, 0, axis), []
    each, longer = len(turned) // count, len(turned) % count
    if even and longer > 0:
        raise ValueError("array split does not result in an equal division")
    for k in range(count):
        start = k * each + min(k, longer)
        stop = start + each + (1 if k < longer else 0)
        parts.append(np.swapaxes(turned[start:stop], 0, axis))
    return parts
