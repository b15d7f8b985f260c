"""copy.copy and copy.deepcopy of captured instances, and of those with methods for it."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([0.7, -1.3, 2.1])


class Part:
    def __init__(self, w):
        self.w, self.scale = w, 2.0


class Model:
    """It leads to itself, and to a part with an array."""

    def __init__(self):
        self.part, self.layers, self.name = Part(np.ones(2)), [{"w": np.zeros(2)}, 3.0], "m"
        self.me = self

    def copy(self):
        return copy.deepcopy(self)


MODEL = Model()


def deep(x):
    made = copy.deepcopy(MODEL)
    made.part.w[0] = x[0]
    made.layers[0]["w"][1] = x[1]
    made.layers.append(x[2])
    made.part.scale = made.part.scale * x[2]
    same = 1.0 if made.me is made else 0.0
    own = np.sum(MODEL.part.w) + MODEL.part.scale + len(MODEL.layers) + MODEL.layers[0]["w"][1]
    return np.sum(made.part.w) * made.part.scale + made.layers[0]["w"][1] + same * x[0] + own


def shallow(x):
    made = copy.copy(MODEL.part)
    made.scale = x[0] * made.scale
    return made.scale * np.sum(made.w * x[:2]) + MODEL.part.scale


def by_a_method(x):
    made = MODEL.copy()
    made.part = Part(x)
    return np.sum(made.part.w) * MODEL.part.scale


class Counted:
    def __init__(self, a):
        self.a, self.n = a, 0.0

    def __copy__(self):
        made = Counted(self.a)
        made.n = self.n + 1.0
        return made

    def __deepcopy__(self, memo):
        made = Counted(copy.deepcopy(self.a, memo))
        made.n = self.n + 2.0
        return made


class Node:
    """Its copies are made as those of an instance without the method, the memo by hand."""

    def __init__(self, v):
        self.v, self.children, self.parent = v, [], None

    def add(self, v):
        child = Node(v)
        child.parent = self
        self.children.append(child)
        return child

    def __deepcopy__(self, memo):
        cls = self.__class__
        made = cls.__new__(cls)
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            setattr(made, name, copy.deepcopy(value, memo))
        return made


COUNTED = Counted(np.array([1.0, 2.0]))


def by_own_methods(x):
    one, other = copy.copy(COUNTED), copy.deepcopy([COUNTED, {"a": Counted(x)}])
    other[0].a[0] = x[1]
    return np.sum(other[0].a) * one.n * other[1]["a"].n + COUNTED.a[0] + other[1]["a"].a[2]


def of_a_tree(x):
    root = Node(x[0])
    leaf = root.add(x[1])
    made = copy.deepcopy(root)
    made.children[0].v = x[2] * 3.0
    made.children[0].parent.v = made.v * x[1]
    return leaf.v * root.v + made.children[0].v * made.v


PROGRAMS = [deep, shallow, by_a_method, by_own_methods, of_a_tree]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_copies(f):
    agrees(f, X)
    wanted = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(len(X))]
    for target in TARGETS:
        assert np.allclose(flow.grad(f, target=target)(X), wanted, rtol=1e-5, atol=1e-7)


def test_an_array_that_gets_a_second_place():
    """A call in which one array is in two places does not run the program of others."""
    held = Model()

    def f(x):
        made = copy.deepcopy(held)
        made.part.w[0] = x[0]
        return made.layers[0]["w"][0] + x[1]

    compiled = flow.compile(f, target="python")
    assert compiled(X) == f(X)
    held.layers[0]["w"] = held.part.w
    with pytest.raises(flow.UnsupportedError, match=r"may hold an array in two places"):
        compiled(X)


def test_attributes_that_come_later():
    held = Part(np.ones(2))

    def f(x):
        made = copy.copy(held)
        return x[0] * (made.more if hasattr(made, "more") else 1.0) * made.scale

    compiled = flow.compile(f, target="python")
    assert compiled(X) == f(X)
    held.more = 5.0
    assert compiled(X) == f(X)
