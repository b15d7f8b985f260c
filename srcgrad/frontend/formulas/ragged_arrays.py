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
