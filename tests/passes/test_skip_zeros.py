"""Stretches that a zero makes nothing: each condition, and random loops on data with zeros."""

import random

import numpy as np
import pytest

from srcgrad.ir.nodes import If
from srcgrad.ir.walk import walk
from srcgrad.passes.skip_zeros import skip_zeros
from tests.passes.pass_programs import after, outcome, program, text, vec

NAN, INF = np.nan, np.inf
CHAIN = """
t: f64 = mul(g, 0.5)
u: f64 = where(c, t, 0.0)
v: f64 = where(d, g, u)
w: f64 = neg(v)
add_at(x, i, w)
"""
SERIAL = """
c: bool = lt(q, 0.5)
d: bool = lt(q, 0.2)
for i in range(0, n):
    h: int = sub(i, 1)
    g: f64 = load(x, h)
"""
MORE = """
o: f64 = where(c, v, 0.0)
z: f64 = where(d, o, 0.0)
add_at(y, 0, z)
add_at(y, 1, v)
"""
HEAD = "x: f64[n], y: f64[m], q: f64"
CALLS = [(vec(0.0, 2.0, 0.0, 0.0), vec(1.0, 2.0), q) for q in (0.1, 0.3, 0.9)]


def indented(lines):
    return "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())


def skipped(f):
    """Whether a branch on a number that is not zero was made."""
    return " = ne(" in text(f)


def agree(run, f, *calls):
    """The function after the pass, which gives the same; NaN is the same as NaN."""
    new = after(run, f)
    for args in calls:
        for got, want in zip(outcome(new, args), outcome(f, args), strict=True):
            assert np.array_equal(np.asarray(got), np.asarray(want), equal_nan=True), text(new)
    return new


def serial(lines, calls=CALLS):
    """The program after the pass: a trip reads what the trip before it added to."""
    return agree(skip_zeros, program(HEAD, SERIAL + indented(lines)), *calls)


def test_a_chain_of_selections_in_a_serial_loop_is_skipped():
    assert skipped(serial(CHAIN + MORE))


def test_a_few_statements_are_not():
    assert not skipped(serial(CHAIN))


def test_a_loop_whose_trips_are_independent_is_left():
    body = "c: bool = lt(q, 0.5)\nd: bool = lt(q, 0.2)\nfor i in range(0, n):\n"
    more = MORE.replace("add_at(y, 0, z)", "add_at(x, i, z)").replace("add_at(y, 1, v)", "")
    f = program(HEAD, body + indented("g: f64 = load(x, i)" + CHAIN + more))
    assert not skipped(agree(skip_zeros, f, *CALLS))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_products_count_if_they_absorb_or_by_finite_constants():
    """Zero times an infinite number is NaN."""
    infinite = (vec(0.0, 2.0, 0.0, 0.0), vec(INF, 2.0), 0.3)
    first = "p: f64 = load(y, 0)\n"
    chain = (first + CHAIN + MORE).replace("add_at(y, 0, z)", "add_at(y, 1, z)")
    calls = [*CALLS, infinite]
    assert skipped(serial(chain.replace("mul(g, 0.5)", "absorb(g, p)"), calls))
    for other in ("mul(g, p)", "mul(p, g)", "mul(g, inf)", "div(g, q)"):
        text = chain.replace("v: f64 = where(d, g, u)", "v: f64 = where(d, t, u)")
        assert not skipped(after(skip_zeros, program(HEAD, SERIAL + indented(
            text.replace("mul(g, 0.5)", other.replace("inf", "1e999"))
        )))), other  # fmt: skip


def test_what_is_stored_must_be_there():
    """An element that is loaded, added to and stored may be skipped; another store may not."""
    there = "old: f64 = load(y, 0)\nnew: f64 = add(old, z)\nstore(y, 0, new)\n"
    chain = CHAIN + MORE.replace("add_at(y, 0, z)\n", there)
    assert skipped(serial(chain))
    late = chain.replace("add_at(y, 1, v)\n", "").replace("store(y, 0, new)", "store(y, 1, new)")
    assert "store(y, 1" in text(serial(late))
    early = text(serial(late)).partition("if ")
    assert "store(y, 1" not in early[2].partition("else:")[0]


def test_an_element_may_change_between_its_load_and_its_store():
    lines = CHAIN.replace("add_at(x, i, w)\n", "") + (
        "o: f64 = where(c, v, 0.0)\nold: f64 = load(y, 0)\nstore(y, 0, 3.0)\n"
        "z: f64 = where(d, o, 0.0)\na: f64 = neg(z)\nb: f64 = neg(a)\nk: f64 = neg(b)\n"
        "l: f64 = where(c, k, 0.0)\nm1: f64 = add(old, l)\nstore(y, 0, m1)\nadd_at(x, i, l)\n"
    )
    serial(lines)


def test_what_is_read_later_is_computed_in_both_cases():
    """A sum that is carried keeps its value; a number of a load is loaded alone."""
    body = SERIAL.replace("for i", "s: f64 = 1.0\nfor i")
    chain = CHAIN + MORE + "e: f64 = add(s, v)\ns = e\n"
    f = program(HEAD, body + indented(chain) + "\n", "s,")
    assert skipped(agree(skip_zeros, f, *CALLS))
    late = CHAIN + "k: f64 = load(y, 0)\n" + MORE + "store(y, 1, k)\n"
    assert "else:" in text(serial(late))


def test_what_may_raise_is_never_skipped():
    lines = CHAIN + "k: int = index(i, m)\n" + MORE
    made = text(serial(lines.replace("add_at(y, 0, z)", "add_at(y, k, z)"), CALLS[:0]))
    before = made.partition("if ")[0]
    assert "index(" in before or " = ne(" not in made


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("t: f64 = absorb(g, q)\nadd_at(y, j, t)", True),
        ("t: f64 = mul(g, q)\nadd_at(y, j, t)", False),
        ("add_at(y, j, q)", False),
        ("store(y, j, g)", False),
    ],
)
def test_loops_that_add_multiples(inner, expected):
    body = "for i in range(0, n):\n    g: f64 = load(x, i)\n    for j in range(0, m):\n"
    f = program(HEAD, body + indented(indented(inner)))
    calls = [*CALLS, (vec(0.0, 1.0, 0.0), vec(1.0, 2.0), INF)]
    assert skipped(agree(skip_zeros, f, *calls)) is expected


def test_a_number_that_an_inner_loop_hands_on_must_stay_zero():
    body = """
for i in range(0, n):
    g: f64 = load(x, i)
    r: f64 = g
    for j in range(0, m):
        add_at(y, j, r)
        p: f64 = STEP
        r = p
    add_at(y, 0, r)
"""
    assert skipped(agree(skip_zeros, program(HEAD, body.replace("STEP", "absorb(r, q)")), *CALLS))
    f = program(HEAD, body.replace("STEP", "add(r, q)"))
    assert not skipped(agree(skip_zeros, f, *CALLS))


def test_loops_of_few_trips_and_promised_ones_are_left():
    body = "for i in range(0, n):\n    g: f64 = load(x, i)\n    for j in range(0, 2):\n"
    f = program(HEAD, body + indented(indented("t: f64 = absorb(g, q)\nadd_at(y, j, t)")))
    assert not skipped(agree(skip_zeros, f, *CALLS))


# ---- random loops ----
VALUES = (0.0, 0.0, 0.0, 1.0, -2.0, INF, NAN)


def drawn(seed):
    """A serial loop of selections, sums and stores, some of them of multiples of one number."""
    r = random.Random(seed)
    numbers, lines = ["g", "g", "s"], []
    number = lambda: r.choice(numbers)
    place = lambda: r.choice(["x, i", "x, h", "y, 0", "y, 1"])
    for k in range(r.randint(8, 24)):
        kind = r.choice(
            ["where", "where", "neg", "mul", "absorb", "add", "add_at", "add_at", "load", "store"]
        )
        v = f"v{k}"
        zero = r.choice([number(), "0.0", "0.0"])
        lines.append({
            "where": f"{v}: f64 = where({r.choice('cd')}, {number()}, {zero})",
            "neg": f"{v}: f64 = neg({number()})",
            "mul": f"{v}: f64 = mul({number()}, {r.choice(['0.5', '2.0', number()])})",
            "absorb": f"{v}: f64 = absorb({number()}, q)",
            "add": f"{v}: f64 = add({number()}, {number()})",
            "load": f"{v}: f64 = load({place()})",
            "add_at": f"add_at({place()}, {number()})",
            "store": f"{r.choice(['store', 'add_at'])}({place()}, {number()})",
        }[kind])  # fmt: skip
        if kind not in ("add_at", "store"):
            numbers.append(v)
    lines.append(f"e: f64 = add(s, {numbers[-1]})\ns = {r.choice(['e', numbers[-1]])}")
    body = SERIAL.replace("for i", "s: f64 = q\nfor i") + indented("\n".join(lines))
    f = program(HEAD, body, "s,")
    draw = lambda n: vec(*(r.choice(VALUES) for _ in range(n)))
    return f, [(draw(5), draw(2), r.choice((0.1, 0.3, 0.9, INF))) for _ in range(4)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_loops_give_the_same():
    made = 0
    for seed in range(150):
        f, calls = drawn(seed)
        new = agree(skip_zeros, f, *calls)
        made += any(isinstance(s, If) for s in walk(new.body))
    assert made >= 20
