"""Elementwise functions where their domains end, and the classes and dtypes of what they give.

Each call is compared with plain Python and NumPy: the class, the dtype, the value with its sign.
"""

import cmath
import itertools
import math

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

F32, I16, I32 = (np.array([3, 7, -2], t) for t in (np.float32, np.int16, np.int32))
EDGES = [0.0, -0.0, 5e-324, 0.3, -1.75, 2.0**53, 1.7e308, -1e300]
WITHOUT_END = [math.inf, -math.inf, math.nan]
ANGLES = [lambda x: math.degrees(x), lambda x: math.radians(x)]
PARTS = [lambda x: math.modf(x), lambda x: np.modf(x)]


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, int, bool, np.int64, np.bool_])
def test_functions_of_math_give_floats(kind):
    for f in (*ANGLES, PARTS[0], lambda x: math.modf(x)[1] * np.float32(0.1)):
        check(f, (kind(3.0),), "python")


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_parts_of_numbers(target):
    for f in PARTS:
        for x in EDGES + WITHOUT_END:
            check(f, (x,), target)


INTEGERS = [
    lambda x: np.fabs(x), lambda x: np.radians(x), lambda x: np.rad2deg(x), lambda x: np.modf(x),
    lambda x: np.angle(x), lambda x: np.logaddexp2(x, x), lambda x: np.heaviside(x, x),
    lambda x: np.ldexp(x, 3), lambda x: np.conj(x), lambda x: np.sin(x), lambda x: np.hypot(x, 3),
]  # fmt: skip


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int16, np.uint16])
def test_integers_ask_for_the_dtype_that_holds_them(kind):
    for f in INTEGERS:
        check(f, (np.array([1, 2, 300], kind),), "python", 3e-7)
        check(f, (kind(2),), "python", 3e-7)


@pytest.mark.parametrize("f", [lambda x: np.fabs(x), lambda x: np.degrees(x), lambda x: np.sin(x)])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_small_integers_have_results_of_half_precision(f, target):
    check(f, (np.array([1, 2, -100], np.int8),), target, 1e-3)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_operands_of_different_kinds(target):
    for f in (lambda x, y: np.logaddexp2(x, y), lambda x, y: np.heaviside(x, y)):
        check(f, (F32, I32), target, 1e-15)
        check(f, (F32, I16), target, 3e-7)
        check(f, (F32, 0.3), target, 3e-7)
        check(f, (F32, F32 * 0.1), target, 3e-7)
        check(f, (0.1 * np.arange(3.0), F32), target, 1e-15)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_powers_of_two(target):
    x = np.array([0.0, -0.0, 5e-324, 1.5, 1e-300, 1.7e308, math.inf, -math.inf, math.nan])
    n = np.array([0, 1, -1, 1023, 1100, -1100, 2098, -2098, 2**53, -(2**62)])
    check(lambda x, n: np.ldexp(x[:, None], n), (x, n), target)
    single = np.array([0.0, -0.0, 1e-45, 1.5, 3e38, math.inf, -math.inf], np.float32)
    check(lambda x, n: np.ldexp(x[:, None], n), (single, n), target)
    with pytest.raises(TypeError):
        flow.compile(lambda x: np.ldexp(x, x), target=target)(x)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_parts_of_a_python_number_are_pythons(target):
    for x in (0.3, 3, True, np.float64(0.3), np.int32(3)):
        check(lambda x: (np.real(x) * np.float32(0.1), np.imag(x) * np.float32(0.1)), (x,), target)
    check(lambda x: np.conj(x), (np.array(0.3),), target)
    check(lambda x: np.conj(x), (np.array([True]),), target)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_whole_powers_wrap(target):
    big = np.array([3, 2**64 - 1, 2**53 + 1], np.uint64)
    n = np.array([2**63, 2**64 - 1, 70001], np.uint64)
    check(lambda x, n: np.power(x[:, None], n), (big, n), target)
    check(lambda x, n: x**n, (np.array([3, -5]), np.array([70001, 2**62])), target)
    check(lambda x, n: x**n, (np.uint64(3), np.int64(-2)), target)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_ends_of_the_gamma_functions(target):
    for x in (-math.inf, math.inf, math.nan, 3.0):
        check(lambda x: math.lgamma(x), (x,), target, 1e-15)
    check(lambda x: math.floor(x), (np.int64(2**53 + 1),), target)


COMPARISONS = [
    lambda a, c: a < c, lambda a, c: a <= c, lambda a, c: a > c, lambda a, c: a >= c,
    lambda a, c: a == c, lambda a, c: a != c, lambda a, c: np.less(c, a),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", COMPARISONS)
def test_signed_beside_unsigned_is_compared_by_value(f, target):
    signed = np.array([2**53, 2**53 + 1, -1, 2**62, 3])
    unsigned = np.array([2**53 + 1, 2**53, 2**64 - 1, 2**62 + 1, 3], np.uint64)
    check(f, (signed, unsigned), target)
    check(f, (unsigned, np.array([-1, 3, 7, -128, 3], np.int8)), target)
    check(f, (np.int64(2**53), np.uint64(2**53 + 1)), target)
    check(f, (unsigned, -1), target)
    check(lambda u, f=f: f(u, -1), (unsigned,), target)
    check(lambda u, f=f: f(u, 3), (unsigned,), target)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_differences_of_polynomials_with_booleans(target):
    for a1, a2 in (([1, 2], [True, False]), ([True], [1.5, 2.0]), ([True], [False])):
        args = (np.array(a1), np.array(a2))
        check(lambda a, c: np.polysub(a, c), args, target)


def test_the_largest_of_nothing():
    for f in (lambda xs: max(*xs), lambda xs: min(*xs)):
        check(f, ([],), "python")


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [lambda z: cmath.acosh(z), lambda z: np.arccosh(z)])
def test_the_area_cosine_on_either_side_of_its_cut(f, target):
    parts = itertools.product((-2.0, -1.0, 0.5, 1.0, 2.0, 1e150), (0.0, -0.0, 1e-10, -3.0))
    for z in itertools.starmap(complex, parts):
        check(f, (z,), target, 1e-14)
    check(f, (np.complex64(-2 + 1e-3j),), target, 1e-6)
