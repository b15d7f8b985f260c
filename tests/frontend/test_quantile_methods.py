"""All methods of quantiles, in NumPy and in compiled code."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.formulas.statistics import METHODS
from tests.tools.turns import share

X = np.array([0.3, -1.7, 2.5, 0.1, 4.0, 1.1, -0.4])
A = np.random.default_rng(0).normal(size=(5, 6))
HOLES = np.where(A > 0.9, np.nan, A)
FRACTIONS = np.concatenate([np.arange(0.0, 1.0, 1.0 / 14.0), [0.1, 0.3, 0.7, 1.0]])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("method", METHODS)
def test_values(method, target):
    def f(x, a, q):
        return np.quantile(x, q, method=method), np.nanquantile(a, q, axis=0, method=method)

    compiled = flow.compile(f, target=target)
    for n in (1, 2, 5, 7):
        for q in FRACTIONS:
            for g, w in zip(compiled(X[:n], HOLES, q), f(X[:n], HOLES, q), strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-13, atol=1e-15)
    with pytest.raises(ValueError, match=r"in the range \[0, 1\]"):
        compiled(X, HOLES, 1.5)


@pytest.mark.parametrize("method", METHODS)
def test_several_fractions_dtypes_and_axes(method):
    def f(x, a):
        several = np.percentile(a, [0.0, 30.0, 50.0], axis=1, method=method)
        return (
            several,
            np.nanquantile(a, [0.2, 0.9], axis=(0, 1), method=method),
            np.quantile(x.astype(np.float32), 0.3, method=method, keepdims=True),
        )

    for g, w in zip(flow.compile(f, target="python")(X, HOLES), f(X, HOLES), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-7)
        assert g.shape == w.shape and g.dtype == w.dtype


@pytest.mark.parametrize("method", share(list(METHODS)))
def test_derivatives(method):
    def f(x, a):
        of_columns = np.nanquantile(a, 0.35, axis=0, method=method)
        return np.quantile(x, 0.35, method=method) ** 2 + np.sum(of_columns**2)

    for order in (1, 2):
        flow.testing.gradcheck(f, (X, A), target="python", order=order)
    for g, w in zip(
        flow.grad(f, (0, 1), target="cpu")(X, HOLES),
        flow.grad(f, (0, 1), target="python")(X, HOLES),
        strict=True,
    ):
        np.testing.assert_allclose(g, w, rtol=1e-13)


def test_infinities_are_not_subtracted():
    x = np.array([1.0, 2.0, np.inf, np.inf])
    for method in ("inverted_cdf", "closest_observation", "lower", "higher", "nearest"):
        f = flow.compile(lambda x, m=method: np.quantile(x, 0.9, method=m), target="python")
        assert f(x) == np.inf
