"""`SRCGRAD_CHECK=1`: the first gradient of each specialisation is checked, and only that."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import GradientError, GradientWarning
from srcgrad.transforms import self_check
from tests.tools import faults


@dataclass
class Model:
    weight: np.ndarray
    bias: float


def overwritten(x, k):
    a = x.copy()
    for i in range(1, len(a)):
        a[i] = k * a[i] * a[i - 1]
    return np.sum(a)


def layered(m, x):
    a = m.weight * x[0]
    a[1:] += np.tanh(a[:-1] * m.bias)
    x[1:] = a[1:] * x[:-1]
    return np.sum(x), a


X = np.array([0.3, 0.7, 1.1])


@pytest.fixture(autouse=True)
def on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SRCGRAD_CHECK", "1")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list:
    """The questions that were put, one per argument."""
    seen: list = []
    by_one = self_check._by_one
    monkeypatch.setattr(
        self_check,
        "_by_one",
        lambda q, path, rng: seen.append((q.name, path)) or by_one(q, path, rng),
    )
    return seen


def test_the_first_gradient_of_each_specialisation(asked: list):
    g = flow.grad(flow.compile(overwritten, target="python"), (0, 1))
    for x in (X, X[::-1].copy(), X):
        g(x, 0.8)
    assert asked == [("overwritten", ("x",)), ("overwritten", ("k",))]
    g(X.astype(np.float32), 0.8)
    assert len(asked) == 4


def test_every_kind_of_gradient(asked: list):
    f = flow.compile(layered, target="python")
    model, x = Model(X * 2.0, 0.4), X.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = flow.grad(f, (0, 1))(model, x)
        flow.value_and_grad(f, 1, has_aux=True)(model, x)
        _, pull = flow.vjp(f, model, x)
        pulled = pull(2.0, np.ones(3))
        flow.grad(flow.compile(overwritten, target="python"), sens_param=True)(x, 0.7, 2.0)
        flow.vjp(flow.grad(flow.compile(overwritten, target="python")), x, 0.7)[1](X)
    assert g[0].weight.shape == (3,) and pulled[1].shape == (3,)
    paths = [path for _, path in asked]
    assert paths[:3] == [("m", "weight"), ("m", "bias"), ("x",)]
    assert len(paths) == 3 + 1 + 3 + 1 + 2
    assert x.tolist() == X.tolist() and model.weight.tolist() == (X * 2.0).tolist()


def test_off_without_the_variable(asked: list, monkeypatch: pytest.MonkeyPatch):
    for value in ("0", ""):
        monkeypatch.setenv("SRCGRAD_CHECK", value)
        flow.grad(flow.compile(overwritten, target="python"))(X, 0.8)
    assert not asked


def test_a_wrong_gradient_is_an_error_each_time():
    with faults.inject("zero-after-store"):
        g = flow.grad(flow.compile(overwritten, target="python"), (0, 1))
        for _ in range(2):
            with pytest.raises(GradientError) as caught:
                g(X, 0.8)
    text = str(caught.value)
    assert text.startswith("the gradient of overwritten() by x is wrong at [1]: reverse mode gives")
    assert "def overwritten(x, k):" in text and "test_self_check.py:" in text
    parts = text.splitlines()[0].replace(",", "").split()
    assert parts[parts.index("forward") + 2][:8] == parts[parts.index("differences") + 1][:8]


def test_a_wrong_gradient_of_a_number():
    def f(w, k):
        a = np.ones(20) * w  # too long to become numbers, which nothing is stored to
        a[k] = a[k] * w * a[0]
        a[k] = a[k] * a[2]
        return a[k] * a[0]

    with (
        faults.inject("zero-after-store"),
        pytest.raises(GradientError, match=r"by w is wrong: reverse mode gives"),
    ):
        flow.grad(flow.compile(f, target="python"))(0.7, 1)


def test_a_kink_only_warns():
    g = flow.grad(flow.compile(lambda x: np.sum(np.maximum(x, 0.9 * x - 1e-13)), target="python"))
    with pytest.warns(GradientWarning, match="there may be a kink"):
        assert g(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g(np.zeros(3))


def test_captured_arrays_stay_as_they_are():
    table = np.ones(3)

    def f(x):
        table[1] = x[0] * x[1]
        return np.sum(table * x)

    flow.grad(flow.compile(f, target="python"))(X)
    assert table.tolist() == [1.0, 1.0, 1.0]


def test_on_the_cpu():
    flow.grad(flow.compile(overwritten))(X, 0.8)
