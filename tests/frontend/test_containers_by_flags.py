"""Containers whose places depend on flags, modes and counts: a program for each value of these."""

import numpy as np
import pytest

import srcgrad as flow


def with_more(x, full=True):
    found = {"value": x * x}
    if full:
        found["twice"] = 2.0 * x
    return found


def by_several(x, mode="a", extra=False, n=3):
    out = {"v": x * n}
    if mode == "a":
        out["a"] = x
    if extra and n > 2:
        out[1] = [x]
        out["text"] = "extra"
    items = [x]
    if extra or n == 2:
        items.append(2.0 * x)
        out["items"] = items
    return out


def all_of(x, n):
    d = {"a": x}
    if n == 2:
        d["b"] = 2.0 * x
    return {k: v * n for k, v in d.items()}, [*d.values()]


def another_kind(x, pairs):
    d = {"a": x}
    if pairs:
        d["a"] = [x, 2.0 * x]
    return d


CALLS = [
    (with_more, [(), (True,), (False,)]),
    (by_several, [(), ("b", True), ("a", True, 2), ("a", False, 5), ("b", False, 2)]),
    (all_of, [(2,), (3,)]),
    (another_kind, [(True,), (False,)]),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "calls"), CALLS, ids=[f.__name__ for f, _ in CALLS])
def test_results_are_pythons(f, calls, target):
    compiled = flow.compile(f, target=target, cache=False)
    for args in [*calls, *calls]:
        found, wanted = compiled(1.5, *args), f(1.5, *args)
        assert found == wanted
        assert not isinstance(found, dict) or list(found) == list(wanted)


def test_gradients_are_of_the_branch_of_the_flag():
    def loss(x, full):
        found = with_more(x, full)
        return sum([v * k for k, v in enumerate(found.values(), 1)])

    g = flow.grad(flow.compile(loss, target="python"))
    assert (g(1.5, True), g(1.5, False)) == (2 * 1.5 + 4.0, 2 * 1.5)


def test_a_float_still_decides_as_the_program_runs():
    def f(x):
        d = {"a": x}
        if x > 1.0:
            d["b"] = 2.0 * x
        return d

    with pytest.raises(flow.UnsupportedError, match="keys that are set on some paths only"):
        flow.compile(f, target="python")(np.float64(2.0))
