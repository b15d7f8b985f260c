"""Distributed loops: random loops give the same bits, and proofs that are too weak are noticed."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import ahead, checking, phases
from srcgrad.passes import loop_distribution as module
from srcgrad.passes.loop_distribution import loop_distribution
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, program, vec
from tests.passes.random_loops import Draw, is_wrong
from tests.passes.random_programs import cpu_build, none_is_wrong
from tests.passes.with_and_without import same_bits, with_and_without
from tests.tools.blocks import small_blocks
from tests.tools.turns import share


@pytest.fixture(autouse=True)
def small():
    with small_blocks():
        yield


def test_random_loops():
    seeds = share(range(1500))
    none_is_wrong(lambda seed: is_wrong(Draw(seed), loop_distribution), seeds, len(seeds) // 8)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_loops_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(2000, 2300))
    none_is_wrong(lambda seed: is_wrong(Draw(seed), loop_distribution, cpu_build), seeds)


@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (ahead, "classes_written", lambda block, classes: set(), 26),
        (phases, "touched", lambda s: [], 26),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert is_wrong(Draw(seed), loop_distribution) is not True
    monkeypatch.setattr(owner, name, weak)
    assert is_wrong(Draw(seed), loop_distribution)


def test_the_last_of_several_stores_counts(monkeypatch):
    f = program(
        "x: f64[n], y: f64[m], s0: f64",
        """
s: f64 = s0
for i in reversed(range(0, n)):
    v: f64 = load(x, i)
    t: f64 = sin(v)
    store(y, 0, t)
    u: f64 = sub(t, s)
    s = u
""",
        "s,",
    )
    agree(loop_distribution, f, (vec(1, 2, 3, 4), vec(0), 0.5))
    monkeypatch.setattr(ahead.Ahead, "in_any_order", True)
    with pytest.raises(AssertionError):
        agree(loop_distribution, f, (vec(1, 2, 3, 4), vec(0), 0.5))


# ---- programs ----
def decay(x, n):
    s = t = 0.3
    for i in range(1, n):
        s = np.exp(-abs(x[i] - x[i - 1])) * s + np.tanh(x[i])
        t += s * s
    return t


def along_memory(x, n):
    y = np.zeros(len(x) + 1)
    y[-1] = 0.4
    for i in range(n - 1, -1, -1):
        y[i] = 0.5 * y[i + 1] * np.cos(x[i]) + x[i]
    return np.sum(y * y)


def until(x, n):
    s = 0.2
    for i in range(n):
        s = 0.7 * s * np.sin(x[i]) + math.log1p(x[i] * x[i])
        if s > 1.5:
            break
        if x[i] < 0.0:
            continue
        s += 0.1
    return s


def with_whole_numbers(x, n):
    s, k = 0.1, 0
    for i in range(n):
        k = 3 * k + i
        s = s * np.exp(-0.1 * i) + np.sin(0.01 * k) * x[i]
    return s


X = np.round(np.cos(np.arange(10.0) ** 2), 3)
FUNCTIONS_OF_ELEMENTS = [decay, along_memory, until, with_whole_numbers]


exactly = partial(with_and_without, "loop_distribution", fastmath=False)


@pytest.mark.parametrize("target", ["loops", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS_OF_ELEMENTS)
def test_the_same_bits(f, target):
    for dtype in (np.float64, np.float32):
        for n in (10, 7, 1, 0):
            same_bits(*exactly(f, (X.astype(dtype), n), target=target))


@pytest.mark.parametrize("f", FUNCTIONS_OF_ELEMENTS)
def test_gradients(f):
    flow.testing.gradcheck(f, (X, 10), target="loops", order=2)


def test_special_values():
    x = X.copy()
    x[3:6] = np.nan, np.inf, -0.0
    for f in FUNCTIONS_OF_ELEMENTS:
        same_bits(*exactly(f, (x, 10), target="cpu"))


def loops(text):
    f = loop_distribution(parse(text, REGISTRY))
    return [s for s in walk(f.body) if isinstance(s, For)]


TEXT = """
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    s: f64 = f64(0.5)
    for i in range(0, n):
        v: f64 = load(x, i)
        t: f64 = sin(v)
        u: f64 = UPDATE
        s = u
    return (s,)
"""


@pytest.mark.parametrize(
    ("update", "found"),
    [
        ("mul(s, t)", 1),  # products are vectorised as they are
        ("add(s, t)", 1),
        ("sub(t, s)", 3),
    ],
)
def test_which_loops_are_distributed(update, found):
    assert len(loops(TEXT.replace("UPDATE", update))) == found


def test_short_and_promised_loops_stay(monkeypatch):
    text = TEXT.replace("UPDATE", "sub(t, s)")
    assert len(loops(text.replace("range(0, n)", "promised(range(0, n))"))) == 1
    monkeypatch.setattr(module, "SHORT", 16)
    assert len(loops(text.replace("range(0, n)", "range(0, 15)"))) == 1


def test_arrays_that_a_loop_carries_have_its_lengths():
    """Their types mention the lengths that the loop carries beside them."""

    def swapped(x, w, n):
        d, e = 0.5 * x[0] * w, np.zeros_like(w)
        for j in range(n):
            d, e = e, d
            d[1] = np.sin(x[0, j]) * d[0] + d[1]
        return np.sum(d * e * e)

    args = np.full((3, 4), 0.3), np.full(4, 0.7), 3
    with checking():
        got = flow.value_and_grad(flow.compile(swapped, target="cpu"), (0, 1))(*args)
    want = flow.value_and_grad(flow.compile(swapped, target="python"), (0, 1))(*args)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-14)
    for g, w in zip(got[1], want[1], strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-14)


LONG = """
def f(x: f64[n], a: f64[m], s0: f64):
    n: int = dim(x, axis=0)
    m: int = dim(a, axis=0)
    s: f64 = s0
    for j in range(0, n):
        v: f64 = load(a, j)
        p0: f64 = mul(v, v)
LINES
        t: f64 = mul(s, p1)
        u: f64 = add(t, p2)
        s = u
    return (s,)
"""


@pytest.mark.parametrize(("each", "split"), [(7, True), (4, False)])
def test_long_computations_run_ahead(each, split):
    """Two numbers of many operations are worth two loads; of a few they are not."""
    lines = ["q0: f64 = add(p0, 0.5)"]
    for name, start in (("p1", "p0"), ("p2", "q0")):
        steps = [start, *(f"{name}_{k}" for k in range(each - 2)), name]
        lines += [f"{b}: f64 = div({a}, 1.5)" for a, b in pairwise(steps)]
    text = LONG.replace("LINES", "\n".join(f"        {line}" for line in lines))
    f = parse(text, REGISTRY)
    new = loop_distribution(parse(text, REGISTRY))
    assert (to_text(new) != to_text(f)) == split
    x = np.cos(np.arange(10.0))
    got, want = python.build(new)(x, x, 0.5), python.build(f)(x, x, 0.5)
    assert got == want
