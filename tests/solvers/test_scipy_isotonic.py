"""isotonic_regression() in compiled code: SciPy's blocks, whose means are differentiated."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow

_r = np.random.default_rng(5)
Y = _r.normal(size=12) + 0.2 * np.arange(12)
W = _r.random(12) + 0.1


def rising(y):
    s = optimize.isotonic_regression(y)
    return s.x, s.weights, s.blocks


def falling(y):
    s = optimize.isotonic_regression(y, increasing=False)
    return s["x"], s["weights"], s["blocks"]


VALUES = {
    "float64": Y, "float32": Y.astype(np.float32), "integers": (3 * Y).astype(np.int64),
    "a list": [3.0, 1.0, 2.0], "a number": 2.5, "empty": Y[:0], "one": Y[:1],
    "equal": np.array([1.0, 1.0, 0.0, 2.0, 2.0]), "nan": np.array([1.0, np.nan, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("f", [rising, falling])
def test_results_are_scipys(f: Any, kind: str):
    y = VALUES[kind]
    for target in ("python", "cpu") if kind == "float64" else ("python",):
        for a, b in zip(flow.compile(f, target=target)(y), f(y), strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-12)


def of_weights(y, w, up):
    s = optimize.isotonic_regression(y, weights=w, increasing=up)
    return np.sum(np.cos(np.arange(12)) * s.x**2) + np.sum(s.weights**2)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("up", [True, False])
def test_derivatives(target: str, up: bool):
    f = flow.compile(of_weights, target=target)
    value, found = flow.value_and_grad(f, (0, 1))(Y, W, up)
    assert value == pytest.approx(of_weights(Y, W, up), rel=1e-12)
    args, step = (Y, W), 1e-6 * np.eye(12)
    for k in range(2):
        ends = [[of_weights(*(a + e * (n == k) for n, a in enumerate(args)), up) for e in s * step]
                for s in (1, -1)]  # fmt: skip
        expected = (np.array(ends[0]) - ends[1]) / 2e-6
        np.testing.assert_allclose(found[k], expected, rtol=1e-6, atol=1e-7)
    ways = np.sin(np.arange(12.0)), np.cos(np.arange(12.0))
    _, moved = flow.jvp(f, (Y, W, up), (*ways, None))
    assert moved == pytest.approx(found[0] @ ways[0] + found[1] @ ways[1])


WRONG = [
    (lambda y: optimize.isotonic_regression(y, weights=-y * y).x, "strictly positive"),
    (lambda y: optimize.isotonic_regression(y, weights=y[1:]).x, "equal length"),
]


@pytest.mark.parametrize(("f", "text"), WRONG)
def test_errors_are_scipys(f: Any, text: str):
    with pytest.raises(ValueError, match=text):
        f(Y)
    with pytest.raises(ValueError, match=text):
        flow.compile(f, target="python")(Y)
