"""Tapes that grow at once are one tape: the same numbers, and what stays apart."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, lowering, run, without
from srcgrad.passes.shared_tapes import shared_tapes
from srcgrad.primitives import tapes
from tests.passes.pass_programs import agree, count, program


def mixed(s):
    """Eight numbers that are saved."""
    a, b = np.sin(s), np.cos(1.1 * s)
    c, d = np.exp(-a * b), np.tanh(a + b)
    e, f = np.sin(c * d), np.cos(c + d)
    g, h = np.exp(-e * e), np.tanh(f)
    return 0.5 * (a * b + c * d + e * f + g * h) + 0.1 * s


def steps(x, n):
    """A row of sixteen or more numbers in each trip, of which nobody knows how many there are."""
    s = x
    while n > 0.0:
        s = mixed(mixed(s))
        n -= 1.0
    return s


def on_two_paths(x, n):
    """Each path has a row of its own, and a tape of the sign beside them."""
    s = x
    while n > 0.0:
        if s > 0.2:
            s = steps(s, 1.0) - 0.4
        else:
            s = steps(s + 0.1, 1.0) + steps(s, 2.0)
        n -= 1.0
    return s


def before_a_loop(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += steps(x * i, 1.0) * np.exp(-s * j)
    return s


def pairs(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s = mixed(mixed(np.sin(x * i * j) + s * j))
    return s


def lowered(f, args):
    g = flow.value_and_grad(flow.compile(f, target="loops"))
    g(*args)
    ((entry,),) = g._entries.values()
    return run(entry.program.function, lowering())


def growths(function):
    return sum(isinstance(s, Def) and s.op is tapes.reserve for s in walk(function.body))


X = np.linspace(0.1, 0.9, 40)
PROGRAMS = [(steps, (0.7, 70.0)), (on_two_paths, (0.4, 30.0)), (before_a_loop, (0.1, 7))]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
@pytest.mark.parametrize("target", ["loops", "cpu"])
def test_the_same_numbers(f, args, target):
    got = []
    for off in ((), ("shared_tapes",)):
        with checking(), without(*off):
            got.append(flow.value_and_grad(flow.compile(f, target=target))(*args))
    assert got[0] == got[1]
    h = 1e-6
    slope = (f(args[0] + h, args[1]) - f(args[0] - h, args[1])) / (2 * h)
    assert got[0][1] == pytest.approx(slope, rel=1e-5)


def test_a_trip_grows_one_tape():
    with without("shared_tapes"):
        assert growths(lowered(steps, (0.7, 70.0))) > 16
    assert growths(lowered(steps, (0.7, 70.0))) == 1


def test_tapes_of_a_loop_that_may_run_as_vectors_stay_apart():
    with without("shared_tapes"):
        apart = growths(lowered(before_a_loop, (0.1, 7)))
    assert apart > growths(lowered(before_a_loop, (0.1, 7)))  # the steps share
    with without("room_ahead"):
        assert growths(lowered(pairs, (0.1, 7))) < 16
    assert growths(lowered(pairs, (0.1, 7))) > 16


ROWS = """
a_tape: tape[f64] = tape(16, dtype='f64')
b_tape: tape[f64] = tape(16, dtype='f64')
for i in range(0, n):
    v: f64 = load(x, i)
    m: int = add(i, 1)
    reserve(a_tape, m)
    store(a_tape, i, v)
    w: f64 = exp(v)
    reserve(b_tape, m)
    store(b_tape, i, w)
s: f64 = f64(0.0)
for j in range(0, n):
    a: f64 = load(a_tape, j)
    b: f64 = load(b_tape, j)
    t: f64 = mul(a, b)
    s1: f64 = add(s, t)
    s = s1
"""
APART = {
    "another size": ("reserve(b_tape, m)", "l: int = add(m, k)\n    reserve(b_tape, l)"),
    "another capacity": ("b_tape: tape[f64] = tape(16,", "b_tape: tape[f64] = tape(8,"),
    "a list of the program": ("b_tape", "b_list"),
    "made longer twice": ("w: f64 = exp(v)", "w: f64 = exp(v)\n    reserve(b_tape, k)"),
    "stored to elsewhere": ("s: f64 = f64(0.0)", "store(b_tape, 0, f64(1.0))\ns: f64 = f64(0.0)"),
    "read as an array": (
        "s: f64 = f64(0.0)",
        "y: f64[n] = tape_view(b_tape, 0, n)\nz: f64 = sum(y, axes=(0,))\ns: f64 = z",
    ),
    "its length": (
        "s: f64 = f64(0.0)",
        "c: tape[f64] = tape_like(b_tape)\nstore(c, 0, f64(1.0))\nz: f64 = load(c, 0)\ns: f64 = z",
    ),
}


def in_pairs(function):
    return shared_tapes(function, fewest=2)


def test_a_row():
    after = agree(in_pairs, program("x: f64[n], k: int", ROWS, "s,"), (X, 3))
    assert count(after, "tape") == count(after, "reserve") == 1


@pytest.mark.parametrize("why", APART)
def test_apart(why):
    f = program("x: f64[n], k: int", ROWS.replace(*APART[why]), "s,")
    assert agree(in_pairs, f, (X, 3)) is not f
    assert in_pairs(f) is f


def test_in_a_branch():
    """A row that is saved on one path only costs nothing on the other."""
    taken = ROWS.replace(
        "    reserve(b_tape, m)\n    store(b_tape, i, w)\n",
        "    c: bool_ = gt(v, f64(0.5))\n    if c:\n        reserve(b_tape, m)\n"
        "        store(b_tape, i, w)\n    else:\n        pass\n",
    )
    f = program("x: f64[n], k: int", taken, "s,")
    assert in_pairs(f) is f
