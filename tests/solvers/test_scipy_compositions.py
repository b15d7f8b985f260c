"""SciPy's solvers inside programs: in loops, with stores, in one another, under other rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, optimize

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.solvers import scipy_integrate
from tests.tools.turns import share

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def cubes(a):
    return optimize.fsolve(lambda x: x**3 + x - a, np.ones(len(a)))


def stored_later(a):
    b = a.copy()
    x = optimize.fsolve(lambda x: x**3 + x - b, np.ones(2))
    y = integrate.solve_ivp(lambda t, y: -b * y, (0, 1), x, t_eval=[0.5, 1.0], **TIGHT).y
    z = integrate.quad(lambda x: np.sum(np.sin(b * x)), 0.0, 1.0)[0]
    b[:] = 0.0
    return np.sum(x * x) + np.sum(y * y) + z * z + np.sum(b)


def carried(a):
    s = a.copy()
    for _ in range(3):
        x = optimize.fsolve(lambda x: x**3 + x - s * a, np.ones(2))
        s[:] = x
    return np.sum(s * s)


def branches(a):
    x = optimize.brentq(lambda x: x**3 + x - a[0], 0.0, 5.0) if a[0] > 0.1 else a[1]
    n = 0
    while x < 3.0:
        x = optimize.brentq(lambda y, x: y**3 + y - x * 5 - a[1], 0.0, 50.0, (x,)) * 1.5
        n += 1
    return x * n


def with_stores_of_its_own(a):
    def equations(x):
        out = np.empty(2)
        for i in range(2):
            out[i] = x[i] ** 3 + x[i] - a[i]
        out[0] += 0.1 * x[1]
        return out

    return np.sum(optimize.root(equations, np.ones(2)).x ** 2)


def root_in_equations(a):
    """x = y^2 + 1 where y exp(y) = x a0: the inner root is a function of the outer unknown."""

    def equation(x):
        y = optimize.brentq(lambda y: y * np.exp(y) - x[0] * a[0], 0.0, 10.0)
        return x - np.array([y**2 + a[1]])

    return optimize.fsolve(equation, [1.5])[0]


def root_in_a_trajectory(a):
    def rhs(t, y):
        return [a[1] - optimize.brentq(lambda z: z**3 + z - y[0] * a[0], -10.0, 10.0)]

    return integrate.solve_ivp(rhs, (0, 1), [1.0], t_eval=[1.0], rtol=1e-8, atol=1e-8).y[0, 0]


def shooting(a):
    def miss(v):
        def rhs(t, y):
            return [y[1], -a[0] * y[0]]

        return integrate.solve_ivp(rhs, (0, 1), [1.0, v[0]], t_eval=[1.0], **TIGHT).y[0] - a[1]

    return optimize.fsolve(miss, [0.1])[0]


def integral_in_equations(a):
    def equation(b):
        return integrate.quad(lambda x: np.exp(-a[0] * x), 0.0, b)[0] - 0.5 * a[1]

    return optimize.root_scalar(equation, bracket=(0.0, 3.0), method="ridder").root


def trajectory_in_a_fit(a):
    def residuals(p):
        end = np.array([0.5, 1.0])
        return (
            integrate.odeint(
                lambda y, t: -p[0] * y, p[1], np.append(0.0, end), rtol=1e-10, atol=1e-12
            )[1:, 0]
            - a
        )

    return np.sum(optimize.least_squares(residuals, [1.0, 1.0], gtol=1e-13).x ** 2)


@flow.checkpoint
def recomputed(a):
    return np.sum(cubes(a) ** 2)


def under_a_checkpoint(a):
    return recomputed(a) * a[0]


def in_a_batch(a):
    return np.sum(flow.vmap(lambda c: cubes(np.array([c, 2.0 * c])))(a) ** 2)


def one_by_one(a):
    return sum(np.sum(cubes(np.array([c, 2.0 * c])) ** 2) for c in a)


PROGRAMS = [
    stored_later, carried, branches, root_in_equations, with_stores_of_its_own,
    root_in_a_trajectory, shooting, integral_in_equations, trajectory_in_a_fit,
    under_a_checkpoint, in_a_batch,
]  # fmt: skip
A = np.array([0.7, 1.3])


@pytest.mark.parametrize("f", share(PROGRAMS))
def test_programs(f):
    plain, h = one_by_one if f is in_a_batch else f, 1e-4
    steps = [(plain(A + h * e) - plain(A - h * e)) / (2 * h) for e in np.eye(2)]
    compiled = flow.compile(f, target="python")
    gradient = flow.grad(compiled)(A)
    assert_allclose(gradient, steps, rtol=1e-4)
    along = [flow.jvp(compiled, (A,), (e,))[1] for e in np.eye(2)]
    assert_allclose(along, gradient, rtol=1e-7)
    assert np.array_equal(A, [0.7, 1.3])


def test_second_derivatives_of_a_composition():
    h, v = 1e-3, np.array([1.0, -0.5])
    steps = (shooting(A + h * v) - 2.0 * shooting(A) + shooting(A - h * v)) / h**2
    made = flow.hvp(flow.compile(shooting, target="python"))(A, v)
    assert_allclose(made @ v, steps, rtol=1e-4)


# ---- what is constant costs nothing ----
TABLE = np.linspace(0.0, 1.0, 300)


@pytest.fixture
def lengths(monkeypatch):
    """The lengths of the systems that are solved."""
    found, solved = [], scipy_integrate._solved

    def counted(fun, jac, y0, *rest):
        found.append(len(y0))
        return solved(fun, jac, y0, *rest)

    monkeypatch.setattr(scipy_integrate, "_solved", counted)
    return found


def test_what_cannot_vary_has_no_sensitivities(lengths):
    def f(k, table):
        held = flow.stop_gradient(table)

        def rhs(t, y):
            return -k * y + t * np.sum(TABLE) + held[0]

        return integrate.solve_ivp(rhs, (0, 1), [1.0], t_eval=[1.0], **TIGHT).y[0, 0]

    k, h, table = 0.7, 1e-5, np.ones(50)
    made = flow.grad(flow.compile(f, target="python"))(k, table)
    assert lengths == [1, 3]
    assert_allclose(made, (f(k + h, table) - f(k - h, table)) / (2 * h), rtol=1e-6)


def test_what_is_stored_to_after_it_was_stopped_is_refused():
    def f(k):
        held = flow.stop_gradient(k * TABLE)
        held[2] = k
        rhs = lambda t, y: -y * held[2]
        return integrate.solve_ivp(rhs, (0, 1), [1.0], t_eval=[1.0], **TIGHT).y[0, 0]

    compiled = flow.compile(f, target="python")
    assert_allclose(compiled(0.7), np.exp(-0.7), rtol=1e-8)
    with pytest.raises(UnsupportedError, match="by which a derivative is taken"):
        flow.grad(compiled)(0.7)
