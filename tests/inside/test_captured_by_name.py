"""Captured values of one name, in functions differentiated inside compiled ones."""

import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow

A, B = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])
LIST, TUPLE, DICT, DEEP = [A, B], (A, B), {"a": A, "b": B}, [[A], [B]]
FLOATS = [2.0, 5.0]
RATE = np.float64(2.5)


@dataclass
class Pair:
    a: object
    b: object


@dataclass
class One:
    w: object


class Scaled:
    def __init__(self, w):
        self.w = w

    def __call__(self, p):
        return self.w * p


PAIR, FIRST, SECOND = Pair(A, B), One(A), One(B)
BY_A, BY_B = Scaled(A), Scaled(B)


def scaled(c):
    return lambda v: c * v


TWICE, TENFOLD = scaled(2.0), scaled(10.0)
ALONG, ACROSS = scaled(A), scaled(B)


def module(name, value):
    """A module with a global of its own under a name that others have too."""
    made = types.ModuleType(name)
    made.W = value
    path = f"<{name}>"
    text = "def times(p):\n    return W * p\n"
    import linecache

    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    exec(compile(text, path, "exec"), made.__dict__)
    sys.modules[name] = made
    return made


ONE, OTHER = module("captured_one", A), module("captured_other", B)

LOSSES = {
    "list": lambda p: np.sum((LIST[0] * p - LIST[1]) ** 2),
    "tuple": lambda p: np.sum((TUPLE[0] * p - TUPLE[1]) ** 2),
    "dict": lambda p: np.sum((DICT["a"] * p - DICT["b"]) ** 2),
    "nested list": lambda p: np.sum((DEEP[0][0] * p - DEEP[1][0]) ** 2),
    "numbers": lambda p: np.sum((FLOATS[0] * p - FLOATS[1]) ** 2),
    "dataclass": lambda p: np.sum((PAIR.a * p - PAIR.b) ** 2),
    "two of a class": lambda p: np.sum((FIRST.w * p - SECOND.w) ** 2),
    "callable objects": lambda p: np.sum((BY_A(p) - BY_B(p**2)) ** 2),
    "closures": lambda p: np.sum((TWICE(p) - TENFOLD(p**2)) ** 2),
    "closures of arrays": lambda p: np.sum((ALONG(p) - ACROSS(p**2)) ** 2),
    "modules": lambda p: np.sum((ONE.times(p) - OTHER.times(p**2)) ** 2),
}


def by_grad(loss):
    return lambda p: flow.grad(loss)(p)


def by_value_and_grad(loss):
    return lambda p: flow.value_and_grad(loss)(p)[1]


def by_jvp(loss):
    return lambda p: p * flow.jvp(loss, (p,), (np.ones(3),))[1]


def differences(loss, p, h=1e-5):
    return np.array([(loss(p + h * e) - loss(p - h * e)) / (2 * h) for e in np.eye(3)])


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("inside", [by_grad, by_value_and_grad, by_jvp])
def test_each_capture_has_its_own_value(name, inside):
    loss, p = LOSSES[name], np.array([0.5, 1.0, 1.5])
    want = differences(loss, p)
    if inside is by_jvp:
        want = p * np.sum(want)
    got = flow.compile(inside(loss), target="python")(p)
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("name", ["list", "closures"])
def test_on_the_cpu(name):
    loss, p = LOSSES[name], np.array([0.5, 1.0, 1.5])
    np.testing.assert_allclose(flow.compile(by_grad(loss))(p), differences(loss, p), rtol=1e-6)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_tangent_of_an_array_without_axes(target):
    def square(v):
        return v * v

    along = flow.compile(lambda z: flow.jvp(square, (z,), (z,))[1], target=target)
    one = flow.compile(lambda z: flow.jvp(square, (z,), (1.0,))[1], target=target)
    assert along(np.array(3.0)) == 18.0
    assert one(np.array(3.0)) == 6.0


def test_numbers_of_numpy_as_globals():
    def f(v):
        return RATE * v

    assert flow.grad(flow.compile(f, target="python"))(3.0) == 2.5
    rates = [np.float64(2.0), np.float64(3.0)]

    def g(v):
        return rates[0] * v + rates[1] * v * v

    assert flow.grad(flow.compile(g, target="python"))(1.0) == 8.0
