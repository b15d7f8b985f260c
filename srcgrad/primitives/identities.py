"""Identities of scalar operations: what one reduces to whatever its other operands are.

x * 1, x + 0, True and c. Only identities that are exact for every float, signed zeros and NaN
included (x + 0.0 is not). Operands are those of a program: a constant has a `value`.
"""

from __future__ import annotations

from typing import Any

from srcgrad.operation import Rule


def is_constant(a: Any, *values: Any) -> bool:
    """Whether an operand is one of these numbers, and of the same class."""
    return hasattr(a, "value") and any(type(a.value) is type(v) and a.value == v for v in values)


def is_same(a: Any, b: Any) -> bool:
    return a is b or (hasattr(a, "value") and a == b)


def _either(units: tuple[Any, ...], zeros: tuple[Any, ...] = (), idempotent: bool = False) -> Rule:
    """A unit on either side leaves the other operand; a zero on either side is the result."""

    def identity(a: Any, b: Any) -> Any:
        for x in (a, b):
            if is_constant(x, *zeros):
                return x
        if is_constant(b, *units):
            return a
        if is_constant(a, *units):
            return b
        return REPEATED(a, b) if idempotent else None

    return identity


def REPEATED(a: Any, b: Any) -> Any:
    return a if is_same(a, b) else None


def MINUS(a: Any, b: Any) -> Any:
    if is_constant(b, 0):
        return a
    return 0 if a is b and a.type.dtype == "i64" else None


def OVER(a: Any, b: Any) -> Any:
    return a if is_constant(b, 1.0) else None


def SELECTED(c: Any, a: Any, b: Any) -> Any:
    return (a if c.value else b) if hasattr(c, "value") else REPEATED(a, b)


def WRAPPED(i: Any, n: Any) -> Any:
    return i if hasattr(i, "value") and i.value >= 0 else None


PLUS = _either((0,))
TIMES = _either((1, 1.0), (0,))
AND = _either((True,), (False,), idempotent=True)
OR = _either((False,), (True,), idempotent=True)
BROADCAST = _either((1,), idempotent=True)
