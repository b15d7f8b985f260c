"""Checks the tangents passed to `jvp` against the arguments.

A tangent has the structure and shape of its argument and a dtype that casts to it; None means
zero, for a leaf or for a whole subtree. An argument whose tangent is None is a constant. Nothing
is broadcast: a number in place of an array is usually a mistake.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import hooks
from srcgrad.backends.gpu_arrays import is_on_device, on_device
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.values import describe
from srcgrad.protocols import states
from srcgrad.transforms.directions import ZERO
from srcgrad.transforms.stacking import is_float
from srcgrad.tree import is_array_class, is_leaf, part, paths, rebuilt, spelled


def tangents_of(
    arguments: dict[str, Any], given: dict[str, Any], constant: frozenset[str]
) -> dict[tuple, Any]:
    """The tangent of each floating leaf that is not a constant, keyed by ("tangent", *path)."""
    out: dict[tuple, Any] = {}
    for name, value in arguments.items():
        if name in constant:
            continue
        if is_array_class(type(value)) and type(t := given.get(name)) is np.ndarray:
            given = {**given, name: rebuilt(value, [t, *[None] * len(vars(value))])}
        _check_structure(value, given.get(name), (name,))
        for path, v in paths(value, (name,)):
            if is_float(_array_or_number(v)):
                t = _array_or_number(tangent_at(given, path))
                out["tangent", *path] = _fitted(v, t, spelled(path))
            else:
                _check_none(v, given, path)
    return out


def _array_or_number(v: Any) -> Any:
    """The array of a tensor; any other value unchanged."""
    return v.srcgrad_value if states(v, "srcgrad_value") else v


def tangent_at(given: dict[str, Any], path: tuple) -> Any:
    """The tangent given for the leaf at a path; None if it or an enclosing structure is None."""
    value = given.get(path[0])
    for k, key in enumerate(path[1:], 2):
        if value is None:
            return None
        try:
            value = part(value, key)
        except (LookupError, AttributeError, TypeError):
            raise ArgumentValueError(
                "the tangents do not have the structure of the arguments: there is none at "
                f"{spelled(path[:k])}",
                None,
                ZERO,
            ) from None
    return value


def _check_structure(value: Any, t: Any, path: tuple) -> None:
    """Refuses tangents for parts that the argument does not have."""
    if is_leaf(value) or t is None:
        return
    if isinstance(value, dict) and isinstance(t, dict):
        keys: Any = list(value)
        more = [k for k in t if k not in value]
    elif isinstance(value, list | tuple) and isinstance(t, list | tuple):
        keys = range(len(value))
        more = list(range(len(value), len(t)))
    else:
        return
    if more:
        raise ArgumentValueError(
            "the tangents do not have the structure of the arguments: there is one at "
            f"{spelled((*path, more[0]))}, where {spelled(path)} has nothing"
        )
    for k in keys:
        if k in t if isinstance(t, dict) else k < len(t):
            _check_structure(value[k], t[k], (*path, k))


def _fitted(v: Any, t: Any, name: str) -> Any:
    """A tangent cast to the dtype of its argument; refused if its shape differs."""
    if states(v, "srcgrad_value"):
        return hooks.tensor_calls().fitted(t, v, f"the tangent of {name}", "that")
    if is_on_device(v):
        return on_device(t, v, f"the tangent of {name}", name)
    if t is None:
        return np.zeros_like(v, order="C") if isinstance(v, np.ndarray) else type(v)(0)
    kind = np.asarray(v).dtype
    a = np.asarray(t)
    if not np.can_cast(a.dtype, kind, "same_kind"):
        raise ArgumentTypeError(
            f"the tangent of {name} is {describe(t)} of {a.dtype}, {name} is of {kind}"
        )
    if a.shape != np.shape(v):
        raise ArgumentValueError(
            f"the tangent of {name} has the shape {a.shape}, {name} has {np.shape(v)}", None, ZERO
        )
    return np.array(a, kind, order="C") if isinstance(v, np.ndarray) else type(v)(a[()])


def _check_none(v: Any, given: dict[str, Any], path: tuple) -> None:
    """Refuses a tangent of a non-floating leaf, unless it is missing, None or 0."""
    try:
        t = np.asarray(tangent_at(given, path))
    except ArgumentValueError:
        return
    none = t.size == 1 and t.item() is None
    if not none and (t.dtype.kind not in "biufc" or np.any(t)):
        raise ArgumentTypeError(
            f"{spelled(path)} is {describe(v)}, which has no tangent: only floats have one",
            None,
            "pass None for it",
        )
