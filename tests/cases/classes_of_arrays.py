"""Classes that derive from ndarray: vectors with names, signals with rates, operators anew."""

import copy
from typing import Any

import numpy as np

from tests.cases.registry import case, vec


class Vec(np.ndarray):
    def __new__(cls, x, label=""):
        made = np.asarray(x, dtype=float).view(cls)
        made.label = label
        return made

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.label = getattr(obj, "label", "")

    @property
    def first(self):
        return self[0]

    def norm(self):
        return np.sqrt((self**2).sum())

    def unit(self):
        return self / self.norm()


class Signal(np.ndarray):
    """Elements and the rate they are sampled at, a number of the run."""

    def __new__(cls, x, rate):
        made = np.asarray(x).view(cls)
        made.rate = rate
        return made

    def __array_finalize__(self, obj):
        self.rate = getattr(obj, "rate", 1.0)

    def power(self):
        return np.mean(self**2) / self.rate


class Force(np.ndarray):
    """Operators anew, which call ndarray's own."""

    def __new__(cls, *parts):
        return np.array(parts).view(cls)

    def __init__(self, *parts):
        self.count = len(parts)

    def __mul__(self, other):
        return np.dot(self, other) if isinstance(other, Force) else super().__mul__(other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def __getitem__(self, key):
        return super().__getitem__("xyz".index(key) if isinstance(key, str) else key)


@case(vec(3))
def array_of_a_class(x):
    v = Vec(x, "abc")
    w = v.unit() * 2.0 + x
    return w.norm() * w.first + np.sum(w @ np.outer(v, w)) + len(w.label) + np.linalg.norm(v[1:])


@case(vec(3))
def array_of_a_class_that_shares_memory(x):
    y = x * 1.0
    v = y.view(Vec)
    v[0] = x[1] * x[2]
    v += x
    v[1:] *= v[:2]
    y[2] = y[2] + 1.0
    return np.sum(y * y) + float(v.norm()) + sum(v) + max(v)


@case(vec(4))
def array_of_a_class_with_a_rate(x):
    s = Signal(x, x[0] ** 2)
    t: Any = np.sin(s[::2])
    t.rate = t.rate + x[1]
    return float(s.power() * t.power()) + copy.copy(t).rate + float(t.std())


@case(vec(3))
def array_of_a_class_with_operators_anew(x):
    f = Force(x[0], x[1] * 2.0, x[2])
    g = 2.0 * f + f * x
    return (
        f * g + f["x"] * g["z"] + f.count * g.sum() + isinstance(g, np.ndarray) + (type(g) is Force)
    )


@case(vec(3))
def array_of_a_class_in_loops_and_branches(x):
    v = Vec(x)
    total = 0.0
    for i in range(len(v)):
        if v[i] > 0.5:
            v = v * x[i]
        else:
            v = Vec(v + 1.0, "low")
        total = total + float(v.norm())
    m = Vec(np.outer(x, x))
    for row in m:
        total = total + float(row.norm())
    a, b, c = v
    return total + a * b * c + v[v > 0.1].sum()
