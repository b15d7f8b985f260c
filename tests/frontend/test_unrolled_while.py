"""`while` loops whose tests are known: unrolled if something changes its kind in them."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, slope_agrees

V = np.array([0.4, 1.5, -0.7, 2.0])


def axes_in_front(x, v):
    y = v * x
    while y.ndim < 3:
        y = y[None]
    return y * np.sum(y)


def without_a_trip(x, v):
    y = v.reshape(1, 2, 2) * x
    while y.ndim < 3:
        y = y[None]
    return y * np.sum(y)


def by_an_argument(x, v, n=4):
    y = v * x
    while y.ndim < n:
        y = np.expand_dims(y, -1)
    return y


def reduced(x, v):
    y = v.reshape(2, 2) * x
    while len(y.shape) > 0:
        y = np.sum(y * y, axis=0)
    return y


def tuples_that_grow(x, v):
    k, out = 0, ()
    while k < 3:
        out = (*out, v[k] * x)
        k += 1
    else:
        out = (*out, x)
    return out


def linked(x, v):
    node, total = [v, [x, [v * x, None]]], 0.0
    while node is not None:
        head, node = node
        total = total + np.sum(head)
    return total


def left_by_the_run(x, v):
    y = v * x
    while y.ndim < 4:
        y = y[None]
        if x * y.ndim > 1.9:
            break
    else:
        return x
    return np.sum(y * y)


def left_by_a_return(x, v):
    y, n = v * x, 0
    while y.ndim < 4:
        n += 1
        y = y[None]
        if n < 3:
            continue
        if x > 100.0:
            return x
    return np.sum(y) * n


def in_a_loop_of_the_run(x, v):
    total = 0.0
    for k in range(len(v)):
        y = v[k:] * x
        while y.ndim < 3:
            y = y[..., None]
        total = total + np.sum(y * y)
    return total


def stored_to_through_views(x, v):
    y = v * x
    z = y
    while z.ndim < 3:
        z = z[None]
        z[..., 0] += x
    return y


PROGRAMS = [
    axes_in_front, without_a_trip, by_an_argument, reduced, tuples_that_grow, linked,
    left_by_the_run, left_by_a_return, in_a_loop_of_the_run, stored_to_through_views,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    agrees(f, 0.7, V)
    slope_agrees(lambda x, v: np.sum(f(x, v)), 0.7, V)


def test_tests_that_hold_too_often_are_refused_for_the_loop_that_runs():
    def f(x):
        y = x
        while y.ndim < 12:
            y = y[None]
        return np.sum(y)

    with pytest.raises(flow.UnsupportedError, match="y changes kind in a loop"):
        flow.grad(flow.compile(f, target="python", cache=False))(V)
