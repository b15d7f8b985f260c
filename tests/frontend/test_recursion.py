"""Recursions whose depth is an argument, behind branches on it: the argument becomes static."""

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
