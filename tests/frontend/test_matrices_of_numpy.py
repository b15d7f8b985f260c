"""np.matrix made inside: products, two axes always, and what NumPy's functions give of one."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.formulas.array_classes import OfArray
from srcgrad.frontend.formulas.matrices_of_numpy import OfMatrix
from tests.frontend.test_array_classes import same

A = np.array([[1.0, 2.0], [3.0, 5.0]])
X = np.array([1.0, -2.0])


def products(a, x):
    m, v = np.matrix(a), np.matrix(x).T
    w = np.matrix(a)
    w *= m
    return (
        m * m, m * v, m * a, a * m, x * m, m * 2.0, 2.0 * m, m * [[1.0], [2.0]], m**2, m**-1, m @ v,
        m @ x, x @ m, np.dot(m, x), np.dot(x, m), m.dot(v), m[0, 0] * m, np.multiply(m, m), w,
    )  # fmt: skip


def items(a, x):
    m = np.matrix(a)
    return (
        m[0], m[:, 0], m[0, :], m[-1, 1:], m[0, 0], m[[0, 1], 1], m[m > 2.0], [*m][1], len(m),
        m[:1], m.shape, m.ndim, m.size, m[np.array([1, 0])], m[:, [1, 0]], type(m) is np.matrix,
        isinstance(m, np.ndarray),
    )  # fmt: skip


def forms(a, x):
    m, v = np.asmatrix(a), np.matrix(x, dtype=float)
    return (
        m.T, m.H, m.I, m.A, m.A1, v.T, v.I, m.flatten(), m.ravel(), m.reshape(4), m.reshape(4, 1),
        -m, m.tolist(), m.copy(), m.astype(np.float32), m.diagonal(), m + x, x - m, m / 2.0, abs(m),
        m == a, np.asmatrix(m) is m, np.matrix(m), np.matrix(3.0), np.matrix([[1, 2], [3, 4]]),
        m.clip(1.0, 2.0),
    )  # fmt: skip


def reductions(a, x):
    m = np.matrix(a)
    return (
        m.sum(), m.sum(0), m.sum(axis=1), m.mean(), m.mean(1), m.std(), m.std(0), m.var(1, ddof=1),
        m.max(), m.max(1), m.min(0), m.prod(1), m.any(), m.all(0), m.argmax(), m.argmax(0),
        m.argmin(1), np.sum(m), np.sum(m, axis=1), np.mean(m, 0), np.max(m), np.argmax(m),
        np.std(m, axis=0),
    )  # fmt: skip


def functions(a, x):
    m, v = np.matrix(a), np.matrix(x).T
    return (
        np.linalg.inv(m), np.linalg.solve(m, v), np.linalg.solve(m, x), np.linalg.norm(v),
        np.linalg.det(m), np.outer(v, v), np.where(m > 1.0, m, 0.0), np.einsum("ij,ij", m, m),
        np.exp(m), np.zeros_like(m), np.transpose(m), np.asarray(m), np.array(m), np.trace(m),
        np.hstack([m, v]), np.vstack([m, a]), np.concatenate([m, v], 1), np.minimum(x, m),
        np.shape(m), np.column_stack([m, m]),
    )  # fmt: skip


def memory(a, x):
    m = np.asmatrix(a)
    m[0, 0] = 7.0
    m[:, 1] = np.matrix(x).T
    n = np.matrix(a)
    n[0] = 0.0
    m[1] += 1.0
    row = m[1]
    row[0, 0] = -1.0
    return m, n, a, m.T


PROGRAMS = (products, items, forms, reductions, functions, memory)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(program, target):
    compiled = flow.compile(program, target=target)
    for scale in (1.0, -0.5):
        mine, theirs = A * scale, A * scale
        same(compiled(mine, X), program(theirs, X))
        same(mine, theirs)


def test_a_least_squares_fit_has_a_gradient():
    def fit(a, b):
        m, y = np.matrix(a), np.matrix(b).T
        p = (m.T * m).I * m.T * y
        return float(np.linalg.norm(y - m * p)) + p[0, 0]

    rng = np.random.default_rng(0)
    flow.testing.gradcheck(fit, (rng.normal(size=(5, 2)), rng.normal(size=5)), target="python")


def test_a_returned_matrix_works():
    m = flow.compile(lambda a: np.asmatrix(a) * 2.0, target="python")(A)
    same(m[0] * m.T, np.asmatrix(A * 2.0)[0] * np.asmatrix(A * 2.0).T)


def test_what_a_matrix_defines_anew_of_an_array_has_a_program():
    of_any_class = {"__dict__", "__annotations__"}
    anew = vars(np.matrix).keys() & vars(OfArray).keys() - of_any_class
    assert anew <= vars(OfMatrix).keys()
