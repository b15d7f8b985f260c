"""Integers that a dtype cannot hold raise where NumPy has it so, and wrap where it has that."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check


def element(a, n):
    a[0] = n
    return a


def part(a, n):
    a[1:] = n
    return a


def listed(a, n):
    a[1:2] = [n]
    return a


def places(a, n):
    a[[0, 1]] = n
    return a


def masked(a, n):
    a[a > 0] = n
    return a


def filled(a, n):
    a.fill(n)
    return a


def put(a, n):
    np.put(a, [0], n)
    return a


def placed(a, n):
    np.place(a, a > 0, [n])
    return a


def copied(a, n):
    np.copyto(a, n)
    return a


def added(a, n):
    a += n
    return a


def divided(a, n):
    a /= n
    return a


def added_to_part(a, n):
    a[1:] += n
    return a


def added_to_places(a, n):
    a[[0, 1]] += n
    return a


def added_where(a, n):
    a[a > 0] *= n
    return a


def element_times(a, n):
    a[0] *= n
    return a


def into(a, n):
    return np.add(a, n, out=a), np.multiply(a, n, out=np.zeros(3, np.float32))


STORES = [
    element, part, listed, places, masked, filled, put, placed, copied, added, divided,
    added_to_part, added_to_places, added_where, element_times, into,
]  # fmt: skip
VALUES = [
    lambda a, n: a + n, lambda a, n: n * a[0], lambda a, n: (a < n, a == n, n >= a[1]),
    lambda a, n: np.maximum(a, n), lambda a, n: np.clip(a, -1000, n), lambda a, n: a & n,
    lambda a, n: np.full(2, n, a.dtype), lambda a, n: np.array([n, 1], a.dtype),
    lambda a, n: a.dtype.type(n), lambda a, n: np.add(a, n, dtype=np.int8),
    lambda a, n: np.full_like(a, n),
]  # fmt: skip
ARRAYS = [np.array([1, 0, 7], t) for t in (np.int8, np.uint8, np.int32, np.int64, np.float32)]
NUMBERS = [
    3, -3, 300, 2**40, 1.7, -300.5, float("nan"), float("inf"), True, np.int64(300), np.uint8(200),
    np.int8(-3), np.float64(1.7), np.float32(2.5), np.array([1, 2, 300]),
    np.array([0.5, 1.5, -2.0]),
]  # fmt: skip


@pytest.mark.parametrize("fn", STORES, ids=lambda f: f.__name__)
def test_stores(fn):
    for a, n in itertools.product(ARRAYS, NUMBERS):
        check(fn, (a, n), "python", rel=1e-6, refused=True)


@pytest.mark.parametrize("k", range(len(VALUES)))
def test_values(k):
    for a, n in itertools.product(ARRAYS, NUMBERS):
        if not (k == 5 and isinstance(n, float | np.floating)):
            check(VALUES[k], (a, n), "python", rel=1e-6, refused=True)


@pytest.mark.parametrize("fn", [element, added, element_times, put], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [3, 300, -300.5, float("nan"), np.int64(300)], ids=str)
def test_compiled(fn, n):
    check(fn, (np.array([1, 0, 7], np.int8), n), "cpu", refused=True)


def test_gradient():
    def f(x, k):
        a = np.zeros(3, np.int8)
        a[0] = k
        return np.sum(x * a) + x[0] * (a[0] < 1000)

    assert flow.grad(f)(np.array([1.0, 2.0, 3.0]), 5).tolist() == [6.0, 0.0, 0.0]
    with pytest.raises(OverflowError, match="Python integer 500 out of bounds for int8"):
        flow.grad(f)(np.array([1.0, 2.0, 3.0]), 500)


def test_where_takes_two_sides():
    with pytest.raises(ValueError, match="either both or neither"):
        flow.compile(lambda x: np.where(x > 0, x), target="python")(np.ones(2))
