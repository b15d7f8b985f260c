"""Exponents and neighbours of floats: every half, and the places where the others change."""

import math
import sys

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

FUNCTIONS = [
    lambda x: np.spacing(x), lambda x: np.frexp(x), lambda x: np.nextafter(x, 1.0),
    lambda x: np.nextafter(x, x), lambda x: np.nextafter(x, -math.inf),
    lambda x: np.nextafter(x, math.nan), lambda x: np.nextafter(x, -0.0),
    lambda x: np.ldexp(*np.frexp(x)), lambda x: np.ldexp(x, 1074), lambda x: np.ldexp(x, -1040),
    lambda x: np.ldexp(x, 2000), lambda x: np.ldexp(x, -30),
    lambda x: np.ldexp(x, np.arange(len(x)) % 4200 - 2100),
]  # fmt: skip
OF_MATH = [
    lambda x: math.ulp(x), lambda x: math.frexp(x), lambda x: math.ldexp(x, -3),
    lambda x: math.nextafter(x, 1.0), lambda x: math.nextafter(x, -math.inf),
    lambda x: math.nextafter(1, x), lambda x: math.ldexp(x, -1074), lambda x: math.ldexp(x, -2000),
    lambda x: math.ldexp(float(x) if abs(x) < 1e-300 else 5e-324, 1074),
]  # fmt: skip
if sys.version_info >= (3, 12):
    OF_MATH += [
        lambda x: math.nextafter(x, 1.0, steps=2), lambda x: math.nextafter(x, -2.0, steps=2**53),
        lambda x: math.nextafter(-1.0, x, steps=2**62), lambda x: math.nextafter(x, -x, steps=0),
        lambda x: math.nextafter(x, -x, steps=2**60 + 3), lambda x: math.nextafter(x, x, steps=9),
        lambda x: math.nextafter(0.3, x, steps=int(abs(x) < 4.0)),
    ]  # fmt: skip


def edges(kind):
    info = np.finfo(kind)
    powers = np.ldexp(kind(1), np.arange(info.minexp - info.nmant, info.maxexp, 7))
    some = np.array([info.max, info.tiny, info.smallest_subnormal, info.eps, 3.0, 1e-3], kind)
    places = np.concatenate([powers, some, np.array([0.0, np.inf, np.nan], kind)])
    beside = [np.nextafter(places, kind(end)) for end in (0.0, np.inf)]
    places = np.concatenate([places, *beside])
    return np.concatenate([places, -places])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_functions_of_numpy(f, target):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    for x in (halves, edges(np.float32), edges(np.float64), np.array([1, -7, 0], np.int64)):
        with np.errstate(all="ignore"):
            want = f(x)
        got = flow.compile(f, target=target)(x)
        for g, w in zip(*((v if isinstance(v, tuple) else (v,)) for v in (got, want)), strict=True):
            assert g.dtype == w.dtype
            np.testing.assert_array_equal(g, w)
            real = (g == g) & (w.dtype.kind == "f")
            np.testing.assert_array_equal(np.signbit(g[real]), np.signbit(w[real]))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", OF_MATH)
def test_functions_of_math(f, target):
    for x in (1.0, -0.75, 5e-324, 1.7e308, 0.0, -0.0, math.inf, math.nan, 3, np.float32(0.3)):
        check(f, (x,), target)


def test_derivatives():
    """Of the next float that of the float itself; exponents are constant."""

    def f(x):
        fraction, exponent = np.frexp(x)
        return np.sum(np.nextafter(x, 9.0) ** 2 + fraction * exponent + np.spacing(x))

    x = np.array([0.3, -1.7, 2.5])
    for target in ("python", "cpu"):
        compiled = flow.compile(f, target=target)
        _, exponent = np.frexp(x)
        want = 2.0 * x + np.ldexp(1.0, -exponent) * exponent
        np.testing.assert_allclose(flow.grad(compiled)(x), want, rtol=1e-14)
        np.testing.assert_allclose(flow.jvp(compiled, (x,), (x,))[1], want @ x, rtol=1e-14)
        gradient = flow.grad(compiled)
        second = flow.grad(lambda x, g=gradient: np.sum(g(x) * x))(x)
        np.testing.assert_allclose(second, want + 2.0 * x, rtol=1e-14)
        scaled = flow.compile(lambda x: np.sum(np.ldexp(x, np.array([3, -1100, 1050]))))
        np.testing.assert_array_equal(flow.grad(scaled)(x), [8.0, 0.0, np.inf])


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_derivative_of_steps(target):
    def f(x, n):
        return math.nextafter(x, 9.0, steps=n) ** 2

    if sys.version_info >= (3, 12):
        compiled = flow.compile(f, target=target)
        for x in (0.7, -1.5, 0.0):
            assert flow.grad(compiled)(x, 3) == 2.0 * math.nextafter(x, 9.0, steps=3)
            assert flow.jvp(compiled, (x, 3), (1.0, None))[1] == flow.grad(compiled)(x, 3)
        with pytest.raises(ValueError, match="steps must be a non-negative integer"):
            compiled(1.0, -1)
