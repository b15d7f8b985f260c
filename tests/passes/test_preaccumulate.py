"""Products of partials ahead of a recurrence: random trips, zeros, infinities and selections."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.check import check
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.passes import lowering, without
from srcgrad.passes import preaccumulate as module
from srcgrad.passes.preaccumulate import preaccumulate
from srcgrad.primitives import REGISTRY
from tests.passes.random_programs import function, loop, none_is_wrong
from tests.tools.turns import share

N = 6
HEAD = """
def f(x: f64[n], p: f64[m], c: bool[l], s0: f64, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(p, axis=0)
    l: int = dim(c, axis=0)
    half: f64 = load(p, 0)
"""


def drawn(seed):
    """A recurrence whose trips multiply, add and select, by numbers that no trip changes."""
    r = random.Random(seed)
    product = r.choice(["absorb", "mul"])
    in_memory = r.random() < 0.5
    lines = ["h: int = sub(j, 1)", "b: bool = load(c, j)", "nb: bool = logical_not(b)"]
    lines += ["p0: f64 = load(p, j)", "p1: f64 = load(p, h)", "p2: f64 = mul(p0, 0.75)"]
    lines.append("g: f64 = load(x, j)" if in_memory else "g: f64 = add(s, 0.125)")
    values = ["g"]
    for number in range(r.randint(3, 8)):
        v, name = r.choice(values[-3:]), f"t{number}"
        kind = r.choice(["neg", "add", "sub", product, product, product, "half", "where", "zero"])
        q = r.choice(["p0", "p1", "p2"])
        text = {
            "neg": f"neg({v})", "add": f"add({v}, {r.choice(values)})", "half": f"mul({v}, 0.5)",
            "sub": f"sub({v}, {r.choice(values)})", "absorb": f"absorb({v}, {q})",
            "mul": r.choice([f"mul({v}, {q})", f"mul({q}, {v})"]),
            "where": f"where({r.choice(['b', 'nb'])}, {v}, {r.choice(values)})",
            "zero": r.choice([f"where(b, {v}, f64(0.0))", f"where(nb, f64(0.0), {v})"]),
        }[kind]  # fmt: skip
        lines.append(f"{name}: f64 = {text}")
        values.append(name)
    last = values[-1]
    if in_memory:
        lines += [f"add_at(x, h, {last})", f"add_at(x, 0, {r.choice(values)})"]
    lines.append(f"o: f64 = add(e, {r.choice(values)})")
    ends = f"{'s' if in_memory else last}, o"
    trips = loop("j in reversed(range(lo, hi))", {"s": "s0", "e": "s0"}, lines, ends)
    text = function(HEAD, trips, "s", "e")
    numbers = np.random.default_rng(seed)
    args = [numbers.normal(size=N), numbers.normal(size=N), numbers.random(N) < 0.5]
    return text, [*args, float(numbers.normal()), 1, r.choice([N, N, 2, 1])]


def run(f, args):
    x, *rest = args
    x = x.copy()
    with np.errstate(all="ignore"):
        return [*python.build(f)(x, *rest), x]


def made(text):
    """The program after the pass; None if it is as it was."""
    new = preaccumulate(parse(text, REGISTRY))
    check(new)
    return None if to_text(new) == to_text(parse(text, REGISTRY)) else new


def is_wrong(seed):
    text, args = drawn(seed)
    new = made(text)
    if new is None:
        return None
    got, want = run(new, args), run(parse(text, REGISTRY), args)
    return not all(np.allclose(a, b, 1e-11, 1e-11) for a, b in zip(got, want, strict=True))


def test_random_trips():
    seeds = share(range(3000))
    none_is_wrong(is_wrong, seeds, len(seeds) // 10)


def leaks(seed):
    """Whether an infinite adjoint or partial makes a number NaN that was none; None: no change."""
    text, (x, p, c, s0, *over) = drawn(seed)
    new = made(text)
    if new is None or "absorb" not in text or "f64 = sub(" in text:
        return None  # infinities cancel, and a plain product of zero and infinity is NaN anyway
    if seed % 2:  # selections leave the zeros of an infinite adjoint alone
        x[-1] = s0 = np.inf
    elif "add(s, 0.125)" in text:
        return None
    else:  # a zero adjoint absorbs
        p[seed % N] = np.inf
        x[:], s0 = 0.0, 0.0
    args = [x, np.abs(p), c, s0, *over]
    pairs = list(zip(run(new, args), run(parse(text, REGISTRY), args), strict=True))
    return any(np.any(np.isnan(a) & ~np.isnan(b)) for a, b in pairs)


def test_zeros_stay_zero():
    seen = [leaks(seed) for seed in share(range(4000))]
    assert not any(seen)
    assert seen.count(False) > 10


@pytest.mark.parametrize("weak", ["selected", "roots", "absorbs"])
def test_a_weaker_proof_is_noticed(weak, monkeypatch):
    if weak == "selected":
        always = lambda self, s: module.TRUE
        monkeypatch.setattr(module._Products, "is_left_in", always)
        wrong = leaks
    elif weak == "roots":  # a sum is a multiple of what its first term is a multiple of
        of = module._Linear.of
        first = lambda self, s, *terms, product=None: of(self, s, terms[0], product=product)
        monkeypatch.setattr(module._Linear, "of", first)
        wrong = is_wrong
    else:  # a factor that is zero absorbs nothing
        times = module._Products.times
        plain = lambda self, op, a, p: times(self, REGISTRY["mul"], a, p)
        monkeypatch.setattr(module._Products, "times", plain)
        assert np.isnan(overflowing()[0])
        return
    with pytest.raises((AssertionError, NameError)):
        assert not any(wrong(seed) for seed in range(1500))


def overflowing():
    """The derivative of a logarithm of a sum that overflows: 1 / inf, then times inf."""
    lines = [
        "p0: f64 = load(p, j)", "q: f64 = div(1.0, p0)", "t: f64 = absorb(s, q)",
        "u: f64 = absorb(t, p0)", "v: f64 = neg(u)",
    ]  # fmt: skip
    new = made(function(HEAD, loop("j in range(lo, hi)", {"s": "s0"}, lines, "v"), "s"))
    assert new is not None
    p = np.array([2.0, np.inf, 3.0])
    return run(new, [p, p, np.ones(3, bool), 0.5, 0, 3])


def test_a_factor_that_is_zero_absorbs():
    assert overflowing()[0] == 0.0


def softened(x, y):
    """Soft dynamic time warping: the reverse of a trip is three multiples of one adjoint."""
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e8)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]
            low = min(a, min(b, c))
            total = np.exp(low - a) + np.exp(low - b) + np.exp(low - c)
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - np.log(total)
    return r[n, m]


def test_gradients():
    x, y = np.sin(np.arange(5.0)), np.cos(np.arange(6.0))
    flow.testing.gradcheck(softened, (x, y), target="loops", order=2)
    flow.testing.gradcheck(softened, (x, y), target="cpu")
    ties = np.zeros(4)
    value, plain = flow.value_and_grad(flow.compile(softened, target="python"), (0, 1))(ties, ties)
    again, made = flow.value_and_grad(softened, (0, 1))(ties, ties)
    np.testing.assert_allclose(value, again, 1e-13)
    np.testing.assert_allclose(made, plain, atol=1e-13)


def test_it_applies_and_can_be_switched_off():
    x, y = np.sin(np.arange(5.0)), np.cos(np.arange(6.0))
    f = flow.value_and_grad(softened, (0, 1))
    made = f(x, y)
    assert f.source("numba").count("absorb(r_bar") == 3
    with without("preaccumulate"):
        g = flow.value_and_grad(lambda x, y: softened(x, y), (0, 1))
        plain = g(x, y)
        assert g.source("numba").count("absorb(r_bar") < 4
    np.testing.assert_allclose(made[0], plain[0], 1e-14)
    np.testing.assert_allclose(made[1][0], plain[1][0], 1e-12)
    assert "preaccumulate" in {p.name for p in lowering()}
    assert "preaccumulate" not in {p.name for p in lowering(in_order=True)}
