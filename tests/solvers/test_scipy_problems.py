"""`flow.scipy`: SciPy's optimizers with derivatives filled in, on the real library."""

import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize
from scipy.sparse.linalg import LinearOperator, cg

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from tests.tools.turns import share

Pair = namedtuple("Pair", "a b")


@dataclass
class Line:
    slope: float
    start: float


@flow.compile(target="python")
def rosenbrock(x, height=100.0):
    return np.sum(height * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@flow.compile(target="python")
def bowl(p, scale=1.0):
    a, b = p["a"], p["b"]
    return scale * ((a - 2.0) ** 2 + np.sum((b - a * np.array([[1.0, 2.0, 3.0]])) ** 4)) + a * a


METHODS = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-ncg", "trust-krylov",
           "trust-exact", "dogleg", "trust-constr", None]  # fmt: skip


# ---- minimize ----
@pytest.mark.parametrize("method", share(METHODS))
def test_every_method_gets_what_it_uses(method):
    start = np.array([0.8, 1.2, 0.9])
    made = flow.scipy.minimize(rosenbrock, start, (100.0,), method, tol=1e-9)
    assert_allclose(made.x, 1.0, atol=1e-3)
    assert_allclose(start, [0.8, 1.2, 0.9])
    value = flow.value_and_grad(rosenbrock)
    second = {}
    if method in ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"):
        second = {"hessp": flow.hvp(rosenbrock)}
    if method in ("trust-exact", "dogleg"):
        second = {"hess": flow.hessian(rosenbrock)}
    want = optimize.minimize(value, start, 100.0, method, jac=True, tol=1e-9, **second)
    assert np.array_equal(made.x, want.x) and made.nfev == want.nfev


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell"])
@pytest.mark.filterwarnings("error")
def test_methods_without_derivatives_get_none(method):
    made = flow.scipy.minimize(rosenbrock, np.array([0.8, 1.2]), method=method)
    want = optimize.minimize(rosenbrock, np.array([0.8, 1.2]), method=method)
    assert np.array_equal(made.x, want.x)


def test_a_derivative_of_the_callers_is_passed_on():
    calls = []

    def slope(x, height):
        calls.append(1)
        return flow.grad(rosenbrock)(x, height)

    made = flow.scipy.minimize(rosenbrock, [0.9, 0.9], 100.0, "BFGS", jac=slope)
    assert calls and made.njev == len(calls)
    both = flow.scipy.minimize(flow.value_and_grad(rosenbrock), [0.9, 0.9], method="CG", jac=True)
    assert_allclose(both.x, 1.0, atol=1e-3)


STARTS = {"a": 1, "b": np.zeros((1, 3)), "name": "bowl", "flag": True, "nothing": None}


@pytest.mark.parametrize("method", ["BFGS", "trust-ncg", "trust-exact", "L-BFGS-B"])
def test_structures_are_ravelled(method):
    made = flow.scipy.minimize(bowl, STARTS, (2.0,), method)
    assert list(made.x) == list(STARTS) and made.x["name"] == "bowl" and made.x["flag"] is True
    assert_allclose(made.x["a"], 4.0 / 3.0, atol=1e-4)
    assert made.x["b"].shape == (1, 3)
    assert_allclose(made.x["b"], 4.0 / 3.0 * np.array([[1.0, 2.0, 3.0]]), atol=0.1)
    assert STARTS["a"] == 1 and not STARTS["b"].any()


@pytest.mark.parametrize(("start", "wanted"), [
    (Pair(0, 0), Pair), (Line(0.0, 1), Line), ([np.zeros(1), 1.0], list),
])  # fmt: skip
def test_results_have_the_structure_of_the_start(start, wanted):
    fields = {Pair: ("a", "b"), Line: ("slope", "start")}.get(wanted)

    @flow.compile(target="python")
    def f(p):
        u, v = (p[0], p[1]) if fields is None else (getattr(p, fields[0]), getattr(p, fields[1]))
        return np.sum((u - 1.0) ** 2) + (v + 2.0) ** 2

    if wanted is Line:
        f = flow.compile(lambda p: (p.slope - 1.0) ** 2 + (p.start + 2.0) ** 2, target="python")
    if wanted is Pair:
        f = flow.compile(lambda p: (p.a - 1.0) ** 2 + (p.b + 2.0) ** 2, target="python")
    if wanted is list:
        f = flow.compile(lambda p: np.sum((p[0] - 1.0) ** 2) + (p[1] + 2.0) ** 2, target="python")
    made = flow.scipy.minimize(f, start).x
    assert type(made) is wanted
    assert_allclose(np.concatenate([np.ravel(v) for v in flow.tree.leaves(made)]), [1.0, -2.0],
                    atol=1e-6)  # fmt: skip


def test_a_matrix_has_its_shape():
    f = flow.compile(lambda x: np.sum((x - np.eye(2)) ** 2), target="python")
    made = flow.scipy.minimize(f, np.zeros((2, 2), np.float32))
    assert made.x.shape == (2, 2) and made.x.dtype == np.float32
    assert_allclose(made.x, np.eye(2), atol=1e-5)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
@pytest.mark.parametrize("kind", ["dict", "object"])
def test_constraints_get_their_jacobian(method, kind):
    @flow.compile(target="python")
    def circle(p):
        return p["x"] ** 2 + p["y"] ** 2

    f = flow.compile(lambda p: p["x"] + 2.0 * p["y"], target="python")
    one = optimize.NonlinearConstraint(circle, 1.0, 1.0)
    if kind == "dict":
        one = {"type": "eq", "fun": lambda p: circle(p) - 1.0}
    given = flow.scipy.minimize(f, {"x": -1, "y": -0.5}, method=method, constraints=one)
    assert_allclose([given.x["x"], given.x["y"]], np.array([-1.0, -2.0]) / 5**0.5, atol=1e-5)


# ---- least squares, curves, roots ----
@flow.compile(target="python")
def valley(x, height):
    return np.array([[1.0 - x[0]], [height * (x[1] - x[0] ** 2)]])


@pytest.mark.parametrize("method", ["trf", "lm", "dogbox"])
def test_least_squares(method):
    made = flow.scipy.least_squares(valley, [-1, 2], method=method, args=(10.0,))
    assert_allclose(made.x, 1.0, atol=1e-8)
    want = flow.jacobian(valley)(made.x, 10.0).reshape(2, 2)
    assert_allclose(made.jac, want, atol=1e-12)
    by_name = flow.scipy.least_squares(valley, [-1, 2], kwargs={"height": 10.0}, max_nfev=40)
    assert_allclose(by_name.x, 1.0, atol=1e-8)


def test_least_squares_of_a_structure_and_with_an_operator():
    f = flow.compile(lambda p: np.outer(p.slope, np.ones(2)) + p.start * np.eye(2)[:1] - 3.0,
                     target="python")  # fmt: skip
    made = flow.scipy.least_squares(f, Line(0.0, 1))
    assert_allclose([made.x.slope, made.x.start], [3.0, 0.0], atol=1e-8)

    def g(x):
        return np.concatenate((x - 1.0, x[1:] * x[:-1] - 1.0))

    def operator(x):
        return flow.scipy.jacobian_operator(flow.compile(g, target="python"), x)

    made = flow.scipy.least_squares(g, np.full(4, 0.5), operator, tr_solver="lsmr")
    assert_allclose(made.x, 1.0, atol=1e-5)


X = np.linspace(0.0, 2.0, 12)


@flow.compile(target="python")
def decay(x, a, b, c):
    return a * np.exp(-b * x) + c


@pytest.mark.parametrize("p0", [[1, 1, 0], (1.0, 1, 0.5), np.array([1, 2, 0]), np.ones(3)])
@pytest.mark.parametrize("method", ["lm", "trf"])
def test_curve_fit(p0, method):
    y = 2.0 * np.exp(-1.5 * X) + 0.3 + 0.01 * np.sin(9.0 * X)
    found, spread = flow.scipy.curve_fit(decay, X, y, p0, method=method)
    want, known = optimize.curve_fit(decay.function, X, y, p0, method=method, ftol=1e-12)
    assert_allclose(found, want, rtol=1e-5)
    assert_allclose(spread, known, rtol=1e-4)
    errors = np.full(12, 0.02)
    _, spread = flow.scipy.curve_fit(decay, X, y, p0, errors, absolute_sigma=True)
    _, known = optimize.curve_fit(decay.function, X, y, p0, errors, absolute_sigma=True)
    assert_allclose(spread, known, rtol=1e-4)


def test_curve_fit_without_a_start_takes_the_number_of_parameters_from_the_model():
    def model(x, a, b):
        return a * x + b

    found, _ = flow.scipy.curve_fit(model, [0, 1, 2], [1, 3, 5])
    assert_allclose(found, [2.0, 1.0], atol=1e-9)


def test_curve_fit_of_a_structure():
    f = flow.compile(lambda x, p: p["a"] * np.exp(-p["b"][0] * x) + p["b"][1], target="python")
    y = 2.0 * np.exp(-1.5 * X) + 0.3 + 0.01 * np.sin(9.0 * X)
    found, spread = flow.scipy.curve_fit(f, X, y, {"a": 1, "b": np.array([1.0, 0.0])})
    want, known = optimize.curve_fit(decay.function, X, y, [1.0, 1.0, 0.0])
    assert_allclose([found["a"], *found["b"]], want, rtol=1e-5)
    assert_allclose(spread, known, rtol=1e-4)


@flow.compile(target="python")
def crossing(x, a):
    return np.array([x[0] ** 2 + x[1] ** 2 - a, x[0] - x[1]])


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov", "broyden1"])
def test_root(method):
    made = flow.scipy.root(crossing, [1, 0.5], (2.0,), method)
    assert made.success
    assert_allclose(made.x, 1.0, atol=1e-5)
    if method == "hybr":
        want = optimize.root(crossing, [1, 0.5], 2.0, jac=flow.jacobian(crossing))
        assert np.array_equal(made.x, want.x) and made.nfev == want.nfev


def test_root_of_a_structure():
    f = flow.compile(lambda p: np.array([p.a + p.b - 3.0, p.a - p.b]), target="python")
    made = flow.scipy.root(f, Pair(1, 5))
    assert isinstance(made.x, Pair)
    assert_allclose(made.x, 1.5, atol=1e-9)


# ---- operators ----
def test_a_jacobian_as_an_operator():
    f = flow.compile(lambda x, k: k * np.outer(x, np.sin(x)), target="python")
    x = np.array([0.3, 1.0, -2.0])
    j = flow.scipy.jacobian_operator(f, x, 2.0)
    want = flow.jacobian(f)(x, 2.0).reshape(9, 3)
    x[:] = 0.0
    assert isinstance(j, LinearOperator) and j.shape == (9, 3) and j.dtype == np.float64
    assert_allclose(j @ np.eye(3), want, atol=1e-14)
    assert_allclose(j.T @ np.eye(9), want.T, atol=1e-14)
    assert_allclose(j @ np.array([1, 0, 2]), want @ [1.0, 0.0, 2.0], atol=1e-14)


def test_operators_of_structures_and_numbers():
    f = flow.compile(lambda p: p["a"] * p["b"] ** 2, target="python")
    at = {"a": 2, "b": np.array([1.0, 3.0]), "name": "f"}
    j = flow.scipy.jacobian_operator(f, at)
    assert_allclose(j @ np.eye(3), [[1.0, 4.0, 0.0], [9.0, 0.0, 12.0]])
    assert_allclose(j.H @ np.eye(2), [[1.0, 9.0], [4.0, 0.0], [0.0, 12.0]])
    total = flow.compile(lambda p: np.sum(p["a"] * p["b"] ** 2), target="python")
    h = flow.scipy.hessian_operator(total, at)
    want = [[0.0, 2.0, 6.0], [2.0, 4.0, 0.0], [6.0, 0.0, 4.0]]
    assert_allclose(h @ np.eye(3), want)
    assert_allclose(h.T @ np.eye(3), want)
    row = flow.scipy.jacobian_operator(total, at)
    assert_allclose(row.T @ np.ones(1), [10.0, 4.0, 12.0])


def test_float32_stays_float32():
    f = flow.compile(lambda x: x * x, target="python")
    j = flow.scipy.jacobian_operator(f, np.ones(2, np.float32))
    assert j.dtype == np.float32 and (j @ np.ones(2)).dtype == np.float32


def test_a_system_with_a_hessian_is_solved_without_the_matrix():
    f = flow.compile(lambda x: np.sum(np.cosh(x)) + np.sum(x[1:] * x[:-1]) * 0.1, target="python")
    x, b = np.linspace(0.0, 1.0, 30), np.ones(30)
    step, info = cg(flow.scipy.hessian_operator(f, x), b, rtol=1e-12)
    assert info == 0
    assert_allclose(flow.hessian(f)(x) @ step, b, atol=1e-9)


# ---- covariance ----
def test_the_covariance_of_a_fit_is_curve_fits():
    y = decay.function(X, 2.0, 1.5, 0.3) + 0.01 * np.sin(9.0 * X)

    @flow.compile(target="python")
    def loss(p):
        return 0.5 * np.sum((p["a"] * np.exp(-p["b"] * X) + p["c"] - y) ** 2) / 0.01**2

    fit = flow.scipy.minimize(loss, {"a": 1, "b": 1, "c": 0}, tol=1e-10).x
    _, want = flow.scipy.curve_fit(decay, X, y, [1, 1, 0], np.full(12, 0.01), absolute_sigma=True)
    assert_allclose(flow.scipy.covariance(loss, fit), want, rtol=2e-2)


def test_a_covariance_that_would_be_none_is_refused():
    f = flow.compile(lambda x: np.sum(x**2), target="python")
    with pytest.raises(ArgumentValueError, match="standard errors from the minimum"):
        flow.scipy.covariance(f, np.array([1.0, 0.0]))
    saddle = flow.compile(lambda x: x[0] ** 2 - x[1] ** 2, target="python")
    with pytest.raises(ArgumentValueError, match="least eigenvalue is -2"):
        flow.scipy.covariance(saddle, np.zeros(2))
    flat = flow.compile(lambda x: x[0] ** 2 + 0.0 * x[1], target="python")
    with pytest.raises(ArgumentValueError, match="not positive definite"):
        flow.scipy.covariance(flat, np.zeros(2))


def test_it_can_be_imported_alone():
    """It loads what compiled code is told of: the meaning of transforms and solvers."""
    program = (
        "import srcgrad as flow, sys; flow.scipy; assert 'srcgrad.inside.lifted' in sys.modules"
    )
    subprocess.run((sys.executable, "-c", program), check=True)


# ---- refusals ----
@pytest.mark.parametrize("x0", [{"a": 1j}, np.ones(2, complex), 2j])
def test_complex_unknowns_are_refused(x0):
    with pytest.raises(ArgumentTypeError, match="is complex"):
        flow.scipy.minimize(lambda x: x, x0)


def test_tensors_and_nothing_are_refused():
    with pytest.raises(ArgumentTypeError, match=r"x0\.a is a tensor"):
        flow.scipy.minimize(lambda x: x, {"a": flow.tensor([1.0])})
    with pytest.raises(ArgumentTypeError, match="no numbers"):
        flow.scipy.minimize(lambda x: x, {"a": None})
    with pytest.raises(ArgumentTypeError, match="return one array"):
        flow.scipy.jacobian_operator(flow.compile(lambda x: (x, x), target="python"), np.ones(2))


# ---- values that are lists ----
LISTS = [
    lambda x, a, b: [a * x[0] + b, a * a * x[1] - 3 * b],
    lambda x, a, b: (a * x[0] + b, a * a * x[1] - 3 * b),
]


@pytest.mark.parametrize("model", LISTS)
def test_models_that_return_lists(model):
    f = flow.compile(model, target="python")
    data = np.array([1.0, 2.0]), [3.0, 4.0], [1.0, 1.0]
    options = {"sigma": [0.1, 0.2], "absolute_sigma": True}
    want = optimize.curve_fit(model, *data, **options)
    made = flow.scipy.curve_fit(f, *data, **options)
    assert_allclose(made[0], want[0], rtol=1e-6)
    assert_allclose(made[1], want[1], rtol=1e-5)
    by_name = flow.compile(lambda x, p: model(x, p["a"], p["b"]), target="python")
    found = flow.scipy.curve_fit(by_name, *data[:2], {"a": 1.0, "b": 1.0}, **options)[0]
    assert_allclose([found["a"], found["b"]], want[0], rtol=1e-6)


@pytest.mark.parametrize("model", [lambda x, c: c, lambda x, c: [c], lambda x, c: c * c + 1.0])
@pytest.mark.parametrize("sigma", [None, [1.0, 2.0, 3.0], np.diag([1.0, 2.0, 3.0]) + 0.1])
def test_models_that_return_one_number(model, sigma):
    f = flow.compile(model, target="python")
    data = np.arange(3.0), np.array([2.0, 4.0, 3.0]), [1.2], sigma
    made, want = flow.scipy.curve_fit(f, *data), optimize.curve_fit(model, *data)
    assert_allclose(made[0], want[0], rtol=1e-6)
    assert_allclose(made[1], want[1], rtol=1e-5)


def test_lists_of_equations_of_structures():
    def equations(p):
        return [p["a"] - 1.0, p["b"][0] * p["a"] - 2.0, p["b"][1] - 3.0]

    start = {"a": 0.5, "b": np.ones(2)}
    flat = flow.compile(equations, target="python")
    constraint = {"type": "eq", "fun": flat}
    far = flow.compile(lambda p: p["a"] ** 2 + np.sum(p["b"] ** 2), target="python")
    for made in (
        flow.scipy.least_squares(flat, start),
        flow.scipy.root(flat, start),
        flow.scipy.minimize(far, start, constraints=constraint),
    ):
        assert_allclose([made.x["a"], *made.x["b"]], [1.0, 2.0, 3.0], rtol=1e-6)


# ---- operators ----
@pytest.mark.parametrize("make", [flow.scipy.jacobian_operator, flow.scipy.hessian_operator])
def test_operators_keep_their_arguments_and_take_complex_vectors(make):
    hessian = make is flow.scipy.hessian_operator
    f = (lambda x, w: np.sum(w * x**3)) if hessian else (lambda x, w: w * x[::-1] * x)
    x, w = np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 7.0])
    operator = make(flow.compile(f, target="python"), x, w)
    matrix = operator @ np.eye(3)
    w[:] = 0.0
    v = np.array([1.0, 2.0j, 3.0 - 1.0j])
    for by, want in ((operator, matrix), (operator.T, matrix.T), (operator.H, matrix.T)):
        assert_allclose(by @ v, want @ v)
        assert_allclose(by @ v.real, want @ v.real)


def test_operators_of_complex_functions_are_refused():
    f = flow.compile(lambda x: x * (1.0 + 2.0j), target="python")
    with pytest.raises(ArgumentTypeError, match="returns complex numbers"):
        flow.scipy.jacobian_operator(f, np.ones(2))
    parts = flow.compile(lambda x: np.stack([x * 1.0, x * 2.0]), target="python")
    assert_allclose(flow.scipy.jacobian_operator(parts, np.ones(1)) @ np.ones(1), [1.0, 2.0])
