"""The direction of a product with the Hessian: an argument with the structure of others."""

from __future__ import annotations

import inspect
from collections.abc import Container
from itertools import count
from typing import Any

import numpy as np

from srcgrad.autodiff.directional import Direction
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.values import contrasted, describe
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Array, np_dtype
from srcgrad.records import record
from srcgrad.tree import mapped_by_path, matched, opened, spelled

ZERO = "None means zero"


# ---- the parameter ----
def unused_name(names: Container[str]) -> str:
    """A name for a direction that no parameter has."""
    return next(n for k in count(1) if (n := f"v{k}" if k > 1 else "v") not in names)


def with_parameter(below: inspect.Signature, name: str, last: int) -> inspect.Signature:
    """The signature with one more parameter, after that at position `last`.

    After *args, and among keywords, it is a keyword itself; those before it have no default.
    """
    given = list(below.parameters.values())
    several = [k for k, p in enumerate(given) if p.kind is p.VAR_POSITIONAL]
    at = min([last, len(given) - 1, *several])
    kind = given[at].kind if given else inspect.Parameter.KEYWORD_ONLY
    if kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        before = [p.replace(default=p.empty) for p in given[: at + 1]]
    else:
        at -= kind is inspect.Parameter.VAR_KEYWORD
        before, kind = given[: at + 1], inspect.Parameter.KEYWORD_ONLY
    return below.replace(parameters=[*before, inspect.Parameter(name, kind), *given[at + 1 :]])


# ---- its parts ----
@record(frozen=True)
class _At:
    """A leaf of a direction, and its path."""

    path: tuple
    value: Any


def directions_of(
    name: str, given: Any, bare: bool, slots: list[tuple[tuple, Any]], wrt: list[tuple]
) -> list[tuple[tuple, Direction] | None]:
    """For each parameter in `wrt` the path of its direction, and that; None where it is zero.

    `given` is the direction as it is passed: like the argument, or a tuple of one for each.
    """
    marked = mapped_by_path(given, (name,), _marked, opened)
    parts = (marked,) if bare else marked
    if marked is None:
        return [None] * len(wrt)
    if not isinstance(parts, tuple | list) or len(parts) != len(slots):
        raise ArgumentValueError(
            f"'{name}' is {describe(given)}: it has to be a tuple of {len(slots)}, a direction for "
            "each argument", None, ZERO,
        )  # fmt: skip
    found: dict[tuple, tuple[tuple, Direction] | None] = {}
    for (path, value), part in zip(slots, parts, strict=True):
        for at, primal, direction in matched(value, part, _refuse(name, path), path):
            own = spelled((name, *at[len(path) :]))
            found[at] = _direction(at, primal, direction, own, at in wrt)
    return [found.get(path) for path in wrt]


def _marked(path: tuple, v: Any) -> Any:
    return None if v is None else _At(path, v)


def _refuse(name: str, slot: tuple) -> Any:
    def refuse(path: tuple, given: Any, like: Any) -> None:
        shown = given.value if isinstance(given, _At) else given
        is_, wanted = contrasted(shown, like)
        at = spelled((name, *path[len(slot) :]))
        raise ArgumentValueError(f"{at} is {is_}, {spelled(path)} is {wanted}", None, ZERO)

    return refuse


def _direction(path: tuple, primal: Any, given: Any, name: str, wanted: bool) -> Any:
    """The direction of the leaf at a path, as a parameter; None if it is zero."""
    if given is None:
        return None
    shown, own = spelled(path), type_of_value(primal)
    if not wanted:
        raise ArgumentTypeError(
            f"{shown} is {describe(primal)}, which has no direction: only floats have one", None,
            "pass None for it",
        )  # fmt: skip
    kind = type_of_value(given.value) if isinstance(given, _At) else None
    if kind is None or own is None:
        what = describe(given.value if isinstance(given, _At) else given)
        raise ArgumentTypeError(
            f"{name} is {what}, {shown} is {describe(primal)}", None, f"pass np.asarray({name})"
        )
    one, other = np_dtype(kind.dtype), np_dtype(own.dtype)
    if not np.can_cast(one, other, "same_kind"):
        raise ArgumentTypeError(f"{name} is of {one}, {shown} is of {other}")
    shape = np.shape(given.value)
    if len(shape) != np.ndim(primal):
        raise ArgumentValueError(
            f"{name} has the shape {shape}, {shown} has {np.shape(primal)}", None, ZERO
        )
    t = Array(kind.dtype, (), kind.layout) if isinstance(kind, Array) else kind
    return given.path, Direction(Var(given.path[0], t), shape, name, shown)
