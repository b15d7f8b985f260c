"""Functions of matrices that programs compute by eigenvalues or singular values, and vectors.

Their derivatives are right also where values repeat, or nearly do, in every spelling; held against
divided differences in forty digits and against differences of gradients.
"""

import mpmath
import numpy as np
import pytest

import srcgrad as flow
from tests.tools.turns import share

RNG = np.random.default_rng(5)
TURN, OTHER = (np.linalg.qr(RNG.normal(size=(4, 4)))[0] for _ in range(2))
G = RNG.normal(size=(4, 4))
B = RNG.normal(size=4)
APART, TWICE, THRICE = [0.5, 1.0, 2.5, 4.0], [0.5, 2.0, 2.0, 4.0], [2.0, 2.0, 2.0, 4.0]


def symmetric(w):
    a = (TURN * w) @ TURN.T
    return (a + a.T) / 2.0


# ---- spellings of G : f(a), with f and f' ----
def scaled_columns(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * ((v * np.exp(w)) @ v.T))


def by_diag(a):
    w, v = np.linalg.eigh(a, UPLO="U")
    return np.sum(G * (v @ np.diag(np.exp(w)) @ v.T))


def by_eye(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * (v @ (np.eye(len(w)) * np.exp(w)) @ v.T))


def with_new_axes(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * ((v * np.exp(w)[None, :]) @ np.swapaxes(v, -1, -2)))


def scaled_rows(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * (v @ (np.exp(w)[:, None] * v.T)))


def by_einsum(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * np.einsum("ij,j,kj->ik", v, np.exp(w), v))


def by_halves(a):
    w, v = np.linalg.eigh(a)
    half = v * np.exp(0.5 * w)
    return np.sum(G * half.dot(half.T))


def of_complex(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * ((v * np.exp(w + 0.0j)) @ v.conj().T).real)


def negated(a):
    w, v = np.linalg.eigh(a)
    return np.sum(G * -((v * -np.exp(w)) / 1.0 @ v.T))


def in_place(a):
    w, v = np.linalg.eigh(a)
    np.exp(w, out=w)
    made = v.copy()
    made *= w
    return np.sum(G * (made @ v.T))


def between_others(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.linalg.inv(G) @ (G @ v * np.exp(w) @ v.T @ G.T) @ np.linalg.inv(G.T) * G)


def on_vectors(a):
    w, v = np.linalg.eigh(a)
    total = 0.0
    for k in range(4):
        total += np.sum(G[:, k] * (v @ (np.exp(w) * (v.T @ np.eye(4)[k]))))
    return total


def in_loop(a):
    w, v = np.linalg.eigh(a)
    total = 0.0
    for k in range(3):
        total += np.sum(G * ((v * (w > -1.0) * np.exp(w)) @ v.T)) * k
    return total / 3.0


EXP = (
    scaled_columns, by_diag, by_eye, with_new_axes, scaled_rows, by_einsum, by_halves, of_complex,
    negated, in_place, between_others, on_vectors, in_loop,
)  # fmt: skip


# ---- other functions, some of a parameter ----
def root(a, t):
    w, v = np.linalg.eigh(a)
    return np.sum(G * ((v * np.sqrt(w)) @ v.T)) * t


def pieces(a, t):
    w, v = np.linalg.eigh(a)
    return np.sum(G * (v @ np.diag(np.where(w > 1.5, t * w**3, np.sin(w))) @ v.T))


def thermal(a, t):
    w, v = np.linalg.eigh(a)
    p = np.exp(-t * w)
    p /= np.sum(p)
    return np.sum(G * ((v * p) @ v.T))


def evolution(a, t):
    w, v = np.linalg.eigh(a)
    psi = v @ (np.exp(-1j * t * w) * (v.T @ B))
    return np.sum(np.abs(psi) ** 4)


def best_part(a, t):
    w, v = np.linalg.eigh(a)
    return np.sum(G * ((v[:, 1:] * (w[1:] + t)) @ v[:, 1:].T))


def twice(a, t):
    def root_of(x):
        w, v = np.linalg.eigh(x)
        return v @ np.diag(np.sqrt(w)) @ v.T

    return np.sum(G * root_of(root_of(a) @ root_of(a) + t * np.eye(4)))


def polar(a, t):
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(G[: len(a), : len(a.T)] * (u @ vt)) * t


def shrunk(a, t):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(G[: len(a), : len(a.T)] * ((u * np.maximum(s - t, 0.0)) @ vt))


def squashed(a, t):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(G[: len(a), : len(a.T)] * (u @ np.diag(np.tanh(t * s)) @ vt))


def low_rank(a, t):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(G[: len(a), : len(a.T)] * (u[:, :2] @ np.diag(s[:2] * t) @ vt[:2]))


OF_SINGULAR = (polar, shrunk, squashed, low_rank)


# ---- what is right ----
def by_divided_differences(a, f, slope):
    """The gradient of G : f(a), of which the lower triangle of a is read."""
    w, v = np.linalg.eigh(a)
    with mpmath.workdps(40):
        d = [[_divided(f, slope, mpmath.mpf(x), mpmath.mpf(y)) for y in w] for x in w]
    made = v @ (np.array(d) * (v.T @ (G + G.T) @ v)) @ v.T
    return np.tril(made) - np.diag(np.diag(made)) / 2.0


def _divided(f, slope, x, y):
    return float(slope(x) if abs(x - y) < 1e-20 else (f(x) - f(y)) / (x - y))


def differences(f, h=1e-4):
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def close(got, want, tolerance):
    scale = max(np.abs(want).max(), 1e-3)
    np.testing.assert_allclose(got, want, rtol=0.0, atol=tolerance * scale)


def run(f, target="python"):
    return flow.compile(f, target=target)


@pytest.mark.parametrize("f", EXP, ids=lambda f: f.__name__)
def test_spellings(f):
    gradient = flow.value_and_grad(run(f))
    for w in (APART, TWICE, THRICE):
        a = symmetric(w)
        value, got = gradient(a)
        want = by_divided_differences(a, mpmath.exp, mpmath.exp)
        close(got, want.T if f is by_diag else want, 1e-12)
        assert value == run(f)(a)
        e = RNG.normal(size=(4, 4))
        close(flow.jvp(run(f), (a,), (e,))[1], np.sum(got * e), 1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_near_values(target):
    """Whatever the distance, no digits are lost; the matrices are diagonal, to know it exactly."""
    gradient = flow.grad(run(scaled_columns, target))
    for gap in 10.0 ** -np.arange(0.5, 17.0, 1.5):
        a = np.diag([1.0, 1.0 + gap, 1.0 + 3.0 * gap, -2.0])
        close(gradient(a), by_divided_differences(a, mpmath.exp, mpmath.exp), 2e-14)


def test_near_a_step():
    """A mean of derivatives is not taken where f jumps or bends between two values."""

    def positive(a):
        w, v = np.linalg.eigh(a)
        return np.sum(G * ((v * np.maximum(w, 0.0)) @ v.T))

    def count(a):
        w, v = np.linalg.eigh(a)
        return np.sum(G * ((v * (w > 0.0)) @ v.T))

    both = G[0, 1] + G[1, 0]
    for gap in 10.0 ** -np.arange(1.0, 13.0, 2.0):
        a = np.diag([-gap, 3.0 * gap, 1.0, 2.0])
        close(flow.grad(run(positive))(a)[1, 0], 0.75 * both, 1e-13)
        close(flow.grad(run(count))(a)[1, 0], both / (4.0 * gap), 1e-13)


OF_TWO_MATRICES = [
    *((f, THRICE) for f in (root, pieces, evolution, twice)),
    *((f, APART) for f in (root, thermal, twice)), (best_part, [0.5, 2.0, 2.0, 2.0]),
]  # fmt: skip


@pytest.mark.parametrize(("f", "w"), share(OF_TWO_MATRICES))
def test_orders_agree(f, w):
    """Gradients, tangents, Hessians and mixed derivatives, against differences."""
    agree(f, symmetric(w), symmetric(B))


def test_a_number_of_all_values():
    """The partition function is a number that depends on the values as well."""
    a, e = symmetric(THRICE), symmetric(B)
    by_a, by_t = flow.grad(run(thermal), (0, 1))(a, 0.8)
    want = differences(lambda h: thermal(a + h * e, 0.8 + 0.3 * h))
    close(np.sum(by_a * e) + 0.3 * by_t, want, 1e-8)


SHAPES = {
    "square": TURN @ np.diag(TWICE) @ OTHER,
    "tall": TURN[:, :3] @ np.diag([2.0, 2.0, 0.7]) @ OTHER[:3, :3],
    "wide": TURN[:3, :3] @ np.diag([2.0, 2.0, 0.7]) @ OTHER[:3],
}


@pytest.mark.parametrize("f", share(OF_SINGULAR), ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values(f, shape):
    a = SHAPES[shape]
    if f is low_rank and shape == "square":
        a = TURN @ np.diag([2.0, 2.0, 0.7, 0.3]) @ OTHER
    agree(f, a, RNG.normal(size=a.shape))


def agree(f, a, e):
    t, (by_a, by_t) = 0.8, flow.grad(run(f), (0, 1))(a, 0.8)
    first = flow.grad(run(f), 0)
    slope = np.sum(by_a * e) + 0.3 * by_t
    close(slope, differences(lambda h: f(a + h * e, t + 0.3 * h)), 1e-8)
    close(flow.jvp(run(f), (a, t), (e, 0.3))[1], slope, 1e-11)
    want = differences(lambda h: first(a + h * e, t))
    by_both, mixed = flow.jacfwd(first, (0, 1))(a, t)
    close(np.tensordot(by_both, e, 2), want, 1e-7)
    close(flow.jacrev(first, 0)(a, t), by_both, 1e-10)
    close(mixed, differences(lambda h: first(a, t + h)), 1e-7)


def test_singular_values_of_zero():
    """f(0) = 0 is enough, whatever the rank."""
    a = np.outer(B, B[:3])
    close(flow.grad(run(shrunk))(a, 0.0), G[:, :3], 1e-12)
    assert np.isnan(flow.grad(run(polar))(a, 1.0)).any()


# ---- stacks ----
def stacked(a, t):
    w, v = np.linalg.eigh(a)
    made = (v * np.exp(t * w)[..., None, :]) @ np.swapaxes(v, -1, -2)
    return np.sum(G * made, axis=(-2, -1))


def stacked_roots(a, t):
    w, v = np.linalg.eigh(a)
    f = np.sqrt(w) / np.trace(a, axis1=-2, axis2=-1)[:, None]
    return np.sum(G * ((v * f[..., None, :]) @ v.transpose(0, 2, 1)), axis=(1, 2)) * t


def stacked_polar(a, t):
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(G * (u @ vt), axis=(-2, -1)) * t


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", share([stacked, stacked_roots, stacked_polar]))
def test_stacks(f, target):
    a = np.stack([symmetric(w) for w in (APART, TWICE, THRICE)])

    def total(a, t):
        return np.sum(f(a, t))

    got, by_t = flow.grad(run(total, target), (0, 1))(a, 0.8)
    tangent = flow.jvp(run(total, target), (a, 0.8), (a[::-1] + G, 0.3))[1]
    close(tangent, np.sum(got * (a[::-1] + G)) + 0.3 * by_t, 1e-12)
    e = G if f is stacked_polar else symmetric(B)
    close(np.sum(got * e, axis=(1, 2)), differences(lambda h: f(a + h * e, 0.8)), 1e-8)
    want = differences(lambda h: flow.grad(run(total))(a + h * e, 0.8))
    close(flow.jvp(flow.grad(run(total)), (a, 0.8), (0.0 * a + e, 0.0))[1], want, 1e-7)


# ---- what is no function of the matrix ----
def test_others_stay_undetermined():
    def in_turn(a):
        _, v = np.linalg.eigh(a)
        return np.sum(G * ((v * np.arange(4.0)) @ v.T))

    def summed(a):
        w, v = np.linalg.eigh(a)
        return np.sum(G * ((v * np.cumsum(w)) @ v.T))

    def of_two(a):
        _, v = np.linalg.eigh(a)
        return np.sum(G * ((v * np.linalg.eigvalsh(a @ a)) @ v.T))

    for f in (in_turn, summed, of_two):
        assert np.isnan(flow.grad(run(f))(symmetric(TWICE))).any()
        assert np.isfinite(flow.grad(run(f))(symmetric(APART))).all()


def test_stored_to_between():
    """What is stored after the vectors were read, or to a part of them, is no function any more."""

    def changed(a):
        w, v = np.linalg.eigh(a)
        v[0] *= 2.0
        return np.sum(G * ((v * w) @ v.T))

    a, e = symmetric(APART), symmetric(B)
    close(np.sum(flow.grad(run(changed))(a) * e), differences(lambda h: changed(a + h * e)), 1e-8)


def test_matrix_changed_afterwards():
    def f(a):
        b = a.copy()
        w, v = np.linalg.eigh(b)
        b[...] = 0.0
        return np.sum(G * ((v * w**2) @ v.T)) + np.sum(b)

    a = symmetric(TWICE)
    close(flow.grad(run(f))(a), by_divided_differences(a, lambda x: x * x, lambda x: 2 * x), 1e-12)
