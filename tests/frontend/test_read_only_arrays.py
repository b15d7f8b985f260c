"""Arrays that a function makes read-only, and the flags that it asks for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError

X = np.array([0.3, 1.2, 0.7, 1.3, 2.5, 0.1])


def of_flag(x):
    y = x * 2
    y.flags.writeable = False
    return np.sum(y**2)


def of_item(x):
    y = x * 2
    y.flags["WRITEABLE"] = False
    return np.sum(y**2)


def after_stores(x):
    y = x * 2
    y[0] = 3 * x[1]
    y += x
    y.setflags(write=False)
    return np.sum(y**2)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        y = x * k
        y[k] = x[0]
        y.setflags(write=False)
        total += np.sum(y * y)
    return total


def a_copy_is_stored_to(x):
    y = x * 2
    y.setflags(False)
    z = y.copy()
    z[0] = 1.0
    w = y * x
    w[1:] = 0.0
    return np.sum(z * w) + np.sum(y)


class Grid:
    def __init__(self, values):
        self.values = values.copy()
        self.values.setflags(write=False)


def held_by_an_instance(x):
    grid = Grid(x)
    return np.sum(grid.values**2 * x)


def kept_as_it_is(x):
    y = x * 2
    y.setflags(write=None)
    y.setflags(write=True)
    y[0] = 0.0
    return np.sum(y**2)


@pytest.mark.parametrize("target", ["python", "cpu", "tape"])
@pytest.mark.parametrize(
    "f",
    [of_flag, of_item, after_stores, in_a_loop, a_copy_is_stored_to, held_by_an_instance,
     kept_as_it_is],
)  # fmt: skip
def test_the_gradient_is_that_without_the_call(f: Callable[..., Any], target: str):
    how: dict[str, Any] = {"mode": "tape"} if target == "tape" else {"target": target}
    value, gradient = flow.value_and_grad(f, **how)(X)
    assert value == pytest.approx(f(X.copy()))
    for k in range(X.size):
        step = 1e-6 * (np.arange(X.size) == k)
        difference = (f(X + step) - f(X - step)) / 2e-6
        assert gradient[k] == pytest.approx(difference, abs=1e-7)


# ---- stores ----
def by_index(x):
    y = x * 2
    y.flags.writeable = False
    y[0] = 3.0
    return np.sum(y)


def in_place(x):
    y = x * 2
    y.setflags(write=False)
    y += 1
    return np.sum(y)


def to_a_later_view(x):
    y = x.reshape(2, 3) * 2
    y.setflags(write=False)
    z = y.T
    z[0] = x[0]
    return np.sum(y)


def to_a_view_that_is_read_only(x):
    y = x * 2
    z = y[1:]
    z.setflags(write=False)
    z[0] = 1.0
    return np.sum(y)


def as_an_output(x):
    y = x * 2
    y.setflags(write=False)
    np.add(y, 1.0, out=y)
    return np.sum(y)


def sorted_in_place(x):
    y = x * 2
    y.setflags(write=False)
    y.sort()
    return np.sum(y * x)


def in_a_function(x):
    y = x * 2
    y.setflags(write=False)
    np.fill_diagonal(y.reshape(2, 3), 0.0)
    return np.sum(y)


def in_the_next_trip(x):
    y = x * 2
    for k in range(2):
        y[k] = x[0]
        y.setflags(write=False)
    return np.sum(y)


STORES = [
    by_index, in_place, to_a_later_view, to_a_view_that_is_read_only, as_an_output,
    sorted_in_place, in_a_function, in_the_next_trip,
]  # fmt: skip


@pytest.mark.parametrize("f", STORES)
def test_a_store_raises_as_in_numpy(f: Callable[..., Any]):
    with pytest.raises(ValueError, match="read-only"):
        f(X.copy())
    with pytest.raises(ValueError, match="read-only"):
        flow.grad(f, mode="tape")(X)
    with pytest.raises(ValueError, match="read-only") as e:
        flow.grad(f)(X)
    assert isinstance(e.value, UnsupportedError) and e.value.location is not None


def to_an_earlier_view(x):
    y = x * 2
    z = y[1:]
    y.setflags(write=False)
    z[0] = x[0]
    return np.sum(y)


def test_a_store_to_an_earlier_view_is_made_or_refused():
    assert flow.grad(to_an_earlier_view, mode="tape")(X)[0] == 3.0
    with pytest.raises(UnsupportedError, match="may store to the memory") as e:
        flow.grad(to_an_earlier_view)(X)
    assert not isinstance(e.value, ValueError)


def writeable_again(x):
    y = x * 2
    y.setflags(write=False)
    y.setflags(write=True)
    return np.sum(y)


def test_an_array_stays_read_only():
    for how in ({}, {"mode": "tape"}):
        with pytest.raises(UnsupportedError, match="writeable"):
            flow.grad(writeable_again, **how)(X)


# ---- reads ----
def in_its_order(x):
    y = np.outer(x, x)
    if not y.flags.c_contiguous:
        y = np.ascontiguousarray(y)
    if y.flags["F_CONTIGUOUS"] or not y.flags.aligned or not y[0].flags["C"]:
        y = y * 2.0
    column = y[:, :1].copy()
    if column.flags.f_contiguous and column.flags.contiguous:
        column = column * 3.0
    return np.sum(y) + np.sum(column)


@pytest.mark.parametrize("target", ["python", "cpu", "tape"])
def test_flags_that_are_known(target: str):
    how: dict[str, Any] = {"mode": "tape"} if target == "tape" else {"target": target}
    value, _ = flow.value_and_grad(in_its_order, **how)(X)
    assert value == pytest.approx(in_its_order(X))


def of_a_diagonal(x):
    return x * np.diagonal(np.outer(x, x)).strides[0]


def of_columns(x):
    return x * np.outer(x, x).T.flags.c_contiguous


def of_steps(x):
    return x * x[::2].flags.c_contiguous


@pytest.mark.parametrize("f", [of_a_diagonal, of_columns, of_steps])
def test_memory_that_is_not_known_is_refused(f: Callable[..., Any]):
    with pytest.raises(UnsupportedError, match=r"contiguous|strides and flags"):
        flow.compile(f)(X)


def of_carried_arrays(x):
    y = x * 2
    for _ in range(3):
        y = y * x
    return np.lib.stride_tricks.as_strided(y, (2, 3), (y.strides[0], y.strides[0])).sum()


def test_strides_of_what_a_loop_carries():
    assert flow.value_and_grad(of_carried_arrays)(X)[0] == pytest.approx(of_carried_arrays(X))


def inside_a_transform(x):
    def inner(t):
        y = t * 2
        y.setflags(write=False)
        y[0] = 1.0
        return np.sum(y)

    return np.sum(flow.grad(inner)(x)) * x[0]


def to_the_next_call(x, n):
    if n == 0:
        x[0] = 3.0
        return np.sum(x)
    y = x * 2
    y.setflags(write=False)
    return to_the_next_call(y, n - 1)


def test_stores_in_functions_of_their_own():
    with pytest.raises(ValueError, match="read-only"):
        flow.grad(inside_a_transform)(X)
    with pytest.raises(ValueError, match="read-only"):
        flow.grad(to_the_next_call)(X, 2)
