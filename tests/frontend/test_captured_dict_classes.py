"""Captured instances of classes that derive from dict: items, attributes, methods, changes."""

from collections import OrderedDict

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.passes.with_and_without import anew

X = np.array([1.0, 2.0, 3.0])


class Linked(dict):
    """Its items are its attributes."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.__dict__ = self


class Dotted(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


class Model(dict):
    """Items, attributes, one of the class and a method."""

    scale = 3.0

    def __init__(self, **kwargs):
        super().__init__(kwargs)
        self.k, self.weights = 2.0, np.ones(3)

    def norm(self, x):
        return np.sum(x * self["b"] * self.weights) * self.k * self.scale


P = Linked(a=2.0, b=np.ones(3), inner=Dotted(q=np.arange(3.0), n=3))
Q = Model(a=1.0, b=np.arange(3.0))


def attributes(x):
    return np.sum(x * P.inner.q * P.b) * P.inner["n"] * P.a + (P.inner.other is None)


def of_the_class(x):
    return Q.norm(x) * np.sum(Q.weights)


def in_a_loop(x):
    total = 0.0
    for k, v in Q.items():
        total += np.sum(v * x) * len(k)
    for k in P:
        if k != "inner":
            total += np.sum(P[k] * x)
    return total * len(P)


def called(x, a, b, inner):
    return np.sum(x * b) * a * inner.n


def by_keywords(x):
    return called(x, **P) + getattr(P, "missing", 2.0) * x[0]


def copies(x):
    d, e = dict(P), Q.copy()
    d["a"] = x[0]
    e["a"] = x[1]
    return np.sum(d["b"] * x) * d["a"] + e["a"] * Q["a"]


def scratch(x):
    P.b[0] = 1.0
    return np.sum(x * P.b)


def questions(x):
    return np.sum(x) if "a" in P and hasattr(P, "b") and isinstance(Q, Model) else 0.0


PROGRAMS = [
    attributes, of_the_class, in_a_loop, by_keywords, copies, scratch, questions,
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_plain_python(f, target):
    value, g = flow.value_and_grad(flow.compile(anew(f), target=target))(X)
    assert value == pytest.approx(f(X))
    differences = [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(g, differences, rtol=1e-7, atol=1e-8)


def test_changes_between_calls_are_seen():
    p = Linked(a=2.0, inner=Model(b=np.ones(3)))

    def f(x):
        return p.inner.norm(x) * p.a * getattr(p, "more", 1.0)

    g = flow.grad(f)

    def check(expected):
        np.testing.assert_allclose(g(X), np.full(3, expected))

    check(12.0)
    p.a = 1.0
    check(6.0)
    p.inner["b"] *= 2.0
    check(12.0)
    p.inner.k = 1.0
    check(6.0)
    p.inner = Model(b=np.ones(3))
    check(6.0)
    p.more = 5.0
    check(30.0)
    del p["more"]
    check(6.0)


def stored_attribute(x):
    P.c = 2.0
    return np.sum(x)


def stored_item(x):
    P["c"] = 2.0
    return np.sum(x)


@pytest.mark.parametrize("f", [stored_attribute, stored_item])
def test_what_is_captured_is_not_changed(f):
    with pytest.raises(UnsupportedError, match="captures cannot be changed"):
        flow.grad(anew(f))(X)
    assert "c" not in P


class InOrder(OrderedDict):
    scale = 2.0

    def weighted(self, x):
        return sum((k + 1) * np.sum(v * x) for k, v in enumerate(self.values())) * self.scale


def test_the_order_of_a_captured_instance_is_read_at_each_call():
    p = InOrder(a=2.0, b=np.arange(3.0))
    f = flow.value_and_grad(lambda x: p.weighted(x) + len(next(iter(p))), target="python")
    for last in (True, False, True):
        value, g = f(X)
        np.testing.assert_allclose(value, p.weighted(X) + 1.0)
        np.testing.assert_allclose(g, [p.weighted(e) for e in np.eye(3)])
        p.move_to_end("a", last)
    p["c"] = 7.0
    np.testing.assert_allclose(f(X)[0], p.weighted(X) + 1.0)


class Own(OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2.0)


def test_one_whose_operations_its_c_code_calls_is_refused():
    own = Own(a=2.0)
    with pytest.raises(UnsupportedError, match="defines __setitem__"):
        flow.grad(lambda x: np.sum(own["a"] * x), target="python")(X)
    with pytest.raises(UnsupportedError, match="instances of Own cannot be made"):
        flow.grad(lambda x: Own(a=x[0])["a"], target="python")(X)
