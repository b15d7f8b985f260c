"""Trips at the ends of loops: each comparison and remainder of the counter, and gradients."""

from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes.edge_trips import CHANGES, WRAPPING, edge_trips
from srcgrad.passes.hoist_bounds_checks import _HoistBoundsChecks
from srcgrad.passes.ranges import Ranges
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import after, outcome, program
from tests.passes.with_and_without import same_bits, with_and_without
from tests.tools.turns import share

STARTS = ("0", "1", "-2", "k")
STOPS = ("n", "less", "3", "k", "m")
OTHERS = ("0", "1", "n", "less", "m", "k", "3")
ENDS = ((0, 3, 0), (1, 4, 1), (2, 2, 2), (3, 1, -1), (4, 4, 3), (6, 7, 6), (5, 3, -(2**63)))


def loop_of(op, start, stop, offset, other, mirrored, down):
    """A loop whose result depends on what each trip computes, and on the order of the trips."""
    args = (other, "j") if mirrored else ("j", other)
    kind = "bool" if REGISTRY[op].name in ("lt", "le", "gt", "ge", "eq", "ne") else "int"
    more = ", axis=0" if op == "index" else ""
    over = f"reversed(range({start}, {stop}))" if down else f"range({start}, {stop})"
    return program(
        "x: f64[n], y: f64[m], k: int",
        f"""
less: int = sub(n, 1)
s: int = 1
for i in {over}:
    j: int = add(i, {offset})
    v: {kind} = {op}({", ".join(args)}{more})
    w: int = {"where(v, 1, 2)" if kind == "bool" else "add(v, 0)"}
    t: int = mul(s, 3)
    u: int = add(t, w)
    s = u
""",
        "s,",
    )


def cases(starts=STARTS, stops=STOPS, others=OTHERS):
    """Every loop, in an order that leaves each part of them as mixed as the whole."""
    found = [*product(starts, stops, (-2, -1, 0, 1, 2), others, (False, True), (False, True))]
    Random(0).shuffle(found)
    return found


def differing(op, loops):
    """How many loops the pass changed, and those of them whose results it changed."""
    changed, wrong = 0, []
    for case in loops:
        f = loop_of(op, *case)
        new = after(edge_trips, f)
        if to_text(new) == to_text(f):
            continue
        changed += 1
        for n, m, k in ENDS:
            if k < -9 and case[0] == "k":
                continue  # trips without end
            args = np.zeros(n), np.zeros(m), k
            if outcome(new, args) != outcome(f, args):
                wrong.append((case, n, m, k))
    return changed, wrong


@pytest.mark.parametrize("op", sorted(p.name for p in CHANGES.keys() | WRAPPING))
def test_each_comparison_and_remainder(op):
    changed, wrong = differing(op, share(cases()))
    assert not wrong
    assert changed


def believing(self, i, n):
    """Takes a remainder for one of a number that is at most once around."""
    return REGISTRY["sub"]


@pytest.mark.parametrize(
    ("owner", "name", "weak"),
    [
        (_HoistBoundsChecks, "turned", believing),
        (Ranges, "contains", lambda self, i, n: True),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, monkeypatch):
    monkeypatch.setattr(owner, name, weak)
    assert differing("mod", cases(("0",), ("n",), ("n",)))[1]


# ---- programs ----
def periodic(u, steps):
    u = u.copy()
    n = len(u)
    new = np.empty(n)
    for _ in range(steps):
        for i in range(n):
            new[i] = u[i] + 0.2 * (u[(i - 1) % n] - 2 * u[i] + u[(i + 1) % n]) - 0.1 * u[i] ** 3
        for i in range(n):
            u[i] = new[i]
    return np.sum(u * u * np.arange(n))


def two_apart(u, steps):
    n = len(u)
    total = 0.0
    for k in range(steps):
        for i in range(n - 1, -1, -1):
            total += u[(i + 2) % n] * u[(i - 2) % n] * np.cos(0.1 * i + k)
    return total


def by_conditions(u, steps):
    u = u.copy()
    n = len(u)
    for _ in range(steps):
        new = np.empty(n)
        for i in range(n):
            left = i - 1 if i > 0 else n - 1
            right = 0 if i == n - 1 else i + 1
            new[i] = 0.5 * u[i] + 0.3 * np.sin(u[left]) + 0.2 * u[right] * u[i]
        u = new
    return np.sum(u * np.arange(n))


def clamped(u, steps):
    u = u.copy()
    n = len(u)
    new = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            new[i] = u[max(i - 1, 0)] * u[min(i + 1, n - 1)] + 0.3 * u[i - 1]
        u[:] = new
    return np.sum(u * np.arange(n))


def inside(u, steps):
    u = u.copy()
    n = len(u)
    for _ in range(steps):
        for i in range(n):
            if i > 0 and i < n - 1:
                u[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1])
            elif i == 0:
                u[i] = 0.5 * u[i] * u[1]
            else:
                u[i] += 0.1 * u[0]
    return np.sum(u * u * np.arange(n))


def torus(u, steps):
    n, m = 3, len(u) // 3
    c = u[: n * m].reshape(n, m).copy()
    for _ in range(steps):
        new = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                around = c[(i - 1) % n, j] + c[(i + 1) % n, j] + c[i, j - 1] + c[i, (j + 1) % m]
                new[i, j] = 0.2 * around + 0.1 * c[i, j] ** 2
        c = new
    return np.sum(c * np.cos(np.arange(n * m)).reshape(n, m))


PROGRAMS = [periodic, two_apart, by_conditions, clamped, inside, torus]
U = np.round(np.cos(np.arange(12.0) ** 2), 3) + 0.5
exactly = partial(with_and_without, "edge_trips", fastmath=False)


@pytest.mark.parametrize(
    ("f", "target"), [*((f, "loops") for f in PROGRAMS), (periodic, "cpu"), (torus, "cpu")]
)
def test_the_same_numbers(f, target):
    for n in (12, 3):
        (value, g), (value0, g0) = exactly(f, (U[:n], 3), target=target)
        same_bits((value,), (value0,))
        np.testing.assert_allclose(g, g0, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(value, f(U[:n].copy(), 3), rtol=1e-13)


@pytest.mark.parametrize("f", [periodic, two_apart, by_conditions, clamped])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_trips(f, n):
    (value, g), (value0, g0) = exactly(f, (U[:n], 2), target="loops")
    same_bits((value, g), (value0, g0))
    np.testing.assert_allclose(value, f(U[:n].copy(), 2), rtol=1e-14)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    flow.testing.gradcheck(f, (U, 2), target="loops", order=2 if f is torus else 1)


def test_no_remainder_is_left_in_the_loop():
    f = edge_trips(loop_of("mod", "0", "n", 1, "n", False, False))
    (loop,) = [s for s in walk(f.body) if isinstance(s, For)]
    assert not any(isinstance(s, Def) and s.op.name == "mod" for s in walk(loop.body))


def test_once_and_promised_and_short():
    once = edge_trips(loop_of("mod", "0", "n", 2, "n", False, True))
    assert to_text(edge_trips(once)) == to_text(once)
    text = to_text(loop_of("mod", "0", "n", 1, "n", False, False))
    promised = parse(text.replace("range(0, n)", "promised(range(0, n))"), REGISTRY)
    assert edge_trips(promised) is promised
    short = loop_of("lt", "0", "3", 0, "1", False, False)
    assert edge_trips(short) is short
