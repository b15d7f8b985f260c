"""Recursions whose depth is an argument, behind branches on it: the argument becomes static."""

import functools
import math

import pytest

import srcgrad as flow


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 0:
        half = power(x, n // 2)
        return half * half
    return x * power(x, n - 1)


def even(x, n):
    return x if n == 0 else odd(x * x, n - 1)


def odd(x, n):
    if n > 0:
        if x > -1.0:
            return even(x + 1.0, n - 1)
        return x
    return 2.0 * x


@pytest.mark.parametrize("n", [0, 1, 2, 7, 10])
def test_power_by_squaring(n):
    value, slope = flow.value_and_grad(flow.compile(power, target="python"))(0.7, n)
    assert value == pytest.approx(0.7**n)
    assert slope == pytest.approx(n * 0.7 ** (n - 1))


@pytest.mark.parametrize("n", [0, 1, 4])
def test_two_functions_that_call_each_other(n):
    step = 1e-6
    value, slope = flow.value_and_grad(flow.compile(even, target="python"))(0.3, n)
    assert value == even(0.3, n)
    assert slope == pytest.approx((even(0.3 + step, n) - even(0.3 - step, n)) / (2 * step))


def normal_cdf(x):
    """Abramowitz and Stegun, 26.2.17, and the symmetry for negative arguments."""
    if x < 0.0:
        return 1.0 - normal_cdf(-x)
    t = 1.0 / (1.0 + 0.2316419 * x)
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * -1.821255978)))
    return 1.0 - math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * series


def halvings(x):
    return x if x <= 1.0 else 0.5 + halvings(0.5 * x)


def both_ways(x):
    if x > 1.0:
        return both_ways(0.5 * x) + both_ways(x - 1.0)
    return x * x


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_recursion_that_a_float_ends(target):
    f = flow.value_and_grad(normal_cdf, target=target)
    step = 1e-6
    for x in (-2.0, -0.3, 0.7):
        value, slope = f(x)
        assert value == pytest.approx(normal_cdf(x))
        difference = (normal_cdf(x + step) - normal_cdf(x - step)) / (2.0 * step)
        assert slope == pytest.approx(difference, abs=1e-6)


def test_the_symmetry_is_followed_once():
    """The call within the call is on a path that is never taken."""
    compiled = flow.compile(normal_cdf, target="python")
    compiled(0.5)
    assert compiled.source("numba").count(" = np.exp(") == 2


def test_a_recursion_that_goes_on_is_a_loop():
    f = flow.grad(flow.compile(halvings, target="python"))
    for x, halved in ((0.5, 0), (1000.0, 10), (1e6, 20), (1e60, 200)):
        assert f(x) == pytest.approx(0.5**halved)


def test_two_calls_of_itself():
    value, slope = flow.value_and_grad(flow.compile(both_ways, target="python"))(3.3)
    assert value == pytest.approx(both_ways(3.3))
    assert slope == pytest.approx((both_ways(3.3 + 1e-6) - both_ways(3.3 - 1e-6)) / 2e-6)


@functools.cache
def halved(x):
    return x if x < 0.001 else 0.5 + halved(x / 2.0)


def test_a_function_that_remembers_its_results():
    value, slope = flow.value_and_grad(flow.compile(halved, target="python"))(700.0)
    assert value == pytest.approx(halved(700.0))
    assert slope == pytest.approx(0.5**20)


def bound_by_a_constant(x, n):
    if n > 3 or x > 9.0:
        return x * n
    return bound_by_a_constant(x + 1.0, n)


def test_an_integer_that_no_call_changes():
    g = flow.value_and_grad(flow.compile(bound_by_a_constant, target="python", cache=False))
    assert g(0.5, 5) == (2.5, 5.0)


def counted(x, seen):
    seen[0] += 1
    return x if seen[0] > 5 else counted(x * 1.5, seen)


class Steps:
    def __init__(self):
        self.taken = 0

    def take(self, x):
        self.taken += 1
        return x if self.taken > 5 else self.take(x * 1.5)


def nested(x):
    deep = 0

    def more(y):
        nonlocal deep
        deep += 1
        return y if deep > 5 else more(y * 1.5)

    return more(x)


@pytest.mark.parametrize(
    "f", [lambda x: counted(x, [0]), lambda x: Steps().take(x), nested], ids=["list", "self", ""]
)
def test_counters_end_a_recursion(f):
    value, slope = flow.value_and_grad(flow.compile(f, target="python", cache=False))(2.0)
    assert value == f(2.0)
    assert slope == pytest.approx(1.5**5)
