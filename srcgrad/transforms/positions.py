"""The arguments that a transform differentiates with respect to: `grad_position`, or `argnums`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError


class _Default(int):
    """The position that is used where none is given."""


FIRST = _Default(0)


def positions_of(
    position: Any, argnums: Any = None, weights: Any = None
) -> tuple[tuple[int, ...], bool]:
    """The positions, and whether a single derivative is returned bare, not in a tuple.

    `argnums` is JAX's name: a sequence of one position gives a tuple of one.
    """
    if argnums is None:
        positions = checked_positions(position, weights)
        return positions, len(positions) == 1
    if position is not FIRST:
        raise ArgumentValueError(
            f"grad_position={position!r} and argnums={argnums!r} are two names of one choice", None,
            "give grad_position only",
        )  # fmt: skip
    several = tuple(argnums) if isinstance(argnums, list) else argnums
    return checked_positions(several, weights, "argnums"), not isinstance(several, tuple)


def checked_positions(position: Any, weights: Any, name: str = "grad_position") -> tuple[int, ...]:
    """`grad_position` as a tuple; empty if only weights are differentiated with respect to.

    Only an `int` is a `grad_position`, as in MindSpore; as in JAX, `argnums` are any integers.
    """
    as_int = operator.index if name == "argnums" else _int
    if position is None:
        if weights is None:
            raise ArgumentValueError(f"`{name}` and `weight` can not be None at the same time.")
        return ()
    if not isinstance(position, tuple):
        said = f"the '{name}' must be int or tuple"
        single = _checked(position, as_int, said, "write a tuple: (0, 1)")
        if single < 0:
            raise ArgumentValueError(f"{name} must be >= 0.")
        return (single,)
    said = f"the element in '{name}' must be int"
    positions = tuple(_checked(p, as_int, said) for p in position)
    if any(p < 0 for p in positions):
        raise ArgumentValueError(f"The element in {name} must be >= 0.")
    if len(set(positions)) != len(positions):
        raise ArgumentValueError(f"There are duplicate positions in `{name}`, please check it")
    return positions


def _int(p: Any) -> int:
    if not isinstance(p, int):
        raise TypeError
    return p


def _checked(p: Any, as_int: Callable[[Any], int], said: str, way_out: str = "") -> int:
    try:
        return as_int(p)
    except TypeError:
        raise ArgumentTypeError(f"For 'F.grad', {said}.", None, way_out) from None
