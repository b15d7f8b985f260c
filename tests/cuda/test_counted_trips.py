"""Loops that count, or append to a list, as kernels: how many are launched, in any order."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.errors import UnsupportedError
from srcgrad.passes import without
from tests.cuda.checks import ORDERS, Watched, near


def every_second(x):
    k, total = 1, 0.0
    for i in range(len(x) // 2):
        total += x[k] * x[k] * np.sin(x[i])
        k += 2
    return total


def stored(x):
    k, y = 0, np.zeros(len(x))
    for v in x:
        y[k] = v * v * k
        k += 1  # noqa: SIM113  (a counter of the user is what is compiled)
    return np.sum(y * x)


def appended(x):
    values = []
    for i in range(len(x) - 1):
        values.append(np.sin(x[i]) * x[i + 1])
    a = np.array(values)
    return np.sum(a * a) + len(values) * x[0]


def comprehended(x):
    return np.sum(np.array([v * v * np.sin(v) for v in x]) ** 2)


def two_lists(x):
    first, second = [], []
    for v in x:
        first.append(v * v)
        second.append(np.cos(v))
        second.append(v)
    return np.sum(np.array(first)) * np.sum(np.array(second) ** 2)


X = np.linspace(0.2, 1.4, 80)  # more than are unrolled


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("fn", [every_second, stored, appended, comprehended, two_lists])
def test_loops_that_count_are_kernels(fn, order):
    """No more kernels for twice the trips."""
    want = flow.value_and_grad(flow.compile(fn, target="python"))(X)
    transform = flow.value_and_grad(flow.compile(fn, target="cuda"))
    with using(device := Watched(order)):
        near(transform(X), want)
        launched = len(device.launched)
        transform(np.concatenate([X, X]))
    assert len(device.launched) == 2 * launched


@pytest.mark.parametrize("fn", [appended, every_second])
def test_without_the_pass_they_are_refused(fn):
    with without("counted_trips"), pytest.raises(UnsupportedError, match="single elements"):
        flow.grad(fn, target="cuda")(X)


def kept(x):
    out = []
    for v in x:
        if v > 0.5:
            out.append(v * v)
    return np.sum(np.array(out))


def test_what_a_branch_counts_is_refused_at_its_line():
    with pytest.raises(UnsupportedError, match="a number of values that only its run tells") as e:
        flow.grad(kept, target="cuda")(X)
    assert e.value.location.file == __file__
