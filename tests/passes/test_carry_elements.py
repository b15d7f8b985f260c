"""Elements that trips hand on: random loops give the same bits, and weak proofs are noticed."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.passes import carry_elements as module
from srcgrad.passes import lowering, without
from srcgrad.passes.carry_elements import carry_elements
from srcgrad.primitives import REGISTRY
from tests.passes.random_programs import cpu_build, differs, function, loop, none_is_wrong
from tests.tools.turns import share

N = 8
HEAD = """
def f(x: f64[n, m], y: f64[c], k: int, i: int, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    c: int = dim(y, axis=0)
    up: int = sub(i, 1)
    row: f64[m] = view(x, i, spec=('i', ':'))
    w: f64 = load(y, 0)
"""
PLACES = [
    "x, i, j", "x, i, prev", "x, i, next", "x, up, j", "x, up, prev", "row, j", "row, prev",
    "y, j", "y, prev", "y, next", "y, k", "x, j, i", "x, prev, i", "x, i, k", "y, some",
]  # fmt: skip
ROWS = [
    ["x, i, j", "x, i, prev", "row, j", "x, up, j"], ["x, i, j", "x, i, next", "y, k"],
    ["y, j", "y, prev"], ["y, j", "y, next", "x, i, j"], ["x, j, i", "x, prev, i", "x, up, j"],
]  # fmt: skip


def drawn(seed):
    """A loop that loads and stores at neighbouring places, and arguments for it."""
    r = random.Random(seed)
    near = r.choice(ROWS)
    place = lambda: r.choice(near if r.random() < 0.8 else PLACES)
    lines = ["prev: int = sub(j, 1)", "next: int = add(j, 1)", "some: int = minimum(j, 3)"]
    values = ["q"]
    for number in range(r.randint(3, 7)):
        kind = r.choice(["load", "load", "store", "add", "compute", "branch"])
        v = r.choice(values)
        if kind == "load":
            values.append(f"u{number}")
            lines.append(f"u{number}: f64 = load({place()})")
        elif kind == "compute":
            lines.append(f"t{number}: f64 = sub({v}, {r.choice(values)})")
            values.append(f"t{number}")
        elif kind == "branch":
            lines += [f"b{number}: bool = lt({v}, 0.1)", f"if b{number}:"]
            lines += [f"    {r.choice(['store', 'add_at'])}({place()}, {r.choice(values)})"]
        else:
            lines.append(f"{'store' if kind == 'store' else 'add_at'}({place()}, {v})")
    lines.append(f"z: f64 = mul({values[-1]}, 0.5)")
    if r.random() < 0.8:
        lines.append(f"{r.choice(['store', 'add_at'])}({place()}, z)")
    head = r.choice(["range(lo, hi)", "reversed(range(lo, hi))"])
    text = function(HEAD, loop(f"j in {head}", {"q": "w"}, lines, r.choice(["z", "q"])), "q")
    numbers = np.random.default_rng(seed)
    lo, hi = r.choice([(1, N - 1), (1, N - 1), (2, 4), (3, 3), (4, 1)])
    args = [numbers.normal(size=(N, N)), numbers.normal(size=N)]
    if r.random() < 0.2:
        args[1][r.randrange(N)] = r.choice([np.nan, np.inf])
    return text, [*args, r.randrange(N), r.randrange(1, N - 1), lo, hi]


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    return differs(*drawn(seed), carry_elements, build)


def test_random_loops():
    seeds = share(range(4000))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


def test_random_loops_as_machine_code():
    none_is_wrong(lambda seed: is_wrong(seed, cpu_build), share(range(400)), 2)


def only_of_each_trip(self, at, s):
    if s in self.loop.body:
        written(self, at, s)


written = module._Handed.written
WEAK = {
    "places are apart": {"_apart": lambda one, other: True},
    "the place of the same trip": {
        "_apart": lambda one, other: True, "one_trip_later": lambda self, place: place
    },
    "stores in branches are none": {"written": only_of_each_trip},
}  # fmt: skip


@pytest.mark.parametrize("name", WEAK)
def test_a_weaker_proof_is_noticed(name, monkeypatch):
    for attribute, weak in WEAK[name].items():
        owner = module if attribute == "_apart" else module._Handed
        monkeypatch.setattr(owner, attribute, weak)
    with pytest.raises(AssertionError):
        assert not any(is_wrong(seed) for seed in range(600))


SUM = """
def f(x: f64[n, m], i: int):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    up: int = sub(i, 1)
    for j in reversed(range(1, m)):
        h: int = sub(j, 1)
        g: f64 = load(x, i, j)
        p: f64 = mul(g, 0.25)
        add_at(x, up, j, p)
        add_at(x, i, h, p)
    return ()
"""


def test_the_reverse_of_a_row_waits_for_no_memory():
    text = to_text(carry_elements(parse(SUM, REGISTRY)), notes=False)
    assert "p: f64 = mul(x2, 0.25)" in text
    assert "x2 = t" in text.splitlines()[-2].strip()


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("add_at(x, up, j, p)", "add_at(x, h, h, p)"),  # h may be i
        ("up: int = sub(i, 1)", "up: int = mul(i, i)"),
    ],
)
def test_a_store_that_may_meet_the_element_keeps_it_in_memory(line, other):
    text = SUM.replace(line, other)
    same_text = to_text(parse(text, REGISTRY))
    moved = other.startswith("add_at")
    # what comes before the last store changes nothing of what it leaves there
    assert (to_text(carry_elements(parse(text, REGISTRY))) == same_text) is False
    later = text.replace("        add_at(x, i, h, p)\n", "").replace(
        f"        {other if moved else line}\n",
        f"        add_at(x, i, h, p)\n        {other if moved else line}\n",
    )
    if moved:
        assert to_text(carry_elements(parse(later, REGISTRY))) == to_text(parse(later, REGISTRY))


def recursive(x, a):
    """A filter in place: its reverse adds to the element that the next trip reads."""
    y = x.copy()
    for _ in range(3):
        for i in range(1, len(x)):
            y[i] += a[i] * np.sin(y[i - 1]) - 0.1 * y[i] * y[i - 1]
    return np.sum(y * y)


def test_gradients():
    x, a = np.cos(np.arange(7.0)), np.sin(np.arange(7.0)) / 2
    flow.testing.gradcheck(recursive, (x, a), target="loops", order=2)
    flow.testing.gradcheck(recursive, (x, a), target="cpu")
    flow.testing.gradcheck(recursive, (x[:1], a[:1]), target="cpu")


@pytest.mark.parametrize("fastmath", [True, False])
def test_the_numbers_are_those_without_it(fastmath):
    """Bit for bit in the order of the program; LLVM regroups sums that it sees more of."""
    x, a = np.cos(np.arange(30.0)), np.sin(np.arange(30.0)) / 2
    for kind in (np.float64, np.float32):
        args = x.astype(kind), a.astype(kind)
        with without("carry_elements"):
            plain = flow.grad(flow.compile(lambda x, a: recursive(x, a), fastmath=fastmath))(*args)
        made = flow.grad(flow.compile(lambda x, a: recursive(x, a), fastmath=fastmath))(*args)
        assert made.dtype == kind
        rounding = 200 * np.finfo(kind).eps if fastmath else 0.0
        np.testing.assert_allclose(made, plain, rtol=rounding, atol=rounding)
    assert "carry_elements" in {p.name for p in lowering(in_order=True)}
