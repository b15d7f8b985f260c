"""Errors that Python raises for floats and NumPy does not: checked where a `try` catches them.

Outside of such a `try` the result is the infinity or NaN of NumPy (docs/limitations.md). A function
of `math` raises ValueError where its result is NaN although no operand is, or infinite at a pole,
and OverflowError where finite operands give infinity otherwise.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.number_classes import is_either, may_be_python
from srcgrad.frontend.raising_conditions import undecided
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import is_scalar, plain
from srcgrad.frontend.versions import error_text, raised
from srcgrad.ir.nodes import Var, atom

LARGEST = 1e308
RANGE = error_text(math.exp, LARGEST)
OUTSIDE = (-1, 2, math.inf)  # a function of `math` with a domain refuses one of these, but for pow


def is_python(v: Any) -> bool:
    """Whether a number is Python's own, of any class."""
    if isinstance(v, Var):
        return is_scalar(v) and v.type.weak
    return type(v) in (bool, int, float, complex)


def check_float_division(it: Interpreter, a: Any, c: Any, divided: Callable[..., Any]) -> None:
    """Raises where Python's floats are divided by zero, with the text of `divided`."""
    if not it.catches(ZeroDivisionError):
        return
    refuse_either(it, a, c)
    floats = any(atom(v).type.dtype in ("f64", "c128") for v in (a, c))
    if floats and is_python(a) and is_python(c):
        it.fail_if(plain(it.b.eq(c, 0.0)), "ZeroDivisionError", error_text(divided, 1.0, 0.0))


def refuse_either(it: Interpreter, a: Any, c: Any) -> None:
    """Refuses what raises if two numbers are Python's own, and does not if one is NumPy's."""
    both = may_be_python(it, a) and may_be_python(it, c)
    if both and (is_either(it, a) or is_either(it, c)):
        reason = "this raises for Python's numbers, not for NumPy's; one is Python's on one path"
        raise undecided(reason, it.b.loc)


def check_float_power(it: Interpreter, a: Any, n: Any, y: Any) -> None:
    """Raises for zero to a negative power, and for a finite power that is too large."""
    if it.catches(ZeroDivisionError) or it.catches(OverflowError):
        refuse_either(it, a, n)
    if not (is_python(a) and is_python(n)):
        return
    if atom(y).type.dtype == "c128":
        refuse_complex(it, "a power of complex numbers")
    if atom(y).type.dtype != "f64":
        return
    if it.catches(ZeroDivisionError):
        falling = it.b.logical_and(it.b.lt(n, 0.0), it.b.isfinite(n))
        pole = it.b.logical_and(it.b.eq(a, 0.0), falling)
        it.fail_if(plain(pole), "ZeroDivisionError", error_text(pow, 0.0, -1.0))
    if it.catches(OverflowError):
        too_large = _infinite(it, (a, n), y)
        it.fail_if(plain(too_large), "OverflowError", error_text(pow, LARGEST, 2.0))


def refuse_complex(it: Interpreter, what: str) -> None:
    """Refuses what raises for some complex numbers, where that would be caught."""
    if any(map(it.catches, (ValueError, ZeroDivisionError, OverflowError))):
        raise undecided(f"whether {what} raises is not known before it runs", it.b.loc)


def check_math(
    it: Interpreter, f: Callable[..., Any], xs: Sequence[Any], y: Any, whole: bool = False
) -> None:
    """Raises the errors of a function of `math` for these operands, with this result."""
    if atom(y).type.dtype != "f64" or not (it.catches(ValueError) or it.catches(OverflowError)):
        return
    outside = (domain_error(f, len(xs), whole), *xs[:1])
    known = reduce(lambda a, c: it.b.logical_or(a, c), [it.b.isnan(x) for x in xs])
    invalid = it.b.logical_and(it.b.isnan(y), it.b.logical_not(known))
    it.fail_if(plain(invalid), "ValueError", *outside)
    infinite = _infinite(it, xs, y)
    if f is math.pow:
        pole = it.b.logical_and(infinite, it.b.eq(xs[0], 0.0))
        it.fail_if(plain(pole), "ValueError", *outside)
    if _overflows(f, len(xs)):
        it.fail_if(plain(infinite), "OverflowError", RANGE)
    else:
        it.fail_if(plain(infinite), "ValueError", *outside)


@functools.cache
def domain_error(f: Callable[..., Any], count: int = 1, whole: bool = False) -> str:
    """The text of the ValueError of a function of `math` for a number outside its domain.

    The text is a template: newer versions of Python name the operand.
    """
    for x in OUTSIDE:
        error = raised(f, *[x if whole else float(x)] * count)
        if isinstance(error, ValueError):
            return literal(str(error)).replace(repr(float(x)), "{}")
    return error_text(math.fmod, 1.0, 0.0)


@functools.cache
def _overflows(f: Callable[..., Any], count: int) -> bool:
    """Whether a function is infinite for large operands, and not at a pole."""
    try:
        f(*[LARGEST] * count)
    except (OverflowError, ValueError) as e:
        return isinstance(e, OverflowError)
    return False


def _infinite(it: Interpreter, xs: Sequence[Any], y: Any) -> Any:
    """Whether a result is infinite although the operands are finite."""
    finite = [it.b.isfinite(x) for x in xs]
    return reduce(lambda a, c: it.b.logical_and(a, c), finite, it.b.isinf(y))
