"""Eigenvectors of Hermitian matrices, singular vectors of complex ones, all columns of both sides.

Losses that do not depend on what is arbitrary (phases, bases of a rest) have the gradient of
differences, in both modes and to second order; of others it is NaN, with a warning.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow
from tests.tools.turns import share

RNG = np.random.default_rng(1)


def random(*shape: int, of: type = complex) -> np.ndarray:
    made = RNG.normal(size=shape)
    return made + 1j * RNG.normal(size=shape) if of is complex else made


def hermitian(n: int, of: type = complex) -> np.ndarray:
    made = random(n, n, of=of)
    return made + made.conj().T


def differences(f: Callable, a: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """dL/dRe + i dL/dIm."""
    made = np.zeros_like(a)
    for at in np.ndindex(a.shape):
        for one in (1.0, 1j) if a.dtype.kind == "c" else (1.0,):
            e = np.zeros_like(a)
            e[at] = one * h
            made[at] += one * (f(a + e) - f(a - e)) / (2.0 * h)
    return made


C4, W4, H4 = RNG.normal(size=(4, 4)), RNG.normal(size=4), hermitian(4)


def eigenvectors(a, side="L"):
    w, v = np.linalg.eigh(a, UPLO=side)
    of_one = np.real(np.conj(v[:, 1]) @ H4 @ v[:, 1])
    return np.sum(W4 * w**2) + np.sum(C4 * np.abs(v) ** 2) + of_one


def upper(a):
    return eigenvectors(a, "U")


def eigenvalues(a):
    return np.sum(W4 * np.linalg.eigvalsh(a))


def function_of_a_matrix(a):
    w, v = np.linalg.eigh(a)
    return np.real(np.sum(H4 * ((v * np.exp(w / 3.0)) @ v.conj().T)))


def singular_vectors(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    k = s.shape[0]
    weights = np.cos(np.arange(12.0))
    sizes = np.sum(np.abs(u[:k]) ** 2 * weights[:k]) + np.sum(
        np.abs(vh[:, :k]) ** 2 * weights[4 : 4 + k]
    )
    product = (u * np.tanh(s)) @ vh
    return np.sum(weights[:k] * s**2) + sizes + np.real(np.sum(product**2)) + product[0, 0].imag


def singular_values(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 3) + np.linalg.norm(a, 2)


def spaces(a):
    """The projections on what has no singular value."""
    u, s, vh = np.linalg.svd(a)
    k = s.shape[0]
    left, right = u[:, k:] @ u[:, k:].conj().T, vh[k:].conj().T @ vh[k:]
    of_both = np.real(np.sum(left[0] ** 2)) + np.real(np.sum(right[-1] * np.arange(len(right))))
    return np.sum(s**3) + of_both + np.real(np.sum(((u[:, :k] * np.tanh(s)) @ vh[:k]) ** 2))


def null_vectors(a):
    u, _, vh = np.linalg.svd(a)
    m, n = a.shape
    return np.abs(vh[-1] @ np.arange(1.0, n + 1.0)) + np.abs(u[:, -1] @ np.arange(1.0, m + 1.0))


def orthogonal_triangular(a):
    """Nothing is arbitrary: the diagonal of R is real."""
    q, r = np.linalg.qr(a)
    k = q.shape[1]
    weights = np.cos(np.arange(20.0))
    columns = np.real(np.sum(q * weights[:k])) + np.imag(q[0] @ r[:, 0]) + np.abs(q[1, 0]) ** 2
    rows = np.sum(np.real(r) * weights[: r.shape[1]]) + np.imag(np.sum(r * weights[3]))
    return columns + rows + np.real(np.sum((q @ r) ** 2))


def triangle(a):
    return np.sum(np.abs(scipy.linalg.qr(a.conj().T[:2], mode="r")[0]) ** 2 * 0.3)


def frame(a):
    """Q of both halves of a stack."""
    q = np.linalg.qr(np.stack((a, 1j * a[::-1] + a)))[0]
    return np.sum(q.real * np.arange(q.size).reshape(q.shape)) + np.sum(q.imag**3)


def of_known_size(a):
    """Three rows whatever the argument: compiled code holds their elements in variables."""
    e = np.exp(1j * np.outer(np.arange(3.0), np.real(a[0, :2]))) * np.abs(a[1, 0])
    v = np.linalg.eigh(e @ e.conj().T + np.diag([0.1, 0.3, 0.6]))[1]
    return np.sum(C4[:3, :3] * np.abs(v) ** 2)


SHAPES = ((4, 4), (5, 3), (3, 5), (2, 7))
CASES: list[tuple[Callable, np.ndarray]] = [
    *((f, random(4, 4)) for f in (eigenvectors, upper, eigenvalues, function_of_a_matrix)),
    *((f, random(*shape)) for shape in SHAPES for f in (singular_vectors, singular_values)),
    *((orthogonal_triangular, random(*shape)) for shape in SHAPES),
    *((f, random(4, 3)) for f in (triangle, frame, of_known_size)),
    *((spaces, random(*s, of=t)) for s in ((5, 3), (3, 5), (4, 3)) for t in (complex, float)),
    *((null_vectors, random(*s, of=t)) for s in ((4, 3), (3, 4)) for t in (complex, float)),
]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "a"), share(CASES))
def test_gradients(f: Callable, a: np.ndarray, target: str):
    compiled = flow.compile(f, target=target)
    assert compiled(a) == pytest.approx(f(a), rel=1e-12)
    want = differences(f, a)
    gradient = flow.grad(compiled)
    np.testing.assert_allclose(gradient(a), want, atol=1e-6)
    t = random(*a.shape, of=complex if a.dtype.kind == "c" else float)
    forward = flow.jvp(compiled, (a,), (t,))[1]
    assert forward == pytest.approx(np.real(np.sum(np.conj(gradient(a)) * t)), rel=1e-10)
    if target == "python":
        second = flow.jvp(gradient, (a,), (t,))[1]
        slope = (gradient(a + 1e-6 * t) - gradient(a - 1e-6 * t)) / 2e-6
        np.testing.assert_allclose(second, slope, atol=1e-6 * np.abs(slope).max())


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_single_precision(target: str):
    a = random(4, 4).astype(np.complex64)
    for f in (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), lambda a: np.sum(singular_values(a))):
        got = flow.grad(flow.compile(f, target=target))(a)
        assert got.dtype == np.complex64
        np.testing.assert_allclose(got, differences(f, a.astype(complex)), rtol=2e-3, atol=2e-3)


def real_part(a):
    return np.sum(np.linalg.eigh(a)[1].real)


def phase_of_singular_vectors(a):
    return np.sum(np.linalg.svd(a)[0].real)


def basis_of_the_rest(a):
    return np.sum(np.linalg.svd(a)[0])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("f", "a"),
    [
        (real_part, random(3, 3)), (phase_of_singular_vectors, random(3, 3)),
        (basis_of_the_rest, random(5, 2, of=float)), (phase_of_singular_vectors, random(4, 3)),
    ],
)  # fmt: skip
def test_what_is_arbitrary_is_said(f: Callable, a: np.ndarray, target: str):
    with pytest.warns(RuntimeWarning, match="phases of complex vectors"):
        assert np.isnan(flow.grad(flow.compile(f, target=target))(a)).any()


def test_values_that_repeat():
    a = np.eye(3) * (1.0 + 0j)
    for f in (
        lambda a: np.sum(np.linalg.eigvalsh(a) ** 2),
        lambda a: np.sum(np.linalg.svdvals(a) ** 2),
    ):
        np.testing.assert_allclose(flow.grad(flow.compile(f, target="python"))(a), 2.0 * np.eye(3))


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_stacks_and_values(target: str):
    a = random(2, 3, 4)
    whole = flow.compile(lambda a: np.linalg.svd(a), target=target)(a)
    for got, want in zip(whole, np.linalg.svd(a), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, atol=1e-13)
    w, v = flow.compile(lambda a: np.linalg.eigh(a), target=target)(a[..., :3])
    np.testing.assert_allclose(w, np.linalg.eigh(a[..., :3])[0], atol=1e-13)
    np.testing.assert_allclose(v, np.linalg.eigh(a[..., :3])[1], atol=1e-12)
    for made, want in zip(
        flow.compile(lambda a: np.linalg.qr(a), target=target)(a), np.linalg.qr(a), strict=True
    ):
        np.testing.assert_allclose(made, want, atol=1e-13)
    sign, size = flow.compile(lambda a: np.linalg.slogdet(a), target=target)(a[..., :3])
    assert (sign.dtype, size.dtype) == (np.complex128, np.float64)
    np.testing.assert_allclose(size, np.linalg.slogdet(a[..., :3])[1], atol=1e-13)
    empty: Any = np.zeros((3, 0))
    for got, want in zip(
        flow.compile(lambda a: np.linalg.svd(a), target=target)(empty), np.linalg.svd(empty),
        strict=True,
    ):  # fmt: skip
        np.testing.assert_array_equal(got, want)
