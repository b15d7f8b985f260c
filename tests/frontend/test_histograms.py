"""Histograms have NumPy's values, dtypes and errors."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow

_r = np.random.default_rng(3)
X, Y = _r.normal(size=30), 2.0 * _r.normal(size=30)
PAIRS = {
    "float64": (X, Y),
    "float32": (X.astype(np.float32), Y.astype(np.float32)),
    "integers": ((3 * X).astype(np.int64), (3 * Y).astype(np.int64)),
    "two dtypes": (X.astype(np.float32), (3 * Y).astype(np.int64)),
    "lists": (X[:4].tolist(), Y[:4].tolist()),
    "empty": (X[:0], Y[:0]),
    "one": (X[:1], Y[:1]),
}


def by_number(x, y):
    return np.histogram2d(x, y, 3)


def by_numbers(x, y):
    return np.histogram2d(x, y, (2, 4), [[-1, 1], None])


def by_edges(x, y):
    return np.histogram2d(x, y, [-1.0, 0.0, 0.5, 0.5], weights=np.asarray(x))


def by_both(x, y):
    return np.histogram2d(x, y, [2, np.array([-1, 0, 2])], density=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [by_number, by_numbers, by_edges, by_both])
@pytest.mark.parametrize("kind", PAIRS)
def test_pairs_fall_as_numpys(f: Any, kind: str):
    x, y = PAIRS[kind]
    for target in ("python", "cpu") if kind == "float64" else ("python",):
        for a, b in zip(flow.compile(f, target=target)(x, y), f(x, y), strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            assert np.allclose(a, b, rtol=1e-6, atol=1e-6, equal_nan=True)


WRONG = {
    "lengths": (lambda x: np.histogram2d(x, x[1:]), "same length"),
    "one item": (lambda x: np.histogram2d(x, x, [5]), "dimension of bins"),
    "no bins": (lambda x: np.histogram2d(x, x, 0), "must be positive"),
    "ranges": (lambda x: np.histogram2d(x, x, range=[[0, 1]]), "one entry per dimension"),
    "a range": (lambda x: np.histogram(x, range=(1, 0)), "max must be larger than min"),
    "edges": (lambda x: np.histogram2d(x, x, [3, 2, 1]), "monoton"),
    "edges of one": (lambda x: np.histogram(x, [2.0, 1.0]), "monoton"),
    "weights": (lambda x: np.histogram2d(x, x, weights=x[1:]), "same length"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_numpys(name: str):
    f, text = WRONG[name]
    with pytest.raises(ValueError, match=text):
        f(X)
    with pytest.raises(ValueError, match=text):
        flow.compile(f, target="python")(X)
