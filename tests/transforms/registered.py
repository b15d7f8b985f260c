"""Registered classes that the tests of them share."""

from dataclasses import dataclass

import numpy as np

import srcgrad as flow


class Layer:
    """Weights, a scale, a count, and what it does with them."""

    def __init__(self, w, scale, count, kind="linear"):
        self.w, self.scale, self.count, self.kind = w, scale, count, kind
        self.twice = 2 * w

    def __call__(self, x):
        y = self.scale * (self.w * x)
        return np.tanh(y) if self.kind == "tanh" else y

    @property
    def size(self):
        return np.sum(self.w * self.w)


flow.tree.register(
    Layer, lambda v: ((v.w, v.scale, v.count), v.kind), lambda kind, parts: made(kind, parts)
)


def made(kind, parts):
    layer = object.__new__(Layer)
    layer.w, layer.scale, layer.count = parts
    layer.kind = kind
    return layer


class Model:
    """Registered classes in a registered class."""

    def __init__(self, layers, bias=None):
        self.layers, self.bias = layers, bias


flow.tree.register(Model, lambda m: ((m.layers, m.bias), None), lambda _, parts: Model(*parts))


@dataclass(frozen=True)
class Base:
    """A dataclass as it is known without registration."""

    a: float
    b: float


@dataclass(frozen=True)
class Derived(Base):
    """A registered class derived from it: `b` is no child."""

    b: float = 0.0


def derived(b, parts):
    value = object.__new__(Derived)
    object.__setattr__(value, "a", parts[0])
    object.__setattr__(value, "b", b)
    return value


flow.tree.register(Derived, lambda v: ((v.a,), v.b), derived)

W = np.array([0.3, -0.7, 0.2])
X = np.array([1.0, 2.0, 3.0])


def layer(kind="linear", w=W):
    return Layer(w.copy(), 0.5, 3, kind)


def compiled(f):
    return flow.compile(f, target="python")


@compiled
def loss(m, x):
    return np.sum(m(x)) + m.size


@compiled
def moved(m, x):
    return Layer(m.w + x, m.scale * 2.0, m.count + 1, m.kind + "!")
