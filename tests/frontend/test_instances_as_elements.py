"""Instances with `__float__` or `__int__` as elements of arrays: NumPy converts them by it."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import UnsupportedError


class Length:
    """A number with a unit."""

    def __init__(self, v, unit=2.0):
        self.v = v
        self.unit = unit

    def __float__(self):
        return float(self.v * self.unit)


@dataclasses.dataclass
class Count:
    """A number that is stored in arrays of integers too."""

    v: float

    def __float__(self):
        return float(self.v * 3.0)

    def __int__(self):
        return 4


FIXED = Length(0.7)


def at_a_place(x):
    a = np.zeros(3)
    a[1] = Length(x[0])
    a[2] = FIXED
    return np.sum(a**2) + a[1] * x[1]


def at_places(x):
    a = np.zeros((3, 2))
    a[0] = Length(x[0])
    a[1:, 1] = Length(x[1], 3.0)
    a[[1, 2], 0] = Count(x[2])
    return np.sum(a**2 * np.arange(6.0).reshape(3, 2))


def in_loops(x):
    a = np.zeros(4)
    for i in range(4):
        a[i] = Length(x[0] * i) if x[1] > 0.5 else Length(x[2])
    a.fill(Length(a[2] * a[3]))
    return np.sum(a)


def of_lists(x):
    a = np.array([Count(x[0]), x[1], Length(x[2])], dtype=float)
    b = np.asarray([[Length(x[0]), 1.0], (2.0, Count(x[1]))], dtype=float)
    b[1] = [Length(x[2]), Length(x[0])]
    return np.sum(a**3) + np.sum(b**2) + np.asarray(Length(x[0]), dtype=float)


def fractions(x):
    a = np.zeros((2, 2))
    a[0][1] = Fraction(1, 3)
    return np.sum(a) * x[0] + np.sum(np.array([Fraction("0.25"), Fraction(3)], float) * x[1] ** 2)


def of_whole_numbers(x):
    a = np.zeros(2, int)
    a[0] = Count(x[0])
    return a[0] * x[0] + np.sum(np.full(3, Length(x[1]), dtype=float))


PROGRAMS = [at_a_place, at_places, in_loops, of_lists, fractions, of_whole_numbers]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f, target):
    compiled = flow.value_and_grad(flow.compile(f, target=target))
    for x in (np.array([0.3, 0.8, 1.4]), np.array([1.2, 0.4, 0.9])):
        value, gradient = compiled(x)
        assert_allclose(value, f(x), rtol=1e-14)
        steps = 1e-6 * np.eye(3)
        differences = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
        assert_allclose(gradient, differences, rtol=1e-7, atol=1e-9)


def test_single_precision():
    def f(x):
        a = np.zeros(2, np.float32)
        a[0] = Length(x)
        return a[0] * np.float32(2.0)

    value = flow.compile(f, target="python")(0.1)
    assert value.dtype == f(0.1).dtype and value == f(0.1)


class OfNumpy(Length):
    """A number whose `__float__` returns NumPy's, which derives from Python's."""

    def __float__(self):
        return self.v * self.unit


@pytest.mark.filterwarnings("ignore:.*strict subclass of float:DeprecationWarning")
def test_a_number_of_numpy():
    def f(x):
        a = np.zeros(2, np.float32)
        a[0] = OfNumpy(x[0])
        return float(OfNumpy(x[1])) * np.float32(0.5) * x[0] + a[0]

    x = np.array([0.3, 0.8])
    value, gradient = flow.value_and_grad(flow.compile(f, target="python"))(x)
    assert_allclose(value, f(x), rtol=1e-15)
    assert_allclose(gradient, [x[1] + 2.0, x[0]], rtol=1e-7)


class Row(Length):
    """A sequence, whose items NumPy looks for first."""

    def __len__(self):
        return 1

    def __getitem__(self, k):
        return self.v


def without_int(x):
    a = np.zeros(2, int)
    a[0] = Length(x)
    return a[0] * x


def sequence(x):
    a = np.zeros(2)
    a[0] = Row(x)
    return a[0] * x


@pytest.mark.parametrize("f", [without_int, sequence])
def test_others_are_refused(f):
    with pytest.raises(UnsupportedError, match="cannot be stored in an array"):
        flow.grad(flow.compile(f, target="python"))(1.5)
