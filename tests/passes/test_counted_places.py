"""Checks of places that counters find: made before the loop, by the first and the last value."""

import random

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import hoist_bounds_checks as module
from srcgrad.passes.hoist_bounds_checks import hoist_bounds_checks
from srcgrad.passes.ranges import Ranges
from srcgrad.primitives import REGISTRY, memory
from tests.backends.backend_programs import outcome, same
from tests.tools.turns import share

PROGRAM = """
def f(x: f64[m], n: int):
    m: int = dim(x, axis=0)
    s: f64 = f64(0.0)
    p: int = {first}
    for i in {outer}:
        begun: f64 = s
        q: int = p
        for j in {inner}:
            place: int = add(q, {ahead})
            at: int = index(place, m, axis=0)
            v: f64 = load(x, at)
            t: f64 = add(begun, v)
            q1: int = {step}
            begun, q = t, q1
        p1: int = {between}
        s, p = begun, p1
    return (s, p)
"""


def drawn(seed):
    r = random.Random(seed)
    often = r.random() < 0.7
    return PROGRAM.format(
        first=r.choice(["0", "2"] if often else ["0", "-1", "-2", "n"]),
        outer=r.choice(["range(0, n)", "range(0, n)", "range(1, n)", "reversed(range(0, n))"]),
        inner=r.choice(
            ["range(0, i)", "range(0, 3)", "range(i, n)", "range(2, n)", "reversed(range(0, i))"]
        ),
        ahead=r.choice(["0", "0", "1", "-1"]),
        step=r.choice(["add(q, 1)"] * 4 + ["add(q, 2)", "sub(q, 1)", "add(q, j)", "add(q, 0)"]),
        between=r.choice(["add(q, 0)"] * 3 + ["add(q, 1)", "sub(q, 1)", "add(p, 0)", "mul(n, 0)"]),
    )


def differs(text, args, how=python.build):
    """Whether the pass makes something else of a program."""
    want = outcome(python.build, parse(text, REGISTRY), args)
    got = outcome(how, hoist_bounds_checks(parse(text, REGISTRY)), args)
    if isinstance(want, tuple):  # another check may be named, but not another kind of error
        return not isinstance(got, tuple) or got[0] != want[0]
    return not same(got, want)


def is_wrong(seed, how=python.build):
    r = random.Random(seed)
    args = [np.random.default_rng(seed).normal(size=r.choice([0, 1, 3, 6, 10])), r.randint(-1, 4)]
    return differs(drawn(seed), args, how)


def compiled(function):
    return build(function, BuildOptions(cache=False, fastmath=False))


def test_random_counters():
    seeds = share(range(2000))
    assert not [seed for seed in seeds if is_wrong(seed)]
    lifted = [_checks_in_inner_loops(hoist_bounds_checks(parse(drawn(k), REGISTRY))) for k in seeds]
    assert 20 < lifted.count(0) < len(seeds)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_counters_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    assert not [seed for seed in share(range(240)) if is_wrong(seed, compiled)]


def program(**given):
    usual = {
        "first": "0", "outer": "range(0, n)", "inner": "range(0, i)", "ahead": "0",
        "step": "add(q, 1)", "between": "add(q, 0)",
    }  # fmt: skip
    return PROGRAM.format(**usual | given)


def _all_carried(lift):
    return dict(zip(lift.loop.params, lift.loop.inits, strict=True))


@pytest.mark.parametrize(
    ("owner", "name", "weak", "given"),
    [
        (Ranges, "never_below", lambda *_: True, {"between": "sub(p, 1)", "inner": "range(0, 3)"}),
        (module._Lift, "counted", _all_carried, {"step": "add(q, 2)"}),
    ],
)  # fmt: skip
def test_a_weaker_proof_is_noticed(owner, name, weak, given, monkeypatch):
    """In guarded machine code: Python takes a negative place for one from the end."""
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    args = [np.arange(10.0), 4]
    assert not differs(program(**given), args, compiled)
    monkeypatch.setattr(owner, name, weak)
    assert differs(program(**given), args, compiled)


def _checks_in_inner_loops(function):
    outer = next(s for s in function.body if isinstance(s, For))
    inner = next(s for s in outer.body if isinstance(s, For))
    return sum(isinstance(s, Def) and s.op is memory.index for s in walk(inner.body))


def test_a_triangle():
    new = hoist_bounds_checks(parse(program(), REGISTRY))
    assert _checks_in_inner_loops(new) == 0
    assert "check_range" in to_text(new)
    for n, fits in ((6, 4), (5, 4)):
        found = outcome(python.build, new, [np.arange(float(n)), fits])
        assert isinstance(found, tuple) is (n == 5)
