"""Loops around loops in phases: the same numbers, and proofs that are too weak are noticed."""

from functools import partial

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, dependence, phases
from srcgrad.passes import loop_distribution as module
from srcgrad.passes.loop_distribution import loop_distribution
from srcgrad.primitives import REGISTRY
from tests.passes.random_loops import DrawNest, is_wrong
from tests.passes.random_programs import cpu_build, none_is_wrong
from tests.passes.with_and_without import anew, same_bits, with_and_without
from tests.tools.blocks import small_blocks
from tests.tools.turns import share

in_order = partial(loop_distribution, in_order=True)


@pytest.fixture(autouse=True)
def small():
    with small_blocks():
        yield


@pytest.mark.parametrize("run", [loop_distribution, in_order], ids=["", "in_order"])
def test_random_loops(run):
    seeds = share(range(600))
    none_is_wrong(lambda seed: is_wrong(DrawNest(seed), run), seeds, len(seeds) // 4)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_loops_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(2000, 2160))
    none_is_wrong(lambda seed: is_wrong(DrawNest(seed), loop_distribution, cpu_build), seeds)


@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (dependence.Dependence, "keeps_apart", lambda *a: True, 22),
        (phases, "classes_written", lambda block, classes: set(), 0),
        (phases, "touched", lambda s: [], 32),
        (phases._Phases, "has_vector_form", lambda *a: True, 14),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert is_wrong(DrawNest(seed), loop_distribution) is not True
    monkeypatch.setattr(owner, name, weak)
    assert is_wrong(DrawNest(seed), loop_distribution)


# ---- programs ----
def logistic(X, w, n):
    s = 0.0
    for i in range(n):
        z = 0.0
        for j in range(len(w)):
            z += X[i, j] * w[j]
        s += np.log1p(np.exp(-z)) if z > 0 else np.log1p(np.exp(z)) - z
    return s


def layers(X, w, n):
    y, total = np.zeros((n, len(w))), w[0] * 0
    for i in range(n):
        m = X[i, 0]
        for j in range(len(w)):
            m = max(m, X[i, j] * w[j])
        e = np.exp(-abs(m))
        for j in range(len(w)):
            y[i, j] = np.tanh(X[i, j] * e)
        c = np.cos(e) * np.sin(y[i, 0])
        for j in range(len(w)):
            total += c * y[i, j] * w[j]
    return total


def pairs(X, w, n):
    s = 0.0
    for i in range(n):
        for k in range(n):
            d = 0.0
            for j in range(X.shape[1]):
                d += (X[i, j] - X[k, j]) ** 2
            s += np.exp(-d * w[0])
    return s


def chained(X, w, n):
    """Trips that wait for a number, and for an element, of the one before."""
    s, y = 0.5, np.zeros(n + 1)
    for i in range(n):
        z = y[i] * 0.5
        for j in range(len(w)):
            z += X[i, j] * w[j]
        y[i + 1] = np.sin(z)
        s = 0.5 * s + np.exp(-z * z)
        s *= np.cos(w[1] * i)
    return s + np.sum(y)


def downwards(X, w, n):
    s, p = 0.0, 1.0
    for i in range(len(X) - 1, -1, -1):
        z = 0.0
        for j in range(len(w)):
            z += X[i, j] ** 2 * w[j] ** 2
        if z > 0.3:
            s += np.exp(-z) + np.log1p(z) * n
        p *= 1.0 + 0.1 * np.tanh(z)
    return s + p


def waits(X, w, n):
    """Trips that wait for the function of the one before."""
    s, last = 0.0, 0.0
    for i in range(n):
        z = 0.0
        for j in range(len(w)):
            z += X[i, j] * w[j]
        s += z * last
        last = np.tanh(z + last)
    return s


def until(X, w, n):
    s = 0.0
    for i in range(n):
        z = 0.0
        for j in range(len(w)):
            z += X[i, j] * w[j]
        if z > 1.4:
            break
        if z < -1.0:
            continue
        s += np.exp(z)
    return s


X = np.round(np.cos(np.arange(40.0) ** 2), 3).reshape(8, 5)
W = np.array([0.5, -0.75, 0.3, 1.25, -0.4])
PROGRAMS = [logistic, layers, pairs, chained, downwards, waits, until]


results = partial(with_and_without, "loop_distribution", by=(0, 1))


def distributed(f, args, **options):
    """How many loops of the gradient, in phases, are known to have been divided."""
    counts = []

    def count(part):
        counts.append(len(part))
        return part

    with pytest.MonkeyPatch.context() as patch:
        real = module.phases
        patch.setattr(module, "phases", lambda *a: count(real(*a)))
        flow.value_and_grad(flow.compile(anew(f), **options), (0, 1))(*args)
    return sum(map(bool, counts))


@pytest.mark.parametrize("target", ["loops", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_same_bits(f, target):
    for dtype in (np.float64, np.float32):
        for n in (8, 7, 1, 0):
            args = X.astype(dtype), W.astype(dtype), n
            same_bits(*results(f, args, target=target, fastmath=False))


@pytest.mark.parametrize("f", PROGRAMS)
def test_regrouped_sums(f):
    new, old = results(f, (X, W, 8), target="cpu")
    for a, b in zip(new, old, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    flow.testing.gradcheck(f, (X[:4, :3], W[:3], 4), target="loops", order=2)


def test_special_values():
    x = X.copy()
    x[2, 1], x[3, 3], x[4], x[5, 0], x[6] = np.nan, np.inf, -0.0, -np.inf, 1e200
    for f in PROGRAMS:
        same_bits(*results(f, (x, W, 8), target="cpu", fastmath=False))


def test_which_programs_are_distributed():
    assert [bool(distributed(f, (X, W, 8))) for f in PROGRAMS] == [True] * 5 + [False] * 2


def test_memory_by_two_names():
    """An argument that shares memory with another one, and with a result of earlier trips."""

    def program(x, y, w):
        s = 0.0
        for i in range(len(y) - 1):
            z = 0.0
            for j in range(len(w)):
                z += x[i] * w[j]
            y[i + 1] = np.sin(z)
            s += np.exp(-z)
        return s + np.sum(y)

    compiled = flow.compile(program, target="cpu")
    for shared in (False, True):
        x, y = np.array(X[:, 0]), np.array(X[:, 1])
        a, b = (x, x) if shared else (x, y)
        want_a, want_b = (x.copy(), y.copy()) if not shared else [x.copy()] * 2
        want = program(want_a, want_b, W)
        np.testing.assert_allclose(compiled(a, b, W), want, rtol=1e-13)
        np.testing.assert_allclose(b, want_b, rtol=1e-13)


def test_limits_of_narrow_integers():
    def program(X, w, n):
        s = 0.0
        for i in range(n):
            z = 0.0
            for j in range(len(w)):
                z += X[i, j] * w[j]
            s += np.exp(z)
        return s

    wide = np.tile(X, (16, 1))[:126]
    got = flow.compile(program, target="cpu")(wide, W, np.int8(126))
    np.testing.assert_allclose(got, program(wide, W, 126), rtol=1e-13)


# ---- which loops ----
TEXT = """
def f(X: f64[n, m], y: f64[k]):
    n: int = dim(X, axis=0)
    m: int = dim(X, axis=1)
    k: int = dim(y, axis=0)
    s: f64 = f64(0.0)
    for i in HEAD:
        z: f64 = f64(0.0)
        for j in INNER:
            v: f64 = load(X, i, j)
            z1: f64 = add(z, v)
            z = z1
        t: f64 = FUNCTION
        s1: f64 = UPDATE
        s = s1
    return (s,)
"""


def loops(text, run=loop_distribution):
    f = run(parse(text, REGISTRY))
    return sum(isinstance(s, For) for s in walk(f.body))


def text(head="range(0, n)", inner="range(0, m)", function="exp(z)", update="add(s, t)"):
    named = {"HEAD": head, "INNER": inner, "FUNCTION": function, "UPDATE": update}
    out = TEXT
    for name, given in named.items():
        out = out.replace(name, given)
    return out


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, 4),
        ({"update": "sub(t, s)"}, 5),  # what is carried stays behind
        ({"function": "sqrt(z)"}, 2),
        ({"function": "erf(z)"}, 2),
        ({"function": "exp(s)", "update": "add(t, z)"}, 2),
        ({"inner": "range(0, 8)"}, 2),  # unrolled
        ({"head": "promised(range(0, n))"}, 2),
    ],
)
def test_which_loops_are_divided(changes, found):
    assert loops(text(**changes)) == found


def test_sums_in_order_come_after_functions():
    assert loops(text(), in_order) == 5


def test_short_loops_stay(monkeypatch):
    monkeypatch.setattr(module, "SHORT", 16)
    assert loops(text("range(0, 15)")) == 2


def test_programs_are_legal():
    with checking():
        for f in PROGRAMS:
            flow.value_and_grad(flow.compile(lambda *a, f=f: f(*a), target="loops"), (0, 1))(
                X, W, 8
            )
