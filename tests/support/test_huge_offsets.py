"""Offsets of triangles and diagonals near the largest integer."""

import sys

import numpy as np
import pytest

import srcgrad as flow

X = np.arange(12.0).reshape(3, 4)
OFFSETS = [sys.maxsize, sys.maxsize - 1, 2**62, -(2**62), 3, -1]


def triangles(x, k):
    return np.tril(x, k), np.triu(x, k), np.tri(3, 4, k), np.tril_indices(3, k)[0]


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_triangles(target):
    for k in OFFSETS:
        for made, expected in zip(
            flow.compile(triangles, target=target)(X, k), triangles(X, k), strict=True
        ):
            np.testing.assert_array_equal(made, expected)
        inside = flow.grad(flow.compile(lambda x, k: np.sum(np.tril(x, k)), target=target))(X, k)
        np.testing.assert_array_equal(inside, np.tril(np.ones_like(X), k))


@pytest.mark.parametrize("k", [sys.maxsize, -sys.maxsize - 1, 2**31])
@pytest.mark.parametrize("f", [np.diagonal, np.trace])
def test_diagonals_take_integers_of_c(f, k):
    with pytest.raises(OverflowError):
        f(X, k)
    with pytest.raises(OverflowError):
        flow.compile(lambda x: f(x, k), target="python")(X)
