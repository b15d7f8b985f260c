"""Signatures of one function: the kinds of items that one has found do not hold in another."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError

ARGUMENTS = {
    "f64": np.array([1.0, 2.0, 4.0]),
    "f32": np.array([1.0, 2.0, 4.0], np.float32),
    "c128": np.array([1.0, 2.0j, 4.0]),
    "i64": np.array([1, 2, 4]),
}


def numbers(x):
    items = []
    for v in x:
        items.append(v * v)
    return items[0] + items[-1]


def rows(x):
    items = []
    for v in x:
        items.append(np.stack([v, v * v]))
    return np.array(items)


def records(x):
    items = []
    for v in x:
        items.append(("square", v * v))
    return items[-1][1]


def values_of_a_dict(x):
    items = {}
    for k in range(len(x)):
        items[k * k] = x[k] * 2
    return items[0]


def chosen_items(x):
    return [v * 2 for v in x if abs(v) > 1.5][-1]


def made_by_a_generator(x):
    def doubled():
        for v in x:
            yield v * 2

    return list(doubled())[-1]


def groups(x):
    items = [[], []]
    for k in range(len(x)):
        items[k % 2].append(x[k])
    return items[1][0]


PROGRAMS = (
    numbers, rows, records, values_of_a_dict, chosen_items, made_by_a_generator, groups,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_items_have_the_kind_of_each_call(f, target):
    for first, then in itertools.permutations(ARGUMENTS, 2):
        compiled = flow.compile(f, target=target)
        for name in (first, then, first):
            value, expected = compiled(ARGUMENTS[name]), f(ARGUMENTS[name])
            assert value.dtype == expected.dtype, (first, then)
            np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_gradients_have_the_kind_of_each_call(target):
    gradient = flow.value_and_grad(flow.compile(rows, target=target))
    for name in ("f64", "f32", "f64"):
        value, g = gradient(ARGUMENTS[name])
        assert value.dtype == g.dtype == ARGUMENTS[name].dtype
        np.testing.assert_allclose(g, 1 + 2 * ARGUMENTS[name])


def summed(x, at):
    return np.sum(x, axis=at["axis"])


@pytest.mark.parametrize("make", [flow.compile, lambda f: flow.grad(flow.compile(f))])
def test_an_array_in_the_place_of_a_number_that_is_known_when_compiling(make):
    """It is refused as in a first call; calls with numbers are as before."""
    f, x = make(summed), np.arange(6.0).reshape(2, 3)
    first = f(x, {"axis": 0})
    for other in (np.array(0), np.array([0])):
        with pytest.raises(UnsupportedError, match="an axis must be"):
            f(x, {"axis": other})
    np.testing.assert_array_equal(f(x, {"axis": 0}), first)
    np.testing.assert_array_equal(f(x, {"axis": 1}), make(summed)(x, {"axis": 1}))


def test_an_array_after_a_number_that_was_known_is_of_the_run():
    @flow.compile(target="python")
    def chosen(x, k):
        return x[k] if isinstance(k, np.ndarray) else np.sum(x, axis=k)

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(chosen(x, 1), [3.0, 12.0])
    np.testing.assert_array_equal(chosen(x, np.array([1, 0])), x[[1, 0]])
    np.testing.assert_array_equal(chosen(x, np.array([0, 0])), x[[0, 0]])
    assert "k = " not in chosen.explain(x, np.array([1, 0]))
