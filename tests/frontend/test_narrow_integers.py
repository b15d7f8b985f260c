"""Ranges, places and sums of math by narrow numbers: those of Python neither wrap nor round."""

import itertools
import math

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

X = np.linspace(0.1, 1.0, 300)


def upwards(x, a, b):
    return x[1] + sum([x[0] * (i * 2 - 5) for i in range(a, b, 3)])


def downwards(x, a, b):
    s = 0.0
    for i in range(b, a, -7):
        s += x[i] * (i * 2 - 300)
    return s


def turned(x, a, b):
    s = 0.0
    for i in reversed(range(a, b)):
        s += x[i - 3] * i * 3
    return s


def kept(x, a, b):
    i = 0
    for i in range(a, b):
        if i * 2 > 230:
            break
    return x[0] * (i * 2 - 200)


def counted(x, a, b):
    s = 0.0
    for k, (i, v) in enumerate(zip(range(a, b, 2), x, strict=False), a):
        s += v * (k * 2 - 300) * (i * 2 - 250)
    return s


def placed(x, a, b):
    i = a
    s = 0.0
    while i < b:
        s += x[i] * x[-int(i)]
        i += 1
    return s


BOUNDS = [
    (np.uint8(3), np.uint8(250)), (np.int8(-100), np.int8(120)), (np.uint16(7), np.int8(100)),
    (np.uint8(0), np.int8(-1)),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("fn", [upwards, downwards, turned, kept, counted, placed])
def test_as_in_python(fn, bounds, target):
    with np.errstate(over="ignore"):
        want = fn(X, *bounds)
    g = flow.value_and_grad(flow.compile(fn, target=target))
    value, gradient = g(X, *bounds)
    assert value == pytest.approx(want, rel=1e-12)
    assert np.sum(gradient * X) == pytest.approx(slope(fn, bounds), rel=1e-7, abs=1e-7)


def slope(fn, bounds):
    with np.errstate(over="ignore"):
        return (fn(X * (1 + 1e-5), *bounds) - fn(X * (1 - 1e-5), *bounds)) / 2e-5


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_an_array_of_places(target):
    at = np.array([-1, 2, -100], np.int8)
    assert flow.compile(lambda x, at: x[at], target=target)(X, at).tolist() == X[at].tolist()


def sums_of_math(x, n):
    bytes_, narrow = [], []
    for k in range(n):
        bytes_.append(np.int8(100 + k))
        narrow.append(np.float32(x[k]))
    w, z = np.full(4, 100, np.int8), x[:3].astype(np.float32)
    sums = [math.fsum(v) for v in (bytes_, narrow, w, z, x > 0.2)]
    return sums, math.dist(w, -w), math.dist(z, -2 * z)


def accumulated(x, n):
    bytes_, pairs = [], []
    for k in range(n):
        bytes_.append(np.int8(100 + k))
        pairs.append((k, x[k]))
    w = np.full(3, 100, np.int8)
    return list(itertools.accumulate(bytes_)), list(itertools.accumulate(w)), pairs[-1][1]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [sums_of_math, accumulated], ids=lambda f: f.__name__)
def test_sums_of_narrow_numbers(f, target):
    check(f, (np.array([0.5, 0.25, 1.5, 4.0]), 4), target, rel=1e-14)


def test_accumulated_tuples_are_no_numbers():
    def f(x, n):
        pairs = []
        for k in range(n):
            pairs.append((k, x[k]))
        return len(list(itertools.accumulate(pairs)))

    with pytest.raises(flow.UnsupportedError, match="several structures"):
        flow.compile(f, target="python")(np.array([0.5, 0.25]), 2)
