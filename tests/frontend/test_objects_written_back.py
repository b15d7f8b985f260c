"""What a plain call writes: the same arrays by several names, fields once, no `__dict__`."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_changed_captures import Model, on_each_target

X = np.array([0.3, 0.7, 1.1])


@dataclass
class Doubling:
    """Doubles what is stored to its field."""

    a: float = 1.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


@on_each_target
@pytest.mark.parametrize("captured", [False, True])
def test_a_class_that_watches_its_fields_is_followed_once(captured, target):
    """It was called again where its field was written back."""
    mine = Doubling()

    def f(x, given):
        each = mine if captured else given
        each.a = x[0]
        return each.a

    other = Doubling()
    assert flow.compile(f, target=target)(X, other) == 0.6
    assert (mine if captured else other).a == 0.6
    assert (other if captured else mine).a == 2.0


@on_each_target
def test_one_array_stays_one(target):
    """By names, in containers, and as the result."""
    m = Model()

    def f(x, given):
        y = 2.0 * x
        m.first = m.second = y
        m.history.append(y)
        m.pair = (y, {"y": y})
        given.append(y)
        m.mine = m.buffers["x"]
        return y

    given = []
    out = flow.compile(f, target=target)(X, given)
    held = (m.first, m.second, m.history[-1], m.pair[0], m.pair[1]["y"], given[0])
    assert all(v is out for v in held)
    assert m.mine is m.buffers["x"]


@on_each_target
def test_one_new_container_stays_one(target):
    """By names, in containers of the caller's and in one another."""
    m = Model()

    def f(x, given, n):
        new, grown = [x[0], 2.0], []
        for k in range(n):
            grown.append(x[0] * k)
        m.first = m.second = new
        m.history.append(new)
        m.history.append({"y": new, "both": m.history})
        m.pair = (new, grown)
        given["new"], given["grown"] = new, grown
        return x[0]

    given = {}
    flow.compile(f, target=target)(X, given, 70)
    new = [0.3, 2.0]
    held = (m.first, m.second, *m.history[-2:-1], m.history[-1]["y"], m.pair[0], given["new"])
    assert all(v is held[0] and v == new for v in held)
    assert m.history[-1]["both"] is m.history
    assert m.pair[1] is given["grown"]
    assert m.pair[1] == [0.3 * k for k in range(70)]


def test_the_dict_of_an_instance_is_not_changed():
    """Its attributes would not be seen to change."""
    m = Model()

    def f(x):
        m.__dict__["counts"] = x[0]
        return x[0] * m.counts

    with pytest.raises(flow.UnsupportedError, match="captures cannot be changed"):
        flow.compile(f)(X)
    assert m.counts == {"n": 0}


@on_each_target
def test_one_new_list_stays_one(target):
    """A list that is made inside and goes to several places was one for each."""
    m = Model()

    def f(x, given):
        new = [x[0]]
        inner = {"new": new}
        m.last = m.log = new
        m.cache["a"], m.cache["b"] = inner, (inner, new)
        m.history.append(new)
        given.append(inner)
        new.append(x)
        return x[1]

    given = []
    flow.compile(f, target=target)(X, given)
    new = m.last
    assert new[0] == 0.3 and new[1] is not None
    assert all(v is new for v in (m.log, m.history[-1], m.cache["b"][1], given[0]["new"]))
    assert m.cache["a"] is m.cache["b"][0] is given[0]


def test_a_shared_container_that_cannot_come_out():
    m = Model()

    def f(x):
        m.last = m.log = [lambda v: v]
        return m.log[0](x[0])

    with pytest.raises(flow.errors.ReturnTypeError, match="'last' is set to a list"):
        flow.compile(f, target="python")(X)
    assert not hasattr(m, "last")
