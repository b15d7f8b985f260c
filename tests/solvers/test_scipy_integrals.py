"""`scipy.integrate.quad` inside compiled code, on the real library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.tools.memo import shared
from tests.tools.turns import share


def wave(x, k, p):
    return np.sin(k * x) * np.exp(-p["d"] * x) + p["w"][0] * x**2 + p["w"][1]


def captured(a, b, k, p):
    return integrate.quad(lambda x: wave(x, k, p), a, b)[0] ** 2


def passed(a, b, k, p):
    value, error = integrate.quad(wave, a, b, args=(k, p), epsabs=1e-12, epsrel=1e-12, limit=80)
    return value**2 if error < 1e-6 else 0.0


def backwards(a, b, k, p):
    return integrate.quad(lambda x: -wave(x, k, p), b, a)[0] ** 2


ARGS = (0.3, 2.0, 1.5, {"d": 0.4, "w": np.array([0.2, -0.3]), "n": 2})
ALONG = (0.7, -0.4, 1.1, {"d": 0.5, "w": np.array([1.0, 2.0])})
DIRECTIONS = (*ALONG[:3], {**ALONG[3], "n": None})


def moved(h):
    p, d = ARGS[3], ALONG[3]
    shifted = {"d": p["d"] + h * d["d"], "w": p["w"] + h * d["w"], "n": 2}
    return *(x + h * dx for x, dx in zip(ARGS[:3], ALONG[:3], strict=True)), shifted


def product(g):
    d = ALONG[3]
    return sum(x * dx for x, dx in zip(g[:3], ALONG[:3], strict=True)) + (
        g[3]["d"] * d["d"] + g[3]["w"] @ d["w"]
    )


EACH = [(captured, "python"), (passed, "python"), (backwards, "python"), (captured, "cpu")]


@pytest.mark.parametrize(("f", "target"), share(EACH))
@shared
def test_integrals(f, target):
    compiled = flow.compile(f, target=target)
    assert_allclose(compiled(*ARGS), f(*ARGS), rtol=1e-12)
    along = product(flow.grad(compiled, (0, 1, 2, 3))(*ARGS))
    assert_allclose(along, (f(*moved(1e-5)) - f(*moved(-1e-5))) / 2e-5, rtol=1e-7)
    assert_allclose(flow.jvp(compiled, ARGS, DIRECTIONS)[1], along, rtol=1e-10)
    if f is captured and target == "python":
        bent = product(flow.hvp(compiled, (0, 1, 2, 3))(*ARGS, DIRECTIONS))
        steps = (f(*moved(1e-3)) - 2.0 * f(*ARGS) + f(*moved(-1e-3))) / 1e-6
        assert_allclose(bent, steps, rtol=1e-4)


def test_a_singular_end_that_is_no_argument_is_no_trouble():
    """The integral of x^(s - 1) from 0 to b is b^s / s, to which the end 0 adds nothing."""

    def f(s, b):
        return integrate.quad(lambda x: x ** (s - 1.0), 0.0, b)[0]

    compiled, s, b = flow.compile(f, target="python"), 0.5, 2.0
    want = b**s / s
    by_s = want * (np.log(b) - 1.0 / s)
    assert_allclose(compiled(s, b), want, rtol=1e-8)
    assert_allclose(flow.grad(compiled, (0, 1))(s, b), [by_s, b ** (s - 1.0)], rtol=1e-6)
    assert_allclose(flow.jvp(compiled, (s, b), (1.0, None))[1], by_s, rtol=1e-6)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_infinite_ranges(target):
    def f(s, mean):
        density = lambda x: np.exp(-0.5 * (x - mean) ** 2 / s**2)
        return integrate.quad(density, -np.inf, np.inf)[0] * mean

    made = flow.grad(flow.compile(f, target=target), (0, 1))(1.5, 0.3)
    root = np.sqrt(2.0 * np.pi)
    assert_allclose(made, [root * 0.3, root * 1.5], rtol=1e-8)


def test_weights_and_points():
    def f(k):
        even = integrate.quad(lambda x: np.exp(-k * x), 0.0, 2.0, weight="cos", wvar=3.0)[0]
        return even + integrate.quad(lambda x: abs(x - 1.0) * k, 0.0, 2.0, points=[1.0])[0]

    h, k = 1e-5, 0.7
    made = flow.grad(flow.compile(f, target="python"))(k)
    assert_allclose(made, (f(k + h) - f(k - h)) / (2 * h), rtol=1e-7)


def test_orders_up_to_the_third():
    """The integral of exp(-k x) from 0 to infinity is 1 / k."""

    def h(k):
        return integrate.quad(lambda x: np.exp(-k * x), 0.0, np.inf, epsabs=1e-12)[0]

    for order in range(1, 4):
        h = (lambda f: lambda k: flow.jvp(f, (k,), (1.0,))[1])(h)
        want = (-1.0) ** order * [1.0, 2.0, 6.0][order - 1] / 0.7 ** (order + 1)
        assert_allclose(flow.compile(h, target="python")(0.7), want, rtol=1e-8)
    with pytest.raises(UnsupportedError, match="a derivative of quad above the order 3"):
        flow.jvp(flow.compile(h, target="python"), (0.7,), (1.0,))


def test_third_derivatives_by_an_end_are_refused():
    def along(f):
        return lambda b, k: flow.jvp(f, (b, k), (1.0, 0.0))[1]

    def f(b, k):
        return integrate.quad(lambda x: np.exp(k * x), 0.0, b)[0]

    second = flow.compile(along(along(f)), target="python")
    assert_allclose(second(1.2, 0.5), 0.5 * np.exp(0.6), rtol=1e-12)
    with pytest.raises(UnsupportedError, match="by which a derivative is taken"):
        flow.compile(along(along(along(f))), target="python")(1.2, 0.5)


def test_a_double_integral_in_a_loop():
    def inner(y, k):
        return integrate.quad(lambda x: np.exp(-k * x * y), 0.0, 1.0)[0]

    def f(k):
        s = 0.0
        for j in range(len(k)):
            s += integrate.quad(inner, 0.0, 1.0, args=(k[j],), epsabs=1e-6)[0]
        return s

    k, h = np.array([0.5, 1.0]), 1e-3
    made = flow.grad(flow.compile(f, target="python"))(k)
    steps = [(f(k + h * e) - f(k - h * e)) / (2 * h) for e in np.eye(2)]
    assert_allclose(made, steps, rtol=1e-5)


# ---- what raises ----
def divergent(k):
    return integrate.quad(lambda x: k / x, 0.0, 1.0)[0]


def test_what_is_not_found_raises_at_the_users_line():
    with pytest.raises(RuntimeError, match="the integral was not found") as raised:
        flow.grad(flow.compile(divergent, target="python"))(1.0)
    assert isinstance(raised.value, SrcgradError)
    assert raised.value.location.line == divergent.__code__.co_firstlineno + 1


def test_a_derivative_by_a_weight_is_refused():
    def f(k):
        return integrate.quad(lambda x: np.exp(-x), 0.0, 2.0, weight="cos", wvar=k)[0]

    compiled = flow.compile(f, target="python")
    assert_allclose(compiled(3.0), f(3.0))
    with pytest.raises(UnsupportedError, match="by which a derivative is taken"):
        flow.grad(compiled)(3.0)


def test_what_is_not_there_is_refused():
    def f(k):
        return integrate.quad(lambda x: k * x, 0.0, 1.0, weight="cos", wvar=1.0, wopts=())[0]

    with pytest.raises(UnsupportedError, match="wopts"):
        flow.grad(flow.compile(f, target="python"))(3.0)


def test_a_derivative_without_the_jump_is_warned_of():
    @flow.compile(target="python")
    def f(a):
        return integrate.quad(lambda x: 1.0 if x < a else 0.5 * a, 0.0, 2.0)[0]

    with pytest.warns(flow.errors.PartialGradientWarning, match="the integrand switches"):
        flow.grad(f)(1.0)


@pytest.mark.filterwarnings("error")
def test_a_jump_that_stays_is_not_warned_of():
    @flow.compile(target="python")
    def f(a):
        return integrate.quad(lambda x: a * x if x < 1.0 else a * a, 0.0, 2.0, points=[1.0])[0]

    assert_allclose(flow.grad(f)(3.0), 6.5)
