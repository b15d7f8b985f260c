"""Calls of library functions that are computed when compiling, as their arguments are known."""

import dataclasses
import decimal
from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, signal, special

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.tools.turns import share

KNOWN = [
    lambda x: np.sum(special.bernoulli(4) * x[:5]),
    lambda x: np.sum(signal.butter(3, 0.2)[1] * x[:4]),
    lambda x: np.sum(special.roots_legendre(4)[0] ** 2 * x[:4]),
    lambda x: np.sum(linalg.pascal(3) * x[:3]),
    lambda x: np.sum(linalg.toeplitz([1.0, 2.0]) @ x[:2]),
    lambda x: special.zeta(3.0) * x[0],
    lambda x: np.sum(x[: len(special.bernoulli(3))]),
]


@pytest.mark.parametrize("f", share(KNOWN))
def test_known_arguments(f):
    x = np.linspace(1.0, 2.0, 6)
    value, gradient = flow.value_and_grad(flow.compile(f, target="python"))(x)
    assert_allclose(value, f(x), rtol=1e-15)
    for k in range(6):
        unit = np.eye(6)[k]
        assert_allclose(gradient[k], f(x + unit) - f(x), rtol=1e-12, atol=1e-12)


def test_integers_are_specialized_on():
    @flow.compile(target="python")
    def f(x, n):
        return np.sum(special.bernoulli(n + 1) * x)

    for n in (1, 3, 3, 6):
        assert_allclose(flow.grad(f)(2.0, n), np.sum(special.bernoulli(n + 1)), rtol=1e-15)


def test_floats_of_the_run_are_refused():
    with pytest.raises(UnsupportedError, match=r"scipy\.special\.bernoulli is not supported"):
        flow.grad(flow.compile(lambda x: special.bernoulli(x)[0], target="python"))(2.0)


def test_wrong_arguments_raise_what_the_library_raises():
    with pytest.raises(ValueError, match="n must be a non-negative integer"):
        flow.grad(flow.compile(lambda x: x * special.bernoulli(-1)[0], target="python"))(2.0)


# ---- code for other versions ----
def of_an_older_numpy(x):
    y = x * x
    if y.size == 1:
        return np.asscalar(y)
    return np.sum(y)


def test_a_missing_attribute_raises_on_its_path():
    f = flow.compile(of_an_older_numpy, target="python")
    assert_allclose(flow.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])
    with pytest.raises(AttributeError, match="has no attribute 'asscalar'"):
        f(np.array([1.0]))


def test_arrays_are_not_callable():
    @flow.compile(target="python")
    def f(x):
        return np.sum(x) if hasattr(x, "__call__") else np.sum(x * x)  # noqa: B004 (as it is written)

    assert_allclose(flow.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])


def test_grids_of_a_count_of_the_run():
    @flow.compile(target="python")
    def f(x, n):
        a, b = np.mgrid[0.0 : 1.0 : n * 1j, 0.0 : 2.0 : complex(3)]
        return np.sum(a * x + b * x * x)

    a, b = np.mgrid[0.0:1.0:4j, 0.0:2.0:3j]
    assert_allclose(flow.grad(f)(2.0, 4), np.sum(a + 4.0 * b), rtol=1e-14)


@dataclasses.dataclass
class Base:
    a: float
    b: float = 2.0


@dataclasses.dataclass(init=False)
class Derived(Base):
    c: float = 0.0

    def __init__(self, a, c):
        super().__init__(a)
        self.c = c


def test_the_init_of_a_base_dataclass():
    @flow.compile(target="python")
    def f(x):
        d = Derived(x, x * x)
        return d.a * d.b + d.c

    assert_allclose(flow.value_and_grad(f)(3.0), (15.0, 8.0))


# ---- decimal numbers ----
def half_up(number):
    return int(Decimal(number).quantize(Decimal("1"), rounding=decimal.ROUND_HALF_UP))


def frames(x, length=0.25, rate=10):
    n = half_up(length * rate)
    return np.sum(x[:n] ** 2) * n + float(Decimal("0.5")) * x[0]


def test_decimals_of_known_numbers():
    x = np.arange(1.0, 6.0)
    value, gradient = flow.value_and_grad(flow.compile(lambda x: frames(x), target="python"))(x)
    assert_allclose(value, frames(x))
    assert_allclose(gradient, [6.5, 12.0, 18.0, 0.0, 0.0])


def test_decimals_of_integers_are_specialized_on():
    f = flow.grad(flow.compile(lambda x, n: x * half_up(n), target="python"))
    assert [f(2.0, n) for n in (1, 3, 3)] == [1.0, 3.0, 3.0]


def test_what_is_no_decimal_raises():
    with pytest.raises(decimal.InvalidOperation):
        flow.grad(flow.compile(lambda x: x * float(Decimal("a")), target="python"))(2.0)
