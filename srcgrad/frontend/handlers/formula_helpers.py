"""Handlers of the helper functions that formulas call."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import (
    arrays,
    calculus,
    covariances,
    elementwise,
    flat_places,
    indices,
    matrices,
    nan_reductions,
    neighbours,
    polynomials,
    registry,
    series,
    sets,
    statistics,
)
from srcgrad.frontend.handlers.elementwise import (
    float_kind,
    operands,
    to_out,
)
from srcgrad.frontend.handlers.reductions import largest_of, place_of_axis
from srcgrad.frontend.handlers.registry import METHODS, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_number, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Array, Scalar, is_complex, is_float, np_dtype


@implements(registry.known)
def known(it: Interpreter, node: Node, v: Any) -> Any:
    if isinstance(v, tuple | list):
        return tuple(known(it, node, each) for each in v)
    if v is None or isinstance(v, str | bool | float):
        return v
    return it.static_int(v, node, "an axis or a count")


@implements(registry.perhaps_shared)
def perhaps_shared(it: Interpreter, node: Node, made: Any, values: Any, what: str) -> Any:
    it.stands_for_view(made, values, what, node, writable=True)
    return made


@implements(registry.place)
def place(it: Interpreter, node: Node, axis: Any, n: Any) -> int:
    return place_of_axis(it, node, axis, n)


@implements(registry.floating)
def floating(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "this function")
    kind = atom(x).type
    if is_complex(kind.dtype):
        name = it.frame.source.function.__name__
        it.refuse(node, f"{name} of complex numbers is not supported", "take .real or .imag first")
    if is_float(kind.dtype):
        return x
    return plain(it.b.cast(x, Scalar("f64", not is_array(x) and kind.weak)))


@implements(registry.in_one_float_kind)
def in_one_float_kind(it: Interpreter, node: Node, *xs: Any) -> tuple:
    values = operands(it, node, xs, "this function")
    kind = float_kind(*values)
    return tuple(plain(it.b.cast(v, kind)) for v in values)


@implements(registry.constant)
def constant(it: Interpreter, node: Node, x: Any) -> Any:
    return it.emit(node, "stop_gradient", x)


@implements(registry.largest)
def largest(it: Interpreter, node: Node, x: Any, axis: Any, of_nothing: float) -> Any:
    return largest_of(it, node, x, axis, True, of_nothing)


@implements(registry.number)
def number(it: Interpreter, node: Node, x: Any) -> Any:
    return METHODS["array", "item"](it, node, x)


@implements(registry.unsupported)
def unsupported(
    it: Interpreter, node: Node, reason: str, way_out: str = "", like: Any = None
) -> Any:
    it.refuse(node, reason, way_out, like)


@implements(registry.refused_where)
def refused_where(
    it: Interpreter, node: Node, condition: Any, reason: str, way_out: str = ""
) -> None:
    it.refuse_where(condition, node, reason, way_out)


@implements(elementwise.bessel_i0)
def bessel_i0(it: Interpreter, node: Node, x: Any) -> Any:
    return it.emit(node, "bessel_i0", x)


@implements(registry.stored)
def stored(it: Interpreter, node: Node, value: Any, out: Any) -> Any:
    return to_out(it, node, value, out)


@implements(registry.shaped)
def shaped(it: Interpreter, node: Node, x: Any, shape: Any) -> Any:
    return it.b.reshape(x, *(it.b.dim(n) for n in shape))


@implements(registry.is_array)
def is_array_(it: Interpreter, node: Node, x: Any) -> bool:
    return is_array(x)


@implements(registry.is_static)
def is_static(it: Interpreter, node: Node, v: Any) -> bool:
    return is_number(v)


@implements(statistics.kind_of_quantile)
def kind_of_quantile(
    it: Interpreter, node: Node, f: Any, a: Any, q: Any, method: Any
) -> np.dtype[Any]:
    """The dtype of NumPy's result, by calling NumPy with arguments of the same kinds."""
    if method not in statistics.METHODS:
        it.refuse(node, f"{method!r} is no method of quantiles", "use 'linear'", ValueError)
    if np_dtype(atom(a).type.dtype) == np.bool_:
        it.refuse(
            node, "the quantile of booleans is not supported", "use .astype(float)", TypeError
        )
    try:
        return np.asarray(f(*map(_alike, (a, q)), method=method)).dtype
    except TypeError as error:
        it.refuse(node, str(error), like=TypeError)


def _alike(v: Any) -> Any:
    """An argument of the kind of an array or a number of the run, all of it ones."""
    kind = atom(v).type
    if isinstance(kind, Array):
        return np.ones((1,) * kind.ndim, np_dtype(kind.dtype))
    one = np_dtype(kind.dtype).type(1)
    return one.item() if kind.weak else one
