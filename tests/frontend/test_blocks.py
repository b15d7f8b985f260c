"""`np.block` of lists that are nested as deep as one likes; its result shares no memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.linspace(0.2, 1.7, 6).reshape(2, 3)
CALLS = [
    lambda x: np.block([x[0], x[1, 0], 3.0]),
    lambda x: np.block([[x, x * 2.0], [x[0], x[1]]]),
    lambda x: np.block([[x[0, 0], 2], [3.0, x[1, 1]]]),
    lambda x: np.block([[[x, x]], [[x * 2.0, x * x]]]),
    lambda x: np.block([[[x[:, :1], x[:, 1:]]], [[x[:, 2:], x[:, :2]]]]),
    lambda x: np.block([[[[x]]]]),
    lambda x: np.block([[x.reshape(1, 2, 3)], [x]]),
    lambda x: np.block([x.reshape(1, 2, 3), x]),
    lambda x: np.block(x[0, 0]),
    lambda x: np.block([[np.ones((2, 1), int), x]]),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("k", range(len(CALLS)))
def test_values_and_gradients(k, target):
    def f(x):
        made = CALLS[k](x)
        return np.sum(made**2 * np.cos(np.arange(made.size).reshape(made.shape)))

    for x in (X, X[::-1] * 1.3):
        value, gradient = flow.value_and_grad(flow.compile(f, target=target))(x)
        assert_allclose(value, f(x), rtol=1e-14)
        steps = 1e-6 * np.eye(6).reshape(6, 2, 3)
        differences = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
        assert_allclose(gradient.ravel(), differences, rtol=1e-6, atol=1e-8)
    assert flow.compile(CALLS[k], target=target)(X).shape == CALLS[k](X).shape


@pytest.mark.parametrize("make", [np.block, lambda z: np.block([z]), lambda z: np.block([[[z]]])])
def test_a_single_block_is_a_copy(make):
    def f(x):
        z = x * 2.0
        made = make(z)
        made[...] = made * z
        return np.sum(z**2) + np.sum(made)

    def g(x):
        z = x * 2.0
        made = make(z)
        z[0] = 7.0
        return np.sum(made**3) + z[1]

    x = X[0]
    for h, wanted in ((f, 16.0 * x), (g, 24.0 * x**2 + [0.0, 2.0, 0.0])):
        for target in ("python", "cpu"):
            value, gradient = flow.value_and_grad(flow.compile(h, target=target))(x)
            assert_allclose(value, h(x), rtol=1e-14)
            assert_allclose(gradient, wanted, rtol=1e-14)


def test_single_precision_and_known_numbers():
    def f(x):
        return np.block([[x, np.ones((2, 1), np.float32)]])

    x = X.astype(np.float32)
    assert flow.compile(f, target="python")(x).dtype == f(x).dtype == np.float32
