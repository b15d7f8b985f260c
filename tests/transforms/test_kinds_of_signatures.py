"""Signatures of one function: the kinds of items that one has found do not hold in another."""

import itertools

import numpy as np
import pytest

import srcgrad as flow

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
