"""`flow.hessian`: structures, positions, outputs that are arrays, inside other functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError

MATRIX = np.array([[2.0, -1.0, 0.5], [0.3, 1.0, 0.0]])


def energy(x, y):
    return np.sum(x**3) * y[0] + np.sum(np.exp(MATRIX @ x) * y)


X, Y = np.array([0.4, -0.2, 1.1]), np.array([1.5, 0.7])


def blocks(x, y):
    """The blocks of the Hessian of `energy`."""
    e = np.exp(MATRIX @ x)
    xx = np.diag(6.0 * x * y[0]) + (MATRIX.T * (e * y)) @ MATRIX
    xy = MATRIX.T * e
    xy[:, 0] += 3.0 * x**2
    return xx, xy, np.zeros((2, 2))


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_positions(target):
    f = flow.compile(energy, target=target)
    xx, xy, yy = blocks(X, Y)
    assert_allclose(flow.hessian(f)(X, Y), xx)
    assert_allclose(flow.hessian(f, 1)(X, Y), yy)
    (got_xx, got_xy), (got_yx, got_yy) = flow.hessian(f, (0, 1))(X, Y)
    for got, want in ((got_xx, xx), (got_xy, xy), (got_yx, xy.T), (got_yy, yy)):
        assert_allclose(got, want)


def test_structures_and_what_is_no_float():
    def f(p):
        return p["u"][0] ** p["n"] * p["s"] ** 2

    h = flow.hessian(flow.compile(f, target="python"))({"u": (2.0,), "s": 3.0, "n": 3})
    assert h["u"][0]["u"][0] == 108.0 and h["u"][0]["s"] == h["s"]["u"][0] == 72.0
    assert h["s"]["s"] == 16.0 and h["n"] is None and h["s"]["n"] is None


def test_an_array_has_a_matrix_for_each_element():
    cubes = flow.compile(lambda x: x**3, target="python")
    want = np.zeros((3, 3, 3))
    want[range(3), range(3), range(3)] = 6.0 * X
    assert_allclose(flow.hessian(cubes)(X), want)
    assert flow.hessian(cubes)(2.0) == 12.0


def test_has_aux():
    f = flow.compile(lambda x: (np.sum(x**3), 2.0 * x), target="python")
    matrix, doubled = flow.hessian(f, has_aux=True)(X)
    assert_allclose(matrix, np.diag(6.0 * X))
    assert_allclose(doubled, 2.0 * X)
    with pytest.raises(ArgumentTypeError, match="'hessian', the 'has_aux' should be bool"):
        flow.hessian(f, has_aux=1)


def test_as_the_jacobian_of_a_gradient_and_by_a_vector():
    f = flow.compile(energy, target="python")
    h = flow.hessian(f)(X, Y)
    assert_allclose(h, flow.jacfwd(flow.grad(f))(X, Y))
    v = np.array([0.3, -1.0, 2.0])
    _, product = flow.jvp(flow.grad(f), (X, Y), (v, np.zeros(2)))
    assert_allclose(product, h @ v)


def test_inside_a_compiled_function():
    @flow.compile(target="python")
    def step(x, y):
        h = flow.hessian(energy)(x, y)
        return x - np.linalg.solve(h + 4.0 * np.eye(3), flow.grad(energy)(x, y))

    f = flow.compile(energy, target="python")
    want = np.linalg.solve(blocks(X, Y)[0] + 4.0 * np.eye(3), flow.grad(f)(X, Y))
    assert_allclose(step(X, Y), X - want)

    @flow.compile(target="python")
    def local(x, y):
        return flow.hessian(lambda z: np.sum(z**3 * x))(y)

    assert_allclose(local(2.0, X), np.diag(12.0 * X))
    assert_allclose(flow.grad(local)(2.0, X), np.sum(6.0 * X))


def test_tensors():
    h = flow.hessian(lambda x: (x**3).sum())(flow.tensor([1.0, 2.0]))
    assert isinstance(h, flow.Tensor)
    assert_allclose(h.numpy(), np.diag([6.0, 12.0]))
