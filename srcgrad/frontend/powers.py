"""Powers: products for small integer exponents; integers to negative powers, and their kinds."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.casts import NO_FLOAT, of_python, widened, widened_pair
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_number, plain
from srcgrad.frontend.versions import error_text
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import FLOAT, is_float, promoted

LARGEST_POWER = 64  # integer exponents up to here are products


def to_power(it: Interpreter, a: Any, n: Any, node: Node) -> Any:
    """`a ** n`: a product for small integer exponents, else pow."""
    a, n = widened_pair(it, a, n)
    a = a if atom(n).type.dtype == "bool" else widened(it, a)
    if is_array(a) and a.type.dtype == "bool" and atom(n).type.dtype[0] in "bi":
        it.refuse(node, "NumPy's powers of booleans are small integers", "use .astype(int)")
    whole = is_number(n) and atom(n).type.dtype[0] in "fiu" and float(n).is_integer()
    if whole and abs(n) <= LARGEST_POWER and isinstance(a, Var):
        k = int(float(n))
        target = promoted((a.type, atom(n).type))
        if k < 0 and not is_float(target.dtype):
            _negative_power(it, a, n)
            target = FLOAT
        a = it.b.cast(a, target) if is_array(a) else it.b.retyped(a, target)
        if k == 2:
            return it.emit(node, "mul", a, a)
        if k == 1:
            return it.emit(node, "copy", a) if is_array(a) else a
        return it.emit(node, "powi", a, n=k)
    check_power(it, a, n)
    return it.emit(node, "pow", a, n)


def _negative_power(it: Interpreter, a: Any, n: Any) -> None:
    """An integer to a negative integer power: Python's is a float, NumPy's raises."""
    if of_python(a) and of_python(n):
        zero = plain(it.b.eq(a, 0))
        it.fail_if(zero, "ZeroDivisionError", error_text(pow, 0, -1))
    else:
        it.fail("ValueError", "Integers to negative integer powers are not allowed.")


def check_power(it: Interpreter, a: Any, n: Any) -> None:
    """Raises where integers have a negative power: their result is an integer."""
    if atom(a).type.dtype[0] not in "iub" or atom(n).type.dtype[0] not in "ib":
        return
    if is_float(promoted((atom(a).type, atom(n).type)).dtype):  # u64 with i64
        return
    text = "Integers to negative integer powers are not allowed."
    if of_python(a) and of_python(n):
        text = NO_FLOAT
    negative = plain(it.b.lt(n, 0))
    if is_array(negative):
        axes = tuple(range(negative.type.ndim))
        negative = plain(it.b.any(negative, axes=axes))
    it.fail_if(negative, "ValueError", text)
