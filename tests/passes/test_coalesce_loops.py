"""Coalesced loops: random nests give the same bits, and proofs that are too weak are noticed."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.nodes import For, If
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes import coalesce_loops as module
from srcgrad.passes import without
from srcgrad.passes.coalesce_loops import coalesce_loops
from srcgrad.primitives import REGISTRY
from tests.passes.random_programs import cpu_build, differs, function, loop, none_is_wrong
from tests.passes.with_and_without import with_and_without
from tests.tools.turns import share

HEAD = """
def f(x: f64[a, b], y: f64[c, d], z: f64.strided[e, g], flat: f64[h], v: f64[k], n: int, m: int):
    a: int = dim(x, axis=0)
    b: int = dim(x, axis=1)
    c: int = dim(y, axis=0)
    d: int = dim(y, axis=1)
    e: int = dim(z, axis=0)
    g: int = dim(z, axis=1)
    h: int = dim(flat, axis=0)
    k: int = dim(v, axis=0)
"""
# of trip (i, j), in loops over n and m
PLACES = [
    "x, i, j", "x, i, j", "x, i, j", "y, i, j", "y, i, j", "flat, place", "flat, place", "v, 1",
    "x, next, j", "y, next, j",
    # of these no single loop can be made
    "x, i, after", "x, j, i", "v, i", "v, j", "flat, wide", "z, i, j", "flat, near", "x, 1, j",
]  # fmt: skip
GOOD = 10


class Draw:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.places = PLACES[:GOOD] if r.random() < 0.75 else PLACES
        reverse = r.random() < 0.3
        self.outer = f"reversed(range(0, {self.length('n', 'a')}))" if reverse else None
        self.outer = self.outer or f"range(0, {self.length('n', 'a')})"
        inner = r.choice(["m", "b", "b", "b", "d"])
        self.inner = f"reversed(range(0, {inner}))" if reverse else f"range(0, {inner})"
        if r.random() < 0.1:
            self.inner = f"range(0, {inner})"
        self.stop = inner
        self.begins = r.choice(["s", "s", "s", "s", "f64(0.25)"])

    def length(self, *names):
        return self.random.choice(names)

    def body(self):
        r, values, lines = self.random, ["f64(0.5)", "q"], []
        for k in range(r.randint(1, 4)):
            place = r.choice(self.places)
            match r.choice(["load", "load", "add_at", "store"]):
                case "load":
                    lines += [
                        f"w{k}: f64 = load({place})",
                        f"u{k}: f64 = mul(w{k}, {r.choice(values)})",
                    ]
                    values.append(f"u{k}")
                case op:
                    lines.append(f"{op}({place}, {r.choice(values)})")
        if r.random() < 0.1:
            lines.append("number: f64 = cast(j, dtype='f64')")
            values.append("number")
        if r.random() < 0.05:
            values.append("s")
        how = r.choice(["add(q, {})", "add(q, {})", "mul(q, {})", "add({}, {})"])
        lines.append(f"q1: f64 = {how.format(*r.sample(values * 2, 2))}")
        return lines

    def text(self):
        beside = self.random.random() < 0.5
        places = [f"first: int = mul(i, {self.stop})", "next: int = add(i, 1)"]
        inside = [
            "place: int = add(first, j)", "after: int = add(j, 1)", "more: int = add(first, i)",
            "wide: int = add(more, j)", "near: int = add(i, j)",
        ]  # fmt: skip
        if not beside:
            places, inside = [], [*places, *inside]
        inner = loop(f"j in {self.inner}", {"q": self.begins}, [*inside, *self.body()], "q1")
        nest = loop(f"i in {self.outer}", {"s": "f64(0.125)"}, [*places, *inner], "q")
        return function(HEAD, nest, "s")

    def arguments(self):
        r = self.random
        numbers = np.random.default_rng(r.randrange(1000))
        n, m = r.choice([(3, 4), (2, 3), (1, 4), (0, 3), (3, 0), (4, 4)])
        other = r.choice([(n, m), (n, m), (n, m + 2), (n + 2, m)])

        def some(*shape):
            return np.round(numbers.normal(size=shape) / 4, 2)

        z = some(n + 2, 2 * m + 4)[:, ::2]
        signs = r.choice([(1, 1), (1, 1), (1, 1), (-1, -1), (-1, 1)])
        rows = n if other[0] == n else n + 1
        return [
            some(rows + 1, m), some(other[0] + 1, other[1]), z, some(200), some(60), n * signs[0],
            m * signs[1],
        ]  # fmt: skip


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    draw = Draw(seed)
    return differs(draw.text(), draw.arguments(), coalesce_loops, build, in_bounds=True)


def test_random_nests():
    seeds = share(range(2000))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_nests_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(2000, 2400))
    none_is_wrong(lambda seed: is_wrong(seed, cpu_build), seeds)


@pytest.mark.parametrize(
    ("owner", "name", "weak"),
    [
        (module._Pair, "is_one_piece", lambda self, kind: True),  # rows may be apart in memory
        (module._Pair, "passes_on", lambda self: True),  # each trip may begin anew
        (module._Pair, "is_flat", lambda self, t, last: last == 2),
        (module, "times", lambda a, b: a),  # steps of any length
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, monkeypatch):
    monkeypatch.setattr(owner, name, weak)

    def fails(seed):
        try:
            return is_wrong(seed)
        except (AssertionError, KeyError):
            return True  # the program is not legal any more

    assert any(fails(seed) for seed in range(2000))


def loops(*args):
    """The loops of a program with three contiguous axes, by what the run knows of its lengths."""
    f = parse(*args, REGISTRY)
    return [s for s in walk(coalesce_loops(f).body) if isinstance(s, For | If)]


def test_three_axes_become_one_loop():
    (loop,) = loops("""
def f(x: f64[a, b, c]):
    a: int = dim(x, axis=0)
    b: int = dim(x, axis=1)
    c: int = dim(x, axis=2)
    for i in range(0, a):
        for j in range(0, b):
            for k in range(0, c):
                v: f64 = load(x, i, j, k)
                w: f64 = mul(v, v)
                store(x, i, j, k, w)
    return ()
""")
    assert loop.stop.name == "joined"


def test_two_versions_where_the_run_knows_the_length():
    found = loops("""
def f(x: f64[a, b], y: f64[c, d]):
    a: int = dim(x, axis=0)
    b: int = dim(x, axis=1)
    c: int = dim(y, axis=0)
    d: int = dim(y, axis=1)
    for i in range(0, a):
        for j in range(0, b):
            v: f64 = load(x, i, j)
            add_at(y, i, j, v)
    return ()
""")
    assert [type(s) for s in found] == [If, For, For, For]


def norm(x, y, c):
    s, z = 0.0, np.zeros(x.shape)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            for j in range(x.shape[2]):
                d = x[i, k, j] - c
                z[i, k, j] = d * y[i, k, j]
                s += d * d
    return np.sin(s) + np.sum(z * z)


@pytest.mark.parametrize("other", [(2, 3, 5), (2, 3, 7), (4, 3, 5)])
@pytest.mark.parametrize("target", ["loops", "cpu"])
def test_gradients(target, other):
    rng = np.random.default_rng(0)
    args = rng.standard_normal((2, 3, 5)), rng.standard_normal(other), 0.3
    new, old = with_and_without("coalesce_loops", norm, args, (0, 1, 2), target=target)
    assert new[0] == pytest.approx(old[0], rel=1e-13)
    for g, o in zip(new[1:], old[1:], strict=True):
        np.testing.assert_allclose(g, o, rtol=1e-12, atol=1e-14)


def test_special_values_stay():
    def f(x, s):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                s = s * x[i, j]
                x[i, j] += s
        return s

    for value in (np.nan, np.inf, -0.0):
        x = np.array([[1.0, -0.0, 2.0], [value, 1.0, -1.0]])
        made = []
        for off in ((), ("coalesce_loops",)):
            with without(*off):
                y = x.copy()
                made.append((flow.compile(f, target="cpu", fastmath=False)(y, 1.0), y))
        np.testing.assert_array_equal(*(np.append(y, s).view(np.int64) for s, y in made))


def test_a_view_that_each_trip_makes_stays_in_its_trip():
    """A tape that a reverse sweep reads in a nest of its own is viewed in each trip."""
    (outer,) = loops("""
def f(x: f64[n, m], t: tape[f64]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    for i in range(0, n):
        for j in range(0, m):
            y: f64[n, m] = tape_view(t, 0, n, m)
            v: f64 = load(y, i, j)
            store(x, i, j, v)
    return ()
""")[:1]
    assert isinstance(outer.body[-1], For)
