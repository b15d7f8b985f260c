"""Tapes of loops over triangles: made long enough before a loop, the same numbers."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def, For, While
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, lowering, run
from srcgrad.passes import room_ahead as module
from srcgrad.passes.room_ahead import room_ahead
from srcgrad.primitives import tapes
from tests.passes.with_and_without import same_bits, with_and_without


def triangle(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += np.exp(-((x[i] - x[j]) ** 2)) * x[j]
    return s


def upwards(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n - 1, i, -1):
            d = x[i] * x[j]
            if d > 0.1:
                s += np.sin(d) * np.log(d)
    return s


def three(x, n):
    s = 1.0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(max(j - 2, 0), min(2 * j, n)):
                s = 0.5 * s * np.cos(x[i] * x[k]) + np.tanh(s + x[j])
    return s


def halved(x, n):
    """Trips of which the run tells how many there are, in a loop of its own kind."""
    s, m = 0.0, n
    while m > 0:
        for j in range(m // 2, m):
            s += np.exp(x[j] * s * 0.1)
        m //= 2
    return s


X = np.round(np.cos(np.arange(12.0) ** 2), 3)
PROGRAMS = [triangle, upwards, three, halved]


def grown(f, passes):
    """How many loops without loops in them make a tape longer."""
    g = flow.value_and_grad(flow.compile(f, target="loops"))
    g(X, 9)
    ((entry,),) = g._entries.values()
    low = run(entry.program.function, passes)
    return sum(
        isinstance(s, For)
        and not any(isinstance(t, For | While) for t in s.body)
        and any(isinstance(t, Def) and t.op is tapes.reserve for t in walk(s.body))
        for s in walk(low.body)
    )


@pytest.mark.parametrize("f", PROGRAMS)
def test_no_innermost_loop_makes_a_tape_longer(f):
    assert grown(f, [p for p in lowering() if p.name != "room_ahead"])
    assert not grown(f, lowering())


@pytest.mark.parametrize("target", ["loops", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_same_bits(f, target, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    for n in (12, 7, 1, 0):
        with checking():
            same_bits(*with_and_without("room_ahead", f, (X, n), target=target, fastmath=False))


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    flow.testing.gradcheck(f, (X[:7], 7), target="loops", order=2)


def test_a_weaker_bound_is_noticed(monkeypatch):
    """A tape as long as the first trip needs it is too short for the others."""
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    monkeypatch.setattr(module._Bound, "upper", lambda self, a: self.end(a, -1))
    long = np.tile(X, 4)
    with pytest.raises(AssertionError):  # of an access outside of the tape
        flow.value_and_grad(flow.compile(lambda *a: triangle(*a), target="cpu"))(long, 40)


def test_programs_without_such_tapes_stay():
    f = flow.grad(flow.compile(lambda x, n: np.sum(np.sin(x) * n), target="loops"))
    f(X, 3)
    ((entry,),) = f._entries.values()
    assert room_ahead(entry.program.function) is entry.program.function
