"""The names that a comprehension binds are its own: no name of the function around it changes."""

import linecache
import random
from itertools import product

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.turns import share

ITEMS = {
    "q in x": "q",
    "q in x if q > 0.4": "q",
    "q in [x[0], x[1] * 2.0, x[2]]": "q",
    "q in range(3)": "q",
    "(q, z) in zip(x, x[::-1])": "(q + z)",
}
USES = (
    "any((w := {q}) > 0.45 for {p})",
    "all((w := {q}) > 0.45 for {p})",
    "any((w := {q}) > 9.0 for {p})",
    "all((w := (lambda: {q})()) > -9.0 for {p})",
    "any((lambda: {q} > 0.45)() for {p})",
    "sum([(w := {q} * 1.5) for {p}])",
    "sum({q} * 1.5 for {p})",
)
BEFORE = ("q = 0.25", "q = x * 2.0", "z = q = 'neither a number nor an array'")
AROUND = (
    "    r = r + {use}",
    "    for m in range(2):\n        r = r + {use} * (m + 1) + last(q)",
    "    if x[0] > 0.1:\n        r = r + {use}",
)
# a list of what binds a name is not filtered at run time: docs/limitations.md
PROGRAMS = [
    p for p in product(ITEMS, USES, BEFORE, AROUND) if not (" if " in p[0] and "[(w" in p[1])
]
random.Random(0).shuffle(PROGRAMS)


def last(q):
    """What is left of a name; 0 of a word."""
    return 0.0 if isinstance(q, str) else np.sum(q)


def defined(items, use, before, around):
    use = use.format(p=items, q=ITEMS[items])
    lines = ["def f(x):", "    w = r = 0.125", f"    {before}", around.format(use=use)]
    text = "\n".join([*lines, "    return r * 1.0 + last(q) + w"]) + "\n"
    file = f"<{use}, {before}, {around}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": np, "last": last}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("program", share(PROGRAMS))
def test_names_are_as_python_leaves_them(program):
    f, x = defined(*program), np.array([0.35, 0.7, 0.5])
    np.testing.assert_allclose(flow.compile(f, target="python")(x), f(x), rtol=1e-14)


def held(x):
    q = x[0]
    found = all((reader := (lambda: q)) is not None for q in (x[1], x[2]))  # noqa: B023  (what it is bound to is tested)
    return reader() * 2.0 + q * found


def test_functions_made_in_a_generator_read_its_own_name():
    x = np.array([0.35, 0.7, 0.5])
    value, slope = flow.value_and_grad(held, target="python")(x)
    assert value == held(x)
    np.testing.assert_allclose(slope, [1.0, 0.0, 2.0])
