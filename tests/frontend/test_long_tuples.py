"""Tuples whose length only the run tells: columns of `zip(*items)`, `tuple(...)` of such lists."""

import collections

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import gradcheck
from tests.frontend.as_python import TARGETS, agrees

X = np.array([1.0, -1.0, 2.0, 3.0, -2.0])


def positive(x):
    return tuple(v for v in x if v > 0.0)


def columns(x):
    pairs = [(v, k) for k, v in enumerate(x) if v > 0.0]
    values, places = zip(*pairs, strict=True)
    return values, places, list(zip(*pairs, strict=True))


def columns_of_lists(x):
    rows = [[v, 2.0 * v] for v in x if v > 0.0]
    return (
        list(zip(*rows, strict=True)),
        list(map(list, zip(*rows, strict=True))),
        [tuple(row) for row in rows],
    )


def columns_of_structures(x):
    values, pairs, arrays = zip(
        *[(v, (k, v), np.array([v, 1.0])) for k, v in enumerate(x)], strict=True
    )
    return values, pairs, arrays, np.stack(arrays)


def questions(x):
    a = positive(x)
    b, _ = zip(*[(v, v) for v in x if v > 1.0], strict=True)
    kinds = isinstance(a, tuple), isinstance(a, list), type(b) is tuple, isinstance(b, list)
    orders = (
        a == b,
        a != b,
        bool(a < b),
        bool(a >= b),
        a == list(a),
        a == (1.0, 2.0, 3.0),
        a == (1.0,),
    )
    return kinds, orders, 2.0 in a, bool(a), not b, len(b), a.index(a[1]), b.count(2.0)


def parts(x):
    a = positive(x)
    first, *rest = a
    p, q, r = a
    return a[0], a[-1], a[1:], a[::-1], first, rest, p * q * r, list(reversed(a)), sorted(a)


def joined(x):
    a = positive(x)
    b, one, of_list = positive(2.0 * x), (x[1],), [x[0]]
    return a + b, 2 * a, a * 0, a + one, one + a, x.shape + a, list(a) + of_list


def made_of_others(x):
    queue, table = collections.deque(), {}
    for k, v in enumerate(x):
        if v > 0.0:
            queue.append(v)
            table[k] = v
    return tuple(queue), tuple(table), tuple(table.items()), tuple(sorted(queue)), tuple(x[x > 0.0])


def displays(x):
    a = [v for v in x if v > 0.0]
    return (*a, x[0]), [*reversed(a), *enumerate(a)], [*x[x > 0.0], *map(abs, a)], (*a, *a)


def one_of_two(x):
    return positive(x) if x[0] > 0.0 else positive(-x)


def in_containers(x):
    a = positive(x)
    return {"a": a, "b": [a, 1.0]}, a


PROGRAMS = [
    columns, columns_of_lists, columns_of_structures, questions, parts, joined, made_of_others,
    displays, one_of_two, in_containers,
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_they_are_tuples_as_in_python(f, target):
    compiled = flow.compile(f, target=target)
    for x in (X, X[::-1] + 0.5):
        assert shown(compiled(x)) == shown(f(x))


def shown(v):
    """The classes, lengths and numbers of a structure."""
    if isinstance(v, dict):
        return dict, {k: shown(x) for k, x in v.items()}
    if isinstance(v, list | tuple):
        return type(v), [shown(x) for x in v]
    return (v.shape, v.tolist()) if isinstance(v, np.ndarray) else (type(v), v)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sum(k * v * v for k, v in enumerate(positive(x))),
        lambda x: np.sum(np.asarray(positive(x)) ** 2) + max(positive(x)) * min(positive(x)),
        lambda x: np.interp(1.5, *columns(x)[:1], np.asarray(positive(x)) ** 2),
        lambda x: np.dot(*zip(*[(v, v * v) for v in x if v > 0.0], strict=True)),
    ],
)
def test_derivatives(f):
    gradcheck(f, (X,), target="python")


def test_a_length_that_can_be_known_is():
    def f(x, n):
        return np.zeros(tuple(k for k in range(1, n))).shape, tuple(x * k for k in range(n))

    agrees(f, 2.0, 3)
    jacobian = flow.jacobian(flow.compile(lambda x: tuple(2.0 * v for v in x), target="python"))(X)
    np.testing.assert_array_equal(np.stack(jacobian), 2.0 * np.eye(5))


@pytest.mark.parametrize(
    "f", [lambda x: positive(x)[3], lambda x: positive(x).index(5.0), lambda x: columns(-x)[9]]
)
def test_what_it_raises_is_what_a_tuple_raises(f):
    with pytest.raises((IndexError, ValueError)) as of_python:
        f(X)
    with pytest.raises(of_python.type, match=str(of_python.value).split(":")[0].split("(")[0]):
        flow.compile(f, target="python")(X)


def test_a_queue_is_unpacked():
    def f(x):
        queue = collections.deque(v for v in x if v > 0.0)
        a, b, c = queue
        first, *rest = queue
        return a * b * c, first, rest

    agrees(f, X)
    with pytest.raises(ValueError, match="not enough values to unpack"):
        flow.compile(f, target="python")(-X)
