"""Where vectors are not determined: values that repeat, ranks that are not full.

The derivative is right for losses of the values alone, and NaN rather than a wrong number where a
vector of a repeated value has a say. Functions of matrices: `test_spectral_functions.py`.
"""

import numpy as np
import pytest

import srcgrad as flow

TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
# exactly, but for rounding, and with a pair of opposite ones
REPEATED = [np.diag([2.0, 2.0, 5.0, 7.0]), (TURN * [2.0, 2.0, 5.0, 7.0]) @ TURN.T]
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])
MATRICES = pytest.mark.parametrize("a", REPEATED, ids=["exact", "rounded"])


def power_sums(a):
    w, _ = np.linalg.eigh(a)
    return np.sum(w**3)


def simple_vector(a):
    """Of the last vector, whose value is simple."""
    w, v = np.linalg.eigh(a)
    return v[0, 3] ** 2 * w[3] + v[1, 3] * v[2, 3]


def two_vectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.arange(8.0).reshape(4, 2) * v[:, :2]) + np.sum(w)


def nuclear(a):
    return np.sum(np.linalg.svd(a, full_matrices=False)[1] ** 3)


def left_vectors(a):
    u, _, vt = np.linalg.svd(a)
    return np.sum(np.arange(16.0).reshape(4, 4) * (u + 2.0 * vt.T))


def triangle(a):
    _, r = np.linalg.qr(a)
    return np.sum(r**2)


def of_symmetric(g):
    """What is stated by a lower triangle of a gradient."""
    return np.tril(g + g.T) - np.diag(np.diag(g))


@TARGETS
@MATRICES
def test_losses_of_values(a, target):
    got = flow.grad(flow.compile(power_sums, target=target))(a)
    np.testing.assert_allclose(got, of_symmetric(3.0 * a @ a), atol=1e-11)
    got = flow.grad(flow.compile(nuclear, target=target))(a)
    np.testing.assert_allclose(got, 3.0 * a @ a, atol=1e-11)


@TARGETS
@MATRICES
def test_vectors_of_simple_values(a, target):
    """The adjoint of the other vectors is zero, so that they do not matter."""
    got = flow.grad(flow.compile(simple_vector, target=target))(a)
    w, v = np.linalg.eigh(a)
    x, others = v[:, 3], v[:, :3]
    gap = others / (w[3] - w[:3]) @ others.T
    bar = gap @ (2.0 * x[0] * w[3] * np.eye(4)[0] + x[2] * np.eye(4)[1] + x[1] * np.eye(4)[2])
    want = np.outer(bar, x)
    want = (want + want.T) / 2.0 + x[0] ** 2 * np.outer(x, x)
    np.testing.assert_allclose(got, of_symmetric(want), atol=1e-11)


@TARGETS
@MATRICES
@pytest.mark.parametrize("f", [two_vectors, left_vectors])
def test_vectors_of_repeated_values(f, a, target):
    assert np.isnan(flow.grad(flow.compile(f, target=target))(a)).any()
    _, moved = flow.jvp(flow.compile(f, target=target), (a,), (np.arange(16.0).reshape(4, 4),))
    assert np.isnan(moved)


@TARGETS
@pytest.mark.parametrize("f", [two_vectors, left_vectors])
def test_only_what_is_undetermined_is_nan(f, target):
    """In a matrix of two blocks the vectors of one do not reach into the other."""
    got = flow.grad(flow.compile(f, target=target))(REPEATED[0])
    unknown = np.isnan(got)
    assert unknown[1, 0]
    assert not unknown[2:].any() and not unknown[:, 2:].any()


@TARGETS
@pytest.mark.parametrize("a", [np.zeros((4, 3)), np.outer(np.arange(4.0), np.ones(3))])
def test_triangle_of_low_rank(a, target):
    assert np.isnan(flow.grad(flow.compile(triangle, target=target))(a)).all()


@TARGETS
def test_values_of_a_matrix_of_low_rank(target):
    """The values that are not zero are differentiable; the bases are not asked for."""
    a = np.outer(np.arange(1.0, 5.0), np.ones(3))
    got = flow.grad(flow.compile(nuclear, target=target))(a)
    np.testing.assert_allclose(got, 3.0 * a @ a.T @ a / np.linalg.norm(a), atol=1e-9)


def values(a):
    return np.linalg.eigvalsh(a)


@TARGETS
def test_eigenvalues_of_nan(target):
    """As NumPy has it; singular values of NaN are an error."""
    a = np.array([[1.0, 0.0], [np.nan, 2.0]])
    assert np.isnan(np.linalg.eigvalsh(a)).all()
    assert np.isnan(flow.compile(values, target=target)(a)).all()


def test_the_nearest_rotation_to_a_rotation():
    """All singular values are 1; the lengths are known, so it is a function of a square matrix."""
    rng = np.random.default_rng(4)
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    weights, direction = rng.normal(size=(2, 3, 3))

    def loss(a):
        u, _, vt = np.linalg.svd(a)
        return np.sum(weights * (u @ vt))

    gradient = flow.grad(flow.compile(loss, target="python"))
    step = 1e-6 * direction
    wanted = (loss(q + step) - loss(q - step)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient(q) * direction), wanted, rtol=1e-7)


def test_all_singular_vectors_of_matrices_of_several_shapes():
    def loss(a):
        u, s, vt = np.linalg.svd(a)
        return u.shape[0] * vt.shape[0] * np.sum(s**2) + np.sum(np.abs(u[:, :2]) @ np.abs(vt[:2]))

    gradient, rng = flow.grad(flow.compile(loss, target="python")), np.random.default_rng(0)
    for shape in [(3, 3), (4, 3), (3, 4), (3, 3), (4, 4)]:
        a, direction = rng.normal(size=(2, *shape))
        step = 1e-6 * direction
        wanted = (loss(a + step) - loss(a - step)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient(a) * direction), wanted, rtol=1e-6)
