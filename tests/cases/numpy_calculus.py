"""Differences, gradients, cross products, interpolation, polynomials and scans of any kind."""

import math

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from tests.cases.registry import case, mat, signed, vec

PLACES = np.array([0.0, 0.5, 0.7, 1.5, 2.0])
KNOTS = np.array([0.0, 1.0, 2.0, 3.0, 4.0])


@case(vec(5), 0.3)
def differences_with_ends(x, start):
    s = np.sum(np.diff(x, prepend=start) ** 2) + np.sum(np.diff(x, n=2, append=x[:1]) ** 3)
    return s + np.sum(np.ediff1d(x, to_begin=start, to_end=[1.0, 2.0]) ** 2)


@case(mat(3, 3))
def differences_along_axes(x):
    s = np.diff(x, axis=0, prepend=x[:1] * 2.0, append=1.0)
    return np.sum(s**2) + np.sum(np.ediff1d(x) ** 3)


@case(vec(5), 0.5)
@case(vec(5), PLACES)
def gradients_with_parabolas_at_the_edges(f, h):
    return np.gradient(f, h, edge_order=2) ** 2


@case(mat(3, 4))
def gradients_along_axes(f):
    down, right = np.gradient(f, 0.5, [0.0, 1.0, 1.5, 2.5], edge_order=2)
    return down * right


@case(mat(3, 3), mat(3, 3, 1))
def cross_products_along_axes(a, b):
    s = np.cross(a, b, axis=0) + np.cross(a, b, axisa=0, axisb=1, axisc=1)
    return s * np.cross(a, b)


@case(np.array([-0.5, 1.2, 9.3]), vec(5))
@case(1.7, vec(5))
def periodic_interpolation(x, f):
    return np.interp(x, KNOTS, f, period=5.0) * 2.0 + np.interp(x, KNOTS, f, left=1.0)


@case(np.array([0.1, 2.9, 5.5, 9.1, 8.0]))
def unwrapped_phases(x):
    s = np.unwrap(x) ** 2 + np.unwrap(x * 2.0, period=4.0, discont=3.0)
    return s + np.sum(np.unwrap(np.stack([x, x * 1.5]), axis=0))


@case(vec(4), 0.7)
@case(vec(4), signed(3))
def polynomials(p, x):
    s = np.polyval(np.polyder(p), x) + np.polyval(np.polyint(p, k=2.0), x)
    s = s * np.polyval(np.polyint(np.polyder(p, 2), 2), x)
    return s + np.polyval(np.polyadd(np.polymul(p, [1.0, 2.0]), np.polysub([3.0], p)), x)


@case(vec(3))
def polynomial_of_its_zeros(x):
    return np.poly(x) ** 2


@case(vec(6), vec(6, 1))
def least_squares(y, w):
    x = np.array([0.0, 0.4, 1.1, 1.5, 2.2, 3.0])
    line = np.polyfit(x, y, 1)
    return np.sum(line**2) + np.sum(np.polyfit(x + 0.1 * y, y * y, 2, w=w))


@case(0.3, vec(4))
@case(signed(3) * 0.7, vec(4))
@case(0.3, vec(1))
def series(x, c):
    s = polynomial.polyval(x, c) + chebyshev.chebval(x, c) + legendre.legval(x, c)
    return s + hermite.hermval(x, c) + hermite_e.hermeval(x, c) + laguerre.lagval(x, c)


@case(0.3, mat(3, 2))
@case(signed(3) * 0.7, mat(3, 2))
def several_series(x, c):
    return polynomial.polyval(x, c) * chebyshev.chebval(x, c)


@case(signed(5))
@case(mat(3, 4))
def running_extremes(x):
    s = np.maximum.accumulate(x) + np.minimum.accumulate(x, axis=-1) * 2.0
    return s + np.logaddexp.accumulate(x, axis=-1)


@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def reductions_by_ufuncs(x, axis):
    s = np.logaddexp.reduce(x, axis=axis) + np.hypot.reduce(x, axis)
    return s + np.add.reduce(x, axis=axis) * np.maximum.reduce(x, axis=axis)


@case(vec(6))
def reductions_of_parts(x):
    s = np.add.reduceat(x * x, [0, 2, 5]) + np.multiply.reduceat(x, np.array([0, 1, 3]))
    return s * np.maximum.reduceat(x, [0, 2, 4])


@case(vec(6), np.array([3, 1, 1, 5, 0]))
def parts_that_end_before_they_begin(x, k):
    s = np.add.reduceat(x * x, k) * np.multiply.reduceat(x, [4, 2, 0, 0, 5])
    return np.sum(s) + np.sum(np.minimum.reduceat(np.outer(x, x), k, axis=1) ** 2)


@case(vec(3), vec(2, 1))
def outer_of_ufuncs(a, b):
    s = np.hypot.outer(a, b) + np.logaddexp.outer(a, b) + np.arctan2.outer(a, b)
    return s * np.remainder.outer(a, b)


if hasattr(np, "cumulative_sum"):  # since NumPy 2.1

    @case(mat(2, 3))
    def cumulative_functions(x):
        s = np.cumulative_sum(x, axis=1, include_initial=True)
        return np.sum(s**2) + np.sum(np.cumulative_prod(x[0], include_initial=True) * s[0])


@case(signed(4))
def results_where_a_condition_holds(x):
    y = np.log(x, out=np.zeros_like(x), where=x > 0.0)
    z = np.divide(1.0, x, out=x.copy(), where=x < 0.0)
    out = np.ones_like(x)
    np.sqrt(x, out=out, where=x > 0.5)
    return y * z + out


@case(vec(3), vec(3, 1))
def elementwise_by_others(a, b):
    s = np.logaddexp2(a, b) + np.ldexp(a, 3) * np.i0(b) + np.fix(a * 2.3) * b
    fraction, whole = np.modf(a * 2.3)
    quotient, rest = np.divmod(a, 0.37)
    return s + fraction * whole + quotient * rest + np.real_if_close(a)


@case(signed(5))
def windows(x):
    return x * np.hanning(5) + np.hamming(5) * x**2 + np.blackman(5) + np.bartlett(5) * x


@case(vec(3))
def python_logarithm_of_a_constant(x):
    return x * math.log(2.0) + x**2 / math.log(10.0, 2.0)
