"""Sums of recurrences in another order: random loops, and proofs that are too weak are noticed."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.passes import ahead, lowering, without
from srcgrad.passes import split_sums as split_sums_module
from srcgrad.passes.split_sums import split_sums
from srcgrad.primitives import REGISTRY
from tests.passes.random_programs import differs, function, loop, none_is_wrong
from tests.tools.turns import share

N = 7
HEAD = """
def f(x: f64[n, m], y: f64[c], k: int, i: int, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    c: int = dim(y, axis=0)
    up: int = sub(i, 1)
    down: int = add(i, 1)
    w: f64 = load(y, 0)
"""
PLACES = [
    "x, up, j", "x, i, prev", "x, i, j", "x, i, next", "x, down, next", "x, k, j", "x, j, i",
    "y, j", "y, prev", "y, next", "y, k", "x, i, other", "y, some",
]  # fmt: skip


def drawn(seed):
    r = random.Random(seed)
    lines = [
        "prev: int = sub(j, 1)", "next: int = add(j, 1)", "some: int = minimum(j, 3)",
        "other: int = add(some, 1)",
    ]  # fmt: skip
    values = ["q"] if r.random() < 0.5 else []
    for number in range(r.randint(3, 7)):
        name = f"u{number}"
        if number > 1 and r.random() < 0.15:
            lines.append(f"store({r.choice(PLACES)}, {values[-1]})")
        lines.append(f"{name}: f64 = load({r.choice(PLACES)})")
        values.append(name)
    r.shuffle(values)
    total = values[0]
    for number, v in enumerate(values[1:]):
        pair = [total, v] if r.random() < 0.7 else [v, total]
        total = f"t{number}"
        lines.append(f"{total}: f64 = add({', '.join(pair)})")
    lines += [f"z: f64 = mul({total}, 0.125)", f"store({r.choice(PLACES)}, z)"]
    if r.random() < 0.2:
        lines.append("add_at(y, j, t1)")  # a partial sum that is read
    head = r.choice(["range(lo, hi)", "reversed(range(lo, hi))"])
    text = function(HEAD, loop(f"j in {head}", {"q": "w"}, lines, r.choice(["z", "q"])), "q")
    numbers = np.random.default_rng(seed)
    lo, hi = r.choice([(1, N - 1), (1, N - 1), (2, 3), (3, 3), (4, 1)])
    args = [numbers.normal(size=(N, N)), numbers.normal(size=N)]
    return text, [*args, r.randrange(N), r.randrange(1, N - 1), lo, hi]


def is_wrong(seed):
    """Whether a program computes something else after the pass; None: it says nothing."""
    return differs(*drawn(seed), split_sums)


def test_random_sums():
    seeds = share(range(3000))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


def test_a_partial_sum_that_is_read_is_noticed(monkeypatch):
    inner = split_sums_module._Sums.is_inner
    monkeypatch.setattr(
        split_sums_module._Sums, "is_inner", lambda self, a: a in self.adds or inner(self, a)
    )
    with pytest.raises((AssertionError, NameError)):
        assert not any(is_wrong(seed) for seed in range(300))


SEIDEL = """
def f(x: f64[n, m], i: int):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    for j in RANGE:
        prev: int = sub(j, 1)
        next: int = add(j, 1)
        a: f64 = load(x, i, prev)
        b: f64 = load(x, i, j)
        c: f64 = load(x, i, next)
        t: f64 = add(a, b)
        u: f64 = add(t, c)
        z: f64 = mul(u, 0.3)
        store(x, i, j, z)
    return ()
"""


@pytest.mark.parametrize(
    ("over", "first", "last"),
    [("range(1, 4)", "b, c", "a"), ("reversed(range(1, 4))", None, None)],
)
def test_what_is_added_last(over, first, last):
    """Upwards the element before is new; downwards it is the one after, which is last already."""
    text = SEIDEL.replace("RANGE", over)
    found = to_text(split_sums(parse(text, REGISTRY)), notes=False)
    if first is None:
        assert found == to_text(parse(text, REGISTRY), notes=False)
    else:
        assert f"t: f64 = add({first})" in found
        assert f"u: f64 = add(t, {last})" in found


def test_numbers_that_move_with_data():
    """Places by a loaded index say nothing about other trips."""
    text = """
def f(x: f64[n], y: i64[c]):
    n: int = dim(x, axis=0)
    c: int = dim(y, axis=0)
    for j in range(0, c):
        k: i64 = load(y, j)
        l: int = add(k, 1)
        a: f64 = load(x, l)
        e: f64 = sin(a)
        z: f64 = mul(e, 0.3)
        store(x, k, z)
        s: f64 = load(x, 0)
        store(x, 1, s)
    return ()
"""
    f = parse(text, REGISTRY)
    serial = ahead.SerialLoops(f)
    loop = f.body[-1]
    load = next(t for t in loop.body if t.var is not None and t.var.name == "a")
    assert not serial.reads_old(loop, load)


def seidel(x):
    x = x.copy()
    for _ in range(3):
        for i in range(1, len(x) - 1):
            for j in range(1, len(x) - 1):
                x[i, j] = (x[i, j - 1] + x[i - 1, j] + x[i, j] + x[i + 1, j] + x[i, j + 1]) / 5.0
    return np.sum(x * x)


def test_gradients():
    x = np.cos(np.arange(49.0) ** 2).reshape(7, 7)
    flow.testing.gradcheck(seidel, (x,), target="loops", order=2)
    flow.testing.gradcheck(seidel, (x,), target="cpu")


def test_the_order_of_the_program_is_kept_on_request():
    x = np.cos(np.arange(49.0) ** 2).reshape(7, 7) / 3.0
    strict = flow.compile(seidel, target="cpu", fastmath=False)
    with without("split_sums"):
        plain = flow.compile(lambda x: seidel(x), target="cpu", fastmath=False)
        assert strict(x) == plain(x)
    assert "split_sums" not in {p.name for p in lowering(in_order=True)}
    assert "split_sums" in {p.name for p in lowering()}
