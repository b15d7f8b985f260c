"""Distances of rows by each metric: SciPy's values, and gradients by differences."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

import srcgrad as flow

RNG = np.random.default_rng(1)
A, B = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3))
W = np.array([0.5, 0.0, 2.0])
WEIGHTS = RNG.normal(size=(4, 5))
STEP = np.cos(np.arange(12.0)).reshape(4, 3)


def powers(u, v, k=2.0):
    return np.sum(np.abs(u - v) ** k)


CASES = [
    ("euclidean", {}), ("euclidean", {"w": W}), ("sqeuclidean", {}), ("sqeuclidean", {"w": W}),
    ("cityblock", {"w": W}), ("chebyshev", {}), ("chebyshev", {"w": W}), ("minkowski", {}),
    ("minkowski", {"p": 3}), ("minkowski", {"p": 1.5, "w": W}), ("minkowski", {"p": np.inf}),
    ("seuclidean", {}), ("seuclidean", {"V": W + 1.0}), ("mahalanobis", {}),
    ("mahalanobis", {"VI": np.eye(3) + 0.1 * A[:3]}), ("cosine", {}), ("Correlation", {}),
    ("canberra", {}), ("canberra", {"w": W}), ("braycurtis", {}), ("braycurtis", {"w": W}),
    (powers, {}), (powers, {"k": 3.0}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "given"), CASES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_values_and_gradients(metric, given):
    def of_two(a, b):
        return np.sum(cdist(a, b, metric, **given) * WEIGHTS)

    def of_one(a):
        return np.sum(pdist(a, metric=metric, **given) * WEIGHTS[:3, 3:].ravel())

    for f, rest in ((of_two, (B,)), (of_one, ())):
        compiled = flow.compile(f, target="python", cache=False)
        value, slope = flow.value_and_grad(compiled)(A, *rest)
        assert value == pytest.approx(f(A, *rest), rel=1e-12)
        h = 1e-6
        wanted = (f(A + h * STEP, *rest) - f(A - h * STEP, *rest)) / (2 * h)
        assert np.sum(slope * STEP) == pytest.approx(wanted, rel=1e-5, abs=1e-9)


def test_negative_weights():
    def f(a, b):
        return np.sum(cdist(a, b, "euclidean", w=-W))

    for g in (f, flow.compile(f, target="python", cache=False)):
        with pytest.raises(ValueError, match="non-negative"):
            g(A, B)


def test_refused():
    f = flow.compile(lambda a: cdist(a, a, "jensenshannon"), target="python", cache=False)
    with pytest.raises(flow.UnsupportedError, match="distances by 'jensenshannon'"):
        f(A)
    f = flow.compile(lambda a, p: cdist(a, a, "minkowski", p=p), target="python", cache=False)
    with pytest.raises(NotImplementedError, match="not positive"):
        f(A, -1.0)
