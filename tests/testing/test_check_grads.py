"""`srcgrad.testing.check_grads` passes what is right and finds what is wrong."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import GradientError, check_grads, slope
from tests.tools import faults


@dataclass
class Model:
    weight: np.ndarray
    bias: float
    steps: int


def run(m, x):
    for _ in range(m.steps):
        x = np.tanh(m.weight * x + m.bias)
    return x


def overwritten(x):
    for i in range(1, len(x)):
        x[i] = x[i] * x[i - 1]
    return np.sum(x)


def test_right_gradients_pass():
    x = np.array([0.3, 0.7])
    check_grads(run, (Model(x * 2.0, 0.1, 3), x), (0, 1), target="python")
    check_grads(flow.compile(overwritten, target="python"), (x,))
    assert x.tolist() == [0.3, 0.7]


def test_a_wrong_gradient_is_found():
    with (
        faults.inject("zero-after-store"),
        pytest.raises(GradientError, match="reverse mode gives"),
    ):
        check_grads(overwritten, (np.array([0.3, 0.7, 1.1]),), target="python")


@pytest.mark.filterwarnings("ignore")
def test_nan_is_found():
    with pytest.raises(GradientError):
        check_grads(lambda x: np.sqrt(x - 1.0), (0.5,), target="python")


def test_slope():
    value, error = slope(lambda h: np.exp(h) * np.sin(h))
    assert value == pytest.approx(1.0, abs=1e-10) and error < 1e-8
