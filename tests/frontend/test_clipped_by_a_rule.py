"""np.clip with a rule of casting, of operands that need no cast."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.as_python import TARGETS, agrees

X = np.array([[0.1, 0.5, 0.9], [1.5, -0.3, 0.7]])
LOW, HIGH = np.asarray(0.2), np.array([0.8, 0.6, 1.0])


def into_memory(x):
    out = np.empty_like(x)
    np.clip(x, LOW.astype(x.dtype), HIGH.astype(x.dtype), out=out, casting="no")
    return np.sum(out**2 * x)


def by_one_bound(x):
    return np.sum(np.clip(x, None, HIGH.astype(x.dtype), casting="equiv") * x)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", [into_memory, by_one_bound])
def test_values_and_gradients(f, dtype, target: str):
    x = X.astype(dtype)
    value, slope = flow.value_and_grad(f, target=target)(x)
    assert value == pytest.approx(f(x), rel=1e-6)
    assert slope.dtype == dtype and np.array_equal(x, X.astype(dtype))
    weights, h = np.cos(np.arange(6.0)).reshape(2, 3), 1e-6
    step = (f(X + h * weights) - f(X - h * weights)) / (2 * h)
    assert np.sum(slope * weights) == pytest.approx(step, rel=1e-5)


def test_numbers_of_the_dtype():
    agrees(lambda x: np.clip(x, 0.2, 0.7, casting="unsafe"), X)
    agrees(lambda n: np.clip(n, 1, 3, casting="no"), np.arange(6))


@pytest.mark.parametrize("f", [
    lambda x: np.clip(x, LOW, HIGH, casting="no"),
    lambda x: np.clip(x, [0, 0, 0], HIGH.astype(np.float32), casting="no"),
    lambda x: np.clip(x, x, x, np.empty((2, 3)), casting="equiv"),
])  # fmt: skip
def test_other_dtypes_are_refused(f):
    with pytest.raises(UnsupportedError, match="clip of several dtypes with casting=") as e:
        flow.compile(f, target="python")(X.astype(np.float32))
    assert ".astype" in str(e.value)
