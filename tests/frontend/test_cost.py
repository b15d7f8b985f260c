"""What the questions about a syntax tree cost, counted: no more than the tree is deep and long."""

from functools import partial

import gast

from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.trees import exits
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
