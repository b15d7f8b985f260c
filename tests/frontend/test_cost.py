"""What the questions about a syntax tree cost, counted: no more than the tree is deep and long."""

from functools import partial

import gast
import numpy as np

import srcgrad as flow
from srcgrad.frontend import liveness as of_names
from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.trees import exits, own_statements
from tests.tools.counted import calls


def nested(depth):
    """Loops within one another, whose innermost body reads all counters."""
    heads = [f"{'    ' * (k + 1)}for i{k} in range(n):" for k in range(depth)]
    read = " + ".join(f"i{k}" for k in range(depth))
    body = f"{'    ' * (depth + 1)}s = s + {read}"
    return gast.parse("\n".join(["def f(n, s):", *heads, body, "    return s"])).body[0]


def chained(length):
    """An `if` with as many `elif`s, in a loop; each may leave."""
    tests = [f"        {'el' * (k > 0)}if i == {k}:\n            continue\n" for k in range(length)]
    return gast.parse(f"def f(n, s):\n    for i in range(n):\n{''.join(tests)}    return s").body[0]


def counts_of(question, trees):
    return [calls(partial(question, tree)) for tree in trees]


def test_nested_loops_are_walked_twice():
    few, many = counts_of(Liveness, [nested(9), nested(18)])
    assert many < 2.3 * few


def test_what_leaves_is_asked_once_of_each_statement():
    few, more, many = counts_of(lambda f: exits(f.body), [chained(n) for n in (20, 40, 80)])
    assert many < 2.3 * more < 2.3**2 * few


def damped(a, k):
    for _ in range(3):
        a = a * 0.5 + k
    return a


def often(x):
    for k in (1.0, 2.0, 3.0, 4.0, 5.0):
        x = damped(damped(x, k), -k)
    return np.sum(x)


def test_a_tree_is_walked_once_however_often_it_is_inlined(monkeypatch):
    walked = []

    class Counted(Liveness):
        def __init__(self, tree):
            walked.append(tree.name)
            super().__init__(tree)

    monkeypatch.setattr(of_names, "Liveness", Counted)
    for kept in (of_names.liveness, own_statements):
        kept.cache_clear()
    flow.grad(flow.compile(often, target="python"))(np.ones(3))
    assert sorted(walked) == ["damped", "often"]
    assert own_statements.cache_info().misses == 2
