"""Joins whose parts are read: the same numbers from the parts, unless a name could tell."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.parse import parse
from srcgrad.passes import checking, without
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.forward_joins import forward_joins
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, count, vec

ARGS = 2.0, -3.0, vec(5.0, 7.0)
BLOCKS = """p: f64[2] = pack(x, y)
r: f64[2, 1] = view(p, spec=(':', 'n'))
q: f64[2, 2] = pack(x, y, y, x, dims=(2, 2))
m: f64[2, 3] = concatenate(q, r, axis=1)
s: f64[1, 3] = zeros(1, 3, dtype='f64')
h: f64[3, 3] = concatenate(m, s, axis=0)
"""


def forwarded(body, returns):
    """How many joins are read behind the pass."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"def f(x: f64, y: f64, z: f64[2]):\n{lines}    return ({returns},)\n"
    new = agree(lambda f: eliminate(forward_joins(f)), parse(source, REGISTRY), ARGS)
    return count(new, "concatenate", "pack")


def seen(dims, at):
    return f"v: f64.strided[{dims}] = view(h, {at})\nu: f64[{dims}] = neg(v)"


@pytest.mark.parametrize(
    ("read", "left"),
    [
        ("u: f64 = load(h, 0, 1)", 0),
        ("u: f64 = load(h, 1, 2)", 0),
        ("u: f64 = load(h, 2, 2)", 0),  # of the zeros
        (seen("2, 2", "0, 2, 1, 0, 2, 1, spec=('s', 's')"), 1),
        (seen("2", "0, 2, 1, 2, spec=('s', 'i')"), 1),
        (seen("2, 1", "0, 2, 1, 2, 1, 1, spec=('s', 's')"), 1),
        (seen("1, 2", "1, 0, 2, 1, spec=('n', 'i', 's')"), 1),
        (
            "v: f64.strided[3] = view(h, 0, spec=(':', 'i'))\n"
            "w: f64.strided[2] = view(v, 0, 2, 1, spec=('s',))\nu: f64 = load(w, 1)",
            0,
        ),
        # of two parts
        (seen("3", "0, spec=(':', 'i')"), 4),
        (seen("2, 2", "0, 2, 1, 1, 2, 1, spec=('s', 's')"), 3),
    ],
)
def test_places(read, left):
    with checking():
        assert forwarded(BLOCKS + read, "u") == left


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("store(h, 2, 2, y)\nu: f64 = load(h, 0, 0)", "u"),  # the join changes
        ("store(q, 0, 0, y)\nu: f64 = load(h, 0, 0)", "u"),  # the part changes
        ("u: f64 = load(h, 0, 0)", "u, h"),  # the join is handed out
    ],
)
def test_what_has_memory_of_its_own_is_read_there(body, returns):
    assert forwarded(BLOCKS + body, returns) == 4


def test_every_view_of_random_joins():
    """Views by places of joins of joins agree with NumPy's."""
    random = np.random.default_rng(5)
    for spec, _ in itertools.product(itertools.product("is:", repeat=2), range(4)):
        numbers, lengths = list[int](), list[int]()
        for c in spec:
            start, length = 0 if c == ":" else int(random.integers(3)), 3
            if c == "s":
                length = int(random.integers(1, 4 - start))
            numbers += {"i": [start], "s": [start, length, 1], ":": []}[c]
            lengths += [] if c == "i" else [length]
        at = ", ".join(map(str, numbers))
        read = seen(", ".join(map(str, lengths)), f"{at}, spec={spec}".removeprefix(", "))
        with checking():
            forwarded(BLOCKS + (read if lengths else f"u: f64 = load(h, {at})"), "u")


def rotated(a, p):
    c, s = np.cos(a), np.sin(a)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    moved = np.r_[np.c_[turned, p], [[0.0, 0.0, 0.0, 1.0]]]
    r, q = moved[:3, :3], moved[:3, 3]
    return np.sum(np.dot(r, q) * moved[2, :3])


def test_gradients():
    args = 0.3, np.array([1.0, -2.0, 0.5])
    for order in (flow.grad, lambda f, *k: flow.jacrev(flow.grad(f, *k))):
        with checking():
            found = order(rotated, (0, 1))(*args)
        with without("forward_joins"):
            wanted = order(rotated, (0, 1))(*args)
        for g, w in zip(_leaves(found), _leaves(wanted), strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-14)


def _leaves(x):
    return [leaf for y in x for leaf in _leaves(y)] if isinstance(x, tuple) else [x]
