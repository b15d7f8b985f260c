"""Functions with state that no name refers to: what calls them in a loop carries their state."""

import functools

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError

X = np.array([1.0, 2.0, 1.5])


class Sum:
    def __init__(self, start):
        self.total = start

    def __call__(self, v):
        self.total = self.total + v * (self.total + 1.0)
        return self.total * v

    def method(self, v):
        return self(v)


def of_a_name(start):
    def item(v):
        nonlocal start
        start = start + v * (start + 1.0)
        return start * v

    return item


def of_a_dict(start):
    held = {"total": start}

    def item(v):
        held["total"] = held["total"] + v * (held["total"] + 1.0)
        return held["total"] * v

    return item


MADE = {
    "name": of_a_name,
    "dict": of_a_dict,
    "object": Sum,
    "method": lambda start: Sum(start).method,
    "partial": lambda start: functools.partial(lambda f, v: f(v), Sum(start)),
}
CALLS = {
    "map": lambda f: lambda x, s: np.array(list(map(f(s), x))),
    "vectorize": lambda f: lambda x, s: np.vectorize(f(s), otypes=[float])(x),
    "along an axis": lambda f: lambda x, s: np.apply_along_axis(f(s), 1, x[:, None])[:, 0],
    "vmap": lambda f: lambda x, s: flow.vmap(f(s))(x),
    "vmap of vmap": lambda f: lambda x, s: flow.vmap(flow.vmap(f(s)))(x[:, None])[:, 0],
    "vmap of a partial": lambda f: lambda x, s: flow.vmap(functools.partial(f(s)))(x),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("call", CALLS)
def test_state(call, made):
    f = MADE[made]
    item = f(2.0)
    got = flow.compile(CALLS[call](f), target="python")(X, 2.0)
    np.testing.assert_array_equal(got, [item(v) for v in X])


TRANSFORMS = {
    "grad": lambda f: lambda x, s: [g(v) for g in [flow.grad(f(s))] for v in x],
    "jacfwd": lambda f: lambda x, s: [g(v) for g in [flow.jacfwd(f(s))] for v in x],
    "value_and_grad": lambda f: (
        lambda x, s: [g(v)[0] for g in [flow.value_and_grad(f(s))] for v in x]
    ),
    "vmap of grad": lambda f: lambda x, s: flow.vmap(flow.grad(f(s)))(x),
    "vjp": lambda f: lambda x, s: [flow.vjp(g, v)[0] for g in [f(s)] for v in x],
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_derivatives_of_what_changes_state_are_refused(transform, made):
    fn = flow.compile(TRANSFORMS[transform](MADE[made]), target="python")
    with pytest.raises(UnsupportedError, match="changes a container or a name of the function"):
        fn(X, 2.0)
