"""Functions of math on several numbers and on integers, and the gamma functions."""

from __future__ import annotations

import builtins
import math
from functools import reduce
from typing import Any

import numpy as np

from srcgrad.frontend.float_errors import check_math, domain_error
from srcgrad.frontend.formulas import divisors, integers  # noqa: F401 (divisors registers)
from srcgrad.frontend.handlers.elementwise import (
    at_compile_time,
    elementwise,
    numbers_of_math,
    operands,
)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import GrownList, is_array, is_number, plain
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import FLOAT, Scalar, is_complex


@implements(math.hypot)
def hypot(it: Interpreter, node: Node, *xs: Any) -> Any:
    if not xs:
        return 0.0
    if len(xs) == 1:
        return elementwise(it, node, "abs", math.fabs, xs)
    return reduce(lambda a, c: elementwise(it, node, "hypot", math.hypot, (a, c)), xs)


@implements(math.dist)
def dist(it: Interpreter, node: Node, p: Any, q: Any) -> Any:
    p, q = (_points(it, node, v, "dist") for v in operands(it, node, (p, q), "dist"))
    unlike = plain(it.b.ne(p.type.dims[0], q.type.dims[0]))
    it.fail_if(unlike, "ValueError", "both points must have the same number of dimensions")
    length = it.call_numpy(np.linalg.norm, [it.emit(node, "sub", p, q)], {}, node)
    return plain(it.b.retyped(length, FLOAT))


@implements(math.fsum)
def fsum(it: Interpreter, node: Node, xs: Any) -> Any:
    """math.fsum as a plain sum, whose rounding differs."""
    if isinstance(xs, GrownList) and xs.of_numbers:
        xs = it.call_numpy(np.array, [xs], {}, node)
    if is_array(xs):
        xs = _points(it, node, xs, "fsum")
    else:
        items = numbers_of_math(it, node, tuple(it.static_items(xs, node)), "fsum")
        xs = [plain(it.b.retyped(v, FLOAT)) for v in items]
    total = it.call_numpy(np.sum if is_array(xs) else builtins.sum, [xs], {}, node)
    return float(total) if is_number(total) else it.b.retyped(total, FLOAT)


def _points(it: Interpreter, node: Node, x: Any, what: str) -> Any:
    """A vector of numbers in the precision that functions of math have; refused otherwise."""
    if not is_array(x) or x.type.ndim != 1 or is_complex(x.type.dtype):
        it.refuse(node, f"math.{what} takes vectors of real numbers", like=TypeError)
    return it.b.cast(x, Scalar("f64"))


@implements(math.remainder)
def remainder(it: Interpreter, node: Node, x: Any, y: Any) -> Any:
    if is_number(x) and is_number(y):
        return at_compile_time(it, node, math.remainder, (x, y))
    x, y = (plain(it.b.cast(v, FLOAT)) for v in numbers_of_math(it, node, (x, y), "remainder"))
    found = it.call(integers.remainder, [x, y], {}, node)
    check_math(it, math.remainder, (x, y), found)
    return found


def _gamma(f: Any, name: RowName) -> None:
    """math.gamma and math.lgamma, which raise at their poles."""

    def handler(it: Interpreter, node: Node, x: Any) -> Any:
        if is_number(x):
            return f(x)
        (x,) = numbers_of_math(it, node, (x,), f.__name__)
        b = it.b
        x = b.cast(x, FLOAT)
        if f is math.lgamma:  # infinite at both ends
            x = b.where(b.eq(x, -math.inf), math.inf, x)
        pole = b.logical_and(b.le(x, 0.0), b.eq(x, b.floor(x)))
        if f is math.lgamma:  # infinite at -inf
            pole = b.logical_and(pole, b.isfinite(x))
        it.fail_if(plain(pole), "ValueError", domain_error(f), x)
        y = it.emit(node, name, x, weak=True)
        check_math(it, f, (x,), y)
        return y

    implements(f)(handler)


_gamma(math.gamma, "gammafn")
_gamma(math.lgamma, "gammaln")


def _of_integers(f: Any) -> None:
    def handler(it: Interpreter, node: Node, *args: Any) -> Any:
        try:
            return f(*(it.static_int(a, node, f"an argument of {f.__name__}") for a in args))
        except (TypeError, ValueError, OverflowError) as e:
            it.fails(e, node)

    implements(f)(handler)


for _f in (math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt):
    _of_integers(_f)
