"""Ends of slices in loops: clipped only where they may be outside, lengths with one name."""

from itertools import product
from random import Random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.text import to_text
from srcgrad.passes.hoist_bounds_checks import hoist_bounds_checks
from srcgrad.passes.ranges import Ranges
from srcgrad.passes.simplify import simplify
from srcgrad.testing import gradcheck
from tests.passes.pass_programs import after, outcome, program
from tests.tools.turns import share

LEAST, LARGEST = -(2**63), 2**63 - 1
STARTS = ("0", "1", "-2", "k")
STOPS = ("3", "n", "m", "less", "apart", "more")
OFFSETS = ("0", "1", "-1", "2", "m", "less", "k", "apart")
ENDS = (
    (0, 3, 0), (1, 4, 1), (2, 2, 2), (4, 1, -1), (4, 3, 3), (6, 7, 6),
    (5, 3, LEAST), (5, 3, LARGEST), (3, 2, LARGEST - 1),
)  # fmt: skip


def loop_of(start, stop, offset, step, checked, down):
    """A loop whose result depends on where the slices of its trips begin and end."""
    over = f"reversed(range({start}, {stop}))" if down else f"range({start}, {stop})"
    check = "c: bool = lt({0}, 0)\nif c:\n    fail(kind='ValueError', message='negative')"
    return program(
        "x: f64[n], y: f64[m], k: int",
        f"""
less: int = sub(n, 2)
apart: int = sub(n, m)
more: int = add(apart, 1)
{check.format(offset) if checked else ""}
s: int = 1
for i in {over}:
    j: int = add(i, {offset})
    a: int = slice_start(i, n, {step})
    b: int = slice_start(j, n, {step})
    d: int = sub(b, a)
    e: int = maximum(d, 0)
    h: int = add(j, 1)
    l: int = sub(h, i)
    t: int = mul(s, 3)
    u: int = mul(a, 5)
    v: int = add(t, u)
    w: int = mul(l, 7)
    p: int = add(v, w)
    q: int = add(p, e)
    s = q
""",
        "s,",
    )


def cases():
    """Every loop, in an order that leaves each part of them as mixed as the whole."""
    found = [*product(STARTS, STOPS, OFFSETS, ("1", "2"), (False, True), (False, True))]
    Random(0).shuffle(found)
    return found


def differing(loops):
    """How many loops clip no end, and those whose results the passes changed."""
    unclipped, wrong = 0, []
    for case in loops:
        f = loop_of(*case)
        new = after(simplify, after(hoist_bounds_checks, f))
        text = to_text(new)
        unclipped += "slice_start" not in text and "maximum" not in text
        for n, m, k in ENDS:
            if abs(k) > 9 and case[0] == "k":
                continue  # trips without end
            args = np.zeros(n), np.zeros(m), k
            if outcome(new, args) != outcome(f, args):
                wrong.append((case, n, m, k))
    return unclipped, wrong


def test_each_loop():
    unclipped, wrong = differing(share(cases()))
    assert not wrong
    assert unclipped


@pytest.mark.parametrize(
    ("name", "weak"),
    [("is_length", lambda self, a, exact=False: True), ("at_most", lambda *_, **__: True)],
)
def test_a_weaker_proof_is_noticed(name, weak, monkeypatch):
    monkeypatch.setattr(Ranges, name, weak)
    assert differing([c for c in cases() if c[:2] == ("-2", "n") and c[2] in ("-1", "1", "k")])[1]


# ---- programs ----
def convolved(x, w):
    h, k = x.shape[0] - 2, x.shape[1] - 2
    out = np.zeros((len(w), h, k))
    for i in range(3):
        for j in range(3):
            out += w[:, i, j][:, None, None] * x[i : i + h, j : j + k]
    return np.sum(np.tanh(out))


def in_windows(x, w):
    """The length of the result is that of the array less a length."""
    rows = x.shape[0] - w.shape[1] + 1
    columns = x.shape[1] - w.shape[2] + 1
    out = np.empty((len(w), rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[:, i, j] = np.sum(x[i : i + w.shape[1], j : j + w.shape[2]] * w, axis=(1, 2))
    return np.sum(out**3)


def moving_averages(x, w):
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        total += np.sum(x[i - 1 : i + 2] * np.sum(w)) ** 2
    return total


@pytest.mark.parametrize("f", [convolved, in_windows, moving_averages])
def test_windows_of_loops_are_not_clipped(f):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(6, 7)), rng.normal(size=(2, 3, 3))
    text = flow.grad(f, (0, 1)).source("numba", x, w)
    assert "slice_start" not in text and "check_assign" not in text
    gradcheck(f, (x, w), target="python")
    for shapes in [((3, 3), (1, 3, 3)), ((4, 3), (0, 3, 3)), ((5, 6), (2, 3, 3))]:
        args = [rng.normal(size=s) for s in shapes]
        for target in ("python", "cpu"):
            found = flow.compile(f, target=target)(*args)
            np.testing.assert_allclose(found, f(*args), rtol=1e-12)


@pytest.mark.parametrize("f", [convolved, in_windows])
def test_a_window_that_is_larger_than_its_array_fails_as_it_does(f):
    args = np.ones((1, 4)), np.ones((2, 3, 3))
    with pytest.raises(ValueError) as plain:
        f(*args)
    with pytest.raises(ValueError) as compiled:
        flow.grad(f)(*args)
    assert str(plain.value) == str(compiled.value).splitlines()[0]
