"""Methods that are called by their class: `np.ndarray.sum(x)`, `str.lower` as a key."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees


def of_arrays(x):
    v = x * 1.0
    np.ndarray.fill(v, 3.0)
    return np.ndarray.flatten(x) * v, np.ndarray.sum(x, axis=0), np.ndarray.__mul__(x, x)


def mapped(x):
    return sum(map(np.ndarray.mean, [x, 2.0 * x])) * x


def of_containers(x):
    items = [1.0, 2.0]
    list.append(items, x[0])
    found = {"a": x[1]}
    dict.update(found, b=x[0])
    first = sorted(["b", "A"], key=str.lower)[0]
    return sum(items), dict.get(found, "b") * len(str.upper("abc")), tuple.index((3, 4), 4), first


@pytest.mark.parametrize("f", [of_arrays, mapped, of_containers], ids=lambda f: f.__name__)
def test_results_are_pythons(f):
    agrees(f, np.array([1.0, 2.0]))


def test_the_gradient_is_that_of_the_method():
    g = flow.grad(lambda x: np.ndarray.sum(np.ndarray.__mul__(x, x)), target="python")
    np.testing.assert_array_equal(g(np.array([1.0, 2.0])), [2.0, 4.0])


def test_another_class_is_refused():
    with pytest.raises(flow.UnsupportedError, match="a method_descriptor cannot be called"):
        flow.compile(lambda x: np.ndarray.sum([x, x]), target="python")(1.0)
