"""Numbers of several classes that have one type in compiled code.

A Python number may be an int on one path and a float on another, or a bool and a number: it is the
wider of both, which has the same value. It may be Python's own on one path and NumPy's on another:
both compute the same, but Python's raises where NumPy's gives an infinity. Operations that tell
the classes apart are refused. Never changes a program.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import NUMBERS, article, is_integer, is_scalar
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar


def unlike(a: Scalar, b: Scalar) -> bool:
    """Whether two types are those of Python numbers of different classes."""
    return a.weak and b.weak and a.dtype != b.dtype


def is_mixed(it: Interpreter, v: Any) -> bool:
    return isinstance(v, Var) and v in it.captures.classes.mixed


def is_either(it: Interpreter, v: Any) -> bool:
    """Whether a number is Python's own on one path and NumPy's on another."""
    return isinstance(v, Var) and v in it.captures.classes.either


def may_be_python(it: Interpreter, v: Any) -> bool:
    """Whether a number is Python's own, at least on one path."""
    return is_scalar(v) and (atom(v).type.weak or is_either(it, v))


def of_operands(it: Interpreter, made: Any, *operands: Any) -> Any:
    """The result of arithmetic that gives an int for ints and a float for floats."""
    mixed = [is_mixed(it, v) for v in operands]
    if any(mixed) and all(m or is_integer(v) for m, v in zip(mixed, operands, strict=True)):
        it.captures.classes.mixed.add(made)
    return of_either(it, made, *operands)


def of_either(it: Interpreter, made: Any, *operands: Any) -> Any:
    """The result of arithmetic that is Python's own where all of its operands are."""
    if any(is_either(it, v) for v in operands) and all(may_be_python(it, v) for v in operands):
        it.captures.classes.either.add(made)
    return made


def refuse_mixed(it: Interpreter, v: Any, node: Node, what: str) -> None:
    if is_mixed(it, v):
        it.refuse(
            node, f"{what} a number that has one class on one path and another on another",
            "give it one on both: 0.0 for 0, or float(...)",
        )  # fmt: skip


def has_method(v: Any, name: str) -> bool:
    """Whether a value is a number of Python's, known when compiling, with a method of this name."""
    return type(v) in (bool, int, float, complex) and callable(getattr(v, name, None))


def refuse_derived(it: Interpreter, v: Any, classes: list[type], node: Node) -> None:
    """Refuses to tell whether an input is of a class derived from a number's: it is the number."""
    own = next((c for c in classes if issubclass(c, NUMBERS) and made_by_statement(c)), None)
    if own is not None and v in it.captures.leaves:
        said = f"whether a number is {article(own.__name__)} {own.__name__} is not known"
        it.refuse(node, f"{said} in compiled code", "test it before the call")
