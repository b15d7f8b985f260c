"""Functions that the emitter's one-line helpers call besides operators, compiled by Numba.

Without Numba these are plain functions.
"""

from __future__ import annotations

import math
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.fastmath import HELPERS
from srcgrad.primitives import shape_integrals
from srcgrad.primitives.callbacks import filled
from srcgrad.primitives.draws import drawn
from srcgrad.primitives.messages import put, sent

try:
    from numba import njit, objmode, types
except ImportError:  # generated modules run without it, slowly
    from contextlib import nullcontext as objmode

    njit = None


def compiled(function, nogil=True):
    """A function for helpers: compiled per types, inlined by LLVM."""
    if njit is None:
        return function
    options = {"error_model": "numpy", "nogil": nogil}
    return unliteral(njit(function, fastmath=HELPERS, **options))


def unliteral(dispatcher: Any) -> Any:
    """A dispatcher that other compiled code calls with types alone, not with literals."""
    resolve = dispatcher.get_call_template

    def without_literals(args, kws):
        # or Numba would compile it anew for each literal it is called with
        return resolve(tuple(map(types.unliteral, args)), kws)

    dispatcher.get_call_template = without_literals
    return dispatcher


# ---- selection: both sides are values, so a select vectorises ----
@compiled
def where(c, a, b):
    return a if c else b


@compiled
def maximum(a, b):
    """NumPy's: a NaN on either side wins."""
    return a if (a > b) | (a != a) else b


@compiled
def minimum(a, b):
    return a if (a < b) | (a != a) else b


@compiled
def absorb(g, p):
    """g * p, and 0 where g is 0 even if p is infinite."""
    return g * p if g != 0 else g


@compiled
def sigmoid(a):
    one = type(a)(1)
    return one / (one + math.exp(-a))


@compiled
def relu(a):
    """A NaN stays one."""
    return type(a)(0) if a <= 0 else a


@compiled
def sign(a):
    if a > 0:
        return type(a)(1)
    return type(a)(-1) if a < 0 else a + type(a)(0)


@compiled
def divide(a, b):
    """The quotient of complex numbers, for which Numba raises where b is 0."""
    return a / b if b != 0 else complex(a.real / abs(b), a.imag / abs(b))


@compiled
def power(a, b):
    """A complex power; Numba's of 0 is NaN unless the exponent is real."""
    return a if a == 0 and b.real > 0 else a**b


@compiled
def complex_arccosh(a):
    """arccosh by Kahan's formulas, which keep zero's sign; Numba's has a negative real part."""
    low, high = root(complex(a.real - 1, a.imag)), root(complex(a.real + 1, a.imag))
    half = math.atan2(low.imag, high.real)
    return complex(math.asinh(low.real * high.real + low.imag * high.imag), half + half)


@compiled
def complex_expm1(a):
    """exp(a) - 1 without cancellation about 0, which Numba's has."""
    half = math.sin(0.5 * a.imag)
    real = math.expm1(a.real) * math.cos(a.imag) - 2 * half * half
    return complex(real, math.exp(a.real) * math.sin(a.imag))


# ---- special functions that SciPy does not offer to C ----
BRANCH_POINT = math.exp(-1.0)


@compiled
def lambertw(k, z):
    """w exp(w) = z on branch k, by Halley's iteration (Corless et al. 1996, section 4)."""
    n = int(k.real)
    turn = 2.0 * math.pi * n
    if z.real != z.real or z.imag != z.imag:
        return z
    if z.real == math.inf:
        return complex(z.real, z.imag + turn)
    if z.real == -math.inf:
        return complex(-z.real, turn + math.pi - z.imag)
    if z == 0.0:
        return z if n == 0 else complex(-math.inf, 0.0)
    w = lambertw_start(n, turn, z)
    for _ in range(100):
        if w.real >= 0.0:  # so that no exponential overflows
            f = w - z * np.exp(-w)
            step = f / (w + 1.0 - (w + 2.0) * f / (2.0 * w + 2.0))
        else:
            power = np.exp(w)
            f = w * power - z
            step = f / (power * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0))
        w = w - step
        if not abs(step) > 1e-9 * abs(w):  # the iteration is of third order
            return w
    return w


@compiled
def root(z):
    """The square root of a complex number; Numba's raises for subnormal imaginary numbers."""
    real = math.sqrt(0.5 * (math.hypot(z.real, z.imag) + abs(z.real)))
    if real == 0.0:
        return z
    imag = 0.5 * abs(z.imag) / real
    if z.real < 0.0:
        real, imag = imag, real
    return complex(real, math.copysign(imag, z.imag))


@compiled
def lambertw_start(n, turn, z):
    """Where the iteration starts: a series about the branch point -1 / e, or logarithms."""
    beside = n == (-1 if z.imag >= 0.0 else 1)
    if (n == 0 or beside) and abs(z + BRANCH_POINT) < 0.3:
        p = root(2.0 * (math.e * z + 1.0)) * (1.0 if n == 0 else -1.0)
        return -1.0 + p - p * p / 3.0 + 11.0 / 72.0 * p * p * p
    wide = abs(z.imag)
    if n == 0 and wide < 1.0 and -2.5 * wide - 0.2 < z.real < 1.5:
        return np.log(1.0 + z)
    w = np.log(z) + complex(0.0, turn)
    return w - np.log(w)


@compiled
def sph_legendre_p(n, m, theta):
    """The normalized Legendre function, by its recurrence in the degree (DLMF 14.10.3)."""
    degree, order = int(n), abs(int(m))
    if order > degree:
        return 0.0 * theta
    x, s = math.cos(theta), abs(math.sin(theta))
    last, value = 0.0, math.sqrt(0.25 / math.pi) + 0.0 * theta
    for j in range(1, order + 1):
        value = -value * s * math.sqrt((2.0 * j + 1.0) / (2.0 * j))
    square = 1.0 * order * order
    for j in range(order + 1, degree + 1):
        one, k = 1.0 * j * j, 1.0 * (j - 1) * (j - 1)
        back = math.sqrt((k - square) / (4.0 * k - 1.0)) * last
        last, value = value, math.sqrt((4.0 * one - 1.0) / (one - square)) * (x * value - back)
    return -value if m < 0 and order % 2 else value


def _all_compiled(*functions):
    """The functions of a module that call one another, each as compiled."""
    names = dict(vars(shape_integrals))
    for f in functions:
        names[f.__name__] = compiled(FunctionType(f.__code__, names, f.__name__))
    return names


SHAPES = _all_compiled(*shape_integrals.FUNCTIONS)
gamma_by_shape, beta_by_shape = SHAPES["gamma_by_shape"], SHAPES["beta_by_shape"]
student_by_freedom = SHAPES["student_by_freedom"]


@compiled
def gammainc_by_shape(a, x):
    return gamma_by_shape(np.float64(a), np.float64(x), False)


@compiled
def gammainc_by_shape_twice(a, x):
    return gamma_by_shape(np.float64(a), np.float64(x), True)


@compiled
def betainc_by_shape(a, b, x, y):
    return beta_by_shape(np.float64(a), np.float64(b), np.float64(x), np.float64(y))


@compiled
def stdtr_by_freedom(a, t):
    return student_by_freedom(np.float64(a), np.float64(t))


# ---- integers: NumPy's results where C's are undefined ----
@compiled
def floordiv(a, b):
    if b == 0:
        return b
    return -a if b == -1 else a // b


@compiled
def remainder(a, b):
    """The remainder with the sign of `a`; 0 where b is 0."""
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


@compiled
def whole_power(a, b):
    """A power by squares, which wrap: beyond an exponent of 2**16 Numba uses floats."""
    y = type(a)(1)
    while b > 0:
        if b & 1:
            y *= a
        a *= a
        b >>= 1
    return y


@compiled
def shift_left(a, b):
    return a << b if 0 <= b < 64 else a - a


@compiled
def shift_right(a, b):
    return a >> b if 0 <= b < 64 else (a - a if a >= 0 else a - a - 1)


@partial(compiled, nogil=False)
def show(message, stream, flush, values):
    """Writes a text of the program, formatted by Python itself."""
    with objmode():
        put(message.format(*values), stream, flush)


@partial(compiled, nogil=False)
def report(site, message, values, words):
    """A warning, or a message to a logger."""
    good = np.zeros(1, np.bool_)
    with objmode():
        good[0] = sent(site, message.format(*values), *words)
    if not good[0]:
        raise Failure


@partial(compiled, nogil=False)
def call_back(site, number, total, dims, operands, dtype):
    """The results of a function of the user's, which Python itself calls."""
    out, good = np.empty(total, dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = filled(site, number, out, dims[1:], operands[1:])
    if not good[0]:
        raise Failure
    return out


@partial(compiled, nogil=False)
def draw(site, words, number, total, dims, operands, dtype):
    """Random numbers, which Python itself draws."""
    out, good = np.empty(total, dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = drawn(site, words, number, out, dims[1:], operands[1:])
    if not good[0]:
        raise Failure
    return out
