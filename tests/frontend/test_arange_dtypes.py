"""`np.arange` has the dtype and the values that NumPy's has, by the dtypes of its arguments."""

import itertools

import numpy as np
import pytest

import srcgrad as flow

KINDS = [int, float, np.uint8, np.int16, np.int64, np.uint64, np.float32]


@pytest.mark.parametrize("dtype", [None, np.uint64, np.int64, np.float32])
def test_of_numbers(dtype):
    def upto(n):
        return np.arange(n, dtype=dtype) if dtype else np.arange(n)

    def between(m, n):
        return np.arange(m, n, dtype=dtype) if dtype else np.arange(m, n)

    one = flow.compile(upto, target="python", cache=False)
    two = flow.compile(between, target="python", cache=False)
    for kind in KINDS:
        same(one(kind(3)), upto(kind(3)))
    for a, b in itertools.product(KINDS, KINDS):
        same(two(a(1), b(5)), between(a(1), b(5)))


def same(got, want):
    assert got.dtype == want.dtype and np.array_equal(got, want), (got, want)
