"""Root finders of SciPy in compiled code: the roots are SciPy's, the derivatives implicit ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.tools.turns import share

TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def cubic(x, a):
    return x**3 - a


def captured(a):
    return optimize.brentq(lambda x: x**3 - a, 0.0, 10.0)


def passed(a):
    return optimize.brentq(cubic, 0.0, 10.0, args=(a,))


def halved(a):
    return optimize.bisect(cubic, 0.0, 10.0, args=a, xtol=1e-10)


def by_secants(a):
    return optimize.newton(cubic, 1.0, args=(a,))


def by_newton(a):
    return optimize.newton(cubic, 1.0, lambda x, a: 3 * x * x, args=(a,), tol=1e-12)


def at_the_end(a):
    return optimize.brentq(lambda x: x - 1.0 * a, 8.0, 10.0) / 12.0


FINDERS = [captured, passed, halved, by_secants, by_newton]
EACH = [(f, "python") for f in FINDERS] + [(captured, "cpu")]


@pytest.mark.parametrize(("f", "target"), share(EACH))
def test_roots_and_derivatives(f, target):
    compiled = flow.compile(f, target=target)
    assert compiled(8.0) == f(8.0) and type(compiled(8.0)) is float
    assert_allclose(flow.grad(compiled)(8.0), 1 / 12, rtol=1e-8)
    assert_allclose(flow.jvp(compiled, (8.0,), (1.0,))[1], 1 / 12, rtol=1e-8)
    assert_allclose(flow.grad(flow.grad(compiled))(8.0), -1 / 144, rtol=1e-7)
    if f is not captured or target == "cpu":
        return
    third_order = flow.grad(flow.grad(flow.grad(compiled)))(8.0)
    assert_allclose(third_order, 10 / 27 * 8.0 ** (-8 / 3), rtol=1e-6)


def test_the_fourth_derivative():
    """At a = 2 the root of x^3 + x = a is 1, and 1 / (3 x^2 + 1) is differentiated by the root."""
    h = flow.compile(lambda a: optimize.brentq(lambda x: x**3 + x - a, -5.0, 5.0), target="python")
    for _ in range(4):
        h = flow.grad(h)
    assert_allclose(h(2.0), (360 / 4.0**5 - 3240 / 4.0**6) / 4.0, rtol=1e-6)


@TARGETS
def test_a_root_at_an_end_of_the_bracket(target):
    assert_allclose(flow.grad(flow.compile(at_the_end, target=target))(8.0), 1 / 12)


@pytest.mark.parametrize("name", ["brentq", "bisect", "newton"])
def test_roots_are_scipys_to_the_last_bit(name):
    find, rng = getattr(optimize, name), np.random.default_rng(7)

    def f(x, a, b, c):
        return np.tanh(a * x) + b * (x * x * x) - c

    starts = (-0.3,) if name == "newton" else (-6.0, 5.0)

    def root(a, b, c):
        return find(f, *starts, args=(a, b, c))

    compiled = flow.compile(root, target="python")
    for a, b, c in rng.uniform(0.2, 2.0, (15, 3)):
        assert compiled(a, b, c) == root(a, b, c)


@TARGETS
def test_in_a_loop_with_arrays(target):
    def total(a, b):
        s = 0.0
        for i in range(len(a)):
            s += optimize.brentq(lambda x, c: np.exp(x) * x - c * b, 0.0, 5.0, args=(a[i],))
        return s

    a = np.array([0.5, 1.0, 2.0])
    got = flow.grad(flow.compile(total, target=target), (0, 1))(a, 1.3)
    x = np.array([optimize.brentq(lambda x, c=c: np.exp(x) * x - c * 1.3, 0.0, 5.0) for c in a])
    slope = np.exp(x) * (1 + x)
    assert_allclose(got[0], 1.3 / slope, rtol=1e-9)
    assert_allclose(got[1], np.sum(a / slope), rtol=1e-9)


@pytest.mark.parametrize(("f", "error", "said"), [
    (lambda a: optimize.brentq(lambda x: x * x + a, 0.0, 1.0), ValueError, "different signs"),
    (lambda a: optimize.bisect(lambda x: x * x + a, 0.0, 1.0), ValueError, "different signs"),
    (lambda a: optimize.brentq(cubic, 0.0, 9.0, args=(a,), maxiter=3), RuntimeError, "3 iter"),
    (lambda a: optimize.brentq(cubic, 0.0, 9.0, args=(a,), xtol=0.0), ValueError, "xtol too"),
    (lambda a: optimize.newton(cubic, 1.0, args=(a,), maxiter=2), RuntimeError, "2 iterations"),
    (lambda a: optimize.newton(lambda x: x * x + a, 0.0, lambda x: 2 * x), RuntimeError, "zero"),
    (lambda a: optimize.newton(cubic, 1.0, args=(a,), maxiter=0), ValueError, "greater than 0"),
])  # fmt: skip
def test_what_raises_there_raises_here(f, error, said):
    with pytest.raises(error, match=said):
        f(3.0)
    with pytest.raises(error, match=said):
        flow.grad(flow.compile(f, target="python"))(3.0)


@pytest.mark.parametrize("f", [
    lambda a: optimize.brentq(lambda x: np.log(x) * a, -1.0, 2.0),
    lambda a: optimize.bisect(lambda x: np.sqrt(x * (x - 1)) * a - 0.1, -0.5, 1.0),
    lambda a: optimize.newton(lambda x: x - a, 1.0, x1=1.0),
])  # fmt: skip
def test_what_is_not_a_number_raises_there_and_here(f):
    with np.errstate(all="ignore"), pytest.raises(ValueError) as there:
        f(3.0)
    with np.errstate(all="ignore"), pytest.raises(ValueError) as here:
        flow.compile(f, target="python")(3.0)
    assert str(there.value).partition("(")[0] in str(here.value)


def test_a_flat_function_has_no_derivative_at_its_root():
    def f(a):
        return optimize.brentq(lambda x: np.sign(x - a), -1.0, 2.0)

    with pytest.raises(RuntimeError, match="the root has no derivative"):
        flow.grad(flow.compile(f, target="python"))(0.3)


def test_what_is_not_there_is_refused():
    def f(a):
        return optimize.brentq(cubic, 0.0, 9.0, args=(a,), full_output=True)[0]

    with pytest.raises(UnsupportedError, match="full_output"):
        flow.grad(flow.compile(f, target="python"))(3.0)


@pytest.mark.parametrize("starts", [{"x0": 1 + 1j}, {"x0": 1.0, "x1": 1 + 1j}])
@pytest.mark.parametrize("slope", [None, lambda x: 2 * x])
def test_newton_of_complex_numbers_is_refused(starts, slope):
    def f(a):
        return optimize.newton(lambda x: x * x + a, fprime=slope, **starts).imag

    def steps(a):
        x = 1 + 1j
        while abs(x * x + a) > 1e-14:
            x = x - (x * x + a) / (2 * x)
        return x.imag

    with pytest.raises(UnsupportedError, match="newton of complex numbers") as caught:
        flow.compile(f, target="python")(3.0)
    assert "loop of its steps" in str(caught.value) and "in f" in str(caught.value)
    assert_allclose(flow.grad(flow.compile(steps, target="python"))(3.0), 0.5 / np.sqrt(3.0))


def summed_in_a_loop(x, a):
    s = 0.0
    for i in range(5):
        s += x * i
    return s - a


def nested_in_a_loop(x, a):
    s = x
    for _ in range(3):
        s = np.exp(-s * a) + s * x
    return s - 1.2


def through_a_list(x, a):
    parts = []
    for i in range(3):
        parts.append(x * i * a)
    return sum(parts) - 2.0


def by_any_solver(equation, name):
    return {
        "brentq": lambda a: optimize.brentq(lambda x: equation(x, a), 0.01, 5.0),
        "newton": lambda a: optimize.newton(lambda x: equation(x, a), 1.0),
        "fsolve": lambda a: optimize.fsolve(lambda x: np.array([equation(x[0], a)]), [1.0])[0],
        "minimize": lambda a: optimize.minimize(lambda x: equation(x[0], a) ** 2, [1.0]).x[0],
    }[name]


LOOPS = [
    (equation, name)
    for equation in (summed_in_a_loop, nested_in_a_loop, through_a_list)
    for name in ("brentq", "newton", "fsolve", "minimize")
]


@pytest.mark.parametrize(("equation", "name"), share(LOOPS))
def test_equations_with_loops_have_gradients(equation, name):
    f = flow.compile(by_any_solver(equation, name), target="python")
    x = optimize.brentq(equation, 0.01, 5.0, args=(1.3,))
    by_x, by_a = flow.grad(flow.compile(equation, target="python"), (0, 1))(x, 1.3)
    assert_allclose(flow.grad(f)(1.3), -by_a / by_x, rtol=1e-4)
    assert_allclose(flow.jvp(f, (1.3,), (1.0,))[1], -by_a / by_x, rtol=1e-4)
