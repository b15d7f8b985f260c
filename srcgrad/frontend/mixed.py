"""Python numbers that are an int on one path and a float on another, or a bool and a number.

Compiled code has them as the wider of both, which has the same value; what tells their classes
apart is refused. Never changes a program.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_integer
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar


def unlike(a: Scalar, b: Scalar) -> bool:
    """Whether two types are those of Python numbers of different classes."""
    return a.weak and b.weak and a.dtype != b.dtype


def is_mixed(it: Interpreter, v: Any) -> bool:
    return isinstance(v, Var) and v in it.captures.mixed


def of_operands(it: Interpreter, made: Any, *operands: Any) -> Any:
    """The result of arithmetic that gives an int for ints and a float for floats."""
    mixed = [is_mixed(it, v) for v in operands]
    if any(mixed) and all(m or is_integer(v) for m, v in zip(mixed, operands, strict=True)):
        it.captures.mixed.add(made)
    return made


def refuse_mixed(it: Interpreter, v: Any, node: Node, what: str) -> None:
    if is_mixed(it, v):
        it.refuse(
            node, f"{what} a number that has one class on one path and another on another",
            "give it one on both: 0.0 for 0, or float(...)",
        )  # fmt: skip
