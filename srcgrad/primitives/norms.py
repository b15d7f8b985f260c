"""The slopes of roots of sums of squares: 0 at 0, as those of a norm."""

from __future__ import annotations

from typing import Any

from srcgrad.primitives.elementwise import eq, pow, sqrt
from srcgrad.primitives.rules import select


def _of_root(y: Any, a: Any) -> Any:
    zero = eq(y, 0.0)
    return select(zero, 0.0, 0.5 / select(zero, 1.0, y))


def _of_power(y: Any, a: Any, b: Any) -> Any:
    zero = eq(a, 0.0)
    return select(zero, 0.0, b * pow(select(zero, 1.0, a), b - 1.0))


# of a**b, b from 0.5 on, where `a` is a sum of squares
OF_SQUARES = {sqrt: _of_root, pow: _of_power}
