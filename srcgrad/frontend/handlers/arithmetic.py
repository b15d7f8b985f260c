"""Functions of arithmetic with rules of their own: logarithms, powers, divisions, angles."""

from __future__ import annotations

import math
import operator
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.expressions import binary
from srcgrad.frontend.expressions import positive as positive_of
from srcgrad.frontend.float_errors import check_float_division, check_math, is_python
from srcgrad.frontend.handlers.elementwise import (
    at_compile_time,
    elementwise,
    in_float_kind,
    numbers_of_math,
    operands,
)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.powers import to_power
from srcgrad.frontend.values import is_number, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import FLOAT, Scalar


@implements(np.log)
def log(it: Interpreter, node: Node, x: Any) -> Any:
    return elementwise(it, node, "log", np.log, (x,))


@implements(math.log)
def math_log(it: Interpreter, node: Node, x: Any, base: Any = None) -> Any:
    if is_number(x) and (base is None or is_number(base)):
        plainly = base is None and not it.catches(ValueError)
        f, args = (np.log, (x,)) if plainly else (math.log, (x,) if base is None else (x, base))
        known = at_compile_time(it, node, f, args)
        # a Python number: it does not widen float32
        return float(known) if isinstance(known, np.float64) else known
    if base is not None:
        logs = (math_log(it, node, v) for v in (x, base))
        above, below = logs
        check_float_division(it, above, below, operator.truediv)
        return it.emit(node, "div", above, below)
    return elementwise(it, node, "log", math.log, (x,))


@implements(np.power)
def power(it: Interpreter, node: Node, x: Any, n: Any) -> Any:
    x, n = operands(it, node, (x, n), "power")
    if is_number(x) and is_number(n):
        return at_compile_time(it, node, np.power, (x, n))
    return to_power(it, x, n, node)


@implements(np.float_power)
def float_power(it: Interpreter, node: Node, x: Any, n: Any) -> Any:
    x, n = (it.b.cast(v, Scalar("f64")) for v in operands(it, node, (x, n), "float_power"))
    return to_power(it, plain(x), plain(n), node)


@implements(math.pow)
def math_pow(it: Interpreter, node: Node, x: Any, n: Any) -> Any:
    if is_number(x) and is_number(n):
        return at_compile_time(it, node, math.pow, (x, n))
    x, n = numbers_of_math(it, node, (x, n), "pow")
    x, n = plain(it.b.cast(x, FLOAT)), plain(it.b.cast(n, FLOAT))
    power = plain(it.b.retyped(to_power(it, x, n, node), FLOAT))
    check_math(it, math.pow, (x, n), power)
    return power


@implements(np.square)
def square(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "square")
    if atom(x).type.dtype == "bool":
        it.refuse(node, "NumPy's square of booleans is an int8", "use .astype(int)")
    return it.emit(node, "mul", x, x)


@implements(np.positive)
def positive(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "positive")
    return strong(it, positive_of(it, x, node))


def _of_numpy(it: Interpreter, a: Any, c: Any) -> tuple[Any, Any]:
    """Two Python numbers as NumPy's, whose division raises nothing."""
    return (strong(it, a), strong(it, c)) if is_python(a) and is_python(c) else (a, c)


@implements(np.floor_divide)
def floor_divide(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = _of_numpy(it, *operands(it, node, (a, c), "floor_divide"))
    return binary(it, gast.FloorDiv(), a, c, node)


@implements(np.mod, np.remainder)
def mod(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = _of_numpy(it, *operands(it, node, (a, c), "mod"))
    return binary(it, gast.Mod(), a, c, node)


def _angles(name: str, scale: float, *of_numpy: Any) -> None:
    """Converts an angle to another unit."""
    of_math = getattr(math, name)

    def number(it: Interpreter, node: Node, x: Any) -> Any:
        if is_number(x):
            return at_compile_time(it, node, of_math, (x,))
        (x,) = numbers_of_math(it, node, (x,), name)
        x = it.b.cast(x, FLOAT)
        return it.emit(node, "mul", x, scale, weak=True)

    def array(it: Interpreter, node: Node, x: Any) -> Any:
        (x,) = operands(it, node, (x,), name)
        (x,) = in_float_kind(it, [x])
        if atom(x).type.dtype == "f16":  # which has few digits of the scale
            wide = it.b.mul(it.b.cast(x, Scalar("f32")), scale)
            return plain(it.b.cast(wide, Scalar("f16")))
        return it.emit(node, "mul", x, scale)

    implements(of_math)(number)
    implements(*of_numpy)(array)


_angles("radians", math.pi / 180.0, np.deg2rad, np.radians)
_angles("degrees", 180.0 / math.pi, np.rad2deg, np.degrees)
