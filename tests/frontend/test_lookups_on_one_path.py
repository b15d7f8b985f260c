"""What is looked up on one path only raises on that path, and nowhere else."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.array([1.5, -0.5, 2.0])


def key_of_a_branch(p, n):
    y = np.sum(p["x"])
    if n > 2:
        y = y * p["scale"]
    return y


def key_of_a_conditional(p, n):
    return np.sum(p["x"]) * (p["scale"] if n > 2 else 3.0)


def key_of_a_loop(p, n):
    y = np.sum(p["x"])
    for _ in range(n):
        y += p["scale"]
    return y


def key_by_a_method(p, n):
    if n > 2:
        return np.sum(p["x"]) * dict(p).pop("scale")
    return np.sum(p["x"])


def item_of_a_tuple(p, n):
    several = (p["x"], 2.0)
    if n > 2:
        return np.sum(several[0]) * several[2]
    return np.sum(several[0]) * several[1]


def in_a_helper(p, n):
    def scaled(v):
        return v * p["scale"]

    y = np.sum(p["x"])
    if n > 2:
        y = scaled(y)
    return y


FUNCTIONS = [
    key_of_a_branch, key_of_a_conditional, key_of_a_loop, key_by_a_method, item_of_a_tuple,
    in_a_helper,
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_other_path_runs(f, target):
    g = flow.value_and_grad(flow.compile(f, target=target, cache=False))
    value, gradient = g({"x": X}, 0)
    assert value == pytest.approx(f({"x": X}, 0))
    assert np.allclose(gradient["x"], value / np.sum(X))
    with pytest.raises(LookupError) as wanted:
        f({"x": X}, 3)
    with pytest.raises(type(wanted.value)) as found:
        g({"x": X}, 3)
    assert found.value.location.function in (f.__name__, "scaled")
