"""Batched products: random loops give the same sums, and proofs that are too weak are noticed."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.errors import ShapeError
from srcgrad.ir.nodes import Def
from srcgrad.ir.parse import parse
from srcgrad.passes import batch_products as module
from srcgrad.passes import lowering, run, without
from srcgrad.passes.batch_products import batch_products
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import count
from tests.passes.random_programs import (
    cpu_build,
    differs,
    function,
    indented,
    loop,
    none_is_wrong,
)
from tests.tools.turns import share

HEAD = """
def f(
    a: f64[n, m], b: f64[m, n], u: f64[k, n], v: f64[k, m], w: f64[n], q: f64[m], c: f64[k, n, m],
    stop: int,
):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    k: int = dim(u, axis=0)
    made: f64[n, m] = zeros(n, m, dtype='f64')
    turned: f64.strided[n, m] = transpose(b, perm=(1, 0))
"""
TARGETS = ["a", "a", "made", "made", "made", "turned", "seen", "part"]
OTHERS = [  # beside a product
    "z{k}: f64 = load(a, 0, 0)\nstore(w, 0, z{k})",
    "store(made, 0, 0, 2.0)",
    "add_at(made, 0, 0, 3.0)",
    "add_at(w, 0, 1.0)",
    "store(q, 0, 3.0)",
    "z{k}: int = index(i, 5, axis=0)",
    "z{k}: f64[n, m] = copy(made)\nz{k}a: f64 = sum(z{k}, axes=(0, 1))\nstore(w, 0, z{k}a)",
    "z{k}: f64 = sum(p0, axes=(0, 1))\nstore(w, 0, z{k})",
    "z{k}: f64[m, n] = mul(b, 2.0)\nz{k}a: f64 = sum(z{k}, axes=(0, 1))\nadd_at(q, 0, z{k}a)",
    "z{k}: bool = lt(i, 1)\nif z{k}:\n    add_to(a, p0)",
]  # fmt: skip


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def vector(self, name, axis):
        r = self.random
        own, outer, size = (("u", "w", "n"), ("v", "q", "m"))[axis]
        where = r.choice([own, own, own, outer])
        base = f"{name}o"
        lines = [f"{base}: f64[{size}] = view({own}, i, spec=('i', ':'))"] if where == own else []
        base = base if lines else outer
        if r.random() < 0.3:
            lines.append(f"{name}c: f64[{size}] = mul({base}, 2.0)")
            base = f"{name}c"
        if axis == 1 and r.random() < 0.3:
            return lines, base, False
        shape, spec = (
            (f"[{size}, 1]", "':', 'n'") if axis == 0 else (f"[1, {size}]", "'n', ':'")
        )  # fmt: skip
        return [*lines, f"{name}: f64{shape} = view({base}, spec=({spec}))"], name, True

    def product(self, k):
        r = self.random
        left, x, _ = self.vector(f"r{k}", 0)
        right, y, is_matrix = self.vector(f"c{k}", 1)
        forms = [f"mul({x}, {y})", f"mul({y}, {x})"] + [f"matmul({x}, {y})"] * is_matrix
        return [*left, *right, f"p{k}: f64[n, m] = {r.choice(forms)}"]

    def body(self):
        r, out = self.random, ["seen: f64[n, m] = reshape(made, n, m)"]
        out.append("part: f64[n, m] = view(c, i, spec=('i', ':', ':'))")
        for k in range(r.randint(1, 3)):
            out += self.product(k)
            if r.random() < 0.15:
                out += r.choice(OTHERS).format(k=f"{k}b").splitlines()
            out.append(f"add_to({r.choice(TARGETS)}, p{k})")
        if r.random() < 0.4:
            out += r.choice(OTHERS).format(k="e").splitlines()
        return out

    def text(self):
        body = self.body()
        match self.random.choice(["for", "for", "reversed", "while", "nested"]):
            case "for":
                trips = loop("i in range(0, stop)", {}, body)
            case "reversed":
                trips = loop("i in reversed(range(0, stop))", {}, body)
            case "while":
                trips = [
                    "i: int = 0", "while True:", "    goes: bool = lt(i, stop)",
                    "    if not goes: break",
                    *indented(body), "    next: int = add(i, 1)", "    i = next",
                ]  # fmt: skip
            case _:
                trips = loop("o in range(0, 2)", {}, loop("i in range(0, stop)", {}, body))
        return function(HEAD, trips, "made")

    def arguments(self):
        numbers = np.random.default_rng(self.random.randrange(1000))
        n, m = self.random.choice([(2, 3), (3, 2), (1, 3), (3, 1), (2, 2)])
        k = self.random.choice([0, 1, 3, 4, 5, 8, 9])

        def some(*shape):  # whole numbers, whose sums are exact in any order
            return numbers.integers(-3, 4, shape).astype(float)

        return [some(n, m), some(m, n), some(k, n), some(k, m), some(n), some(m), some(k, n, m), k]


@pytest.fixture
def small(monkeypatch):
    """Batches of three products, of matrices of any size."""
    for name, value in (("ROWS", 3), ("LARGE", 1), ("FEW", 1)):
        monkeypatch.setattr(module, name, value)


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    draw = Draw(seed)
    return differs(draw.text(), draw.arguments(), batch_products, build)


def lowered_build(function):
    with without("batch_products"):
        return cpu_build(run(function, lowering()))


def test_random_loops(small):
    seeds = share(range(1500))
    none_is_wrong(is_wrong, seeds, len(seeds) // 4)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_loops_as_machine_code(way, small, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(1500, 1620))
    none_is_wrong(lambda seed: is_wrong(seed, lowered_build), seeds)


@pytest.mark.parametrize(
    ("name", "weak"),
    [
        ("only_added_to", lambda self, s: {self.classes.of(t.args[0]) for t in additions(s)}),
        ("fits", lambda self, s, vectors, view, inner: True),
        ("along", lambda self, a, axis: True),
    ],
)
def test_a_weaker_proof_is_noticed(name, weak, small, monkeypatch):
    monkeypatch.setattr(module._BatchProducts, name, weak)

    def fails(seed):
        try:
            return is_wrong(seed)
        except (AssertionError, KeyError, ShapeError):
            return True  # the program is not legal any more

    assert any(fails(seed) for seed in range(400))


def additions(loop):
    return [s for s in loop.body if isinstance(s, Def) and s.op.name == "add_to"]


def recurrent(w, u, b, xs, h):
    total = 0.0
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        total += np.sum(h * h)
    return total


@pytest.mark.parametrize("trips", [0, 1, 63, 64, 65, 130])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_matrices_by_the_number_of_trips(trips, dtype):
    numbers = np.random.default_rng(trips)
    shapes = (70, 70), (70, 65), (70,), (trips, 65), (70,)
    args = [(numbers.normal(size=shape) / 8).astype(dtype) for shape in shapes]
    found = flow.grad(recurrent, (0, 1, 2), target="cpu")(*args)
    with without("batch_products"):
        wanted = flow.grad(recurrent, (0, 1, 2), target="cpu")(*args)
    for got, want in zip(found, wanted, strict=True):
        digits = 1e-12 if dtype is np.float64 else 1e-4
        np.testing.assert_allclose(got, want, rtol=digits, atol=digits)


def test_no_batches_where_the_order_of_additions_is_the_programs():
    assert "batch_products" in [p.name for p in lowering()]
    assert "batch_products" not in [p.name for p in lowering(in_order=True)]


def test_matrices_that_are_known_to_be_small_stay():
    text = """
def f(a: f64[3, 2], u: f64[k, 3], v: f64[k, 2]):
    k: int = dim(u, axis=0)
    for i in range(0, k):
        x: f64[3] = view(u, i, spec=('i', ':'))
        y: f64[2] = view(v, i, spec=('i', ':'))
        c: f64[3, 1] = view(x, spec=(':', 'n'))
        p: f64[3, 2] = mul(c, y)
        add_to(a, p)
    return ()
"""
    assert count(batch_products(parse(text, REGISTRY)), "matmul") == 0
