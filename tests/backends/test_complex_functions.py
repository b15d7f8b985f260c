"""Functions of complex numbers give NumPy's bits on the cpu, at the ends of their range too."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import lambertw

import srcgrad as flow
from srcgrad.backends.cpu.ufuncs import addresses

FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda z: np.exp(z), lambda z: np.exp2(z), lambda z: np.expm1(z), lambda z: np.log(z),
    lambda z: np.log1p(z), lambda z: np.log2(z), lambda z: np.log10(z), lambda z: np.sqrt(z),
    lambda z: np.sin(z), lambda z: np.cos(z), lambda z: np.tan(z), lambda z: np.sinh(z),
    lambda z: np.cosh(z), lambda z: np.tanh(z), lambda z: np.arcsin(z), lambda z: np.arccos(z),
    lambda z: np.arctan(z), lambda z: np.arcsinh(z), lambda z: np.arccosh(z),
    lambda z: np.arctanh(z),
]  # fmt: skip
NAMES = (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
)  # fmt: skip
PARTS = (0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1e300, 710.0)


def numbers(parts: tuple[float, ...], dtype: type) -> Any:
    """Every complex number of two of the parts."""
    made = np.empty(len(parts) ** 2, dtype)
    with np.errstate(over="ignore"):
        made.real, made.imag = zip(*itertools.product(parts, parts), strict=True)
    return made


def check_bits(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype
    for a, b in ((got.real, want.real), (got.imag, want.imag)):
        assert_array_equal(a, b)
        assert_array_equal(np.signbit(a) | np.isnan(b), np.signbit(b) | np.isnan(b))


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("f", FUNCTIONS, ids=NAMES)
def test_a_function(f: Callable[[Any], Any], dtype: type):
    z = numbers(PARTS, dtype)
    with np.errstate(all="ignore"):
        check_bits(flow.compile(f, target="cpu")(z), f(z))


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_a_power(dtype: type):
    z = numbers((0.0, -0.0, 1.0, -2.5, np.inf, np.nan, 5e-324, 3.0), dtype)
    base, exponent = np.repeat(z, len(z)), np.tile(z, len(z))
    with np.errstate(all="ignore"):
        want = np.power(base, exponent)
        check_bits(flow.compile(lambda z, n: np.power(z, n), target="cpu")(base, exponent), want)


def test_lamberts_function_at_its_branch_point():
    """Its start is a root of an imaginary number that has no normal size."""
    z = np.array([complex(-np.exp(-1.0), 5e-324), complex(-np.exp(-1.0), -5e-324)])
    assert_allclose(flow.compile(lambda z: lambertw(z), target="cpu")(z), lambertw(z), atol=1e-15)


def test_each_dtype_has_a_loop_of_its_own():
    assert addresses("exp", "D") != addresses("exp", "F")
    assert addresses("power", "D")[0] != addresses("exp", "D")[0]  # of another arity
