"""`tolist()` of vectors whose length only the run tells: a list that grows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.array([0.1, 0.5, 0.9, 0.7, 0.25])
Z = np.array([0.83, 0.22, 0.35, 1.4, 0.65])


def place_of_the_largest(x):
    y = x[x > 0.3].tolist()
    return y[y.index(max(y))] ** 2 + len(y) * x[0]


def places(x):
    total = 0.0
    for k in np.flatnonzero(x > 0.3).tolist():
        total = total + x[k] ** 2 * (k + 1)
    return total


def appended_and_sorted(x):
    y = x[x > 0.3].tolist()
    y.append(x[0] * x[1])
    y.sort()
    return y[0] * 3.0 + y[-1] ** 2 + sum(y) * len(y)


def parts_in_turn(x):
    total = 0.0
    for n in range(1, 4):
        part = x[: int(np.sum(x > 0.2 * n))].tolist()
        total = total + part[part.index(max(part))] * len(part)
    return total


def truth_values(x):
    return (x[x > 0.3] > 0.6).tolist().count(True) * x[1] ** 2


def none_left(x):
    return len(x[x > 5.0].tolist()) + x[0] ** 2


def again_an_array(x):
    return np.sum(np.array(x[x > 0.3].tolist()) ** 3)


PROGRAMS = [
    place_of_the_largest, places, appended_and_sorted, parts_in_turn, truth_values, none_left,
    again_an_array,
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f, target):
    compiled = flow.value_and_grad(flow.compile(f, target=target))
    for x in (X, Z):
        before = x.copy()
        value, gradient = compiled(x)
        assert_allclose(value, f(x), rtol=1e-14)
        steps = 1e-6 * np.eye(5)
        differences = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
        assert_allclose(gradient, differences, rtol=1e-7, atol=1e-8)
        assert np.array_equal(x, before)


def test_numbers_are_pythons():
    def f(x):
        numbers = x[x > 0.3].tolist()
        return np.sum(np.ones(2, np.float32) * numbers[0])

    x = X.astype(np.float32)
    assert flow.compile(f, target="python")(x).dtype == f(x).dtype == np.float32


def test_long_vectors():
    x = np.linspace(0.0, 1.0, 400)
    value, gradient = flow.value_and_grad(lambda x: sum(x.tolist()) ** 2)(x)
    assert_allclose(value, np.sum(x) ** 2, rtol=1e-13)
    assert_allclose(gradient, np.full(400, 2.0 * np.sum(x)), rtol=1e-13)
