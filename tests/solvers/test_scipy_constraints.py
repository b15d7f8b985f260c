"""Minima of SciPy under constraints: values, derivatives, and where there are none."""

import inspect

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.solvers import bounded, constrained

K = np.array([0.7, 1.3, -0.4])
W = np.array([1.0, 2.0, 3.0])
START = np.ones(3)
TIGHT = {
    "SLSQP": {"ftol": 1e-15}, "trust-constr": {"gtol": 1e-9, "xtol": 1e-11, "maxiter": 3000},
    "COBYLA": {"tol": 1e-10, "maxiter": 9999}, "COBYQA": {"final_tr_radius": 1e-9},
}  # fmt: skip


NEAR = {"rhoend": 1e-10, "maxfun": 9999}
# how close SciPy's minimum is
CLOSE = {"SLSQP": 1e-6, "trust-constr": 3e-4, "COBYLA": 1e-6, "COBYQA": 2e-5}


def bowl(x, k):
    return np.sum((x - k) ** 2) + 0.1 * np.sum(x**4) + 0.3 * x[0] * x[1]


def rows(k):
    """An equation, a curve that holds the minimum, and one that does not."""
    return (
        {"type": "eq", "fun": lambda x, s: np.sum(x) - s, "args": (1.2 + 0.3 * k[0],)},
        {"type": "ineq", "fun": lambda x: x[2] * x[0] + 0.05 * k[1], "jac": None},
        {"type": "ineq", "fun": lambda x: 9.0 - x},
    )


def objects(k):
    """The same as `rows`."""
    return [
        optimize.LinearConstraint(np.ones((1, 3)), 1.2 + 0.3 * k[0], 1.2 + 0.3 * k[0]),
        optimize.NonlinearConstraint(lambda x: np.array([-x[2] * x[0], x[1]]), [-np.inf, -9.0],
                                     np.append(0.05 * k[1], 9.0)),
        optimize.LinearConstraint(np.eye(3), ub=9.0),
    ]  # fmt: skip


def by(method, constraints):
    def f(k):
        made = optimize.minimize(
            bowl, START, (k,), method, constraints=constraints(k), options=TIGHT[method]
        )
        return W @ made.x + made.fun

    f.__name__ = f"{method}, {constraints.__name__}"
    return f


def exact(k):
    """The same minimum by the two equations: x is a function of its first element."""
    total = 1.2 + 0.3 * k[0]
    line = lambda a: np.array([a, total - a + 0.05 * k[1] / a, -0.05 * k[1] / a])
    return line(optimize.brentq(flow.grad(lambda a: bowl(line(a), k)), 0.1, 1.0, xtol=1e-15))


def differences(f, k, h=1e-3):
    steps = h * np.eye(len(k))
    return [(8 * (f(k + e) - f(k - e)) - f(k + 2 * e) + f(k - 2 * e)) / (12 * h) for e in steps]


def the_minimum(k):
    return W @ exact(k) + bowl(exact(k), k)


def slsqp_by_functions(k):
    made = optimize.fmin_slsqp(
        bowl, START, f_eqcons=lambda x, k: np.array([np.sum(x) - 1.2 - 0.3 * k[0]]),
        ieqcons=[lambda x, k: x[2] * x[0] + 0.05 * k[1], lambda x, k: 9.0 - x[0]], args=(k,),
        acc=1e-15, iprint=0, full_output=True,
    )  # fmt: skip
    return W @ made[0] + made[1] + made[3]


FUNCTIONS = [by(m, c) for m in TIGHT for c in (rows, objects)] + [slsqp_by_functions]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f):
    value, slope = flow.value_and_grad(f, target="python")(K)
    np.testing.assert_allclose(value, the_minimum(K), rtol=2e-4)  # trust-constr stays inside
    want = differences(the_minimum, K)
    np.testing.assert_allclose(slope, want, rtol=CLOSE.get(f.__name__.split(",")[0], 1e-6))
    forward = flow.jvp(flow.compile(f, target="python"), (K,), (W,))[1]
    np.testing.assert_allclose(forward, slope @ W, rtol=1e-7)


@pytest.mark.parametrize("f", [FUNCTIONS[0], FUNCTIONS[3]], ids=lambda f: f.__name__)
def test_compiled(f):
    value, slope = flow.value_and_grad(f)(K)
    np.testing.assert_allclose(value, f(K), rtol=2e-4)
    np.testing.assert_allclose(slope, differences(the_minimum, K), rtol=3e-4)


def test_second_derivatives():
    slope = flow.grad(flow.compile(FUNCTIONS[0], target="python"))
    steps = 1e-4 * np.eye(3)
    want = [(slope(K + e) - slope(K - e)) / 2e-4 for e in steps]
    np.testing.assert_allclose(flow.hessian(FUNCTIONS[0])(K), want, atol=1e-4)


def cobyla(k):
    held = [lambda x, s: s - np.sum(x), lambda x, s: 9.0 - x[0]]
    x = optimize.fmin_cobyla(bowl, START, held, (k,), (0.2 + k[0],), catol=1e-10, **NEAR)
    return W @ x


def of_one(k):
    x = optimize.fmin_cobyla(
        bowl, START, lambda x, k: 0.2 + k[0] - np.sum(x), (k,), catol=1e-10, **NEAR
    )
    return W @ x


def evolution(k):
    made = optimize.differential_evolution(
        bowl, optimize.Bounds(-2.0 * np.ones(3), 2.0 * np.ones(3)), (k,),
        constraints=optimize.LinearConstraint(np.ones((1, 3)), -np.inf, 0.2 + k[0]), seed=1,
    )  # fmt: skip
    return W @ made.x


def homology(k):
    below = {"type": "ineq", "fun": lambda x, k: 0.2 + k[0] - np.sum(x), "args": (k,)}
    return W @ optimize.shgo(bowl, [(-2.0, 2.0)] * 3, (k,), below).x


@pytest.mark.parametrize("f", [cobyla, of_one, evolution, homology], ids=lambda f: f.__name__)
def test_other_minimizers(f):
    def exact(k):  # where the plane holds it
        lagrangian = lambda z: np.append(
            flow.grad(bowl)(z[:3], k) + z[3], np.sum(z[:3]) - 0.2 - k[0]
        )
        return W @ optimize.fsolve(lagrangian, np.ones(4), xtol=1e-13)[:3]

    value, slope = flow.value_and_grad(f, target="python")(K)
    np.testing.assert_allclose(value, exact(K), rtol=1e-4)
    np.testing.assert_allclose(slope, differences(exact, K), rtol=1e-3)


def test_portfolios():
    """Weights of which some are at their bounds, others not."""
    draws = np.random.default_rng(0).normal(size=(60, 6))
    spread = np.cov(draws.T)

    def weights(gain):
        return optimize.minimize(
            lambda w: 0.5 * w @ spread @ w - gain @ w, np.full(6, 1 / 6), method="SLSQP",
            jac=lambda w: spread @ w - gain, bounds=[(0.0, 1.0)] * 6, options={"ftol": 1e-15},
            constraints={"type": "eq", "fun": lambda w: np.sum(w) - 1.0},
        ).x  # fmt: skip

    gain = 0.3 * np.random.default_rng(0).normal(size=6)
    slopes = flow.jacobian(weights)(gain)
    np.testing.assert_allclose(slopes.T, differences(weights, gain), atol=1e-6)
    assert np.count_nonzero(np.abs(slopes) > 1e-9) not in (0, 36)


PLANE = optimize.LinearConstraint(np.ones((1, 3)), -np.inf, 1.0)
BOX = optimize.Bounds([0.0, -1.0, -1.0], 2.0)
CURVE = optimize.NonlinearConstraint(lambda x: x @ x, 0.0, 0.5)


def test_constraints_that_are_made_outside():
    f = lambda k: (
        optimize.minimize(
            bowl, START, (k,), bounds=BOX, constraints=[PLANE, CURVE], options={"ftol": 1e-15}
        ).x
    )
    np.testing.assert_allclose(flow.compile(f)(K), f(K), atol=1e-7)
    slopes = flow.jacobian(f)(K)
    np.testing.assert_allclose(f(K) @ slopes, 0.0, atol=1e-7)  # it stays on the sphere
    np.testing.assert_allclose(slopes.T, differences(f, K), atol=1e-5)


@pytest.mark.parametrize(
    "f",
    [
        lambda k: optimize.minimize(bowl, START, (k,), bounds=BOX).x,
        lambda k: optimize.lsq_linear(np.eye(3), k, BOX).x,
        lambda k: optimize.least_squares(lambda x: x - k, [0.5, 0.1, 0.2], bounds=BOX).x,
    ],
    ids=["minimize", "lsq_linear", "least_squares"],
)
def test_bounds_as_an_object(f):
    k = np.array([0.7, 1.3, -3.0])
    np.testing.assert_allclose(flow.compile(f)(k), f(k), atol=1e-5)
    slopes = flow.jacobian(f)(k)
    np.testing.assert_allclose(slopes[2], 0.0, atol=1e-12)
    assert np.all(np.diag(slopes)[:2] > 0.3)


def test_where_no_constraint_decides_there_is_no_derivative():
    below = {"type": "ineq", "fun": lambda x: 1.0 - x[0]}
    f = lambda k: optimize.minimize(
        lambda x: (x[0] - k) ** 2 + x[1] ** 2, [0.0, 0.0], constraints=below
    ).x[0]
    assert flow.grad(f)(0.5) == pytest.approx(1.0) and flow.grad(f)(1.5) == 0.0
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(f)(1.0)
    # one constraint twice: the multipliers are not determined
    g = lambda k: optimize.minimize(
        lambda x: np.sum((x - k) ** 2), [0.0, 0.0], constraints=[below, below]
    ).x[0]
    assert flow.grad(g)(0.5) == pytest.approx(1.0)
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(g)(1.5)
    # a face of a linear program on which the minimum is not one point
    h = lambda k: optimize.minimize(
        lambda x: np.sum(x) / 3.0, [0.2, 0.2],
        constraints={"type": "ineq", "fun": lambda x: np.sum(x) / 7.0 - k},
    ).x[0]  # fmt: skip
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(h)(0.5)


def test_a_vertex_moves_with_its_constraints():
    f = lambda k: optimize.minimize(
        lambda x: x[0] + 2.0 * x[1], [0.5, 0.5],
        constraints=[{"type": "ineq", "fun": lambda x: x},
                     {"type": "eq", "fun": lambda x: x[0] + x[1] - k}],
    ).x  # fmt: skip
    np.testing.assert_allclose(flow.jacobian(f)(1.5), [1.0, 0.0], atol=1e-12)


def test_what_is_not_found_raises():
    apart = [{"type": "eq", "fun": lambda x: x[0] - 1.0}, {"type": "eq", "fun": lambda x: x[0]}]
    with pytest.raises(RuntimeError, match="the minimum was not found"):
        flow.grad(lambda k: optimize.minimize(bowl, START, (k,), constraints=apart).fun)(K)


def test_refused():
    below = {"type": "ineq", "fun": lambda x: 1.0 - x[0]}
    with pytest.raises(NotImplementedError, match="minimize by bfgs with constraints"):
        flow.grad(
            lambda k: optimize.minimize(bowl, START, (k,), "BFGS", constraints=below).fun
        )(K)  # fmt: skip
    with pytest.raises(NotImplementedError, match="no dict, LinearConstraint or Nonlinear"):
        flow.grad(lambda k: optimize.minimize(bowl, START, (k,), constraints=[BOX]).fun)(K)
    with pytest.raises(ValueError, match="Unknown constraint type 'le'"):
        wrong = {"type": "le", "fun": lambda x: x}
        flow.grad(lambda k: optimize.minimize(bowl, START, (k,), constraints=wrong).fun)(K)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bounded.Limits, optimize.Bounds), (constrained.Linear, optimize.LinearConstraint),
        (constrained.Nonlinear, optimize.NonlinearConstraint),
    ],
)  # fmt: skip
def test_signatures_are_those_of_scipy(ours, theirs):
    names = [inspect.signature(f).parameters for f in (ours, theirs)]
    assert [*names[0]] == [*names[1]]
