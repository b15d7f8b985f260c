"""Common divisors, the order of complex numbers, and methods that sort and store in parts."""

import itertools
from typing import Any

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 1.7, -0.4, 0.9, 2.2])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_divisors_of_arrays(kind, target):
    def f(a, b):
        return np.gcd(a, b), np.lcm(a, b)

    values = [0, 1, 4, 6, 12, 35, 105] + ([] if kind is np.uint8 else [-4, -6])
    a, b = np.array([*itertools.product(values, values)], kind).T
    compiled = flow.compile(f, target=target)
    small = np.abs(f(a.astype(np.int64), b.astype(np.int64))[1]) < 256
    for x, y in ((a[small], b[small]), (a[:3, None], b[:4]), (a[:0], b[:0])):
        for got, want in zip(compiled(x, y), f(x, y), strict=True):
            np.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype and got.shape == want.shape


def test_divisors_of_numbers():
    def f(x, n):
        return x[np.gcd(n, 4)] * np.lcm(n, 3)

    compiled = flow.compile(f, target="python")
    assert compiled(X, 2) == f(X, 2)
    flow.testing.gradcheck(lambda x: f(x, 2), (X,), target="python")
    with pytest.raises(TypeError):
        flow.compile(lambda x: np.gcd(x, 2), target="python")(X)


@pytest.mark.parametrize("kind", [float, np.float32, np.int16, np.int64, complex, np.complex64])
def test_the_order_of_complex_numbers(kind):
    x = np.array([[2, 1, 3, 1], [0, 5, 5, -1]]).astype(kind)
    if x.dtype.kind == "c":
        x = x + np.array([1j, -1j, 0, -2j]).astype(kind)
        x[1, 2] = complex(np.nan, 1.0)
        x[0, 3] = complex(1.0, np.nan)
    for each in (x, x[0]):
        got, want = flow.compile(np.sort_complex, target="python")(each), np.sort_complex(each)
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype


def test_a_derivative_of_sorted_complex_numbers():
    def f(x):
        z = np.sort_complex(x + 1j * x[::-1])
        return np.sum(z.real * np.arange(5.0) + z.imag**2)

    flow.testing.gradcheck(f, (X,), target="python", order=2)


def parts(x):
    y = x.copy()
    y.partition(2)
    return y[2] ** 2 * np.sum(x[x.argpartition(2)[:2]] ** 2)


def puts(x):
    y, z = x * 1.0, np.outer(x, x)
    y.put([0, -1], x[1])
    np.put(y, [1, 8, -7], [x[0], x[2], 3.0], mode="clip")
    np.put(z, [3, 31, -2], x[:3] ** 2, mode="wrap")
    z.put(4, 2.0)
    return np.sum(y**2) + np.sum(z**3)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [parts, puts])
def test_methods(f: Any, target: str):
    np.testing.assert_allclose(flow.compile(f, target=target)(X), f(X), rtol=1e-13)
    flow.testing.gradcheck(f, (X,), target=target)


def test_columns_are_parted():
    def f(x):
        y = x.copy()
        y.partition((0, 2), axis=0)
        return y[0] * y[2]

    a = np.random.default_rng(0).normal(size=(4, 3))
    np.testing.assert_allclose(flow.compile(f, target="python")(a), f(a))
