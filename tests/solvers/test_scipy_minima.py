"""Minimizers of `scipy.optimize` inside compiled code, on the real library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, optimize

import srcgrad as flow
from srcgrad.errors import SingularError, SrcgradError, UnsupportedError
from tests.tools.memo import shared
from tests.tools.turns import share

T = np.linspace(0.0, 1.0, 8)


def energy(x, a, p):
    return np.sum((x - a) ** 2) + p["k"] * np.sum(x**4) + p["w"][0] * x[0] * x[1]


def captured(a, p):
    return optimize.minimize(lambda x: energy(x, a, p), np.zeros(2), tol=1e-10).x


def by_method(method):
    def f(a, p):
        tol = 1e-7 if method.startswith("trust") else 1e-10
        found = optimize.minimize(energy, [0.5, 0.5], (a, p), method, tol=tol)
        return found.x * (1.0 + 0.0 * found.fun)

    f.__name__ = method
    return f


def with_both(a, p):
    def both(x):
        return energy(x, a, p), 0.0 * x  # which nothing reads

    return optimize.minimize(both, np.zeros(2), jac=True, tol=1e-10).x


def squares(x, a, p):
    """Residuals that are not zero at the minimum, so that Gauss and Newton differ."""
    return np.concatenate((x - a, p["k"] * x**2 - 1.0, p["w"] * x[0] * x[1]))


def by_squares(a, p):
    return optimize.least_squares(lambda x: squares(x, a, p), [0.5, 0.5], gtol=1e-13).x


def by_levenberg(a, p):
    return optimize.least_squares(squares, (1, 1), method="lm", args=(a,), kwargs={"p": p},
                                  xtol=1e-14, ftol=1e-14).x  # fmt: skip


def by_loss(loss):
    def f(a, p):
        return optimize.least_squares(squares, [0.5, 0.5], loss=loss, f_scale=0.4, args=(a, p),
                                      gtol=1e-13, xtol=1e-13, ftol=1e-13).x  # fmt: skip

    f.__name__ = loss
    return f


METHODS = ["CG", "L-BFGS-B", "Newton-CG", "trust-exact", "trust-krylov", "SLSQP"]
LOSSES = ["soft_l1", "huber", "cauchy", "arctan"]
ALL = [captured, by_squares, with_both, by_levenberg, *map(by_method, METHODS),
       *map(by_loss, LOSSES)]  # fmt: skip
ARGS = (np.array([0.7, 1.3]), {"k": 0.4, "w": np.array([0.3, -0.2]), "n": 2})
ALONG = (np.array([1.0, -0.5]), {"k": 0.3, "w": np.array([0.2, 0.4]), "n": None})


def moved(h):
    p, d = ARGS[1], ALONG[1]
    return ARGS[0] + h * ALONG[0], {"k": p["k"] + h * d["k"], "w": p["w"] + h * d["w"], "n": 2}


EACH = [(captured, "cpu"), *((f, "python") for f in ALL)]


@pytest.mark.parametrize(("f", "target"), share(EACH), ids=lambda v: getattr(v, "__name__", v))
@shared
def test_minima(f, target):
    """The derivative is right where differences of minima, as exact as they are, agree."""
    compiled = flow.compile(f, target=target)
    squared = f in (by_squares, by_levenberg) or f.__name__ in LOSSES
    assert_allclose(compiled(*ARGS), (f if squared else captured)(*ARGS), rtol=1e-5)
    loss = flow.compile(lambda a, p: np.sum(np.sin(compiled(a, p))), target=target)
    by_a, by_p = flow.grad(loss, (0, 1))(*ARGS)
    along = by_a @ ALONG[0] + by_p["k"] * ALONG[1]["k"] + by_p["w"] @ ALONG[1]["w"]
    assert_allclose(flow.jvp(loss, ARGS, ALONG)[1], along, rtol=1e-9)
    h = 1e-3
    assert_allclose(along, (loss(*moved(h)) - loss(*moved(-h))) / (2 * h), rtol=1e-4)
    if f in (captured, by_squares) and target == "python":
        bent = flow.hvp(loss, (0, 1))(*ARGS, ALONG)
        twice = bent[0] @ ALONG[0] + bent[1]["k"] * ALONG[1]["k"] + bent[1]["w"] @ ALONG[1]["w"]
        steps = (loss(*moved(1e-2)) - 2.0 * loss(*ARGS) + loss(*moved(-1e-2))) / 1e-4
        assert_allclose(twice, steps, rtol=1e-3)


@pytest.mark.parametrize("method", ["brent", "golden", "bounded"])
def test_minima_of_a_number(method):
    """x^4 / 4 - a x has its minimum at the cube root of a."""

    def f(a):
        found = optimize.minimize_scalar(
            lambda x: x**4 / 4.0 - a * x, bracket=None if method == "bounded" else (0.5, 3.0),
            bounds=(0.5, 3.0) if method == "bounded" else None, method=method,
            options={"xatol": 1e-9} if method == "bounded" else {"xtol": 1e-9},
        )  # fmt: skip
        return found.x + 0.0 * found.fun

    compiled = flow.compile(f, target="python")
    assert_allclose(compiled(8.0), 2.0, rtol=1e-6)
    assert_allclose(flow.grad(compiled)(8.0), 1 / 12, rtol=1e-6)
    assert_allclose(flow.jvp(flow.grad(compiled), (8.0,), (1.0,))[1], -1 / 144, rtol=1e-5)


def test_the_value_of_a_minimum_has_the_derivative_of_the_envelope():
    def f(a, p):
        return optimize.minimize(energy, np.zeros(2), (a, p), tol=1e-10).fun

    x = captured(*ARGS)
    made = flow.grad(flow.compile(f, target="python"), (0, 1))(*ARGS)
    assert_allclose(made[0], -2.0 * (x - ARGS[0]), rtol=1e-6)
    assert_allclose(made[1]["k"], np.sum(x**4), rtol=1e-6)


def test_a_minimum_inside_what_is_minimized():
    """A hyperparameter: the ridge that predicts other data best."""

    def weights(ridge):
        return optimize.least_squares(
            lambda w: np.append(w[0] + w[1] * T - np.sin(3.0 * T), np.sqrt(ridge) * w), np.zeros(2)
        ).x

    def held_out(ridge):
        w = weights(ridge)
        return np.sum((w[0] + w[1] * (T + 0.05) - np.sin(3.0 * (T + 0.05))) ** 2)

    f = flow.compile(held_out, target="python")
    h = 1e-4
    assert_allclose(flow.grad(f)(0.1), (f(0.1 + h) - f(0.1 - h)) / (2 * h), rtol=1e-5)


# ---- what raises ----
def few_steps(a):
    return optimize.minimize(lambda x: np.sum((x - a) ** 4), [9.0], options={"maxiter": 2}).x[0]


def few_residuals(a):
    return optimize.least_squares(lambda x: np.exp(x) - a, [9.0], max_nfev=2).x[0]


def at_a_bound(a):
    return optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 1.0)).x


def at_a_kink(a):
    return optimize.minimize_scalar(lambda x: abs(np.exp(x) - a), bounds=(0.0, 3.0)).x


@pytest.mark.parametrize(("f", "said"), [
    (few_steps, "the minimum was not found: Maximum number of iterations"),
    (few_residuals, "the minimum was not found: The maximum number of function evaluations"),
    (at_a_bound, "the minimum is at a bound: at 0.999"),
    (at_a_kink, r"the minimum is at a kink \(take the square of .*\): at 1.0986"),
])  # fmt: skip
def test_what_has_not_converged_raises_at_the_users_line(f, said):
    with pytest.raises(RuntimeError, match=said) as raised:
        flow.grad(flow.compile(f, target="python"))(3.0)
    assert isinstance(raised.value, SrcgradError)
    assert raised.value.location.line == f.__code__.co_firstlineno + 1


@pytest.mark.parametrize(("f", "said"), [
    (lambda a: optimize.minimize(energy, [a], callback=print).x[0], "callback"),
    (lambda a: optimize.least_squares(squares, [a], loss=np.sin).x[0], "loss of one's own"),
])  # fmt: skip
def test_what_is_not_there_is_refused(f, said):
    with pytest.raises(UnsupportedError, match=said):
        flow.grad(flow.compile(f, target="python"))(3.0)


def test_the_way_out_of_a_kink():
    def f(a):
        return optimize.minimize_scalar(
            lambda x: abs(np.exp(x) - a) ** 2, bounds=(0.0, 3.0), options={"xatol": 1e-10}
        ).x

    assert_allclose(flow.grad(flow.compile(f, target="python"))(3.0), 1.0 / 3.0, rtol=1e-6)


def test_the_way_out_of_a_bound():
    """x = exp(u) is positive: the minimum of (x - a)^2 + 1 / x, whose slope is 0 there."""

    def f(a):
        u = optimize.minimize(
            lambda u: np.sum((np.exp(u) - a) ** 2 + np.exp(-u)), [0.0], tol=1e-10
        ).x
        return np.exp(u[0])

    a = 2.0
    compiled = flow.compile(f, target="python")
    x = compiled(a)
    assert_allclose(2.0 * (x - a) - x**-2, 0.0, atol=1e-7)
    assert_allclose(flow.grad(compiled)(a), 2.0 / (2.0 + 2.0 * x**-3), rtol=1e-6)


KINKS = [
    ("Powell", lambda x, a: np.abs(x[0] - a)),
    ("Nelder-Mead", lambda x, a: np.maximum(x[0] - a, -2.0 * (x[0] - a))),
    ("Powell", lambda x, a: np.abs(x[0] - a) + 0.3 * (x[0] - 2.0 * a) ** 2 + (x[1] - a) ** 2),
]


@pytest.mark.parametrize(("method", "value"), KINKS)
def test_minima_at_kinks_are_refused(method, value):
    def found(a):
        return optimize.minimize(lambda x: value(x, a), [0.0, 0.0], method=method).x[0]

    said = "the gradient is not zero at the minimum|Singular matrix"
    with pytest.raises((RuntimeError, SingularError), match=said):
        flow.grad(flow.compile(found, target="python"))(1.0)


@pytest.mark.parametrize("method", ["Powell", "Nelder-Mead", "COBYLA", "L-BFGS-B", "TNC", "SLSQP"])
def test_smooth_minima_of_other_methods_are_not(method):
    def found(a):
        def value(x):
            return 1.0 + np.abs(x[0] + 5.0) + (x[0] - a) ** 2 + 3.0 * (x[1] - x[0] ** 2) ** 2

        return optimize.minimize(value, [0.3, 0.3], method=method, tol=1e-9).x[0]

    assert_allclose(flow.grad(flow.compile(found, target="python"))(1.0), 1.0, rtol=1e-2)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_results_are_read_by_key_as_by_attribute(target):
    def minimum(a):
        found = optimize.minimize(lambda x: np.sum((x - a) ** 2), np.zeros(2))
        return found["x"][0] * a + found["fun"] + found.x[1]

    def others(a):
        fit = optimize.least_squares(lambda x: x - a, np.zeros(1))
        path = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], rtol=1e-9)
        return fit["x"][0] + path["y"][0, -1]

    for f, slope in ((minimum, 2 * 1.5 + 1.0), (others, 1.0 - np.exp(-1.5))):
        compiled = flow.compile(f, target=target)
        assert abs(compiled(1.5) - f(1.5)) < 1e-6
        assert abs(flow.grad(compiled)(1.5) - slope) < 1e-6

    def unknown(a):
        return optimize.minimize(lambda x: np.sum((x - a) ** 2), np.zeros(2))["jac"]

    with pytest.raises(flow.UnsupportedError, match="no attribute 'jac'"):
        flow.compile(unknown, target=target)(1.5)


# ---- minima that are not isolated ----
def on_a_line(t):
    """Two unknowns of which only the sum counts."""
    found = optimize.minimize(lambda v: (np.tanh(v[0] + v[1]) - 0.1 * t) ** 2, np.zeros(2))
    return np.sum(found.x**2)


def in_a_valley(t):
    """So flat that the search ends far from the minimum."""
    f = lambda v: (v[0] + v[1] - t) ** 2 + 1e-8 * (v[0] - v[1] - 3.0) ** 2
    return np.sum(optimize.minimize(f, np.zeros(2)).x ** 2)


def of_fewer_residuals(t):
    a = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])
    f = lambda v: np.sin(a @ v) - 0.1 * t
    return np.sum(optimize.least_squares(f, np.zeros(3)).x ** 2)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [on_a_line, in_a_valley, of_fewer_residuals])
def test_a_minimum_that_is_not_isolated_has_no_derivative(f, target):
    """Where the search ends is decided by its start and its steps: no rule knows how it moves."""
    assert np.isclose(flow.compile(f, target=target)(1.0), f(1.0), 1e-6)
    for derivative in (flow.grad(f, target=target), lambda t: flow.jvp(f, (t,), (1.0,))):
        with pytest.raises((RuntimeError, np.linalg.LinAlgError), match=r"not isolated|Singular"):
            derivative(1.0)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 100.0])
def test_unknowns_of_other_sizes_are_no_valley(scale):
    def f(t):
        size = np.array([1.0, scale])
        g = lambda v: np.sum((v / size - np.array([t, t * t])) ** 2 * np.array([1.0, 4.0]))
        found = optimize.minimize(g, size, method="trust-exact", options={"gtol": 1e-13})
        return np.sum(found.x / size)

    assert np.isclose(flow.grad(f)(1.5), 4.0, 1e-6)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_no_unknowns(target):
    root = flow.implicit_root(lambda x, a: x**3 - a, lambda x0, a: np.cbrt(a))
    f = lambda a: np.sum(root(np.ones(len(a)), a))
    assert flow.grad(f, target=target)(np.zeros(0)).shape == (0,)
    assert_allclose(flow.grad(f, target=target)(np.array([8.0])), [1.0 / 12.0])
