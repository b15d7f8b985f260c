"""Shapes that are assigned, and arrays that are required to lie in memory in some way."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, slope_agrees

V = np.linspace(0.3, 1.7, 6)


def stored_to_afterwards(x, v):
    y = v * x
    y.shape = (2, -1)
    y[0] = x
    return y


def in_an_unrolled_loop(x, v):
    y = v * x
    for k in range(3):
        y.shape = (2, 3) if k % 2 else (3, 2)
        y[0] *= 2.0
    return y


def on_one_path(x, v):
    y = v * x
    if x > 0.5:
        y.shape = (3, 2)
    return np.sum(y[0] ** 2)


def of_a_view(x, v):
    y = v.reshape(2, 3) * x
    z = y[:]
    z.shape = 6
    z[0] = 3 * x
    return y, z


def one_more_axis(x, v):
    y = v * x
    y.shape += (1,)
    return y


def required_of_an_argument(x, v):
    y = np.require(v, requirements=["W", "C"])
    y[0] = x
    return y * v


def required_of_a_number(x, v):
    return np.require(x, dtype=np.double, requirements="W") * v


def required_in_columns(x, v):
    return np.require(v.reshape(2, 3) * x, np.float32, ["F_CONTIGUOUS"])


def orders(x, v):
    y = v.reshape(2, 3) * x
    return y.flags.fortran, y.flags.fnc, y.flags.forc, y.flags["FORC"], v[:1].flags.fnc


PROGRAMS = [
    stored_to_afterwards, in_an_unrolled_loop, on_one_path, of_a_view, one_more_axis,
    required_of_an_argument, required_of_a_number,
]  # fmt: skip


@pytest.mark.parametrize("f", [*PROGRAMS, required_in_columns, orders])
def test_as_python(f):
    agrees(f, 0.7, V)


@pytest.mark.parametrize("f", PROGRAMS)
def test_slopes(f):
    def total(x, v):
        made = f(x, v)
        parts = made if isinstance(made, tuple) else (made,)
        return sum([np.sum(part * part) for part in parts])

    slope_agrees(total, 0.7, V)


def of_two_names(x, v):
    y = z = v * x
    y.shape = (2, 3)
    return z


def of_an_item(x, v):
    y = v * x
    held = [y]
    y.shape = (2, 3)
    return held


def of_the_caller(x, v):
    y = v
    y.shape = (2, 3)
    return x


def of_columns(x, v):
    y = (v.reshape(2, 3) * x).T
    y.shape = 6
    return y


@pytest.mark.parametrize("f", [of_two_names, of_an_item, of_the_caller, of_columns])
def test_refused(f):
    v = V.copy()
    with pytest.raises(flow.UnsupportedError, match="the shape of a view, or of an array"):
        flow.compile(f, target="python", cache=False)(0.7, v)
    assert v.shape == (6,)


def test_a_store_to_what_is_read_only_raises():
    v = V.copy()
    v.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        flow.compile(required_of_an_argument, target="python", cache=False)(0.7, v)
