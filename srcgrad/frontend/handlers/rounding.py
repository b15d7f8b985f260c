"""Rounding: floor, ceil and trunc of math, Python's round and NumPy's.

A float of Python's is rounded to decimals as Python does it, to the decimal that is nearest to its
exact value; NumPy multiplies, rounds and divides.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.casts import as_integer, of_python, widened
from srcgrad.frontend.handlers.elementwise import numbers_of_math, operands, to_out
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.number_classes import of_operands
from srcgrad.frontend.special_methods import asked, python_type, type_name
from srcgrad.frontend.values import describe, is_array, is_number, is_scalar, is_value, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import BOOL, FLOAT, Scalar, is_complex, is_float, is_int
from srcgrad.primitives.callbacks import Callback


def _integer_rounding(name: RowName, f: Any) -> None:
    def handler(it: Interpreter, node: Node, x: Any) -> Any:
        if is_number(x):
            return _known(it, node, f, x)
        if f is math.trunc and is_array(x):  # arrays have no __trunc__, even those of rank 0
            said = f"math.trunc takes a number, not {describe(x)}"
            it.wrong(node, said, TypeError, "use np.trunc")
        (v,) = numbers_of_math(it, node, (x,), name)
        if is_int(atom(v).type.dtype) and not of_python(v):  # math converts these to floats
            v = it.b.cast(v, FLOAT)
        return as_integer(it, v if atom(v).type.dtype[0] in "iub" else it.emit(node, name, v))

    implements(f)(handler)


def _known(it: Interpreter, node: Node, f: Any, *args: Any) -> Any:
    try:
        return f(*args)
    except (TypeError, ValueError, OverflowError) as e:
        it.fails(e, node)


_integer_rounding("floor", math.floor)
_integer_rounding("ceil", math.ceil)
_integer_rounding("trunc", math.trunc)


@implements(round)
def round_(it: Interpreter, node: Node, number: Any, ndigits: Any = None) -> Any:
    x = number
    own = asked(it, x, "__round__", [] if ndigits is None else [ndigits], node)
    if own is not NotImplemented:
        return own
    if ndigits is not None:
        ndigits = it.static_int(ndigits, node, "digits")
    if is_number(x):
        return _known(it, node, round, x, ndigits)
    if not is_value(x) or (is_array(x) and x.type.dims):
        it.refuse(
            node, f"round() takes a number, not {describe(x)}", "use np.round", like=TypeError
        )
    x = widened(it, plain(it.b.value(atom(x))))
    dtype = atom(x).type.dtype
    if is_complex(dtype) or dtype == "bool":
        it.refuse(node, f"round() takes a real number, not {describe(x)}", like=TypeError)
    if ndigits is None:
        return as_integer(it, it.b.rint(x) if is_float(dtype) else x)
    if is_float(dtype) and atom(x).type == FLOAT:
        x = it.b.before_rounding(x)
        held = it.b.call_back(1, x, back=_rounding(ndigits), dtype="f64")
        return of_operands(it, it.b.retyped(it.b.load(held, 0), FLOAT), x)
    if is_int(dtype):
        return x if ndigits >= 0 else _to_tens(it, node, x, 10**-ndigits)
    return of_operands(it, np_round(it, node, x, ndigits), x)


@implements(np.round, np.around, method="round")
def np_round(it: Interpreter, node: Node, x: Any, decimals: Any = 0, out: Any = None) -> Any:
    (x,) = operands(it, node, (x,), "round")
    decimals = it.static_int(decimals, node, "decimals")
    dtype = atom(x).type.dtype
    if dtype == "bool":
        it.refuse(node, "booleans cannot be rounded", "use .astype(float)")
    if is_complex(dtype):
        parts = [np_round(it, node, part, decimals) for part in (it.b.real(x), it.b.imag(x))]
        return to_out(it, node, it.b.to_complex(*parts), out)
    if is_int(dtype):
        made = (
            it.call_numpy(np.positive, [x], {}, node)
            if decimals >= 0
            else strong(it, _to_tens(it, node, x, 10**-decimals))
        )
        return to_out(it, node, made, out)
    if decimals == 0:
        return to_out(it, node, it.emit(node, "rint", x), out)
    scale = 10.0 ** abs(decimals)
    there, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    return to_out(it, node, it.emit(node, back, it.b.rint(it.b(there, x, scale)), scale), out)


@functools.cache
def _rounding(digits: int) -> Callback:
    return Callback("round", lambda given: [round(float(given[0]), digits)], (0,))


def _to_tens(it: Interpreter, node: Node, x: Any, unit: int) -> Any:
    """Integers at the nearest multiple of `unit`, at ties the even one, of their own dtype."""
    if unit > 10**18:
        it.refuse(node, "integers of 64 bits are rounded to 18 tens at most")
    b, wide = it.b, it.b.cast(x, Scalar("i64"))
    low = b.floordiv(wide, unit)
    rest = b.sub(wide, b.mul(low, unit))
    odd = b.logical_and(b.eq(rest, unit // 2), b.eq(b.mod(low, 2), 1))
    up = b.logical_or(b.gt(rest, unit // 2), odd)
    made = b.mul(b.add(low, b.where(up, 1, 0)), unit)
    return plain(b.cast(made, atom(x).type if is_scalar(x) else Scalar(x.type.dtype)))


# ---- whole numbers ----
@method("array", "is_integer")
def is_integer(it: Interpreter, node: Node, x: Any) -> Any:
    """Whether a number is finite and whole."""
    cls = None if is_array(x) else python_type(x)
    if cls is None or not hasattr(cls, "is_integer"):
        name = "numpy.ndarray" if cls is None else type_name(x)
        it.wrong(node, f"'{name}' object has no attribute 'is_integer'", AttributeError)
    if not is_float(x.type.dtype):
        return True
    whole = it.b.logical_and(it.b.isfinite(x), it.b.eq(x, it.b.floor(x)))
    return plain(it.b.retyped(whole, BOOL))
