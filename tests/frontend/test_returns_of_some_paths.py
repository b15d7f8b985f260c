"""Functions of which some paths end without a `return`: None there, whatever the others return."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees


class Pressure:
    def __init__(self, value):
        self.value = value

    def double(self):
        self.value = 2.0 * self.value


def without_else(x):
    if x > 0.0:
        return Pressure(x * x)


def printed(x):
    if x > 0.0:
        return Pressure(x * x)
    else:
        print("negative")


def of_a_try(x):
    try:
        if x < 0.0:
            raise ValueError("negative")
        y = x * x
    except ValueError as e:
        print(e)
    else:
        return Pressure(y)


def in_a_loop(x):
    for k in range(3):
        if k > x:
            return Pressure(x * k)


RETURNING = [without_else, printed, of_a_try, in_a_loop]


@pytest.mark.parametrize("made", RETURNING)
def test_an_object_is_there_where_it_was_returned(made):
    def f(x):
        p = made(x)
        if p is None:
            return 3.0 * x
        p.double()
        return p.value

    for x in (1.5, -1.5, 7.0):
        agrees(f, x)


@pytest.mark.parametrize("made", [without_else, printed, of_a_try])
def test_it_has_no_attributes_elsewhere(made):
    def f(x):
        p = made(x)
        p.double()
        return p.value

    def caught(x):
        try:
            p = made(x)
            p.double()
        except AttributeError:
            return 7.0 * x
        return p.value

    agrees(f, 1.5)
    for target in TARGETS:
        with pytest.raises(AttributeError, match=r"NoneType.* has no attribute 'double'"):
            flow.compile(f, target=target)(-1.5)
    for x in (1.5, -1.5):
        agrees(caught, x)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("made", [without_else, of_a_try])
def test_derivatives(made, target):
    def f(x):
        p = made(x)
        return x * p.value if p else 5.0 * x

    found = flow.grad(flow.compile(f, target=target))
    assert found(2.0) == 12.0
    assert found(-2.0) == 5.0


def test_containers_and_texts():
    def one(x):
        if x > 0.0:
            return {"a": x, "b": [x, 2.0 * x]}

    def other(x):
        if x > 0.0:
            return "positive"

    def f(x):
        found = one(x)
        total = 0.0 if found is None else found["a"] + found["b"][1]
        return total * (2.0 if other(x) == "positive" else 1.0) + len(other(x) or "")

    for x in (2.0, -2.0):
        agrees(f, x)


def test_arrays_are_so_as_before():
    def part(x):
        if x[0] > 0.0:
            return 2.0 * x

    def f(x):
        y = part(x)
        return x if y is None else y

    for x in (np.array([1.0, 2.0]), np.array([-1.0, 2.0])):
        agrees(f, x)
