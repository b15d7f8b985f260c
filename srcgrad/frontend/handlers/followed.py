"""Functions that are followed as formulas, and what formulas ask of the compiler."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.formulas import (
    arrays,
    calculus,
    elementwise,
    places,
    polynomials,
    registry,
    statistics,
)
from srcgrad.frontend.formulas.registry import FORMULAS
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import largest_of, place_of_axis
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import is_array, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, is_float

# importing them states their formulas
assert arrays and calculus and elementwise and places and polynomials and statistics


@functools.cache
def followed(formula: Callable) -> Callable:
    """A handler that interprets a formula in the place of the call."""

    def handler(it: Any, node: Any, *args: Any, **keywords: Any) -> Any:
        return it.call(formula, list(args), keywords, node)

    handler.__signature__ = _signature(formula)  # type: ignore[attr-defined]
    return handler


def _signature(formula: Callable) -> inspect.Signature:
    """That of a handler with the arguments of a formula."""
    own = inspect.signature(formula)
    first = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in ("it", "node")]
    return own.replace(parameters=[*first, *own.parameters.values()])


def follow_all() -> None:
    """Register a handler for every formula; again when SciPy's have joined them."""
    for f, formula in FORMULAS.items():
        implements(f)(followed(formula))


@implements(registry.known)
def known(it: Any, node: Any, v: Any) -> Any:
    if isinstance(v, tuple | list):
        return tuple(known(it, node, each) for each in v)
    if v is None or isinstance(v, str | bool | float):
        return v
    return it.static_int(v, node, "an axis or a count")


@implements(registry.place)
def place(it: Any, node: Any, axis: Any, n: Any) -> int:
    return place_of_axis(it, node, axis, n)


@implements(registry.floating)
def floating(it: Any, node: Any, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "this function")
    kind = atom(x).type
    if is_complex(kind.dtype):
        name = it.frame.source.function.__name__
        it.refuse(node, f"{name} of complex numbers is not supported", "take .real or .imag first")
    if is_float(kind.dtype):
        return x
    return plain(it.b.cast(x, Scalar("f64", not is_array(x) and kind.weak)))


@implements(registry.constant)
def constant(it: Any, node: Any, x: Any) -> Any:
    return it.emit(node, "stop_gradient", x)


@implements(registry.largest)
def largest(it: Any, node: Any, x: Any, axis: Any, of_nothing: float) -> Any:
    return largest_of(it, node, x, axis, True, of_nothing)


@implements(registry.unsupported)
def unsupported(it: Any, node: Any, reason: str, way_out: str = "", like: Any = None) -> Any:
    it.refuse(node, reason, way_out, like)


@implements(elementwise.bessel_i0)
def bessel_i0(it: Any, node: Any, x: Any) -> Any:
    return it.emit(node, "bessel_i0", x)
