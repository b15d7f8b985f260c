"""Integers near the largest one: what wraps around is no place, and a check that wraps fails."""

import contextlib
import sys

import numpy as np
import pytest

import srcgrad as flow

LARGEST = sys.maxsize
X = np.arange(1.0, 5.0)


def moved_by_a_constant(x, n):
    s = 0.0
    for i in range(n):
        s += x[i + 2]
    return s


def moved_by_the_largest(x, n):
    s = 0.0
    for i in range(n):
        s += x[i + 9223372036854775807]
    return s


def moved_by_a_number(x, n):
    s = 0.0
    if n >= 0:
        for i in range(3):
            s += x[i + n]
    return s


def moved_downwards(x, n):
    s = 0.0
    if n >= 0:
        for i in range(2, -1, -1):
            s += x[i + n]
    return s


def counted(x, n):
    s = 0.0
    if n >= 0:
        j = n
        for _ in range(3):
            s += x[j]
            j += 1
    return s


def two_loops(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += x[i + j]
    return s


def growing_rows(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + n):
            s += x[j]
    return s


def neighbours(x, n):
    s = 0.0
    for i in range(n):
        for j in range(3):
            s += x[i + j]
    return s


def every_other(x, n):
    s = 0.0
    for i in range(0, n, 2):
        s += x[i + 1]
    return s


LOOPS = (
    moved_by_a_constant, moved_by_the_largest, moved_by_a_number, moved_downwards, counted,
    two_loops, growing_rows, neighbours, every_other,
)  # fmt: skip


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [LARGEST, LARGEST - 1, 2**62 + 1, 2**62])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_place_that_wraps_around_is_out_of_bounds(f, n, target):
    with pytest.raises((IndexError, OverflowError)):
        f(X, n)
    with pytest.raises(IndexError):
        flow.compile(f, target=target)(X, n)


def a_sum_that_is_compared(x, a, b):
    if a >= 0 and b >= 0 and a + b < len(x):
        return x[a + b]
    return 0.0


def a_step_that_is_compared(x, a, b):
    j, s = b, 0.0
    for _ in range(4):
        if j < len(x):
            s += x[j]
        j += a
    return s


def a_place_below_what_is_compared(x, a, b):
    s = 0.0
    if a >= 0 and a + 2 < len(x):
        s += x[a] * x[a + b]
    return s


def a_bound_below_the_least(x, a, b):
    s = 0.0
    if a <= len(x):
        for i in range(a - 1):
            s += x[i] * b
    return s


@pytest.mark.parametrize(
    ("f", "a", "b"),
    [
        (a_sum_that_is_compared, LARGEST, LARGEST),
        (a_sum_that_is_compared, LARGEST, LARGEST - 8),
        (a_step_that_is_compared, 2**62, 0),
        (a_step_that_is_compared, 1, LARGEST),
        (a_place_below_what_is_compared, LARGEST, 1),
        (a_place_below_what_is_compared, LARGEST - 1, 0),
        (a_bound_below_the_least, -LARGEST - 1, 2),
    ],
)
def test_what_has_wrapped_around_is_no_place_outside_of_the_array(f, a, b, monkeypatch):
    """Integers have 64 bits in compiled code: it reads another element, or raises IndexError."""
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    with contextlib.suppress(IndexError):
        flow.compile(f, target="cpu")(X, a, b)


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, LARGEST, 2), (LARGEST, 0, -3), (5, LARGEST, LARGEST)]
)
def test_a_range_to_the_largest_integer_has_its_trips(start, stop, step):
    def first(start, stop, step):
        s = 0
        for i in range(start, stop, step):
            s += i
            if s:
                break
        return s, len(range(start, stop, step))

    for target in ("python", "cpu"):
        assert flow.compile(first, target=target)(start, stop, step) == first(start, stop, step)
