"""Iterators that loops share: each item is taken once, or the program is refused."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import outcome, same

V = np.array([1.0, 2.0, 3.0])
WAYS = {  # a program runs over what is left of `z` in these ways
    "loop": "for q in z:\n    t = t + {q} * x",
    "expression": "t = t + sum({q} * x for q in z)",
    "list": "t = t + sum([{q} * x for q in z])",
    "several": "t = t + sum({q} * x for q in z for _ in range(2))",
    "map": "t = t + sum(map(lambda q: {q} * x, z))",
    "filter": "t = t + sum({q} for q in filter(lambda q: {q} > 0.5, z))",
    "starmap": "t = t + sum(itertools.starmap(lambda q, i: q * x, zip(({q} for q in z), V)))",
    "next": "q = next(z)\nt = t + {q} * x",
    "default": "q = next(z, None)\nt = t + (x if q is None else {q} * x)",
    "any": "t = t + any({q} > 1.5 for q in z)",
    "max": "t = t + max(({q} for q in z), default=5.0)",
    "chain": "t = t + sum({q} for q in itertools.chain(z, z))",
    "islice": "t = t + sum({q} for q in itertools.islice(z, 2))",
    "array": "t = t + np.sum(np.array([{q} for q in z] + [x]))",
}
MADE = {
    "iter": ("iter(V)", "q"),
    "items": ("iter([x, 2.0, 3.0])", "q"),
    "zip": ("zip(V, V)", "q[0]"),
    "enumerate": ("enumerate(V)", "q[1]"),
    "reversed": ("reversed(V)", "q"),
    "map": ("map(np.sin, V)", "q"),
    "filter": ("filter(lambda v: v > 1.5, V)", "q"),
    "generator": ("(v * x for v in V)", "q"),
    "chain": ("itertools.chain(V, V)", "q"),
    "count": ("itertools.islice(itertools.count(1), 4)", "q"),
}
AROUND = {
    "twice": "{way}\n{way}",
    "trips": "for _ in range(3):\n    {in1}",
    "run": "for w in V:\n    {in1}",
    "while": "k = 0\nwhile k < x * 10:\n    {in1}\n    k += 1",
    "branch": "if x > 0:\n    {in1}\n{way}",
    "on a path": "for w in V:\n    if w > 1.5:\n        {in2}",
    "nest": "for j in range(2):\n    z = {made}\n    for _ in range(2):\n        {in2}",
    "helper": "def take(t):\n    {in1}\n    return t\nfor w in V:\n    t = take(t)",
}


def program(made, around, way):
    expression, q = MADE[made]
    text = WAYS[way].format(q=q)
    at = lambda depth: text.replace("\n", "\n" + "    " * depth)
    body = AROUND[around].format(way=text, in1=at(1), in2=at(2), made=expression)
    lines = ["def f(x):", "    t = x", f"    z = {expression}"]
    lines += ["    " + line for line in body.splitlines()]
    return "\n".join([*lines, "    return t", ""])


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("made", MADE)
def test_right_or_refused(made, around):
    for way in WAYS:
        text = program(made, around, way)
        names = {"np": np, "itertools": itertools, "V": V}
        exec(text, names)
        f = names["f"]
        wanted, _ = outcome(f, (0.3,))
        got, _ = outcome(flow.compile(f, source=text, target="python"), (0.3,))
        if isinstance(got, tuple) and got[0]:
            assert isinstance(got[1], flow.UnsupportedError), (text, got)
        elif isinstance(wanted, tuple):
            assert isinstance(got, tuple), (text, got, wanted)
            assert isinstance(got[1], type(wanted[1])), (text, got, wanted)
        else:
            assert same(float(got), float(wanted)), (text, got, wanted)
