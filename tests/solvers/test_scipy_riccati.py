"""Riccati equations: SciPy's solutions, and derivatives by differences."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are, solve_discrete_are

import srcgrad as flow

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 2))
Q, R = np.diag([1.0, 0.5, 2.0, 0.1]), np.array([[1.0, 0.2], [0.2, 0.7]])
S = 0.1 * RNG.normal(size=(4, 2))
WEIGHTS = RNG.normal(size=(4, 4))
SOLVERS = [solve_continuous_are, solve_discrete_are]


def along(f, args, k, direction, h=1e-5):
    def at(t):
        return f(*(x + t * direction if i == k else x for i, x in enumerate(args)))

    return (at(h) - at(-h)) / (2 * h)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("solve", SOLVERS)
def test_values_and_gradients(solve, target):
    def f(a, b, q, r, s):
        return np.sum(solve(a, b, q, r, s=s) * WEIGHTS)

    args = (A, B, Q, R, S)
    compiled = flow.compile(f, target=target, cache=False)
    value, slopes = flow.value_and_grad(compiled, tuple(range(5)))(*args)
    assert value == pytest.approx(f(*args), rel=1e-10)
    for k, slope in enumerate(slopes):
        direction = np.cos(np.arange(slope.size) + k).reshape(slope.shape)
        if k in (2, 3):
            direction = direction + direction.T  # SciPy takes symmetric matrices alone
        wanted = along(f, args, k, direction)
        assert np.sum(slope * direction) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("solve", SOLVERS)
def test_second_derivatives(solve):
    def f(t):
        return np.sum(solve(A + t * np.eye(4), B, Q, R) * WEIGHTS)

    compiled = flow.compile(f, target="python", cache=False)
    second = flow.grad(flow.grad(compiled))(0.1)
    h = 1e-3
    assert second == pytest.approx((f(0.1 + h) - 2 * f(0.1) + f(0.1 - h)) / h**2, rel=1e-4)


def test_gains_of_a_regulator():
    def f(mass):
        a = np.array([[0.0, 1.0], [-2.0 / mass, -0.1 / mass]])
        b = np.array([[0.0], [1.0 / mass]])
        x = solve_continuous_are(a, b, np.eye(2), np.eye(1))
        return np.sum(np.linalg.solve(np.eye(1), b.T @ x))

    compiled = flow.compile(f, target="python", cache=False)
    assert compiled(1.5) == pytest.approx(f(1.5), rel=1e-10)
    wanted = (f(1.5 + 1e-5) - f(1.5 - 1e-5)) / 2e-5
    assert flow.grad(compiled)(1.5) == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("solve", SOLVERS)
def test_equations_without_a_solution_raise(solve):
    f = flow.compile(lambda a: np.sum(solve(a, B * 0.0, Q, R)), target="python", cache=False)
    with pytest.raises(np.linalg.LinAlgError):
        f(3.0 * np.eye(4))


def test_refused():
    for f, said in (
        (lambda a: solve_continuous_are(a, B, Q, R, np.eye(4)), "with e"),
        (lambda a: solve_continuous_are(a * 1j, B, Q, R), "complex"),
    ):
        with pytest.raises(flow.UnsupportedError, match=said):
            flow.compile(f, target="python", cache=False)(A)
    with pytest.raises(ValueError, match="columns"):
        flow.compile(lambda a: solve_discrete_are(a, B, Q, Q), target="python", cache=False)(A)
