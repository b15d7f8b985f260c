"""Identities of scalar operations: x * 1, x + 0, True and c, a select with a known condition.

Holds only what is exact for every float, signed zeros and NaN included (x + 0.0 is not).
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.nodes import Atom, Const


def _is(a: Atom, value: Any) -> bool:
    return isinstance(a, Const) and type(a.value) is type(value) and a.value == value


def _same(a: Atom, b: Atom) -> bool:
    return a is b or (isinstance(a, Const) and a == b)


def identity(op: Any, args: tuple[Atom, ...], params: dict) -> Atom | None:
    """The atom an operation reduces to, or None."""
    match op.name, args:
        case "add", (a, b) if _is(b, 0) and a.type.dtype == b.type.dtype:
            return a
        case "add", (a, b) if _is(a, 0) and a.type.dtype == b.type.dtype:
            return b
        case "sub", (a, b) if _is(b, 0):
            return a
        case "sub", (a, b) if a is b and a.type.dtype == "i64":
            return Const(0, a.type)
        case "mul", (a, b) if _is(b, 1.0) or _is(b, 1):
            return a
        case "mul", (a, b) if _is(a, 1.0) or _is(a, 1):
            return b
        case "mul", (a, b) if _is(a, 0) or _is(b, 0):
            return a if _is(a, 0) else b
        case ("div", (a, b)) if _is(b, 1.0):
            return a
        case (("maximum" | "minimum"), (a, b)) if _same(a, b):
            return a
        case "logical_and", (a, b):
            if _is(a, False) or _is(b, True):
                return a
            if _is(b, False) or _is(a, True):
                return b
            return a if _same(a, b) else None
        case "logical_or", (a, b):
            if _is(a, True) or _is(b, False):
                return a
            if _is(b, True) or _is(a, False):
                return b
            return a if _same(a, b) else None
        case "where", (c, a, b):
            if isinstance(c, Const):
                return a if c.value else b
            return a if _same(a, b) else None
        case "wrap", (i, _) if isinstance(i, Const) and i.value >= 0:
            return i
        case "broadcast_dim", (a, b) if _same(a, b):
            return a
    return None
