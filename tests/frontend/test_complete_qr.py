"""QR with all columns of Q: NumPy's and SciPy's values, and derivatives of what is determined."""

import warnings

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow
from srcgrad.tree import leaves
from tests.tools.turns import share

DRAW = np.random.default_rng(3)
TALL = DRAW.normal(size=(5, 3))
WEIGHTS = DRAW.normal(size=(5, 5))
SHAPES = [(5, 3), (3, 3), (3, 5), (4, 1), (1, 1), (3, 0), (2, 4, 3), (2, 3, 4)]


def of_numpy(a):
    q, r = np.linalg.qr(a, mode="complete")
    return q, r


def of_scipy(a):
    return (*scipy.linalg.qr(a), *scipy.linalg.qr(a, mode="full"), *scipy.linalg.qr(a, mode="r"))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [of_numpy, of_scipy])
@pytest.mark.parametrize("shape", share(SHAPES))
def test_values(shape, f, target):
    compiled = flow.compile(f, target=target)
    a = DRAW.normal(size=shape)
    for x in (a, a + 1j * DRAW.normal(size=shape), a.astype(np.float32)):
        if x.ndim > 2 and f is of_scipy and target == "cpu":
            continue
        for got, want in zip(leaves(compiled(x)), f(x), strict=True):
            tolerance = 1e-5 if x.dtype == np.float32 else 1e-13
            np.testing.assert_allclose(got, want, atol=tolerance)
            assert got.shape == want.shape and got.dtype == want.dtype


def projection(a):
    """Onto what the columns do not span."""
    rest = np.linalg.qr(a, mode="complete")[0][:, 3:]
    return np.sum(rest @ rest.conj().T * WEIGHTS).real


def least_squares(a):
    q, r = scipy.linalg.qr(a)
    c = q.T @ np.arange(5.0)
    return np.sum(np.linalg.solve(r[:3], c[:3]) ** 3) + np.sum(c[3:] ** 2)


def one_more_column(a):
    q, r = np.linalg.qr(a[:4], mode="complete")
    return np.sum(q * WEIGHTS[:4, :4]) + np.sum(r**3)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [projection, least_squares, one_more_column])
def test_derivatives(f, target):
    for order in (1, 2):
        flow.testing.gradcheck(f, (TALL,), target=target, order=order)


def test_derivatives_of_complex_matrices():
    def f(re, im):
        return projection(re + 1j * im)

    flow.testing.gradcheck(f, (TALL, DRAW.normal(size=(5, 3))), target="python")


def test_a_matrix_that_is_triangular_already():
    """LAPACK reflects nothing there: Q jumps nearby, what its columns span does not."""
    a = np.eye(5, 3) + np.triu(TALL)
    slope, h = flow.grad(projection, target="python")(a), 1e-6
    for i, j in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[i, j] = h
        want = (projection(a + step) - projection(a - step)) / (2.0 * h)
        np.testing.assert_allclose(slope[i, j], want, atol=1e-7)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_the_basis_itself_is_not_determined(target):
    def f(a):
        return np.sum(np.linalg.qr(a, mode="complete")[0] * WEIGHTS)

    with pytest.warns(RuntimeWarning, match="bases of a rest"):
        assert np.all(np.isnan(flow.grad(f, target=target)(TALL)))


def test_a_matrix_without_full_rank_has_no_derivative():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slope = flow.grad(projection, target="python")(np.ones((5, 3)))
    assert np.all(np.isnan(slope))
