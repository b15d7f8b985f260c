"""Loops in chunks give the same bits in every order of their chunks, and what the loops gave."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.check import check
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import For
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import loops_in_chunks as module
from srcgrad.passes.hoist_allocations import hoist_allocations
from srcgrad.passes.loops_in_chunks import loops_in_chunks
from tests.cases import Case, sample
from tests.checks.comparing import close
from tests.fuzz.chunks import chunked, same_in_every_order
from tests.passes.orders import random_programs_agree
from tests.passes.pass_programs import agree, program
from tests.tools.turns import share


@pytest.fixture
def orders():
    with chunked() as chunks:
        yield chunks


@pytest.fixture(autouse=True)
def little_is_enough(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 1)


def compiled(fn):
    return flow.compile(fn, target="loops", parallel=True)


def test_random_programs(orders):
    random_programs_agree(orders, range(30, 60), compiled)


@pytest.mark.parametrize("case", share(sample(40)), ids=lambda c: c.id)
def test_cases(case: Case, orders):
    def call(make=compiled):
        case.reset()
        args = case.arguments()
        grad = flow.value_and_grad(make(case.fn), grad_position=case.position)
        return grad(*args), args

    with np.errstate(all="ignore"):
        same_in_every_order(orders, call)
    close(call()[0], call(lambda fn: flow.compile(fn, target="loops"))[0], 1e-11, "gradient")


def added_by_hand(x, places):
    y = np.zeros(len(x))
    for i in flow.prange(len(x)):
        y[places[i]] = y[places[i]] + x[i]
    return np.sum(np.sin(y))


def added_to_neighbours(x, places):
    y = np.zeros(14)
    for i in flow.prange(11, -1, -1):
        y[i] = y[i] + x[places[i]]
        y[i + 2] -= x[i - 1]
    return np.sum(np.sin(y) * np.arange(14))


def put_back(x, places):
    """The reverse sweep reads `y` as it was before each step."""
    y, s = x.copy(), 0.0
    for _ in range(3):
        s += np.sum(np.sin(y))
        for i in flow.prange(len(x)):
            y[places[i]] += x[i] * 0.1
    return s


def added_twice(x, places):
    y = np.zeros((len(x), 3))
    for i in flow.prange(len(x)):
        for k in range(5):
            y[places[i], 1] += x[i] * k
        y[places[i], 1] -= x[i]
    return np.sum(np.sin(y))


@pytest.mark.parametrize("fn", [added_by_hand, added_to_neighbours, put_back, added_twice])
def test_a_promise_says_nothing_of_sums(fn, orders):
    x, places = np.linspace(0.1, 0.9, 12), np.array([3, 3, 0, 1, 1, 1, 7, 2, 5, 3, 0, 4])
    run = flow.value_and_grad(compiled(fn))
    close(run(x, places), flow.value_and_grad(fn)(x, places), 1e-12, "gradient")
    same_in_every_order(orders, lambda: run(x, places))
    alone = compiled(fn)
    same_in_every_order(orders, lambda: alone(x, places))


# ---- single loops ----
PLAIN = "for i in range(0, n):\n    v: f64 = load(x, i)\n"
SPLIT = {
    "a sum": "s: f64 = f64(0.5)\n" + PLAIN + "    s1: f64 = add(s, v)\n    s = s1",
    "a sum of negatives": "s: f64 = f64(0.5)\n" + PLAIN + "    s1: f64 = sub(s, v)\n    s = s1",
    "a sum of some": (
        "s: f64 = f64(0.5)\n" + PLAIN + "    s1: f64 = add(s, v)\n    c: bool = gt(v, 3.0)\n"
        "    s2: f64 = where(c, s, s1)\n    s = s2"
    ),
    "a sum of a loop that ends by data": (
        "s: f64 = f64(0.5)\n" + PLAIN + "    s1: f64 = s\n    k: int = 0\n"
        "    while True:\n        c: bool = lt(k, 5)\n        if not c: break\n"
        "        s2: f64 = add(s1, v)\n        k1: int = add(k, 1)\n        s1, k = s2, k1\n"
        "    s = s1"
    ),
    "an extremum": "s: f64 = f64(0.5)\n" + PLAIN + "    s1: f64 = maximum(s, v)\n    s = s1",
    "what a comparison finds": (
        "s: f64 = f64(9.0)\nb: int = 7\n" + PLAIN + "    c: bool = lt(v, s)\n"
        "    s1: f64 = where(c, v, s)\n    b1: int = where(c, i, b)\n    s, b = s1, b1\n"
        "w: f64 = cast(b, dtype='f64')\nstore(y, 0, w)"
    ),
    "what a comparison finds in a branch": (
        "s: f64 = f64(2.0)\nb: int = 7\n" + PLAIN + "    c: bool = gt(s, v)\n    s1: f64\n"
        "    b1: int\n    if c:\n        k: int = mul(i, 2)\n        s1, b1 = v, k\n    else:\n"
        "        s1, b1 = s, b\n    s, b = s1, b1\nw: f64 = cast(b, dtype='f64')\nstore(y, 0, w)"
    ),
    "a value that is handed on": (
        "s: f64 = f64(0.5)\n" + PLAIN + "    w: f64 = mul(v, s)\n    store(y, i, w)\n    s = s"
    ),
    "an adjoint that is handed on": (
        "s: f64 = f64(0.5)\n" + PLAIN + "    w: f64 = mul(v, s)\n    store(y, i, w)\n"
        "    s1: f64 = add(0.0, s)\n    s = s1"
    ),
    "downwards": ("for i in reversed(range(1, n)):\n    v: f64 = load(x, i)\n    store(y, i, v)"),
    "additions to one element": PLAIN + "    add_at(y, 0, v)",
    "additions anywhere": (PLAIN + "    j: int = cast(v, dtype='i64')\n    add_at(y, j, v)"),
    "integers counted anywhere": (
        "t: i64[n] = zeros(n, dtype='i64')\n" + PLAIN + "    j: int = cast(v, dtype='i64')\n"
        "    w: i64 = load(t, j)\n    w1: i64 = add(w, 1)\n    store(t, j, w1)\n"
        "for k in range(0, n):\n    u: i64 = load(t, k)\n    u1: f64 = cast(u, dtype='f64')\n"
        "    store(y, k, u1)"
    ),
    "a load, a sum and a store anywhere": (
        PLAIN + "    j: int = cast(v, dtype='i64')\n    w: f64 = load(y, j)\n"
        "    w1: f64 = add(w, v)\n    store(y, j, w1)"
    ),
    "additions to neighbours": (
        "l: int = sub(n, 1)\nfor i in range(0, l):\n    v: f64 = load(x, i)\n"
        "    add_at(y, i, v)\n    j: int = add(i, 1)\n    add_at(y, j, v)"
    ),
    "a buffer of each trip": (
        PLAIN + "    t: f64[2] = zeros(2, dtype='f64')\n    add_at(t, 1, v)\n"
        "    w: f64 = load(t, 1)\n    store(y, i, w)"
    ),
    "a tape of each trip": (
        "t: tape[f64] = tape(4, dtype='f64', scratch=True)\n" + PLAIN + "    reserve(t, n)\n"
        "    for k in range(0, n):\n        w: f64 = load(x, k)\n        w1: f64 = mul(v, w)\n"
        "        store(t, k, w1)\n"
        "    for l in reversed(range(0, n)):\n        w2: f64 = load(t, l)\n"
        "        u: f64 = load(y, i)\n        u1: f64 = add(u, w2)\n        store(y, i, u1)"
    ),
    "memory of each trip by several names": (
        PLAIN + "    a: f64[3] = zeros(3, dtype='f64')\n    b: f64[3] = a\n"
        "    for k in range(0, 3):\n        c: f64[3] = copy(b)\n        add_at(c, k, v)\n"
        "        b = c\n    w: f64 = load(b, 1)\n    store(y, i, w)"
    ),
    "from one array to a new one": (
        "t: f64[n] = empty(n, dtype='f64')\n" + PLAIN + "    store(t, i, v)\n"
        "for k in range(0, n):\n    w: f64 = load(t, k)\n    store(y, k, w)"
    ),
    "inside time steps": (
        "for k in range(0, 3):\n    for i in range(0, n):\n        v: f64 = load(x, i)\n"
        "        w: f64 = load(y, i)\n        w1: f64 = add(v, w)\n        store(y, i, w1)"
    ),
}
WHOLE = {
    "a running sum": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    store(y, i, s1)\n    s = s1",
    "what a sum was": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    store(y, i, s)\n    s = s1",
    "what a sum was, in a loop": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    for k in range(0, 2):\n        store(y, i, s)\n    s = s1",
    "what a sum is, besides": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    s2: f64 = add(s1, v)\n    store(y, i, s1)\n    s = s2",
    "the other side of a difference": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = sub(v, s)\n    s = s1",
    "a choice by a sum": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    c: bool = gt(s, 3.0)\n    s2: f64 = where(c, s, s1)\n"
    "    s = s2",
    "a choice by an extremum": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = maximum(s, v)\n    c: bool = gt(s1, 3.0)\n    s2: f64 = where(c, s, s1)\n"
    "    s = s2",
    "a sum that ends a loop": (
        "s: f64 = f64(0.0)\n" + PLAIN + "    s1: f64 = s\n    while True:\n"
        "        c: bool = lt(s1, 5.0)\n        if not c: break\n"
        "        s2: f64 = add(s1, 1.0)\n        s1 = s2\n    s = s1"
    ),
    "a truth that ends a loop": (
        "s: bool = True\n" + PLAIN + "    s1: bool = s\n    k: int = 0\n"
        "    while True:\n        if not s1: break\n        c: bool = lt(k, 2)\n"
        "        s2: bool = logical_and(s1, c)\n        k1: int = add(k, 1)\n"
        "        s1, k = s2, k1\n    s = s1"
    ),
    "a choice of another value": "s: f64 = f64(0.0)\n" + PLAIN
    + "    s1: f64 = add(s, v)\n    c: bool = gt(v, 3.0)\n    s2: f64 = where(c, v, s1)\n"
    "    s = s2",
    "the last of equal ones": "s: f64 = f64(9.0)\n" + PLAIN
    + "    c: bool = le(v, s)\n    s1: f64 = where(c, v, s)\n    s = s1",
    "what a comparison has found so far": "s: f64 = f64(9.0)\n" + PLAIN
    + "    c: bool = lt(v, s)\n    s1: f64 = where(c, v, s)\n    store(y, i, s)\n    s = s1",
    "another value than what is compared": "s: f64 = f64(9.0)\n" + PLAIN
    + "    c: bool = lt(v, s)\n    w: f64 = neg(v)\n    s1: f64 = where(c, w, s)\n    s = s1",
    "what is kept beside a comparison of it": "s: f64 = f64(9.0)\nb: f64 = f64(0.0)\n" + PLAIN
    + "    c: bool = lt(v, s)\n    w: f64 = add(b, 1.0)\n    s1: f64 = where(c, v, s)\n"
    "    b1: f64 = where(c, w, b)\n    s, b = s1, b1",
    "a tape that keeps what trips store": (
        "t: tape[f64] = tape(4, dtype='f64')\n" + PLAIN + "    reserve(t, n)\n"
        "    store(t, 0, v)\n    w: f64 = load(t, 0)\n    store(y, i, w)"
    ),
    "a tape that others read": (
        "t: tape[f64] = tape(4, dtype='f64', scratch=True)\n" + PLAIN + "    reserve(t, n)\n"
        "    store(t, 0, v)\n    w: f64 = load(t, 0)\n    store(y, i, w)\n"
        "u: f64 = load(t, 0)\nstore(y, 0, u)"
    ),
    "what may be memory of the outside": (
        PLAIN + "    a: f64[m] = y\n    for k in range(0, 2):\n        add_at(a, 0, v)\n"
        "        w: f64 = load(a, 1)\n        add_at(a, 2, w)\n        c: f64[m] = copy(a)\n"
        "        a = c"
    ),
    "what the trip before it made": (
        "b: f64[m] = copy(y)\na: f64[m] = b\n" + PLAIN + "    w: f64 = load(a, 0)\n"
        "    store(x, i, w)\n    c: f64[m] = copy(a)\n    add_at(c, 0, v)\n    a = c"
    ),
    "neighbours that are read": (
        "l: int = sub(n, 1)\nfor i in range(0, l):\n    v: f64 = load(y, i)\n"
        "    j: int = add(i, 1)\n    add_at(y, j, v)"
    ),
    "stores anywhere": PLAIN + "    j: int = cast(v, dtype='i64')\n    store(y, j, v)",
    "what is added to is read": (
        PLAIN + "    j: int = cast(v, dtype='i64')\n    add_at(y, j, v)\n"
        "    w: f64 = load(y, i)\n    add_at(y, i, w)"
    ),
    "the sum is read besides": (
        PLAIN + "    j: int = cast(v, dtype='i64')\n    w: f64 = load(y, j)\n"
        "    w1: f64 = add(w, v)\n    store(y, j, w1)\n    store(x, i, w1)"
    ),
}  # fmt: skip


def made(body):
    returned = "s, " if body.startswith("s: ") else ""
    return program("x: f64[n], y: f64[m]", body, returned)


def arguments(size):
    """Small whole numbers: their sums are exact in every order."""
    rng = np.random.default_rng(size)
    return tuple(rng.integers(0, size, size) + 0.0 for _ in "xy")


def marked(f):
    return [s for s in walk(f.body) if isinstance(s, For) and s.independent]


@pytest.mark.parametrize("name", SPLIT)
def test_split(name):
    f = made(SPLIT[name])
    new = loops_in_chunks(clone(f))
    check(new)
    assert marked(new)
    for size in (1, 2, 3, 63, 64, 65, 200, 300):
        agree(lambda f: loops_in_chunks(clone(f)), f, arguments(size))


@pytest.mark.parametrize("name", WHOLE)
def test_not_split(name):
    assert not marked(loops_in_chunks(clone(made(WHOLE[name]))))


@pytest.mark.parametrize("name", SPLIT)
def test_in_order(name):
    new = loops_in_chunks(clone(made(SPLIT[name])), in_order=True)
    reorders = "add_at(y" in SPLIT[name] or "sum" in name
    assert bool(marked(new)) != reorders


def test_allocations_leave_the_trips_of_a_chunk_and_not_the_chunk():
    body = SPLIT["a buffer of each trip"].replace("zeros(2,", "zeros(200,").replace("[2]", "[200]")
    new = hoist_allocations(loops_in_chunks(clone(made(body))))
    check(new)
    (chunk,) = marked(new)
    assert any(": f64[200] = empty" in line for line in lines_of(new, 2))
    assert not any(": f64[200] = empty" in line for line in lines_of(new, 1))
    assert chunk.params == ()


def lines_of(f, depth):
    """The lines of a text at one depth of nesting."""
    lines = to_text(f).splitlines()
    return [s.strip() for s in lines if len(s) - len(s.lstrip()) == 4 * depth]
