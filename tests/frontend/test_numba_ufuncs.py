"""Functions that `numba.vectorize` and `numba.guvectorize` made, followed through their Python."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow


@numba.vectorize(["float32(float32,float32)", "float64(float64,float64)"])
def bent(x, y):
    if x > y:
        return x * y + 1.0
    return x * x


@numba.vectorize
def doubled(x):
    return x * 2


@numba.guvectorize(["void(float64[:],float64,float64[:])"], "(n),()->(n)")
def scaled(x, k, out):
    for i in range(len(x)):
        out[i] = x[i] * k * k


@numba.guvectorize(["void(float64[:],float64[:],float64[:])"], "(n),()->(n)")
def scaled_by_an_array(x, k, out):
    for i in range(len(x)):
        out[i] = x[i] * k[0]


@numba.guvectorize(["void(float64[:],float64[:,:],float64[:])"], "(n),(n,m)->()")
def form(x, a, out):
    out[0] = 0.0
    for i in range(len(x)):
        for j in range(a.shape[1]):
            out[0] += x[i] ** 2 * a[i, j]


def of_numbers(x):
    return bent(x[1], x[2]) * doubled(x[0]) + doubled(3)


def of_arrays(x):
    return np.sum(bent(x, 2)) * np.sum(doubled(np.outer(x, x)))


def into_an_array(x):
    y = np.zeros_like(x)
    bent(x, x[0], y)
    scaled(x, y[1], y)
    return np.sum(y * y)


def by_name(x):
    y = np.zeros_like(x)
    bent(x, 2.0, out=y)
    return np.sum(y * y)


def with_results(x):
    return np.sum(scaled(x, x[0]) * scaled_by_an_array(x, x[1])) * form(x, np.outer(x, x[:2]))


@numba.guvectorize(["void(float64[:],float64[:],uint32[:],float64[:])"], "(n),(nq)->(nq),(nq)")
def places(x, xq, index, weight):
    i = 0
    for j in range(xq.shape[0]):
        while i < x.shape[0] - 2 and x[i + 1] < xq[j]:
            i += 1
        weight[j] = (x[i + 1] - xq[j]) / (x[i + 1] - x[i])
        index[j] = i


def a_stack(x):
    return np.add.outer(np.array([[0.5], [2.0]]), x * 0.3)


def over_rows(x):
    return np.sum(scaled(a_stack(x), 2.0) * scaled(a_stack(x), x))


def over_rows_by_arrays(x):
    return np.sum(scaled_by_an_array(x, a_stack(x)[:, :, 0]) ** 2)


def over_matrices(x):
    return np.sum(
        form(a_stack(x), a_stack(x)[..., np.newaxis] * np.ones(4)) * np.array([[2.0], [1.0]])
    )


def with_indices(x):
    index, weight = places(a_stack(x), np.array([1.2, 1.4]))
    return np.sum(index * weight) + np.sum(weight) * (index.dtype == np.uint32)


def without_rows(x):
    return np.sum(scaled(np.zeros((0, 3)), x[1])) + x[0]


FUNCTIONS = [
    over_rows,
    over_rows_by_arrays,
    over_matrices,
    with_indices,
    without_rows,
    of_numbers,
    of_arrays,
    into_an_array,
    by_name,
    with_results,
]
X = np.array([1.0, 2.5, 3.0])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_values_and_gradients(f, target):
    value, gradient = flow.value_and_grad(flow.compile(f, target=target))(X)
    assert_allclose(value, f(X), rtol=1e-14)
    for k, unit in enumerate(np.eye(3)):
        change = (f(X + 1e-6 * unit) - f(X - 1e-6 * unit)) / 2e-6
        assert_allclose(gradient[k], change, rtol=1e-7)
    assert_allclose(flow.jvp(flow.compile(f, target=target), (X,), (X,))[1], gradient @ X)


def test_dtypes_are_those_of_the_signature():
    f = flow.compile(lambda x, y: bent(x, y), target="python")
    for x in (np.float32(3.0), np.arange(3, dtype=np.float32), np.arange(3), X):
        got, want = f(x, np.float32(2.0)), bent(x, np.float32(2.0))
        assert got.dtype == want.dtype and np.shape(got) == np.shape(want)
        assert_allclose(got, want)
