"""Eigenvalues of real matrices: real where NumPy's are, else complex, with their derivatives."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow

TARGETS = ("python", "cpu")
A = np.array([[1.0, 2.0, 0.3], [-3.0, 1.0, 0.2], [0.1, -0.4, 2.0]])  # a pair and a real one
REAL = np.array([[2.0, 1.0, 0.3], [0.5, -1.0, 0.2], [0.1, 0.4, 5.0]])
PAIRS = np.array([[0.0, 1, 0, 0], [-4, 0.2, 1, 0], [0, 0.3, 0, 2], [0.1, 0, -3, 0.5]])
W = np.linspace(0.3, 1.7, 16).reshape(4, 4)


def abscissa(a):
    return np.linalg.eigvals(a).real.max()


def radius(a):
    w, _ = np.linalg.eig(a)
    return abs(w).max()


def of_vectors(a):
    n = a.shape[0]
    w, v = np.linalg.eig(a)
    return np.sum(v.real * W[:n, :n]) + np.sum(v.imag * W[:n, :n] ** 2) + np.sum(abs(w))


def exponential(a):
    w, v = np.linalg.eig(a)
    return np.sum((v * np.exp(w) @ np.linalg.inv(v)).real * W[: a.shape[0], : a.shape[0]])


def by_scipy(a):
    w, v = scipy.linalg.eig(a)
    return np.sum(w.imag**2) + np.sum(scipy.linalg.eigvals(a).real ** 3) + np.sum(abs(v[0]))


def largest_real_root(p):
    r = np.roots(p)
    real = r[np.abs(r.imag) < 1e-9].real
    return real.max() if len(real) else 0.0


def damping(p):
    poles = np.roots(p)
    least = 1.0
    for pole in poles:
        least = min(least, -pole.real / abs(pole))
    return least


def in_turn(a):
    total = 0.0
    for k in range(3):
        total += np.sort(np.abs(np.linalg.eigvals(a * (k + 1.0) - np.eye(a.shape[0]))))[-1]
    return total


def of_a_stack(a):
    w, v = np.linalg.eig(np.stack([a, a.T + 1.0]))
    return (
        np.sum(w.imag**2) + np.sum(np.abs(v[1]) * W[: a.shape[0], : a.shape[0]]) + np.sum(w.real**2)
    )


def differences(f, x, h=1e-6):
    g = np.zeros_like(x)
    for k in np.ndindex(*x.shape):
        e = np.zeros_like(x)
        e[k] = h
        g[k] = (f(x + e) - f(x - e)) / (2 * h)
    return g


OF_MATRICES = (abscissa, radius, of_vectors, exponential, by_scipy, in_turn, of_a_stack)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", OF_MATRICES, ids=lambda f: f.__name__)
def test_losses_of_matrices(f, target):
    df = flow.value_and_grad(f, target=target)
    for a in (A, REAL, PAIRS):
        value, g = df(a)
        np.testing.assert_allclose(value, f(a), rtol=1e-12)
        np.testing.assert_allclose(g, differences(f, a), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [largest_real_root, damping], ids=lambda f: f.__name__)
def test_losses_of_polynomials(f, target):
    df = flow.value_and_grad(f, target=target)
    for p in ([1.0, 2.0, 3.0], [1.0, -3.0, 2.0], [2.0, 1.0, 3.0, -4.0], [1.0, 0.4, 5.0, 1.0, 3.0]):
        p = np.array(p)
        value, g = df(p)
        np.testing.assert_allclose(value, f(p), rtol=1e-12)
        np.testing.assert_allclose(g, differences(f, p), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_have_numpys_kinds(target, dtype):
    eig = flow.compile(lambda a: np.linalg.eig(a), target=target)
    by_scipy = flow.compile(lambda a: scipy.linalg.eig(a), target=target)
    values = flow.compile(lambda a: scipy.linalg.eigvals(a), target=target)
    for a in (A, REAL, PAIRS, np.zeros((0, 0)), np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])):
        a = a.astype(dtype)
        tolerance = 1e-5 if dtype is np.float32 else 1e-13
        w, v = by_scipy(a)
        np.testing.assert_allclose(a @ v, w * v, rtol=tolerance, atol=tolerance)
        for got, want in zip(
            (*eig(a), w, values(a), np.abs(v)),
            (*np.linalg.eig(a), *2 * [scipy.linalg.eigvals(a)], np.abs(scipy.linalg.eig(a)[1])),
            strict=True,
        ):
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_second_derivatives():
    f = flow.compile(radius, target="python")
    rows = [differences(lambda a, k=k: flow.grad(f)(a).flat[k], A[:2, :2]) for k in range(4)]
    got = flow.hessian(f)(A[:2, :2]).reshape(4, 2, 2)
    np.testing.assert_allclose(got, rows, rtol=1e-5, atol=1e-7)


def test_forward_mode():
    f = flow.compile(of_vectors, target="python")
    d = np.ones((3, 3)) - 2 * np.eye(3)
    _, tangent = flow.jvp(f, (A,), (d,))
    np.testing.assert_allclose(tangent, np.sum(flow.grad(f)(A) * d), rtol=1e-10)


@pytest.mark.parametrize("arguments", ["left=True", "b", "homogeneous_eigvals=True"])
def test_refused_of_scipy(arguments):
    scope = {"scipy": scipy, "b": np.eye(3)}
    f = flow.compile(eval(f"lambda a: scipy.linalg.eig(a, {arguments})[0]", scope), target="python",
                     source=f"lambda a: scipy.linalg.eig(a, {arguments})[0]")  # fmt: skip
    with pytest.raises(NotImplementedError, match=r"scipy.linalg.eig"):
        f(A)
