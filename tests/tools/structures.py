"""Nested arguments as flat vectors: floats, arrays, tuples, lists, dicts, dataclasses.

A float leaf is a Python float, a NumPy floating scalar or an array of floats; a complex number
counts as two floats, its parts side by side. Everything else has no derivative and is carried
along.
"""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


def is_float(value: Any) -> bool:
    """Whether this leaf can be differentiated. A bool or an int cannot."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex)


def mapped(fn: Callable[[Any], Any], value: Any, other: Callable[[Any], Any] = lambda v: v) -> Any:
    """The same structure with `fn` applied to float leaves and `other` to the rest."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(fn, v, other) for v in value))
    if isinstance(value, tuple | list):
        return type(value)(mapped(fn, v, other) for v in value)
    if isinstance(value, dict):
        return {k: mapped(fn, v, other) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = copy.copy(value)
        for field in dataclasses.fields(value):
            # Not through __init__, which may check or convert; frozen classes too.
            part = mapped(fn, getattr(value, field.name), other)
            object.__setattr__(result, field.name, part)
        return result
    return fn(value) if is_float(value) else other(value)


def float_leaves(value: Any) -> list[Any]:
    """The float leaves of a structure from left to right."""
    found: list[Any] = []
    mapped(found.append, value)
    return found


def flatten(value: Any) -> np.ndarray:
    """All float leaves as one float64 vector."""
    parts = [_numbers(leaf) for leaf in float_leaves(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _numbers(leaf: Any) -> np.ndarray:
    if np.iscomplexobj(leaf):
        return np.asarray(leaf, np.complex128).ravel().view(np.float64)
    return np.asarray(leaf, np.float64).ravel()


def unflatten(vector: np.ndarray, like: Any, *, keep_others: bool = True) -> Any:
    """A structure `like` this one with the numbers of `vector`, dtypes and layouts kept.

    With keep_others=False what is not a float becomes None: the form of gradients and tangents.
    """
    position = 0

    def take(leaf: Any) -> Any:
        nonlocal position
        wide = np.iscomplexobj(leaf)
        size = int(np.size(leaf)) * (2 if wide else 1)
        part = np.array(vector[position : position + size])
        part = part.view(np.complex128) if wide else part
        position += size
        if not isinstance(leaf, np.ndarray):
            return type(leaf)(part[0])
        result = copied(leaf)
        result[...] = part.reshape(leaf.shape)
        return result

    keep = (lambda v: v) if keep_others else (lambda v: None)
    result = mapped(take, like, keep)
    assert position == vector.size, f"{vector.size} numbers for {position} places"
    return result


def copied(value: Any) -> Any:
    """A deep copy in which arrays keep their strides (`ndarray.copy` makes them contiguous)."""
    return mapped(_copied_leaf, value, _copied_leaf)


def _copied_leaf(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    if value.size == 0 or value.flags.c_contiguous:
        return value.copy()
    reach = [(n - 1) * s for n, s in zip(value.shape, value.strides, strict=True)]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    buffer = np.zeros((high - low) // value.itemsize + 1, value.dtype)
    result = np.ndarray(value.shape, value.dtype, buffer.data, -low, value.strides)
    result[...] = value
    return result


def cast(value: Any, dtype: Any) -> Any:
    """Float arrays of a structure in another dtype. Python floats stay: they are weak in NumPy."""

    def narrowed(v: Any) -> Any:
        if not isinstance(v, np.ndarray):
            return v
        return v.astype(np.result_type(dtype, np.complex64) if np.iscomplexobj(v) else dtype)

    return mapped(narrowed, value)


def restrided(value: Any, step: int) -> Any:
    """The same numbers in arrays that are not contiguous: every `step`-th element of a larger one.

    A negative step gives negative strides. The gaps hold NaN, so that reading one shows.
    """

    def spread(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray) or leaf.ndim == 0:
            return leaf
        large = np.full(tuple(abs(step) * n for n in leaf.shape), np.nan, leaf.dtype)
        result = large[(slice(None, None, step),) * leaf.ndim]
        result[...] = leaf
        return result

    return mapped(spread, value)


def same(left: Any, right: Any) -> bool:
    """Equal to the bit, structure included; NaN equals NaN."""
    a, b = float_leaves(left), float_leaves(right)
    others_a, others_b = [], []
    mapped(lambda v: None, left, others_a.append)
    mapped(lambda v: None, right, others_b.append)
    return (
        len(a) == len(b)
        and all(np.array_equal(p, q, equal_nan=True) for p, q in zip(a, b, strict=True))
        and len(others_a) == len(others_b)
        and all(np.array_equal(p, q) for p, q in zip(others_a, others_b, strict=True))
    )
