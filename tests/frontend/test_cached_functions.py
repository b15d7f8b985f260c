"""Functions whose results are cached: computed again, and refused where that would show."""

import functools

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_changed_captures import on_each_target

seen = []
counts = {"calls": 0}
total = 0
store = np.zeros(3)


@functools.cache
def appends(k):
    seen.append(k)
    return 2.0 * k


@functools.lru_cache(maxsize=8)
def counts_calls(k):
    counts["calls"] += 1
    return 2.0 * k


@functools.lru_cache
def binds_a_name(k):
    global total
    total += k
    return 2.0 * k


@functools.cache
def stores(k):
    store[k] += 1.0
    return 2.0 * k


@functools.cache
def prints(k):
    print("computing", k)
    return 2.0 * k


@functools.cache
def by_a_helper(k):
    return appends.__wrapped__(k)


EFFECTS = (appends, counts_calls, binds_a_name, stores, prints, by_a_helper)


@pytest.mark.parametrize("g", EFFECTS, ids=lambda g: g.__name__)
def test_effects_that_python_has_once(g):
    for f in (lambda x: x * g(1) + g(1), lambda x: x * g(1) if x > 0.0 else x):
        with pytest.raises(flow.UnsupportedError, match="results are cached"):
            flow.compile(f, target="python")(0.5)
        with pytest.raises(flow.UnsupportedError, match="results are cached"):
            flow.grad(flow.compile(f, target="python"))(0.5)
    assert (seen, counts, total, store.tolist()) == ([], {"calls": 0}, 0, [0.0, 0.0, 0.0])


def appended_around(x):
    calls = []

    @functools.cache
    def g(k):
        calls.append(k)
        return k * x

    return g(1) + g(1) + len(calls)


def counted_around(x):
    n = 0

    @functools.cache
    def g(k):
        nonlocal n
        n += 1
        return k * x

    return g(1) + g(1) + n


class Counter:
    def __init__(self):
        self.n = 0


def attribute_around(x):
    c = Counter()

    @functools.cache
    def g(k):
        c.n += 1
        return k * x

    return g(1) + g(1) + c.n


@pytest.mark.parametrize("f", [appended_around, counted_around, attribute_around])
def test_effects_on_the_function_around(f):
    with pytest.raises(flow.UnsupportedError, match="results are cached"):
        flow.compile(f, target="python")(0.5)


@functools.cache
def with_its_own(n):
    w = np.zeros(3)
    w[1] = n
    items, c = [1.0], Counter()
    items.append(w[1])
    items[0] += 2.0
    c.n += len(items)
    kept = {"a": n}
    kept["b"] = items[0]

    def add(v):
        nonlocal n
        n = n + v

    add(1)
    return items[1] + c.n + kept["b"] + n


@functools.cache
def in_a_loop(n):
    found = []
    for k in range(n):
        if k % 2:
            found.append(k * 0.5)
    return sum(found)


@on_each_target
def test_changes_of_what_a_function_makes(target):
    def f(x, n):
        return x * with_its_own(3) + with_its_own(2) + in_a_loop(n) * x * x

    value, slope = flow.value_and_grad(flow.compile(f, target=target))(0.5, 6)
    assert value == f(0.5, 6)
    assert slope == with_its_own(3) + in_a_loop(6)
