"""Items of lists and tuples of numbers at an index that only the run tells."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees
from tests.tools.turns import share

TABLE = (1.0, 2.5, 4.0, 8.0)
PLACES = [0.0, 1.0, 2.5, 3.5]
COUNTS = [3, 1, 2, 0]


def interpolated(x):
    low, high = 0, len(PLACES) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if PLACES[middle] <= x:
            low = middle
        else:
            high = middle
    s = (x - PLACES[low]) / (PLACES[high] - PLACES[low])
    return TABLE[low] * (1.0 - s) + TABLE[high] * s + TABLE[-1 - low] * x


def scaled(x):
    k = int(x)
    return TABLE[k] * x * COUNTS[k] / COUNTS[k - 1]


def of_a_tuple(x):
    powers = (x, x * x, 3.0)
    return powers[int(x)] * 2.0


def of_a_list(x):
    powers = [x, x * x, x**3]
    powers[1] = 5.0 * x
    return powers[int(x)] * 2.0


def of_integers(x):
    k = COUNTS[int(x)]
    return x ** (k + 1) / (k // 2 + 1)


def of_bools(x):
    return x * x if (True, False, True)[int(x)] else x


FUNCTIONS = [interpolated, scaled, of_a_tuple, of_a_list, of_integers, of_bools]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", share(FUNCTIONS), ids=lambda f: f.__name__)
def test_values_and_gradients(f, target):
    compiled = flow.compile(f, target=target)
    for x in (1.3, 2.7) if f is not of_a_list else (1.3,):
        value, gradient = flow.value_and_grad(compiled)(x)
        assert value == f(x) and type(value) is type(f(x))
        assert_allclose(gradient, (f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rtol=1e-8)
        assert_allclose(flow.jvp(compiled, (x,), (1.0,))[1], gradient, rtol=1e-14)


@pytest.mark.parametrize("x", [4.2, -5.1])
def test_an_index_outside_raises(x):
    f = flow.compile(lambda x: TABLE[int(x)] * x, target="python")
    with pytest.raises(IndexError, match="tuple index out of range"):
        flow.grad(f)(x)


def test_changes_of_a_captured_list_are_seen():
    items = [1.0, 2.0, 3.0]
    f = flow.compile(lambda x: items[int(x)] * x, target="python")
    assert flow.grad(f)(1.5) == 2.0
    items[1] = 7.0
    assert flow.grad(f)(1.5) == 7.0


def test_items_of_several_kinds():
    f = flow.compile(lambda x: ("a", 2.0, x)[int(x)] * x, target="python")
    assert flow.grad(f)(1.5) == 2.0 and flow.grad(f)(2.5) == 5.0


def segment(x):
    low, high = PLACES[int(x) : int(x) + 2]
    return (x - low) / (high - low)


def rearranged(x):
    k, powers = int(x), [x, 2.0 * x, x**3]
    joined = powers[:k] + powers[k:][::-1]
    return joined[0] * joined[1] + len(powers[k:])


def appended(x):
    k, counts = int(x), [0, 1, 2, 3]
    rest = counts[k:]
    rest.append(7)
    return x * sum(rest), rest, counts[-k::-1], counts[:k:2], counts


@pytest.mark.parametrize("x", [1.2, 2.3, 0.4])
def test_slices_by_the_run(x):
    for f in (segment, rearranged, appended):
        agrees(f, x)
    slope_agrees(segment, x)
    slope_agrees(rearranged, x)


def test_a_slice_at_the_end_is_shorter():
    raises_alike(segment, 3.3)
    agrees(lambda x: PLACES[int(x) :], 9.3)


def test_a_slice_of_a_captured_list_sees_its_changes():
    items = [1.0, 2.0, 3.0]

    def f(x):
        a, b = items[int(x) : int(x) + 2]
        return a * b * x

    vg = flow.grad(f, target="python")
    assert vg(1.5) == 6.0
    items[1] = 7.0
    assert vg(1.5) == 21.0


def grown(x):
    found, k = [], 0
    while k < x:
        found.append((k * x, np.ones(2) * k))
        k += 1
    return found


def pairs(x):
    (a, u), (b, v) = grown(x)
    return a + b * x, u * v


def starred(x):
    products = [a for a, _ in grown(x)]
    first, *middle, last = products
    *before, _ = products
    _, *after = products
    return first + last * x, middle, before, after, len(middle)


def swapped(x):
    products = [a + 1.0 for a, _ in grown(x)]
    products[1], products[0] = products
    return products


@pytest.mark.parametrize("f", [pairs, starred, swapped])
def test_a_list_that_grew_is_unpacked(f):
    agrees(f, 1.5)
    slope_agrees(lambda x: f(x)[0], 1.5)
    for x in (-1.0, 0.5, 2.5, 3.5):
        raises_alike(f, x) if f is not starred or x < 1.0 else agrees(f, x)
