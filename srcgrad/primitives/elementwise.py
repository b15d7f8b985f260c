"""Elementwise primitives: arithmetic, comparison, selection, transcendental functions.

Formulae: DLMF chapters 4 (elementary) and 7 (error function). At ties and kinks: max and min
split evenly, abs is 0 at 0, clip has derivative 1 at its bounds. For complex numbers a partial `p`
means dy = p dx, and dy = Re(p dx) where `y` is real: docs/decisions/complex_numbers.md.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.primitives import numpy_fast_paths
from srcgrad.primitives.dtypes import Operand, dtype_of
from srcgrad.primitives.identities import AND, MINUS, OR, OVER, PLUS, REPEATED, SELECTED, TIMES
from srcgrad.primitives.libraries import array_of, near, on_device, special_of
from srcgrad.primitives.registry import ZERO, Function, Primitive, derive, linear, nondiff
from srcgrad.primitives.rules import select

# ---- arithmetic ----
_arithmetic = functools.partial(derive, cheap="arrays")
add = _arithmetic("add", np.add, lambda y, a, b: 1.0, lambda y, a, b: 1.0, identity=PLUS)
sub = _arithmetic("sub", np.subtract, lambda y, a, b: 1.0, lambda y, a, b: -1.0, identity=MINUS)
mul = _arithmetic("mul", np.multiply, lambda y, a, b: b, lambda y, a, b: a, identity=TIMES)
neg = _arithmetic("neg", np.negative, lambda y, a: -1.0, exact=True)
div = derive(
    "div",
    np.divide,
    lambda y, a, b: 1.0 / b,
    lambda y, a, b: neg(y) * (1.0 / b),
    singular=True,
    cheap="scalars",
    nonfinite=True,
    identity=OVER,
)


def _absorb(g: Operand, p: Operand) -> Any:
    return np.where(np.equal(g, 0), np.multiply(g, 0), np.multiply(g, p))[()]


def _absorb_jvp(tangents: tuple[Any, ...], y: Any, g: Any, p: Any) -> Any:
    dg, dp = tangents
    first = None if dg is None else absorb(dg, p)
    second = None if dp is None else absorb(g, dp)
    return first if second is None else second if first is None else first + second


# 0 * anything = 0: an adjoint that is exactly zero stays zero next to an infinite partial, and next
# to that partial's tangent. Its own partials are those of the product, so that second derivatives
# are not lost at zero.
absorb = derive(
    "absorb",
    _absorb,
    lambda y, g, p: p,
    lambda y, g, p: g,
    singular=True,
    jvp=_absorb_jvp,
    kept=True,
    cheap="scalars",
)


def _powi(a: Any, n: int) -> Any:
    match n:
        case 1:
            return np.positive(a)
        case 2:
            return np.square(a)
        case _:
            return np.power(a, n) if n >= 0 else np.divide(1.0, np.power(a, -n))


def _lower(a: Any, n: int) -> Any:
    return a if n == 2 else powi(a, n=n - 1)


powi = derive(
    "powi",
    _powi,
    lambda y, a, n: n * _lower(a, n) if n else 0.0,
    singular=True,
    nonfinite=True,
    params=("n",),
)


def _pow(a: Any, b: Any) -> Any:
    return np.power(a, b)


pow = derive(
    "pow",
    _pow,
    # 0 where b is 0, whatever a is; its own derivative there is that of the product
    lambda y, a, b: absorb(b, pow(a, b - 1.0)),
    lambda y, a, b: select(eq(a, 0.0), 0.0, y * log(select(eq(a, 0.0), 1.0, a))),
    singular=True,
    nonfinite=True,
)
# the quotient is recovered from the result: floor(a / b) may round to another integer
mod = derive(
    "mod",
    np.mod,
    lambda y, a, b: 1.0,
    lambda y, a, b: (y - a) / b,
    decides=True,
    cheap="scalars",
    nonfinite=True,
)
fmod = derive(
    "fmod", np.fmod, lambda y, a, b: 1.0, lambda y, a, b: (y - a) / b, decides=True, nonfinite=True
)


# ---- comparison and logic ----


def _logic(name: str, impl: Function, arity: int, **flags: Any) -> Primitive:
    return nondiff(name, impl, elementwise=True, arity=arity, **flags)


def _test(name: str, impl: Function, arity: int = 1, **flags: Any) -> Primitive:
    return _logic(name, impl, arity, decides=True, **flags)


_compares = functools.partial(_test, arity=2, cheap="arrays")
lt = _compares("lt", np.less, ordered=True)
le = _compares("le", np.less_equal, ordered=True)
gt = _compares("gt", np.greater, ordered=True)
ge = _compares("ge", np.greater_equal, ordered=True)
eq = _compares("eq", np.equal)
ne = _compares("ne", np.not_equal)
logical_and = _test("logical_and", np.logical_and, 2, cheap="scalars", identity=AND)
logical_or = _test("logical_or", np.logical_or, 2, cheap="scalars", identity=OR)
logical_xor = _test("logical_xor", np.logical_xor, 2)
logical_not = _test("logical_not", np.logical_not, cheap="scalars")
undetermined = _logic("undetermined", np.bool_, 1)  # in rules: see `passes.undetermined`
bit_and = _logic("bit_and", np.bitwise_and, 2, cheap="scalars")
bit_or = _logic("bit_or", np.bitwise_or, 2, cheap="scalars")
bit_xor = _logic("bit_xor", np.bitwise_xor, 2, cheap="scalars")
invert = _logic("invert", np.invert, 1)
shift_left = _logic("shift_left", np.left_shift, 2)
shift_right = _logic("shift_right", np.right_shift, 2)
isnan = _test("isnan", np.isnan)
isinf = _test("isinf", np.isinf)
isfinite = _test("isfinite", np.isfinite)
signbit = _test("signbit", np.signbit)


# ---- selection ----
def _where(c: Operand, a: Operand, b: Operand) -> Any:
    y = numpy_fast_paths.where(c, a, b)
    if y is not None:
        return y
    try:
        return np.where(c, a, b)[()]
    except TypeError:  # a mask of NumPy's beside arrays on a device
        return np.where(near(a if on_device(a) else b, c), a, b)


where = derive(
    "where",
    _where,
    None,
    lambda y, c, a, b: select(c, 1.0, 0.0),
    lambda y, c, a, b: select(c, 0.0, 1.0),
    selects=True,
    exact=True,
    cheap="arrays",
    identity=SELECTED,
)


def _half_at_ties(wins: Any, ties: Any) -> Any:
    return select(wins, 1.0, select(ties, 0.5, 0.0))


_extremum = functools.partial(derive, exact=True, ordered=True, cheap="scalars", identity=REPEATED)
maximum = _extremum(
    "maximum",
    np.maximum,
    lambda y, a, b: _half_at_ties(gt(a, b), eq(a, b)),
    lambda y, a, b: _half_at_ties(gt(b, a), eq(a, b)),
)
minimum = _extremum(
    "minimum",
    np.minimum,
    lambda y, a, b: _half_at_ties(lt(a, b), eq(a, b)),
    lambda y, a, b: _half_at_ties(lt(b, a), eq(a, b)),
)
# Python's: the second operand unless the first one is better, so also where one is NaN
larger = _extremum(
    "larger",
    lambda a, b: _where(np.greater(a, b), a, b),
    lambda y, a, b: _half_at_ties(gt(a, b), eq(a, b)),
    lambda y, a, b: select(gt(a, b), 0.0, select(eq(a, b), 0.5, 1.0)),
)
smaller = _extremum(
    "smaller",
    lambda a, b: _where(np.less(a, b), a, b),
    lambda y, a, b: _half_at_ties(lt(a, b), eq(a, b)),
    lambda y, a, b: select(lt(a, b), 0.0, select(eq(a, b), 0.5, 1.0)),
)
clip = derive(
    "clip",
    np.clip,
    lambda y, a, lo, hi: select(logical_and(ge(a, lo), le(a, hi)), 1.0, 0.0),
    # where the bounds have crossed, the result is the upper one
    lambda y, a, lo, hi: select(logical_and(lt(a, lo), le(lo, hi)), 1.0, 0.0),
    lambda y, a, lo, hi: select(logical_or(gt(a, hi), gt(lo, hi)), 1.0, 0.0),
    exact=True,
    ordered=True,
    cheap="scalars",
)


def _relu(a: Any) -> Any:
    # NumPy's maximum with a number has no vector code; both keep NaN
    if not numpy_fast_paths.is_large(a):
        return np.maximum(a, 0)
    y = a.clip(0, np.inf)
    return np.add(y, 0, out=y)  # clip keeps -0


relu = derive("relu", _relu, lambda y, a: select(gt(a, 0.0), 1.0, 0.0), exact=True, ordered=True)


# ---- steps: zero almost everywhere ----
def _step(name: str, impl: Function, **flags: Any) -> Primitive:
    return nondiff(name, impl, elementwise=True, flat=True, decides=True, exact=True, **flags)


floordiv = _step("floordiv", np.floor_divide, arity=2, raises=True, cheap="scalars", nonfinite=True)
sign = _step("sign", np.sign, ordered=True, cheap="scalars")
floor = _step("floor", np.floor, cheap="scalars")
ceil = _step("ceil", np.ceil)
trunc = _step("trunc", np.trunc)
rint = _step("rint", np.rint, ordered=True)


def _copied(part: Callable[[Any], np.ndarray]) -> Callable[[Any], Any]:
    return lambda a: np.copy(part(a))[()]


stop_gradient = nondiff(
    "stop_gradient",
    _copied(lambda a: a),
    elementwise=True,
    flat=True,
    analytic=True,
    exact=True,
    kept=True,
    cheap="scalars",
)
# a number that Python rounds to decimals, outside of the program: a step, not an intended stop
before_rounding = nondiff(
    "before_rounding",
    _copied(lambda a: a),
    elementwise=True,
    flat=True,
    exact=True,
    kept=True,
    cheap="scalars",
)
abs = derive(
    "abs",
    np.abs,
    lambda y, a: _phase(y, a) if is_complex(a) else sign(a),
    exact=True,
    cheap="arrays",
)


def _phase(y: Any, a: Any) -> Any:
    """The conjugate of a / |a|, made from parts that have derivatives themselves; 0 at 0."""
    zero = eq(y, 0.0)
    return select(zero, 0.0, conj(a) / select(zero, 1.0, y))


copysign = derive(
    "copysign", np.copysign, lambda y, a, b: sign(a) * sign(y), ZERO, decides=True, exact=True
)

# ---- exponentials and logarithms ----
exp = derive("exp", np.exp, lambda y, a: y, nonfinite=True)
exp2 = derive("exp2", np.exp2, lambda y, a: y * math.log(2.0), nonfinite=True)
expm1 = derive("expm1", np.expm1, lambda y, a: y + 1.0, nonfinite=True)
log = derive("log", np.log, lambda y, a: 1.0 / a, singular=True, nonfinite=True)
log2 = derive(
    "log2", np.log2, lambda y, a: (1.0 / math.log(2.0)) / a, singular=True, nonfinite=True
)
log10 = derive(
    "log10", np.log10, lambda y, a: (1.0 / math.log(10.0)) / a, singular=True, nonfinite=True
)
log1p = derive("log1p", np.log1p, lambda y, a: 1.0 / (a + 1.0), singular=True, nonfinite=True)
sqrt = derive("sqrt", np.sqrt, lambda y, a: 0.5 / y, singular=True, cheap="scalars", nonfinite=True)
cbrt = derive("cbrt", np.cbrt, lambda y, a: 1.0 / (3.0 * y * y), singular=True)
logaddexp = derive(
    "logaddexp",
    np.logaddexp,
    lambda y, a, b: sigmoid(a - b),
    lambda y, a, b: sigmoid(b - a),
    nonfinite=True,
)
hypot = derive(
    "hypot",
    np.hypot,
    lambda y, a, b: select(eq(y, 0.0), 0.0, a / select(eq(y, 0.0), 1.0, y)),
    lambda y, a, b: select(eq(y, 0.0), 0.0, b / select(eq(y, 0.0), 1.0, y)),
)

# ---- circular and hyperbolic functions ----
sin = derive("sin", np.sin, lambda y, a: cos(a), nonfinite="complex")
cos = derive("cos", np.cos, lambda y, a: -sin(a), nonfinite="complex")
tan = derive("tan", np.tan, lambda y, a: 1.0 + y * y, singular=True, nonfinite=True)
arctan = derive("arctan", np.arctan, lambda y, a: 1.0 / (1.0 + a * a), nonfinite="complex")
arctan2 = derive(
    "arctan2",
    np.arctan2,
    lambda y, a, b: b / (a * a + b * b),
    lambda y, a, b: -a / (a * a + b * b),
    singular=True,
    decides=True,
)
sinh = derive("sinh", np.sinh, lambda y, a: cosh(a), singular=True, nonfinite=True)
cosh = derive("cosh", np.cosh, lambda y, a: sinh(a), singular=True, nonfinite=True)
tanh = derive("tanh", np.tanh, lambda y, a: 1.0 - y * y)
arctanh = derive(
    "arctanh", np.arctanh, lambda y, a: 1.0 / ((1.0 - a) * (1.0 + a)), singular=True, nonfinite=True
)


def _sigmoid(a: Any) -> Any:
    with np.errstate(over="ignore"):
        e = np.exp(np.negative(a))
        out = e if type(e) is np.ndarray else None  # in the same array
        return np.divide(1.0, np.add(1.0, e, out=out), out=out)


sigmoid = derive("sigmoid", _sigmoid, lambda y, a: y * (1.0 - y), ordered=True)


def _special(name: str) -> Any:
    def impl(a: Any) -> Any:
        a = array_of(a)
        dtype = a.dtype if a.dtype.kind in "fc" else np.float64
        return array_of(getattr(special_of(a), name)(a)).astype(dtype, copy=False)[()]

    return impl


_PEAK = 2.0 / math.sqrt(math.pi)
_erf_of_doubles = _special("erf")


def _erf(a: Any) -> Any:
    single = getattr(a, "dtype", None) == np.float32
    return numpy_fast_paths.erf_of_singles(a) if single else _erf_of_doubles(a)


erf = derive("erf", _erf, lambda y, a: _PEAK * exp(-(a * a)), nonfinite="complex")
erfc = derive("erfc", _special("erfc"), lambda y, a: -_PEAK * exp(-(a * a)), nonfinite="complex")


# ---- complex numbers: linear over the reals ----
def is_complex(a: Any) -> bool:
    """Whether an operand of a rule is complex."""
    return np.dtype(getattr(a, "dtype", a.__class__)).kind == "c"


def _to_complex(a: Any, b: Any) -> Any:
    out = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b)), np.result_type(a, b, 1j))
    out.real, out.imag = a, b
    return out[()]


real = linear("real", _copied(np.real), lambda g, y, a: g, elementwise=True)
imag = linear("imag", _copied(np.imag), lambda g, y, a: g * -1j, elementwise=True)
conj = linear("conj", np.conj, lambda g, y, a: conj(g), elementwise=True)
to_complex = linear(
    "to_complex",
    _to_complex,
    lambda g, y, a, b: real(g),
    lambda g, y, a, b: -imag(g),
    elementwise=True,
)


# ---- conversion: its transpose is done where adjoints are accumulated ----
def _cast(a: Any, dtype: Any) -> Any:
    return array_of(a).astype(dtype_of(dtype))[()]


# a decision where it converts floats to integers or booleans
cast = derive("cast", _cast, lambda y, a, dtype: 1.0, decides=True, exact=True, cheap="arrays")
