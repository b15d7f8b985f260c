"""Recursions whose depth is an argument, behind branches on it: the argument becomes static."""

import pytest

import srcgrad as flow
from srcgrad.frontend import calls


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


def reflected(x):
    if x < 0.0:
        return 1.0 - reflected(-x)
    return x * x


def test_calls_that_nothing_tells_apart_are_refused_at_once(monkeypatch):
    followed = []
    inline = calls.inline
    monkeypatch.setattr(calls, "inline", lambda *a: followed.append(a) or inline(*a))
    with pytest.raises(flow.UnsupportedError, match=r"depth of the recursion of reflected\(\)"):
        flow.compile(reflected, target="python", cache=False)(0.5)
    assert len(followed) <= 4


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
