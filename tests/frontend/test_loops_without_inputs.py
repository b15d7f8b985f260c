"""Loops whose length is computed of constants: only the run tells it."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

DEGREES = [(n, m) for n in range(1, 4) for m in range(n + 1)]
X = np.array([0.3, 0.5])


def powers(x):
    most = np.max(np.array([1, 3, 2]))
    table = {}
    for k in range(most + 1):
        table[k] = x**k
    table[0] = 2.0 * x
    for k in range(1, most + 1):
        table[k] = x * table[k - 1]
    return np.sum(table[2]) + np.sum(table[3])


def polynomials(x):
    n, m = np.array(list(DEGREES)).T
    most, table = np.max(n), {}
    for n in range(most + 1):
        for m in range(most + 1):
            table[n, m] = np.zeros_like(x)
    table[0, 0] = np.ones_like(x)
    for n in range(1, most + 1):
        for m in range(n + 1):
            if n == m:
                table[n, n] = np.sin(x) * table[n - 1, n - 1]
            else:
                table[n, m] = np.cos(x) * table[n - 1, m]
                if n > 1:
                    table[n, m] = table[n, m] - 0.1 * m * table[n - 2, m]
    return np.sum(np.stack([table[key] for key in DEGREES]) * np.arange(1.0, 10.0)[:, None])


def numbers(x):
    table = {}
    for k in range(int(np.sum(np.array([1, 1])))):
        table[k] = 2.0 * k
    return np.sum(x) * table[1]


def of_both(x, n):
    def filled(length):
        table = {}
        for k in range(length):
            table[k] = x * k
        return table

    return np.sum(filled(3)[2] + filled(n)[1] + filled(np.max(np.array([1, 2])))[1])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("f", "rest"), [(powers, ()), (polynomials, ()), (numbers, ()), (of_both, (2,))]
)
def test_keys_of_the_run(f, rest, target):
    found = flow.value_and_grad(flow.compile(f, target=target))
    for x in (X, -0.7 * X):
        value, slope = found(x, *rest)
        assert value == pytest.approx(f(x, *rest))
        steps = 1e-6 * np.eye(2)
        wanted = [(f(x + h, *rest) - f(x - h, *rest)) / 2e-6 for h in steps]
        np.testing.assert_allclose(slope, wanted, 1e-6)


def test_what_must_be_known_is_refused():
    def f(x):
        total = 0.0
        for axis in range(np.max(np.array([0, 1]))):
            total = total + np.sum(np.sum(x, axis=axis))
        return total

    with pytest.raises(flow.UnsupportedError, match="must be known at compile time"):
        flow.compile(f, target="python")(X)
