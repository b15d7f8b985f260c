"""Integers of Python past 64 bits: an error, where they would wrap around without a word."""

import math

import numpy as np
import pytest

import srcgrad as flow

TARGETS = ("python", "cpu")


def factorial(x, n):
    p = 1
    for i in range(1, n + 1):
        p *= i
    return x / p


def binomial(x, n):
    a = 1
    for i in range(n):
        a = a * (2 * n - i) // (i + 1)
    return a * x


def cubed(x, n):
    p = 1
    while n > 0:
        p, n = 27 * p, n - 1
    return x * p


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a * x


def doubled(x, n):
    p = 1
    for i in range(n):
        if i % 2 == 0:
            p = p + p
        else:
            p = p - -1 * p
    return p * x


def in_two_loops(x, n):
    p = -1
    for _ in range(n):
        for _ in range(2):
            p = p * 3
    return p * x


def thirds(x, n):
    p = 2
    for _ in range(n):
        p = p * 6 // 2
    return p * x


# the largest n for which all integers of the program have 64 bits
LARGEST = {
    factorial: 20, binomial: 30, cubed: 13, fibonacci: 91, doubled: 62, in_two_loops: 19,
    thirds: 38,
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", LARGEST)
def test_integers_of_64_bits_are_those_of_python(f, target):
    for n in (0, 1, 5, LARGEST[f]):
        value, slope = flow.value_and_grad(f, target=target)(0.7, n)
        assert math.isclose(value, f(0.7, n), rel_tol=1e-15)
        assert math.isclose(slope, f(1.0, n), rel_tol=1e-15)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", LARGEST)
def test_longer_ones_are_refused(f, target):
    for n in (LARGEST[f] + 1, LARGEST[f] + 9):
        with pytest.raises(flow.UnsupportedError, match="past 64 bits"):
            flow.grad(f, target=target)(0.7, n)
    with pytest.raises(flow.UnsupportedError, match="past 64 bits"):
        flow.compile(f, target=target)(0.7, 200)


@pytest.mark.parametrize("target", TARGETS)
def test_the_way_out(target):
    def f(x, n):
        p = 1.0
        for i in range(1, n + 1):
            p *= i
        return x / p

    assert math.isclose(flow.grad(f, target=target)(0.7, 60), 1.0 / math.factorial(60))


@pytest.mark.parametrize("target", TARGETS)
def test_remainders_keep_integers_short(target):
    def f(x, n):
        s = 12345
        for _ in range(n):
            s = (1103515245 * s + 12345) % 2**31
        return x * s / 2**31

    assert flow.compile(f, target=target)(0.7, 100) == f(0.7, 100)


@pytest.mark.parametrize("target", TARGETS)
def test_integers_of_numpy_wrap_around(target):
    def f(x, n):
        s = np.int64(3)
        for _ in range(n):
            s = s * np.int64(3)
        return x * s

    with np.errstate(over="ignore"):
        assert flow.compile(f, target=target)(0.7, 50) == f(0.7, 50)


def test_counters_and_signs_are_not_looked_at():
    def f(x, n):
        k, sign, total, low, high = 0, 1, 0.0, 0, n
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if middle * x < 1.0 else (low, middle)
        while k < n:
            total += sign * x ** (2 * k + 1) * (-1) ** k + k * n
            k += 1
            sign *= -1
        return total + low

    compiled = flow.compile(f, target="python")
    assert compiled(0.5, 9) == f(0.5, 9)
    assert "fail" not in compiled.ir()
