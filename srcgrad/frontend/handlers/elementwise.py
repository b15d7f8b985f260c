"""Elementwise functions of math and NumPy: a table of names, and one handler for all."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.casts import widened
from srcgrad.frontend.control_flow import numpy_bool
from srcgrad.frontend.float_errors import check_math
from srcgrad.frontend.formulas.complex_parts import direction
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import promoted as promoted_as_tensors
from srcgrad.frontend.numba_objects import dtype_of_type
from srcgrad.frontend.stores import assign_array
from srcgrad.frontend.values import (
    GrownList,
    Range,
    describe,
    is_array,
    is_number,
    is_scalar,
    is_value,
    ndim,
    plain,
)
from srcgrad.frontend.versions import raised
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import (
    BOOL,
    FLOAT,
    INT,
    Scalar,
    is_complex,
    is_float,
    np_dtype,
    promoted,
    short_dtype,
)

# primitive -> the functions it implements
NAMES: dict[RowName, tuple] = {
    "add": (np.add,), "sub": (np.subtract,), "mul": (np.multiply,), "div": (np.divide,),
    "neg": (np.negative,), "abs": (np.abs, np.fabs, math.fabs), "sign": (np.sign,),
    "maximum": (np.maximum,), "minimum": (np.minimum,), "fmod": (np.fmod, math.fmod),
    "copysign": (np.copysign, math.copysign), "hypot": (np.hypot,), "exp": (np.exp, math.exp),
    "exp2": (np.exp2, math.exp2), "expm1": (np.expm1, math.expm1), "log2": (np.log2, math.log2),
    "log10": (np.log10, math.log10), "log1p": (np.log1p, math.log1p), "sqrt": (np.sqrt, math.sqrt),
    "cbrt": (np.cbrt, math.cbrt), "logaddexp": (np.logaddexp,), "sin": (np.sin, math.sin),
    "cos": (np.cos, math.cos), "tan": (np.tan, math.tan), "arcsin": (np.arcsin, math.asin),
    "arccos": (np.arccos, math.acos), "arctan": (np.arctan, math.atan),
    "arctan2": (np.arctan2, math.atan2), "sinh": (np.sinh, math.sinh), "cosh": (np.cosh, math.cosh),
    "tanh": (np.tanh, math.tanh), "arcsinh": (np.arcsinh, math.asinh),
    "arccosh": (np.arccosh, math.acosh), "arctanh": (np.arctanh, math.atanh), "erf": (math.erf,),
    "erfc": (math.erfc,), "lt": (np.less,), "le": (np.less_equal,), "gt": (np.greater,),
    "ge": (np.greater_equal,), "eq": (np.equal,), "ne": (np.not_equal,),
    "logical_and": (np.logical_and,), "logical_or": (np.logical_or,),
    "logical_xor": (np.logical_xor,), "logical_not": (np.logical_not,),
    "bit_and": (np.bitwise_and,), "bit_or": (np.bitwise_or,), "bit_xor": (np.bitwise_xor,),
    "invert": (np.invert,), "shift_left": (np.left_shift,), "shift_right": (np.right_shift,),
    "isnan": (np.isnan, math.isnan), "isinf": (np.isinf, math.isinf),
    "isfinite": (np.isfinite, math.isfinite), "signbit": (np.signbit,), "floor": (np.floor,),
    "ceil": (np.ceil,), "trunc": (np.trunc,), "rint": (np.rint,),
}  # fmt: skip
BY_PARTS = ("rint", "sign")  # of complex numbers, by their real and imaginary parts
LOGICAL = ("logical_and", "logical_or", "logical_xor", "logical_not")
FLOATING = frozenset(NAMES) - {
    "add", "sub", "mul", "neg", "abs", "sign", "maximum", "minimum", "lt", "le", "gt", "ge", "eq",
    "ne", *LOGICAL, "bit_and", "bit_or", "bit_xor", "invert", "shift_left", "shift_right",
    "isnan", "isinf", "isfinite", "signbit", "floor", "ceil", "trunc", "fmod",
}  # fmt: skip


def _register(name: RowName, f: Any) -> None:
    def handler(it: Interpreter, node: Node, *args: Any) -> Any:
        return elementwise(it, node, name, f, args)

    implements(f)(handler)


for _name, _functions in NAMES.items():
    for _f in _functions:
        _register(_name, _f)


def operands(it: Interpreter, node: Node, args: tuple, what: str) -> list[Any]:
    """Arguments of an elementwise function: lists are converted, others refused."""
    out = []
    for v in args:
        if isinstance(v, list | tuple | GrownList | Range | range):
            v = it.call_numpy(np.array, [v], {}, node)
        if not is_value(v):
            it.refuse(node, f"{what} does not take {describe(v)}", like=TypeError)
        # a Python bool is treated as NumPy's here
        out.append(numpy_bool(it, v) if is_scalar(v) and atom(v).type == BOOL else v)
    return out


def elementwise(it: Interpreter, node: Node, name: RowName, f: Any, args: tuple) -> Any:
    what = getattr(f, "__name__", name)
    if all(is_number(a) for a in args):
        return at_compile_time(it, node, f, args)
    of_math = getattr(f, "__module__", "") == "math"
    values = (numbers_of_math if of_math else operands)(it, node, args, what)
    whole = all(atom(v).type == INT for v in values)
    if of_math:
        values = [it.b.cast(v, FLOAT) for v in values]
    in_floats = name in FLOATING or f is np.fabs
    if not of_math:
        values = promoted_as_tensors(it, node, values, in_floats)
    if in_floats and name != "div":  # NumPy divides integers of any size in float64
        values = in_float_kind(it, values)
    if name in BY_PARTS and is_complex(atom(values[0]).type.dtype):
        return by_parts(it, node, name, values[0])
    if name in LOGICAL:
        values = [it.b.ne(v, 0) if atom(v).type.dtype != "bool" else v for v in values]
    result = it.emit(node, name, *values, weak=of_math)
    if of_math:
        check_math(it, f, values, result, whole)
    return result


def by_parts(it: Interpreter, node: Node, name: RowName, z: Any) -> Any:
    """`rint` or `sign` of complex numbers."""
    parts = [it.b.real(z), it.b.imag(z)]
    if name == "sign":
        parts = it.call(direction, parts, {}, node)
    else:
        parts = [it.emit(node, "rint", part) for part in parts]
    return it.b.to_complex(*parts)


def at_compile_time(it: Interpreter, node: Node, f: Any, args: tuple) -> Any:
    with np.errstate(all="ignore"):
        try:
            return f(*args)
        except (TypeError, ValueError, OverflowError) as e:
            it.fails(e, node)


def _vectors_convert() -> bool:
    """Whether NumPy converts a vector with one element to a number, as it did before 2.4."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.zeros(1).__float__() == 0.0
        except TypeError:
            return False


_VECTORS_CONVERT = _vectors_convert()


def numbers_of_math(it: Interpreter, node: Node, args: tuple, what: str) -> list[Any]:
    """Arguments of a function of math or cmath; a sequence is not one, even of one number."""
    for v in args:
        if isinstance(v, list | tuple | GrownList):
            it.wrong(node, f"{what}() takes a number, not {describe(v)}", TypeError)
    return [number_of_math(it, node, v, what) for v in operands(it, node, args, what)]


def number_of_math(it: Interpreter, node: Node, v: Any, what: str) -> Any:
    """The operand of a function of `math`: a number, or the element of an array with one."""
    if not is_array(v):
        return v
    if any(isinstance(d, Var) or d != 1 for d in v.type.dims):
        called, way_out = (f"math.{what}", f"use np.{what}") if hasattr(math, what) else (what, "")
        it.wrong(node, f"{called} takes a number, not {describe(v)}", TypeError, way_out)
    if v.type.dims and not _VECTORS_CONVERT:
        it.fail("TypeError", "only 0-dimensional arrays can be converted to Python scalars")
    return it.b.load(v, *([0] * v.type.ndim))


def scalar_type(it: Interpreter, node: Node, dtype: Any) -> Scalar:
    """The IR type of a dtype argument: np.float32, "float32", float, x.dtype."""
    of_numba = dtype_of_type(dtype)
    try:
        short = short_dtype(dtype if of_numba is None else of_numba)
    except TypeError:
        it.refuse(node, f"dtype {dtype!r} is not supported", like=TypeError)
    if short is None:
        fields = np.dtype(dtype).names or ()
        parts = ", ".join(f"{name!r}: ..." for name in fields)
        way_out = f"make an array for each field, in a dict: {{{parts}}}" if fields else ""
        if not np.dtype(dtype).isnative:
            way_out = "take the byte order of the machine: dtype.newbyteorder('=')"
        it.refuse(node, f"dtype {dtype!r} is not supported", way_out)
    return Scalar(short)


def to_out(it: Interpreter, node: Node, result: Any, out: Any) -> Any:
    """Stores the result of a function in the `out=` array, if there is one: in its own kind."""
    if out is None:
        return result
    if not is_array(out):
        like = None if isinstance(out, tuple) else TypeError
        it.refuse(node, f"out= takes an array, not {describe(out)}", like=like)
    if ndim(result) != out.type.ndim:
        it.wrong(node, "out= has not the shape of the result", ValueError)
    have, want = atom(result).type.dtype, out.type.dtype
    if have != want:
        it.refuse(node, f"out= of {want} for a result of {have}", "pass an array of that dtype")
    for m, n in zip(result.type.dims if is_array(result) else (), out.type.dims, strict=True):
        if m is not n:
            it.b.check_equal(m, n, message="out= has not the shape of the result: {} for {}")
    assign_array(it, out, it.b.value(atom(result)))
    return out


# ---- functions with handlers of their own ----
@implements(np.sinc)
def sinc(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "sinc")
    # by its series near 0, where sin(y) / y is differentiated with cancellation
    near = it.b.lt(it.b.abs(it.b.mul(x, 1.0)), 0.08)
    y = it.b.mul(it.b.where(near, 0.5, x), math.pi)
    small = it.b.mul(it.b.where(near, x, 0.0), math.pi)
    square, series = it.b.mul(small, small), 1.0
    for k in (210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0):
        series = it.b.sub(1.0, it.b.mul(it.b.mul(square, 1.0 / k), series))
    return it.emit(node, "where", near, series, it.b.div(it.b.sin(y), y))


@implements(np.heaviside)
def heaviside(it: Interpreter, node: Node, x: Any, h: Any) -> Any:
    x, h = operands(it, node, (x, h), "heaviside")
    kind = float_kind(x, h)
    x, h = it.b.cast(x, kind), it.b.cast(h, kind)
    step = it.b.cast(it.b.gt(x, 0.0), kind)
    y = it.emit(node, "where", it.b.eq(x, 0.0), h, step)
    # neither branch is taken for NaN; a constant, since the function is flat in x
    return it.emit(node, "where", it.b.isnan(x), float("nan"), y)


# small integers clipped by a Python int out of their range: an error until NumPy 2.1
CLIPPED_BY_ANY = raised(np.clip, np.int8(0), -300, 3) is None


@implements(np.clip, method="clip")
def clip(
    it: Interpreter, node: Node, /, a: Any, a_min: Any = None, a_max: Any = None, out: Any = None,
    min: Any = None, max: Any = None, casting: Any = "same_kind", **loop: Any,
) -> Any:  # fmt: skip
    if loop:
        it.refuse(node, f"the argument '{next(iter(loop))}' of clip is not supported")
    given = [v for v in (a, a_min, a_max, out, min, max) if v is not None]
    kinds = {atom(v).type.dtype if is_value(v) else "other" for v in given}
    if casting != "same_kind" and len(kinds) > 1:
        it.refuse(node, f"clip of several dtypes with casting={casting!r}", "use .astype before it")
    if (a_min is not None or a_max is not None) and (min is not None or max is not None):
        it.wrong(node, "Passing `min` or `max` beside `a_min` and `a_max`", ValueError)
    lo, hi = (a_min if min is None else min), (a_max if max is None else max)
    (x,) = operands(it, node, (a,), "clip")
    x = strong(it, x)
    if lo is None and hi is None:
        return to_out(it, node, it.call_numpy(np.positive, [x], {}, node), out)
    if not is_float(atom(x).type.dtype):
        # an integer stays one: missing bounds do not make it a float, and a Python int
        # beyond the limits of the dtype on its own side has no effect, or is an error
        kind = np_dtype("i64" if atom(x).type.dtype == "bool" else atom(x).type.dtype)
        limits = np.iinfo(kind)
        floats = [v for v in (lo, hi) if is_value(v) and is_float(atom(v).type.dtype)]
        joined = not CLIPPED_BY_ANY or (atom(x).type.dtype == "bool" and floats)
        y = _in_kind_of_all(it, x, lo, hi) if joined else x
        pairs: tuple[tuple[RowName, Any, int], ...]
        pairs = (("maximum", lo, limits.min), ("minimum", hi, limits.max))
        for op, bound, limit in pairs:
            if bound is None:
                continue
            held = limit <= np.iinfo(np.int64).max  # a bound is never above the limit of uint64
            if CLIPPED_BY_ANY and held and is_scalar(bound) and atom(bound).type == INT:
                bound = plain(it.b(op, bound, int(limit)))
            y = it.emit(node, op, y, *operands(it, node, (bound,), "clip"))
        return to_out(it, node, y, out)
    lo = -math.inf if lo is None else lo
    hi = math.inf if hi is None else hi
    lo, hi = operands(it, node, (lo, hi), "clip")
    return to_out(it, node, it.emit(node, "clip", x, lo, hi), out)


def _in_kind_of_all(it: Interpreter, x: Any, *bounds: Any) -> Any:
    given = [x, *(v for v in bounds if v is not None)]
    return it.b.cast(x, Scalar(promoted(atom(v).type for v in given).dtype))


_NOTHING = object()


@implements(np.where)
def where(it: Interpreter, node: Node, c: Any, a: Any = _NOTHING, b: Any = _NOTHING) -> Any:
    if a is _NOTHING and b is _NOTHING:
        return it.call_numpy(np.nonzero, [c], {}, node)
    if a is _NOTHING or b is _NOTHING:
        it.fail("ValueError", "either both or neither of x and y should be given")
    c, a, b = operands(it, node, (c, a, b), "where")
    if is_number(c) and is_number(a) and is_number(b):
        return np.where(c, a, b)[()]
    if atom(c).type.dtype != "bool":
        c = it.b.ne(c, 0)
    if atom(a).type.dtype == "bool" and is_scalar(a) and atom(b).type.dtype != "bool":
        a = widened(it, a)
    chosen = strong(it, it.emit(node, "where", c, a, b))
    if isinstance(chosen, Var) and not is_array(chosen):
        it.captures.classes.shells.add(chosen)
    return chosen


def float_kind(*values: Any) -> Scalar:
    """The floating type that NumPy computes with for these operands."""
    joined = promoted(atom(v).type for v in values)
    if is_float(joined.dtype):
        return joined
    # NumPy's integers need no more than the float that holds them exactly
    given = [v.type for v in map(atom, values) if not getattr(v.type, "weak", False)]
    if not given or promoted(given) != joined:
        return Scalar("f64")
    held = short_dtype(np.result_type(np.float16, *(np_dtype(k.dtype) for k in given)))
    assert held is not None
    return Scalar(held)


def in_float_kind(it: Interpreter, values: list[Any]) -> list[Any]:
    """Operands unchanged if one is floating, else in their floating type."""
    kind = float_kind(*values)
    if any(is_float(atom(v).type.dtype) or is_complex(atom(v).type.dtype) for v in values):
        return values
    return [plain(it.b.cast(v, kind)) for v in values]
