"""Numbers only: the math module, powers, integer arithmetic beside floats, conversions."""

import math
from math import cos, exp

import numpy as np

from tests.cases.registry import case


@case(0.7)
@case(-0.4)
def trigonometry(x):
    s = math.sin(x) + 2.0 * cos(x) - math.tan(0.5 * x)
    return s + 0.3 * math.asin(0.5 * x) - math.acos(0.4 * x) * math.atan(x)


@case(0.7)
@case(-0.4)
def hyperbolic(x):
    s = math.sinh(x) * math.cosh(x) + math.tanh(x)
    return s + math.asinh(x) + math.acosh(1.5 + x * x) - math.atanh(0.5 * x)


@case(0.7)
@case(2.3)
def exponentials(x):
    s = exp(x) + math.expm1(x) * math.log(x) - math.log1p(x) / math.log10(x + 1.0)
    return s + math.sqrt(x) * math.log2(x) + math.log(x, 3.0)


@case(0.7, 1.4)
@case(-0.7, 2.2)
@case(1.1, -0.3)
def two_arguments(x, y):
    s = math.atan2(x, y) + math.hypot(x, y) + math.pow(x * x, y)
    return s + math.copysign(x, y) * 0.5 + math.fabs(x) * y


@case(0.7)
@case(1.9)
def special(x):
    return math.erf(x) + math.erfc(0.5 * x) * math.gamma(x) + math.lgamma(x + 1.0)


@case(30.5)
@case(0.3)
@case(-20.7)
def logarithms_of_gamma(x):
    return math.log(abs(math.gamma(x))) * math.lgamma(x)


@case(143.5)
@case(0.5)
@case(-3.3)
def gamma_of_any_size(x):
    return math.gamma(x) * x


@case(7.3, 2.2)
@case(-7.3, 2.2)
@case(7.3, -2.2)
def modulo(x, y):
    return x % y + np.mod(x, 3.1) * y + (x // y) * y + math.fmod(x, y)


@case(2.7)
@case(-2.7)
def rounding(x):
    whole = round(x) * x + int(x) * x + math.trunc(x) * round(number=x, ndigits=1)
    return (x - math.floor(x)) * math.ceil(x) + whole


@case(1.7, 3)
@case(1.7, 0)
@case(1.7, -2)
@case(-1.7, 3)
@case(-1.7, -3)
def integer_power(x, n):
    return x**n + n * x + x ** (n + 1)


@case(1.7, 0.6)
@case(0.2, -1.6)
@case(3.0, 2.0)
def float_power(x, p):
    return x**p + pow(p * p, x) + 2.0**p - x**-1.5


@case(1.7, 5, 3)
def integers_beside_floats(x, n, m):
    k = (n * m - 2) % 7
    q = n // m + (n << 1) - (n & m) + (m ^ 1)
    ratio = n / m
    return x * k + x**q * 0.01 + ratio * x + float(n) * math.sin(x)


@case(1.7)
def constants(x):
    y = math.pi * x + math.e
    y = y - math.tau / (1.0 + np.pi)
    z = x if not math.isinf(y) else 0.0
    return y * z + (0.0 if math.isnan(z) else x * x)


@case(1.7, -0.4)
def augmented(x, y):
    x += y
    x *= x
    x -= 2.0 * y
    x /= 3.0 + y
    x **= 2
    return x


@case(1.7, -0.4, 0.9)
def builtins(x, y, z):
    s = abs(y) * x + max(x, y) * min(x, y, z)
    s += sum((x, y * z, z)) + float(x) * 2
    quotient, rest = divmod(x, 0.5 * z)
    return s + quotient * rest


@case(0.3, 1.2)
def chained_assignment(x, y):
    a = b = x * y
    a += 1.0
    c, (d, e) = b, (a, y)
    c, d = d, c
    return a * b + c * d * e


@case(0.3)
def unary_operators(x):
    y = -x
    z = +y * (not False)
    return -(z**2) + (~2) * y


@case(1e-3)
@case(5e2)
@case(-5e2)
def stable_sigmoid(x):
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    z = math.exp(x)
    return z / (1.0 + z)


@case(2.0, 1.5, 3)
def fused_expression(a, b, n):
    return sum(a**k / math.factorial(k) for k in range(4)) * b + n


@case(0.7, 4)
@case(0.3, -1)
def whole_numbers(y, n):
    half, over = n / 2, (0.75).as_integer_ratio()[0]
    first = 2.0 if half.is_integer() else 3.0
    second = (y * 0.5).is_integer() or not n.is_integer() or (4.5).is_integer()
    endless = (half * math.inf).is_integer()
    return first * y + (over if second or endless else y) * y + (5).bit_length() * np.sin(y)
