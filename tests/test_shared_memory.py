"""Arguments that share memory, in programs that store or do not, with and without fused nests.

A program takes for granted that what it stores to shares no memory (`ir.nodes.Function`): a plain
call gives NumPy's result all the same, a derivative is refused. Where nothing shared is stored to,
each argument has a gradient of its own, as if the others were copies.
"""

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from tests.cases.registry import vec


def read_only(x, y):
    return np.sum(x * x * y + np.sin(y))


def a_store_between(x, y):
    s = np.sum(x * y)
    x *= 2.0
    return s + np.sum(x * y)


def read_after_a_store(x, y):
    x[:] = 2.0 * y + 1.0
    t = x * y
    return np.sum(t * y)


def both_stored_to(x, y):
    x += y
    y *= x
    return np.sum(x * y)


def element_by_element(x, y):
    s = 0.0
    for i in range(len(x) - 1):
        x[i + 1] = x[i] * y[i + 1]
        s += y[i] * x[i + 1]
    return s


def stored_through_a_view(x, y):
    v = x[::-1]
    v += y
    return np.sum(x * y * y)


def a_local_is_stored_to(x, y):
    z = x.copy()
    z *= y
    z[0] += x[1]
    return np.sum(z * y)


STORING = [
    a_store_between, read_after_a_store, both_stored_to, element_by_element, stored_through_a_view,
]  # fmt: skip
READING = [read_only, a_local_is_stored_to]

TOGETHER = {
    "twice": lambda m: (m[:4], m[:4]),
    "one further": lambda m: (m[1:5], m[:4]),
    "one before": lambda m: (m[:4], m[1:5]),
    "reversed": lambda m: (m[:4], m[3::-1]),
}
APART = {
    "every other": lambda m: (m[:8:2], m[1:8:2]),
    "after each other": lambda m: (m[:4], m[4:8]),
}


# `loops` runs the nests that `cpu` compiles
ROUTES = [("python", "fused"), ("loops", "fused"), ("loops", "not fused"), ("cpu", "fused")]


@pytest.fixture(params=ROUTES, ids=str)
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """The target; the passes are chosen when a program is first called."""
    name, fused = request.param
    with nullcontext() if fused == "fused" else without("fuse"):
        yield name


def memory():
    return 0.5 + vec(8)


def differences(fn, args, k, h=1e-6):
    """The gradient by one argument of a plain Python function, at copies of its arguments."""

    def moved(d):
        return fn(*(np.copy(a) + d * (j == k) for j, a in enumerate(args)))

    return np.array([(moved(d) - moved(-d)) / (2.0 * h) for d in h * np.eye(len(args[k]))])


@pytest.mark.parametrize("fn", [*READING, *STORING], ids=lambda f: f.__name__)
def test_value_and_what_is_left_are_numpys(fn, target):
    compiled = flow.compile(fn, target=target)
    for pair in (*TOGETHER.values(), *APART.values()):
        got, want = memory(), memory()
        assert np.isclose(compiled(*pair(got)), fn(*pair(want)), rtol=1e-13)
        assert np.allclose(got, want, rtol=1e-13, atol=0.0)


@pytest.mark.parametrize("fn", [*READING, *STORING], ids=lambda f: f.__name__)
def test_gradient_of_each_argument_or_a_refusal(fn, target):
    derivative = flow.grad(flow.compile(fn, target=target), grad_position=(0, 1))
    for pair in (*APART.values(), *TOGETHER.values()):
        shared = memory()
        if fn in STORING and pair in TOGETHER.values():
            with pytest.raises(flow.errors.UnsupportedError, match="share memory that it stores"):
                derivative(*pair(shared))
        else:
            for k, got in enumerate(derivative(*pair(shared))):
                assert np.allclose(got, differences(fn, pair(memory()), k), atol=1e-6)
        assert np.array_equal(shared, memory())


def doubled(x):
    x *= 2.0
    return x * x


def test_tangents_and_seeds_in_the_memory_of_the_argument(target):
    x = vec(4)
    compiled = flow.compile(doubled, target=target)
    value, tangent = flow.jvp(compiled, (x,), (x,))
    assert np.allclose(value, 4.0 * x * x) and np.allclose(tangent, 8.0 * x * x)
    value, pull = flow.vjp(compiled, x)
    (bar,) = pull(x)
    assert np.allclose(value, 4.0 * x * x) and np.allclose(bar, 8.0 * x * x)
    assert np.array_equal(x, vec(4))


def test_tensors_that_share_memory(target):
    x = flow.tensor(vec(4))
    by_x, by_y = flow.grad(flow.compile(read_only, target=target), grad_position=(0, 1))(x, x)
    a = vec(4)
    assert np.allclose(by_x.numpy(), differences(read_only, (a, a), 0), atol=1e-6)
    assert np.allclose(by_y.numpy(), differences(read_only, (a, a), 1), atol=1e-6)
    with pytest.raises(flow.errors.UnsupportedError, match="share memory that it stores"):
        flow.compile(a_store_between, target=target)(x, x)
