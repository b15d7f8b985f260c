"""np.matvec and np.vecmat, and functions of matrices of which one half is read."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

R = np.random.default_rng(0)
A, S, X, XS, Y = (R.normal(size=n) for n in ((3, 4), (2, 3, 4), (4,), (2, 4), (2, 3)))
H = np.tril(R.normal(size=(4, 4)))
NEW = pytest.mark.skipif(not hasattr(np, "matvec"), reason="np.matvec came with NumPy 2.2")


def agrees(f, *args):
    """Compares values, and the gradient along random directions with differences."""
    expected = f(*args)
    assert_allclose(flow.compile(f, target="python")(*args), expected, rtol=1e-12)
    weights = R.normal(size=np.shape(expected))
    loss = lambda *a: np.sum(weights * np.real(f(*a)))
    for k, v in enumerate(args):
        if v.dtype != np.float64:
            continue
        d = R.normal(size=v.shape)
        at = lambda t, k=k, v=v, d=d: loss(*args[:k], v + t * d, *args[k + 1 :])
        slope = np.sum(flow.grad(loss, k, target="python")(*args) * d)
        assert_allclose(slope, (at(1e-6) - at(-1e-6)) / 2e-6, rtol=1e-6, atol=1e-7)


@NEW
@pytest.mark.parametrize(
    ("a", "x"),
    [(A, X), (S, X), (A, XS), (S, XS), (A * 1j + 1.0, XS), (A, np.arange(4)), (A.T[::-1].T, X)],
)
def test_matvec(a, x):
    agrees(lambda a, x: np.matvec(a, x), a, x)


@NEW
@pytest.mark.parametrize(
    ("x", "a"), [(Y[0], A), (Y[0], S), (Y, A), (Y, S), (Y + 1.0j, S), (np.arange(3), A)]
)
def test_vecmat(x, a):
    agrees(lambda x, a: np.vecmat(x, a), x, a)


@NEW
def test_operands_without_enough_axes_raise():
    for f in (lambda: np.matvec(X, X), lambda: np.vecmat(X, X), lambda: np.matvec(A, 2.0)):
        with pytest.raises(ValueError):
            f()
        with pytest.raises(ValueError):
            flow.compile(f, target="python")()


@pytest.mark.parametrize(
    "a",
    [H, H + H.T, np.stack([H, H @ H.T]), H + H.T + 1j * (H - H.T)],
)
def test_the_lower_half_is_read(a):
    agrees(lambda a: np.linalg.pinv(a, hermitian=True), a)
    rank = lambda a: np.linalg.matrix_rank(a, hermitian=True)
    for b in (a, np.outer(X, X) + np.triu(np.ones((4, 4)), 1)):
        assert_allclose(flow.compile(rank, target="python")(b), rank(b))


def test_matrices_that_are_not_square_raise():
    for f in (np.linalg.pinv, np.linalg.matrix_rank):
        compiled = flow.compile(lambda a, f=f: f(a, hermitian=True), target="python")
        with pytest.raises(np.linalg.LinAlgError, match="must be square"):
            compiled(A)
