"""Captured containers that are replaced: a program is for their structure, not for one object."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_changed_captures import on_each_target

X = np.array([0.3, 0.7, 1.1])


class Cell:
    def __init__(self):
        self.pair, self.items, self.table = (0.5, np.zeros(3)), [0.5], {"a": 0.5}

    def step(self, x):
        a, b = self.pair
        self.pair = (a * 0.5, b + x)
        (c,) = self.items
        self.items = [c + x[0]]
        self.table = {"a": self.table["a"] + x[1]}
        return a * c * x[2] + np.sum(b) + self.table["a"]

    def reset(self):
        self.items, self.table = [0.5], {"a": 0.5}


@on_each_target
def test_a_state_of_containers_is_not_built_anew(target):
    """It was built anew for each object that it was set to: by each call."""
    cell, plain = Cell(), Cell()
    f = flow.compile(lambda x: cell.step(x), target=target)
    for k in range(15):
        if k == 7:
            cell.reset()
            plain.reset()
        assert f(X) == pytest.approx(plain.step(X))
        assert repr(cell.items) == repr(plain.items) and cell.pair[0] == plain.pair[0]
    entries = [e for each in f._entries.values() for e in each]
    assert len(entries) == 2  # the numbers are Python's at first, then NumPy's


@on_each_target
def test_a_list_that_is_replaced_is_changed(target):
    cell = Cell()

    def f(x):
        cell.items.append(x[0])
        cell.items.pop(0)
        return cell.items[0] * x[1]

    compiled = flow.compile(f, target=target)
    for _ in range(15):
        cell.items = mine = [2.0]
        assert compiled(X) == pytest.approx(0.21)
        assert mine == [0.3] and cell.items is mine
    assert len([e for each in compiled._entries.values() for e in each]) == 1


def test_what_is_one_object_is_guarded():
    """By a change, and by 'is'."""
    cell = Cell()
    cell.other = cell.items
    changed = flow.compile(lambda x: [cell.items.append(x[0]), len(cell.other) * x[1]][1])
    compared = flow.compile(lambda x: x[0] if cell.items is cell.other else x[1])
    assert changed(X) == pytest.approx(1.4) and compared(X) == X[0]
    cell.items, cell.other = [1.0], [1.0]
    assert changed(X) == pytest.approx(0.7) and compared(X) == X[1]
    cell.items = cell.other
    assert changed(X) == pytest.approx(1.4) and compared(X) == X[0]
    cell.items = cell.other = (1.0,)
    assert compared(X) == X[0]
    cell.other = (2.0, 3.0)
    assert compared(X) == X[1]


def test_a_pullback_of_a_replaced_list():
    """Is refused if the numbers in it are others."""
    cell = Cell()
    _, pull = flow.vjp(lambda x: cell.items[0] * x[0], X)
    cell.items = [0.5]
    assert pull(1.0)[0].tolist() == [0.5, 0.0, 0.0]
    cell.items = [0.75]
    with pytest.raises(flow.errors.AutogradError, match="changed since vjp"):
        pull(1.0)


def test_an_inner_program_that_was_built_for_another_list():
    cell = Cell()

    def inner(x):
        return x[0] * len(cell.items)

    def f(x):
        cell.items.append(x[0])
        return flow.grad(inner)(x)[0]

    for _ in range(2):
        with pytest.raises(flow.UnsupportedError, match="reads 'items', which is changed"):
            flow.compile(f, target="python")(X)
        cell.items = [3.0]


def scaled(v, by=(2.0, 3.0)):
    return v * by[0] * by[1]


def test_defaults_that_are_replaced():
    """Also by others of the same structure."""
    f = flow.compile(lambda x: scaled(x[0]), target="python")
    assert f(X) == pytest.approx(1.8)
    before = scaled.__defaults__
    scaled.__defaults__ = ((2.0, 5.0),)
    assert f(X) == pytest.approx(3.0)
    scaled.__defaults__ = before
    assert f(X) == pytest.approx(1.8)
