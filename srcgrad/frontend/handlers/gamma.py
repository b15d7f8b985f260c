"""math.gamma and math.lgamma by Lanczos' series of elementary functions (g = 7, nine terms).

The series is good to 1e-14 and so are its derivatives of any order: no rule is needed for them.
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import describe, is_array, is_number, plain
from srcgrad.ir.types import FLOAT

G = 7.0
TERMS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


def _argument(it: Any, node: Any, x: Any, what: str) -> tuple[Any, Any, Any]:
    """The number, whether it lies where the series is not used, and where it is used instead."""
    (x,) = operands(it, node, (x,), what)
    if is_array(x) and x.type.dims:
        it.refuse(node, f"math.{what} takes a number, not {describe(x)}", like=TypeError)
    b = it.b
    x = b.cast(b("load", x) if is_array(x) else x, FLOAT)
    pole = b("logical_and", b("le", x, 0.0), b("eq", x, b("floor", x)))
    it.fail_if(plain(pole), "ValueError", "math domain error")
    low = b("lt", x, 0.5)
    return x, low, b("where", low, b("sub", 1.0, x), x)


def _series(it: Any, z: Any) -> tuple[Any, Any]:
    """Lanczos' sum and the base of the power beside it, for z >= 1/2."""
    b = it.b
    total: Any = TERMS[0]
    for k, c in enumerate(TERMS[1:]):
        total = b("add", total, b("div", c, b("add", z, float(k))))
    return b("mul", ROOT_TWO_PI, total), b("add", z, G - 0.5)


def _sine(it: Any, x: Any) -> Any:
    """sin(pi x), its argument reduced before it is rounded."""
    b = it.b
    whole = b("rint", x)
    odd = b("ne", b("mod", whole, 2.0), 0.0)
    s = b("sin", b("mul", math.pi, b("sub", x, whole)))
    return b("where", odd, b("neg", s), s)


@implements(math.gamma)
def gamma(it: Any, node: Any, x: Any) -> Any:
    if is_number(x):
        return math.gamma(x)
    b = it.b
    x, low, z = _argument(it, node, x, "gamma")
    total, t = _series(it, z)
    # the power in two halves: it overflows before the result does
    half = b("pow", t, b("mul", 0.5, b("sub", z, 0.5)))
    high = b("mul", b("mul", half, b("exp", b("neg", t))), b("mul", half, total))
    sine = b("where", low, _sine(it, x), 1.0)
    return it.emit(node, "where", low, b("div", math.pi, b("mul", sine, high)), high)


@implements(math.lgamma)
def lgamma(it: Any, node: Any, x: Any) -> Any:
    if is_number(x):
        return math.lgamma(x)
    b = it.b
    x, low, z = _argument(it, node, x, "lgamma")
    total, t = _series(it, z)
    high = b("sub", b("mul", b("sub", z, 0.5), b("log", t)), t)
    high = b("add", high, b("log", total))
    sine = b("where", low, b("abs", _sine(it, x)), 1.0)
    return it.emit(node, "where", low, b("sub", b("log", b("div", math.pi, sine)), high), high)
