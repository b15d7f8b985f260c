"""Solvers of `scipy.optimize` for equations inside compiled code, on the real library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.tools.memo import shared
from tests.tools.turns import share


def pair(x, a, b):
    return [x[0] ** 2 + b * x[1] - a[0], x[1] ** 3 + np.sin(x[0]) - a[1]]


def pair_slopes(x, a, b):
    return [[2.0 * x[0], b], [np.cos(x[0]), 3.0 * x[1] ** 2]]


def captured(a, b):
    return optimize.fsolve(lambda x: pair(x, a, b), [1.0, 1.0])


def passed(a, b):
    return optimize.fsolve(pair, np.ones(2), args=(a, b), xtol=1e-12)


def with_slopes(a, b):
    return optimize.fsolve(pair, (1, 1), (a, b), pair_slopes)


def with_columns(a, b):
    def columns(x):
        return np.array(pair_slopes(x, a, b)).T

    return optimize.fsolve(lambda x: pair(x, a, b), [1.0, 1.0], fprime=columns, col_deriv=True)


def by_root(a, b):
    return optimize.root(pair, np.ones(2), (a, b), tol=1e-12).x


def by_levenberg(a, b):
    return optimize.root(lambda x: np.array(pair(x, a, b)), [1.0, 1.0], method="lm").x


def by_both(a, b):
    def both(x, a, b):
        return pair(x, a, b), pair_slopes(x, a, b)

    return optimize.root(both, [1.0, 1.0], args=(a, b), jac=True).x


def by_krylov(a, b):
    return optimize.root(
        lambda x: np.stack(pair(x, a, b)), [1.0, 1.0], method="krylov", options={"fatol": 1e-12}
    ).x


def by_step(a, b):
    """Alternately: x0 = sqrt(a0 - b x1), x1 = cbrt(a1 - sin x0)."""
    return optimize.fixed_point(
        lambda x: np.array([np.sqrt(a[0] - b * x[1]), np.cbrt(a[1] - np.sin(x[0]))]), [1.0, 1.0],
        xtol=1e-12,
    )  # fmt: skip


SYSTEMS = [captured, passed, with_slopes, with_columns, by_root, by_levenberg, by_both, by_krylov,
           by_step]  # fmt: skip
A, B = np.array([2.5, 1.6]), 1.2


def derivative_by(f, *directions):
    """The mixed derivative of sum(sin(f)) along directions (da, db), by central differences."""
    if not directions:
        return lambda a, b: np.sum(np.sin(f(a, b)))
    (da, db), *others = directions
    inner, h = derivative_by(f, *others), 2e-4

    def made(a, b):
        return (inner(a + h * da, b + h * db) - inner(a - h * da, b - h * db)) / (2.0 * h)

    return made


EACH = [(f, "python") for f in SYSTEMS] + [(captured, "cpu"), (by_root, "cpu")]


@pytest.mark.parametrize(("f", "target"), share(EACH))
@shared
def test_systems(f, target):
    compiled = flow.compile(f, target=target)
    assert_allclose(compiled(A, B), f(A, B), rtol=1e-7)

    def loss(a, b):
        return np.sum(np.sin(compiled(a, b)))

    da, db = np.array([0.3, -1.0]), 0.7
    loss = flow.compile(loss, target=target)
    grad_a, grad_b = flow.grad(loss, (0, 1))(A, B)
    along = grad_a @ da + grad_b * db
    assert_allclose(flow.jvp(loss, (A, B), (da, db))[1], along, rtol=1e-9)
    assert_allclose(along, derivative_by(passed, (da, db))(A, B), rtol=1e-5)
    if f in (captured, by_step) and target == "python":
        bent = flow.hvp(loss, (0, 1))(A, B, (da, db))
        both = bent[0] @ da + bent[1] * db
        assert_allclose(both, derivative_by(passed, (da, db), (da, db))(A, B), rtol=1e-3)
    assert np.array_equal(A, [2.5, 1.6])


def cubic(x, a):
    return x**3 + x - a


def cubic_slope(x, a):
    return 3.0 * x**2 + 1.0


ONE = {
    "bracket": lambda a: optimize.root_scalar(cubic, (a,), bracket=[0, 5]).root,
    "captured": lambda a: optimize.root_scalar(lambda x: x**3 + x - a, bracket=(0.0, 5.0)).root,
    "bisect": lambda a: optimize.root_scalar(cubic, a, "bisect", (0.0, 5.0), rtol=1e-12).root,
    "brenth": lambda a: optimize.root_scalar(cubic, (a,), "brenth", [0.0, 5.0]).root,
    "ridder": lambda a: optimize.root_scalar(cubic, (a,), method="ridder", bracket=[0, 5]).root,
    "toms748": lambda a: optimize.root_scalar(cubic, (a,), method="toms748", bracket=[0, a]).root,
    "secant": lambda a: optimize.root_scalar(cubic, (a,), x0=1.0, x1=1.5, xtol=1e-12).root,
    "newton": lambda a: optimize.root_scalar(cubic, (a,), x0=1.0, fprime=cubic_slope).root,
    "without slope": lambda a: optimize.root_scalar(cubic, (a,), x0=1.0, xtol=1e-12).root,
    "halley": lambda a: optimize.root_scalar(
        lambda x: cubic(x, a), x0=1, fprime=lambda x: cubic_slope(x, a), fprime2=lambda x: 6.0 * x
    ).root,
    "fixed point": lambda a: optimize.fixed_point(
        lambda x: x - cubic(x, a) / 20.0, 1.0, xtol=1e-13
    ),
    "iteration": lambda a: optimize.fixed_point(
        lambda x, c: x - cubic(x, c) / 20.0, 1.0, (a,), 1e-13, method="iteration"
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "target"), share([*((n, "python") for n in ONE), ("ridder", "cpu")])
)
@shared
def test_one_equation(name, target):
    f = flow.compile(ONE[name], target=target)
    a = 10.0
    assert_allclose(f(a), 2.0, rtol=1e-7)
    assert_allclose(f(a), ONE[name](a), rtol=1e-7)
    slope = 1.0 / 13.0  # at x = 2
    assert_allclose(flow.grad(f)(a), slope, rtol=1e-6)
    assert_allclose(flow.jvp(f, (a,), (2.0,))[1], 2.0 * slope, rtol=1e-6)
    assert_allclose(flow.jvp(flow.grad(f), (a,), (1.0,))[1], -12.0 * slope**3, rtol=1e-5)


def test_every_order():
    """The root of a x = 1 is 1 / a, whose k-th derivative is (-1)^k k! / a^(k + 1)."""

    def along(f):
        return lambda a: flow.jvp(f, (a,), (1.0,))[1]

    def h(a):
        return optimize.bisect(lambda x: x * a - 1.0, 0.0, 5.0)

    for _ in range(8):
        h = along(h)
    assert_allclose(flow.compile(h, target="python")(0.5), 40320.0 * 2.0**9, rtol=1e-9)


@pytest.mark.parametrize("target", ["cpu"])
def test_in_a_loop_with_structures(target):
    def total(p):
        s = 0.0
        for k in range(len(p["a"])):
            c = p["a"][k]
            sol = optimize.root(lambda x: x + p["b"] * x**3 - c, np.ones(1))  # noqa: B023  (called here)
            if sol.success:
                s += np.sum(sol.x) + 0.0 * np.sum(sol.fun)
        return s

    p = {"a": np.array([1.0, 2.0, 3.0]), "b": 0.5, "n": 3}
    got = flow.grad(flow.compile(total, target=target))(p)
    x = np.array([optimize.brentq(lambda x, c=c: x + 0.5 * x**3 - c, 0, 5) for c in p["a"]])
    slope = 1.0 / (1.0 + 1.5 * x**2)
    assert_allclose(got["a"], slope, rtol=1e-7)
    assert_allclose(got["b"], -np.sum(slope * x**3), rtol=1e-7)


def test_functions_of_one_name_are_told_apart():
    def made(power):
        def f(a):
            return np.sum(optimize.fsolve(lambda x: x**power - a, [1.1, 1.2]))

        return flow.compile(f, target="python")

    for power in (1, 2, 3, 2):
        assert_allclose(made(power)(5.0), 2.0 * 5.0 ** (1.0 / power), rtol=1e-7)
        assert_allclose(flow.grad(made(power))(5.0), 2.0 / power * 5.0 ** (1.0 / power - 1.0))


def test_float32_parameters_have_float32_gradients():
    def f(a):
        return np.sum(optimize.fsolve(lambda x: x * x - a, np.ones(2)))

    a = np.array([4.0, 9.0], np.float32)
    made = flow.grad(flow.compile(f, target="python"))(a)
    assert made.dtype == np.float32
    assert_allclose(made, [0.25, 1.0 / 6.0], rtol=1e-6)


def test_a_list_that_grows_is_refused_and_an_array_of_it_is_not():
    def doubled(a):
        values = []
        for k in range(len(a)):
            values.append(a[k] * 2.0)
        return values

    def by_list(a):
        values = doubled(a)
        return optimize.brentq(lambda x: x - values[0] ** 2, 0.0, 50.0)

    def by_array(a):
        values = np.array(doubled(a))
        return optimize.brentq(lambda x: x - values[0] ** 2, 0.0, 50.0)

    with pytest.raises(UnsupportedError, match="captures a list that grows"):
        flow.compile(by_list, target="python")(np.array([1.0, 2.0]))
    made = flow.grad(flow.compile(by_array, target="python"))(np.array([1.0, 2.0]))
    assert_allclose(made, [8.0, 0.0])


# ---- what raises ----
def no_root(a):
    return optimize.fsolve(lambda x: x**2 + a, [1.0])[0]


def a_valley(a):
    return optimize.root(lambda x: np.array([x[0] ** 2 + a]), [0.7], method="lm").x[0]


def few_steps(a):
    return optimize.root(lambda x: np.exp(x) - a, [9.0], options={"maxfev": 3}).x[0]


def outside(a):
    return optimize.root_scalar(lambda x: x * x + a, bracket=(0.0, 1.0), method="ridder").root


def diverging(a):
    return optimize.fixed_point(lambda x: 2.0 * x + a, 1.0, maxiter=20, method="iteration")


@pytest.mark.parametrize(("f", "error", "said"), [
    (no_root, RuntimeError, "the root was not found: The iteration is not making good progress"),
    (a_valley, RuntimeError, "the root was not found: the search ended where the equations are 3"),
    (few_steps, RuntimeError, "the root was not found: The number of calls"),
    (outside, ValueError, "must have different signs"),
    (diverging, RuntimeError, "Failed to converge after 20 iterations"),
])  # fmt: skip
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_has_not_converged_raises_at_the_users_line(f, error, said, target):
    if target == "cpu" and f is not no_root:
        return
    with np.errstate(all="ignore"), pytest.raises(error, match=said) as raised:
        flow.grad(flow.compile(f, target=target))(3.0)
    assert isinstance(raised.value, SrcgradError)
    assert raised.value.location.line == f.__code__.co_firstlineno + 1


def test_an_error_of_the_equations_is_the_users():
    def f(a):
        def equations(x):
            if x[0] > 0.5:
                raise ZeroDivisionError("too large")
            return x - a

        return optimize.fsolve(equations, [0.0])[0]

    with pytest.raises(ZeroDivisionError, match="too large"):
        flow.compile(f, target="python")(3.0)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_singular_jacobian_has_no_derivative(target):
    def f(a):
        return np.sum(optimize.fsolve(lambda x: (x - a) ** 3, [0.5, 0.5], xtol=1e-3))

    compiled = flow.compile(f, target=target)
    assert_allclose(compiled(0.5), 1.0)
    for derivative in (flow.grad(compiled), lambda a: flow.jvp(compiled, (a,), (1.0,))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            derivative(0.5)


@pytest.mark.parametrize(("f", "said"), [
    (lambda a: optimize.fsolve(lambda x: x - a, [1.0], full_output=True)[0][0], "full_output"),
    (lambda a: optimize.fsolve(lambda x: x - a, [1.0], diag=[1.0])[0], "diag"),
    (lambda a: optimize.root(lambda x: x - a, [1.0], callback=print).x[0], "callback"),
    (lambda a: optimize.root_scalar(lambda x: x - a, x0=1.0, options={}).root, "options"),
])  # fmt: skip
def test_what_is_not_there_is_refused(f, said):
    with pytest.raises(UnsupportedError, match=said):
        flow.grad(flow.compile(f, target="python"))(3.0)
