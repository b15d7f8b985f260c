"""Additions to neighbouring elements: gathered, each element is added to once per loop."""

import random

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.ir.nodes import For, If
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes.gather_additions import gather_additions
from srcgrad.passes.neighbours import Neighbours
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import agree

HEAD = """
def f(x: f64[n], y: f64[n], z: f64[n], p: int, q: int):
    n: int = dim(x, axis=0)
"""


def program(trip, reverse=False):
    """A function with one loop from p to q over these lines, which may add s1 to s."""
    run = "reversed(range(p, q))" if reverse else "range(p, q)"
    carried = "s1" in trip
    lines = [*trip.strip().splitlines(), *(["s = s1"] if carried else [])]
    body = "".join(f"        {line.strip()}\n" for line in lines)
    before, after = ("    s: f64 = f64(0.0)\n", "s,") if carried else ("", "")
    return f"{HEAD}{before}    for i in {run}:\n{body}    return ({after})\n"


def is_gathered(text):
    f = gather_additions(parse(text, REGISTRY))
    return any(isinstance(s, If) and s.cond.name == "enough" for s in walk(f.body))


def same(text, n, p, q):
    """Whether the pass changes nothing, for arrays of n elements."""
    numbers = np.random.default_rng(n)
    args = [*(np.round(numbers.normal(size=n), 2) for _ in "xyz"), p, q]
    return agree(lambda: parse(text, REGISTRY), args, python.build, gather_additions)


def shift(a, k):
    """The lines that make the place a = i + k."""
    return f"{a}: int = add(i, {k})\n"


def stencil(distances, seed, stores):
    """A trip that adds to places at these distances, and a sum."""
    choose = random.Random(seed)
    lines = "g: f64 = load(y, i)\nu: f64 = load(x, i)\n" + shift("a", choose.choice((-1, 1)))
    lines += "w: f64 = load(x, a)\n"
    if stores:
        lines += "store(y, i, f64(0.0))\n"
    lines += "r: f64 = mul(g, u)\ns1: f64 = add(s, r)\n"
    for k, d in enumerate(distances):
        factor = choose.choice(("u", "w", "f64(0.5)"))
        lines += f"v{k}: f64 = mul(g, {factor})\n" + shift(f"b{k}", d) + f"add_at(z, b{k}, v{k})\n"
    return lines


DISTANCES = [
    (0, 0, 1),
    (0, 1, 0),
    (-1, 0, -1, 0),
    (0, 1),
    (0, 1, -1),
    (-1, 1),
    (1, 1, 0),
    (-2, 0, 2),
    (2, -2, 1, -1, 0),
    (1, 2),
    (-1, -2),
]


@pytest.mark.parametrize("distances", DISTANCES)
@pytest.mark.parametrize("reverse", [False, True])
def test_stencils(distances, reverse):
    for seed, stores in enumerate((False, True, True)):
        text = program(stencil(distances, seed, stores), reverse)
        assert is_gathered(text)
        for trips in (*range(8), 20):
            n = trips + 4
            assert same(text, n, 2, n - 2), (text, trips)
        assert same(text, 9, 5, 3)


def test_an_element_is_added_to_once():
    f = gather_additions(parse(program(stencil((0, 1, -1), 0, True)), REGISTRY))
    loops = [s for s in walk(f.body) if isinstance(s, For)]
    adds = [sum(t.op.name == "add_at" for t in s.body) for s in loops]
    assert sorted(adds) == [0, 1, 3]  # the zeros, the elements, the loop as it was


# what must not be gathered -> the lines of a trip
REFUSED = {
    "read": "g: f64 = load(z, i)\n" + shift("a", 1) + "add_at(z, i, g)\nadd_at(z, a, g)",
    "stored": "g: f64 = load(x, i)\n" + shift("a", 1)
    + "add_at(z, i, g)\nadd_at(z, a, g)\nstore(z, i, g)",
    "function": "g: f64 = load(x, i)\nh: f64 = sin(g)\nk: f64 = cos(g)\n" + shift("a", 1)
    + "add_at(z, i, h)\nadd_at(z, a, k)",
    "far": "g: f64 = load(x, i)\n" + shift("a", 5) + "add_at(z, i, g)\nadd_at(z, a, g)",
    "stored neighbour": shift("b", -1) + "g: f64 = load(y, b)\nh: f64 = load(x, i)\n"
    "store(y, i, h)\n" + shift("a", 1) + "add_at(z, i, g)\nadd_at(z, a, g)",
    "zeros too early": shift("a", -1) + "store(y, i, f64(0.0))\ng: f64 = load(y, a)\n"
    "add_at(z, i, g)\nadd_at(z, a, g)",
    "no constant": "g: f64 = load(y, i)\nh: f64 = load(x, i)\nstore(y, i, h)\n" + shift("a", 1)
    + "add_at(z, i, g)\nadd_at(z, a, g)",
    "running sum": "g: f64 = load(x, i)\ns1: f64 = add(s, g)\nh: f64 = mul(s1, g)\n" + shift("a", 1)
    + "add_at(z, i, h)\nadd_at(z, a, h)",
    "raises": "g: f64 = load(x, i)\n" + shift("a", 1)
    + "add_at(z, i, g)\nadd_at(z, a, g)\nk: int = index(i, 5, axis=0)",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    assert not is_gathered(program(REFUSED[name]))


def test_a_short_loop_stays():
    text = program(stencil((0, 1), 0, False)).replace("range(p, q)", "range(0, 12)")
    f = gather_additions(parse(text, REGISTRY))
    assert len([s for s in walk(f.body) if isinstance(s, For)]) == 1


# a proof that is broken -> a program that shows it
WEAK = {
    "keeps": REFUSED["stored neighbour"],
    "may_be_late": REFUSED["zeros too early"],
}


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_proof_is_noticed(name, monkeypatch):
    text = program(WEAK[name])
    assert same(text, 12, 1, 10)
    monkeypatch.setattr(Neighbours, name, lambda self, x: True)
    monkeypatch.setattr(Neighbours, "others_are_apart", lambda self, plan: True)
    assert is_gathered(text)
    assert not same(text, 12, 1, 10)
