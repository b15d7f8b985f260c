"""NumPy functions that work element by element. Several per case, with different weights each."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(signed(4))
@case(0.4)
def trigonometric(x):
    s = np.sin(x) + 2.0 * np.cos(x) - 0.3 * np.tan(0.5 * x)
    return s + 0.7 * np.arcsin(0.5 * x) - 1.1 * np.arccos(0.4 * x) + np.arctan(x)


@case(signed(4))
@case(0.4)
def hyperbolic(x):
    s = np.sinh(x) * 0.3 + np.cosh(x) - 2.0 * np.tanh(x)
    return s + np.arcsinh(x) + 0.2 * np.arccosh(1.5 + x * x) - np.arctanh(0.5 * x)


@case(vec(4))
@case(mat(2, 3))
@case(0.4)
def exponential(x):
    s = np.exp(x) + 2.0 * np.exp2(x) - 0.5 * np.expm1(x)
    return s + np.log(x) * 3.0 - np.log2(x) + np.log10(x) * np.log1p(x)


@case(vec(4))
@case(0.4)
def powers(x):
    s = np.sqrt(x) + 2.0 * np.cbrt(x) - np.square(x) * 0.3 + np.reciprocal(x)
    return s + x**0.7 - x**-2 + np.power(x, 3.0) + np.float_power(x, 1.3)


@case(vec(4), signed(4, 1))
@case(vec(4), 0.3)
@case(1.3, signed(3))
def power_of_arrays(x, p):
    return x**p + np.power(x, 2.0 * p)


@case(signed(5))
@case(-0.4)
def signs(x):
    return (
        np.abs(x) * 2.0
        + np.sign(x) * x**2
        + np.fabs(x) ** 1.5
        + np.absolute(x - 9.0)
        - np.negative(x)
    )


@case(signed(5) * 3.0)
def steps(x):
    return (
        np.floor(x) * x
        + np.ceil(x) * 2.0 * x
        - np.trunc(x) * x
        + np.rint(x) * 0.5 * x
        + np.round(x)
    )


@case(signed(5), signed(5, 9))
@case(signed(5), 0.31)
@case(0.4, -0.2)
def extrema(x, y):
    s = np.maximum(x, y) * 2.0 - np.minimum(x, 0.5 * y)
    return s + np.fmax(x, 2.0 * y) * x + np.fmin(x, y + 0.1)


@case(signed(6), -0.6, 0.7)
@case(mat(2, 3), 0.8, 1.1)
def clipped(x, low, high):
    return np.clip(x, low, high) * 2.0 + x.clip(0.1, 1.0) + np.clip(x, None, high) * x


@case(vec(4), 1.5, 0.9)
def clip_with_crossed_bounds(x, low, high):
    return np.clip(x, low, high) * x + np.minimum(low, x)


@case(signed(4), vec(4, 1))
@case(-0.4, 1.7)
def angles(y, x):
    s = np.arctan2(y, x) + np.hypot(x, y) * 2.0 - np.logaddexp(x, y)
    return s + np.deg2rad(x) + np.rad2deg(y) * 0.01 + np.sinc(x)


@case(signed(4) * 5.0, vec(4, 1))
@case(signed(4) * 5.0, 1.3)
def remainders(x, y):
    return (
        np.mod(x, y) + np.fmod(x, 2.0 * y) - np.remainder(x, 1.7) + x // y * y + np.copysign(y, x)
    )


@case(signed(5))
@case(mat(3, 2) - 1.0)
def where_with_mask(x):
    y = np.where(x > 0.1, x * x, np.sin(x))
    return y + np.where(np.logical_and(x < 0.9, x > -0.5), 2.0, x) * np.heaviside(x, 0.5)


@case(signed(5))
def comparisons_as_numbers(x):
    mask = (x > 0.0) & (x < 1.0) | (x < -0.8)
    return np.sum(mask * x) + np.sum(~mask) * x[0] + mask.astype(float) @ x


@case(vec(4), vec(4, 1))
def function_spelling_of_operators(x, y):
    s = np.add(x, np.multiply(x, y))
    s = np.subtract(s, np.divide(x, y))
    return np.true_divide(s, np.positive(y)) * np.negative(x)


@case(signed(5))
def nan_tools(x):
    y = np.nan_to_num(x * 2.0)
    return np.where(np.isfinite(y), y * x, 0.0) + np.where(np.isnan(y), 1.0, x)


@case(signed(4))
def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


@case(signed(4))
@case(np.array([40.0, -40.0, 3.0]))
def softplus_and_sigmoid(x):
    sigmoid = 1.0 / (1.0 + np.exp(-x))
    return np.logaddexp(0.0, x) + sigmoid * x


@case(vec(4).astype(np.float32), 1.3, differences=False)
@case(vec(4).astype(np.float32), vec(4, 1), differences=False)
def mixed_precision(x, y):
    """float32 with a weak number stays float32; with a float64 array it becomes float64.

    Differences of float32 say little; the two modes are compared.
    """
    return np.sum(x * y + x * 2 + 1.5)


@case(vec(4), np.arange(4))
def integer_operands(x, k):
    return np.sum(x * k + x**k + k / 3) + np.sum(k) * x[0]


@case(vec(4))
def casts(x):
    y = x.astype(np.float64) * np.float64(2.0)
    k = (x * 10).astype(int)
    return np.sum(y * k) + np.asarray(x).sum() + float(x[1]) * int(x[0] * 5)
