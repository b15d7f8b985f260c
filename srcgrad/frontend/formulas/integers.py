"""Python's functions of integers as programs of the run, and the remainder of `math`."""

from __future__ import annotations

import bisect
import math
from typing import Any

from srcgrad.frontend.formulas.registry import refused_where, stands_for

WIDEST = 2**31  # products of two residues have 64 bits


def modular_power(base: Any, exp: Any, mod: Any) -> Any:
    """base**exp % mod, by squares.

    >>> modular_power(3, 5, 7), modular_power(-3, 4, -7)
    (5, -3)
    """
    if mod == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    refused_where(exp < 0, "the inverse of an integer modulo another, of the run", "state both")
    refused_where(
        (mod > WIDEST) | (mod < -WIDEST), "pow() modulo more than 2**31", "a smaller modulus"
    )
    result, square = 1 % mod, base % mod
    while exp > 0:
        if exp % 2 == 1:
            result = result * square % mod
        square = square * square % mod
        exp = exp // 2
    return result


def remainder(x: Any, y: Any) -> Any:
    """x less the multiple of y that is nearest to it, the even one of two.

    >>> remainder(5.0, 2.0), remainder(7.0, 2.0), remainder(-5.5, 2.0)
    (1.0, -1.0, 0.5)
    """
    wide, step = abs(x), abs(y)
    low = math.fmod(wide, step)
    high = step - low
    if low < high:
        rest = low
    elif low > high:
        rest = -high
    else:
        rest = low - 2.0 * math.fmod(0.5 * (wide - low), step)
    return math.copysign(1.0, x) * rest


def place(a: Any, x: Any, lo: Any, hi: Any, key: Any, after: bool) -> Any:
    """Where to insert an item, before or after those with its key."""
    wanted = x if key is None else key(x)
    of_key = {"key": key}
    side = bisect.bisect_right if after else bisect.bisect_left
    return side(a, wanted, lo, hi, **of_key)


@stands_for(bisect.insort_right)
def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Inserts an item into a sorted list, after those that are equal.

    >>> items = [1, 3]
    >>> insort_right(items, 2)
    >>> items
    [1, 2, 3]
    """
    a.insert(place(a, x, lo, hi, key, True), x)


@stands_for(bisect.insort_left)
def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Inserts an item into a sorted list, before those that are equal.

    >>> items = [1, 3]
    >>> insort_left(items, 2)
    >>> items
    [1, 2, 3]
    """
    a.insert(place(a, x, lo, hi, key, False), x)
