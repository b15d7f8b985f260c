"""Classes with `__getattr__` and `__setattr__`."""

import types

import numpy as np

from tests.cases.registry import case, vec


class Derived:
    """Attributes that are made when they are read."""

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("power_"):
            return self.x ** int(name[6:])
        raise AttributeError(name)


class Scaled:
    """Attributes that are changed when they are set."""

    def __init__(self, x):
        self.x, self.y = x, x * x

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2.0 if name == "x" else value)


class Options:
    """Attributes that are items of a dict."""

    def __init__(self, **given):
        self.__dict__["held"] = dict(given)

    def __getattr__(self, name):
        if name in self.held:
            return self.held[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        self.held[name] = value


@case(vec(3), theme="attempts")
def attributes_that_are_made(x):
    d = Derived(x)
    try:
        y = d.other
    except AttributeError:
        y = d.power_2
    return np.sum(d.power_3 * y)


@case(vec(2))
@case(-vec(2))
def attributes_that_are_there_on_one_path(x):
    d = Derived(x)
    if x[0] > 0.0:
        d.power_2 = x**4
    return np.sum(d.power_2 * d.x)


@case(vec(3))
def attributes_that_are_changed(x):
    s = Scaled(x)
    s.y += s.x
    s.x = s.x * s.y
    return np.sum(s.x * s.y)


@case(vec(3), 0.7)
def attributes_that_are_items(x, k):
    options = Options(x=x, k=k)
    options.y = options.x * options.k
    options.k = options.k + 1.0
    return np.sum(options.y**2) * options.k


class Counting:
    def __init__(self, x):
        self.x, self.left = x, 0.0

    def __delattr__(self, name):
        if name == "x":
            self.left = self.left + np.sum(self.x)
        else:
            object.__delattr__(self, name)


@case(vec(3))
def deleted_by_a_method_of_its_own(x):
    counting = Counting(x)
    del counting.x
    return counting.left * np.sum(counting.x)


@case(vec(3))
def deleted_by_name(x):
    counting = Counting(x)
    for name in ("x", "left"):
        if name == "x":
            delattr(counting, name)
    box = types.SimpleNamespace(first=x, last=2.0 * x)
    kept = box.first if hasattr(box, "first") else 0.0
    delattr(box, "first")
    return np.sum(kept * box.last) + counting.left + (1.0 if hasattr(box, "first") else x[0])
