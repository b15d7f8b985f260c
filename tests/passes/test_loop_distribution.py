"""Distributed loops: random loops give the same bits, and proofs that are too weak are noticed."""

import math
import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import ahead, checking, without
from srcgrad.passes import loop_distribution as module
from srcgrad.passes.loop_distribution import loop_distribution
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import agree
from tests.passes.random_programs import cpu_build, none_is_wrong
from tests.tools.blocks import small_blocks
from tests.tools.turns import share

N = 12
HEAD = """
def f(x: f64[n], y: f64[m], v: f64[c], k: int, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    c: int = dim(v, axis=0)
    half: f64 = load(v, 0)
"""
PLACES = ["x, j", "y, j", "v, j", "x, k", "y, k", "x, next", "y, prev", "y, capped", "v, capped"]
FUNCTIONS = ["sin", "cos", "tanh", "exp"]


@pytest.fixture(autouse=True)
def small():
    with small_blocks():
        yield


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values, self.numbers = ["half", "q"], 0

    def new(self, stem):
        self.numbers += 1
        return f"{stem}{self.numbers}"

    def value(self):
        return self.random.choice(self.values[-4:] if self.random.random() < 0.7 else self.values)

    def defined(self, stem, text):
        name = self.new(stem)
        self.values.append(name)
        return [f"{name}: f64 = {text}"]

    def line(self, kind):
        r = self.random
        match kind:
            case "load":
                return self.defined("u", f"load({r.choice(PLACES)})")
            case "function":
                return self.defined("e", f"{r.choice(FUNCTIONS)}({self.value()})")
            case "sum":
                return self.defined(
                    "t", f"{r.choice(['add', 'mul', 'sub', 'minimum'])}({self.value()}, half)"
                )
            case "store":
                return [
                    f"{r.choice(['store', 'store', 'add_at'])}({r.choice(PLACES)}, {self.value()})"
                ]
            case _:
                cond, name = self.new("c"), self.new("w")
                lines = [
                    f"{cond}: bool = lt({self.value()}, {self.value()})",
                    f"{name}: f64",
                    f"if {cond}:",
                    f"    store({r.choice(PLACES)}, {self.value()})",
                    f"    {name} = {self.value()}",
                    "else:",
                    f"    {name} = half",
                ]
                self.values.append(name)
                return lines

    def text(self):
        r = self.random
        lines = [
            "next: int = add(j, 1)", "prev: int = sub(j, 1)", "capped: int = minimum(j, 4)",
            *self.line("load"), *self.line("function"),
        ]  # fmt: skip
        kinds = ["load", "function", "sum", "sum", "store", "store", "branch"]
        for _ in range(r.randint(2, 6)):
            lines += self.line(r.choice(kinds))
        update = r.choice(["mul(q, {0})", "sub({0}, q)", "where(c0, q, {0})", "add(q, {0})"])
        if "c0" in update:
            lines.append(f"c0: bool = lt({self.value()}, {self.value()})")
        lines += [f"q0: f64 = {update.format(self.value())}", "q1: f64 = tanh(q0)"]
        head = r.choice(["range(lo, hi)", "reversed(range(lo, hi))", "range(1, 8)"])
        return HEAD + "\n".join([
            "    q: f64 = half",
            f"    for j in {head}:",
            *[f"        {line}" for line in lines],
            f"        q = {r.choice(['q1', 'q1', 'q0', lines[4].split(':')[0]])}",
            "    return (q,)\n",
        ])  # fmt: skip

    def arguments(self):
        r = self.random
        numbers = np.random.default_rng(r.randrange(1000))
        lo = r.choice([1, 1, 2, 5])
        hi = r.choice([lo, lo + 1, lo + 3, 10, 10, 10, -1])
        arrays = [np.round(numbers.normal(size=N) / 2, 2) for _ in range(3)]
        if r.random() < 0.2:
            arrays[0][4] = r.choice([np.nan, -0.0, np.inf])
        return [*arrays, r.randrange(N), lo, hi]


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    draw = Draw(seed)
    text, args = draw.text(), draw.arguments()

    def make():
        return parse(text, REGISTRY)

    with np.errstate(all="ignore"):
        if to_text(make()) == to_text(loop_distribution(make())):
            return None
        return not agree(make, args, build, loop_distribution)


def test_random_loops():
    seeds = share(range(1500))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_loops_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(2000, 2300))
    none_is_wrong(lambda seed: is_wrong(seed, cpu_build), seeds)


@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (ahead, "classes_written", lambda block, classes: set(), 26),
        (ahead, "touched", lambda s: [], 136),
        (module._Distributed, "descends", False, 484),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert is_wrong(seed) is not True
    monkeypatch.setattr(owner, name, weak)
    assert is_wrong(seed)


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


def results(f, args, target):
    made = []
    for off in ((), ("loop_distribution",)):
        with without(*off):
            g = flow.value_and_grad(flow.compile(lambda *a: f(*a), target=target, fastmath=False))
            made.append(g(*args))
    return made


@pytest.mark.parametrize("target", ["loops", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS_OF_ELEMENTS)
def test_the_same_bits(f, target):
    for dtype in (np.float64, np.float32):
        for n in (10, 7, 1, 0):
            (value, g), (value0, g0) = results(f, (X.astype(dtype), n), target)
            assert value == value0
            np.testing.assert_array_equal(g, g0)


@pytest.mark.parametrize("f", FUNCTIONS_OF_ELEMENTS)
def test_gradients(f):
    flow.testing.gradcheck(f, (X, 10), target="loops", order=2)


def test_special_values():
    x = X.copy()
    x[3:6] = np.nan, np.inf, -0.0
    with np.errstate(all="ignore"):
        for f in FUNCTIONS_OF_ELEMENTS:
            (value, g), (value0, g0) = results(f, (x, 10), "cpu")
            np.testing.assert_array_equal(value, value0)
            np.testing.assert_array_equal(g, g0)


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
