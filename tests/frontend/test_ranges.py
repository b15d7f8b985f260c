"""Items, slices and comparisons of ranges, as Python has them; NumPy makes arrays of them."""

from collections.abc import Sequence

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees

CAPTURED = range(3, 9)


def last_of(x, k):
    return x * range(5)[-1] + range(k, 2, -3)[-2]


def at(x, k):
    return x * range(5)[k]


def of_captured(x, k):
    return x * CAPTURED[k] + sum(CAPTURED[1:3])


def backwards(x, k):
    s = 0.0
    for i in range(2, k)[::-1]:
        s = s * x + i
    return s


def parts(x, k):
    s = 0.0
    for i in range(2, 20)[1:k]:
        s = s * x + i
    for i in range(1, 30, 3)[-1:k:-2]:
        s = s * x + i
    return s + range(10)[2:][3] * x + len(range(12)[:k])


def of_class(x, k):
    t = range(k)
    known = isinstance(t, range), isinstance(t, list | np.ndarray), isinstance(t, Sequence)
    return x * np.polyval([x, 2.0], t)[1] + sum(known)


@pytest.mark.parametrize("fn", [of_class, last_of, at, of_captured, backwards, parts])
@pytest.mark.parametrize("k", [-9, -5, -1, 0, 3, 4, 8, 15])
def test_like_python(fn, k):
    compiled = flow.compile(fn, target="python")
    try:
        expected = fn(1.01, k)
    except IndexError as e:
        with pytest.raises(IndexError, match=str(e)):
            compiled(1.01, k)
    else:
        assert compiled(1.01, k) == pytest.approx(expected, rel=1e-14)


def test_a_constant_place_outside():
    with pytest.raises(IndexError, match="range object index out of range"):
        flow.compile(lambda x: x * range(3, 9)[7], target="python")(2.0)


def test_an_index_that_is_no_integer():
    with pytest.raises(flow.UnsupportedError, match="range indices must be integers or slices"):
        flow.compile(lambda x: x * range(3)[1, 2], target="python")(2.0)
    with pytest.raises(TypeError, match="range indices must be integers or slices"):
        flow.compile(lambda x: x * range(3)[x], target="python")(2.0)


def equal_ranges(x, n):
    r = range(0, n, 2)
    k = 0
    for v in (x, 2.0, 3.0):
        if v > 0.8:
            k += 1
    y = x if range(n) == range(2) else -x
    y = 2.0 * y if range(n) != range(0, 2 * n, 2) else y
    y += x * (r == range(0, n - 1, 2)) + (range(0) == range(3, 3)) + (range(n) == [1])
    return y * (3.0 if range(k) == range(n) else 4.0) + (range(n) in [range(1), range(3)])


def equal_slices(x, n):
    y = x if slice(n) == slice(2) else -x
    return y + (slice(1, n) < slice(1, 2)) + (slice(n) != range(n))


@pytest.mark.parametrize("fn", [equal_ranges, equal_slices])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_compared_by_items(fn, n):
    agrees(fn, 0.7, n)
    slope_agrees(fn, 0.7, n)


def test_ranges_have_no_order():
    raises_alike(lambda x, n: x if range(n) < range(2) else -x, 0.7, 2)
    raises_alike(lambda x, n: x if slice(n) <= range(2) else -x, 0.7, 2)


def beside_an_array(x, n):
    k = np.arange(3)
    return np.sum(k == range(3)) * x[0] + np.sum(range(3) != k) + np.sum(x < range(3)) * x[1]


def beside_a_number_of_numpy(x, n):
    v, w = x[1] * 2.0, np.float64(1.0)
    parts = np.sum(v == [v, 1.0]), np.sum((v, w) != v), np.sum(v == range(n)), np.sum(w < [1.5, n])
    return x[0] * parts[0] + x[1] * parts[1] + x[2] * parts[2] + parts[3] + len(v == range(n))


def numbers_of_ranges(x, n):
    x += range(3)
    y = np.zeros(n)
    y[:] = range(n)
    return np.sum(x * range(3)) + np.sum(range(3) - x * x) + np.sum(y) * np.sum(x[0] + range(n))


@pytest.mark.parametrize("fn", [beside_an_array, beside_a_number_of_numpy, numbers_of_ranges])
@pytest.mark.parametrize("n", [1, 3])
def test_numpy_makes_arrays_of_sequences(fn, n):
    x = np.array([0.7, 1.2, 0.9])
    agrees(fn, x, n)
    slope_agrees(lambda a, n: fn(np.array([a, 1.2, 0.9]), n), 0.7, n)
    f = flow.compile(fn, target="python")
    _, slope = flow.jvp(f, (x, n), (np.ones(3), None))
    assert np.isclose(slope, np.sum(flow.grad(f)(x, n)))
