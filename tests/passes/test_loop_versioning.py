"""Loops in versions: gradients of programs by rows and columns, special values, shared memory."""

from functools import partial

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.passes.loop_versioning import loop_versioning
from srcgrad.primitives import REGISTRY
from tests.passes.with_and_without import with_and_without


def floyd_warshall(D):
    D = D.copy()
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                t = D[i, k] + D[k, j]
                if t < D[i, j]:
                    D[i, j] = t
    return np.sum(D * np.cos(np.arange(n * n)).reshape(n, n))


def longest(D):
    D = D.copy()
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n - 1, -1, -1):
                D[i, j] = max(D[i, j], 0.3 * D[i, k] + D[k, j])
    return np.sum(D * D)


def jordan(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for j in range(n - 1, k - 1, -1):
            A[k, j] /= A[k, k]
        for i in range(n):
            if i != k:
                for j in range(n - 1, -1, -1):
                    A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A * np.cos(np.arange(n * n)).reshape(n, n))


def relaxed(x, y, k, begin, end):
    total = 0.0
    for j in range(begin, end):
        t = x[k] + y[j]
        if t < x[j]:
            x[j] = t
        total += t * x[j]
    return total + np.sum(x * x)


def through_a_row(D, k):
    D = D.copy()
    for i in range(len(D)):
        row, other = D[i], D[k]
        for j in range(len(D)):
            if row[k] * other[j] < row[j]:
                row[j] = row[k] * other[j]
    return np.sum(D * D)


MATRIX = np.round(np.cos(np.arange(16.0) ** 2).reshape(4, 4), 3)
CASES = [
    (floyd_warshall, (MATRIX + 2.0,)),
    (floyd_warshall, (MATRIX + 0.3,)),  # negative numbers on the diagonal
    (longest, (MATRIX,)),
    (jordan, (MATRIX + 6.0 * np.eye(4),)),
    (through_a_row, (MATRIX, 2)),
    *((relaxed, (MATRIX[0], MATRIX[1], k, 0, 4)) for k in (0, 2, 3, -1)),
    *((relaxed, (MATRIX[0], MATRIX[1], 2, *ends)) for ends in ((2, 2), (2, 3), (3, 4), (3, 1))),
]


exactly = partial(with_and_without, "loop_versioning", fastmath=False)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients(f, args, target):
    (value, g), (value0, g0) = exactly(f, args, target=target)
    assert value == value0
    np.testing.assert_allclose(g, g0, rtol=1e-13, atol=1e-13)
    if target == "python":
        flow.testing.gradcheck(f, args, target=target, order=2)


def test_not_a_number_and_infinity():
    for special in (np.nan, np.inf, -np.inf):
        D = MATRIX + 2.0
        D[1, 1] = D[0, 3] = special
        (value, g), (value0, g0) = exactly(floyd_warshall, (D,), target="python")
        np.testing.assert_array_equal(value, value0)
        np.testing.assert_allclose(g, g0, rtol=1e-14)


def one_array_twice():
    x = MATRIX[0].copy()
    return x, x


def overlapping():
    x = MATRIX[1].copy()
    return x[:-1], x[1:]


def empty():
    return np.zeros(0), np.zeros(0)


@pytest.mark.parametrize("make", [one_array_twice, overlapping, empty])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_arguments_that_share_memory(make, target):
    (x, y), (x0, y0) = make(), make()
    n = len(x)
    got = flow.compile(relaxed, target=target, fastmath=False)(x, y, n // 2, 0, n)
    assert got == relaxed(x0, y0, n // 2, 0, n)
    np.testing.assert_array_equal(x, x0)
    np.testing.assert_array_equal(y, y0)


@pytest.mark.parametrize("k", [7, -9])
def test_a_place_that_does_not_exist(k):
    x, y = MATRIX[0].copy(), MATRIX[1]
    f = flow.compile(relaxed, target="python")
    with pytest.raises(IndexError):
        f(x, y, k, 0, 4)
    np.testing.assert_array_equal(x, MATRIX[0])
    assert f(x, y, k, 3, 3) == np.sum(x * x)


def innermost(f, *args):
    """The number of innermost loops of a program."""
    made = flow.compile(f, target="python")
    made(*args)
    found = parse(made.ir(), REGISTRY)
    loops = [s for s in walk(found.body) if isinstance(s, For)]
    return sum(not any(isinstance(t, For) for t in walk(s.body)) for s in loops)


@pytest.mark.parametrize(
    ("f", "args", "more"), [(floyd_warshall, CASES[0][1], 1), (jordan, CASES[3][1], 1)]
)
def test_two_loops_for_one(f, args, more):
    found = innermost(f, *args)
    with without("loop_versioning"):
        assert found == innermost(f, *args) + more


def test_versions_stay_as_they_are():
    once = loop_versioning(parse(FIRST, REGISTRY))
    assert to_text(once) == to_text(loop_versioning(parse(to_text(once), REGISTRY)))


def test_a_promise_is_kept():
    f = parse(FIRST.replace("range(0, n)", "promised(range(0, n))"), REGISTRY)
    assert to_text(loop_versioning(f)) == to_text(f)


FIRST = """
def f(x: f64[n], a: f64, k: int):
    n: int = dim(x, axis=0)
    for j in range(0, n):
        u: f64 = load(x, k)
        w: f64 = load(x, j)
        t: f64 = mul(u, a)
        c: bool = lt(t, w)
        if c:
            store(x, j, t)
    return ()
"""
