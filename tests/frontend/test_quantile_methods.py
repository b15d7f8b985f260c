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


PLACES = (
    0.25, np.float64(0.25), np.float32(0.25), 1, 0, [0.25, 0.5], [0, 1], [np.float32(0.5)],
    [[0.25, 0.5], [0.0, 1.0]], np.array([0.25, 0.5], np.float32),
)  # fmt: skip
NUMBERS = [np.array([[3, 1, 2, 7], [5, 6, 8, 4]], t) for t in ("f8", "f4", "i8", "i2", "u1")]


@pytest.mark.parametrize("of", ["np.quantile", "np.nanquantile", "np.percentile"])
@pytest.mark.parametrize("method", METHODS)
def test_dtypes_of_results(method, of):
    """Values of an array that are not averaged keep its dtype, and so do extremes of integers."""
    f = {
        "np.quantile": lambda x, q: np.quantile(x, q, axis=1, method=method),
        "np.nanquantile": lambda x, q: np.nanquantile(x, q, method=method, keepdims=True),
        "np.percentile": lambda x, q: np.percentile(x, q, method=method),
    }[of]
    compiled = flow.compile(f, target="python")
    for x in NUMBERS:
        for q in PLACES:
            got, want = compiled(x, q), f(x, q)
            assert got.dtype == want.dtype and got.shape == want.shape, (x.dtype, q)
            np.testing.assert_allclose(got, want, rtol=3e-7)


def test_large_integers_are_not_rounded():
    def f(x):
        return np.quantile(x, 0.5, method="lower"), np.percentile(x, [0, 100], method="nearest")

    x = np.array([2**53 + 1, 2**53 + 3, 2**60 + 1])
    for g, w in zip(flow.compile(f, target="python")(x), f(x), strict=True):
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_place_that_is_nan_is_none(target):
    for f in (lambda x, q: np.quantile(x, q), lambda x, q: np.nanpercentile(x, q)):
        with pytest.raises(ValueError, match="in the range"):
            flow.compile(f, target=target)(X, np.nan)
        with pytest.raises(ValueError, match="in the range"):
            flow.compile(f, target=target)(X, [0.5, np.nan])
