"""`hasattr` and `getattr` with a default where `__getattr__` decides which attributes are there."""

import numpy as np
import pytest

import srcgrad as flow
from tests.passes.with_and_without import anew


class Derived:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name == "twice":
            return 2.0 * self.x
        if name == "positive" and self.x[0] > 0.0:
            return self.x
        raise AttributeError(name)


def is_there(x):
    return np.sum(getattr(Derived(x), "twice", 0.0)) * (3.0 if hasattr(Derived(x), "twice") else 1)


def is_not_there(x):
    return np.sum(getattr(Derived(x), "thrice", x)) * (3.0 if hasattr(Derived(x), "thrice") else 2)


def may_be_there(x):
    d = Derived(x)
    return np.sum(getattr(d, "positive", 5.0 * x)) * (3.0 if hasattr(d, "positive") else 1.0)


def stored_on_one_path(x):
    d = Derived(x)
    if x[1] > 0.0:
        d.extra = x
    return np.sum(getattr(d, "extra", 5.0 * x)) * (3.0 if hasattr(d, "extra") else 1.0)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [is_there, is_not_there, may_be_there, stored_on_one_path])
def test_as_in_plain_python(f, target):
    g = flow.value_and_grad(flow.compile(anew(f), target=target))
    for x in (np.array([1.0, 2.0, 3.0]), np.array([-1.0, -2.0, 3.0])):
        value, found = g(x)
        assert value == pytest.approx(f(x))
        differences = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(found, differences, rtol=1e-7)
