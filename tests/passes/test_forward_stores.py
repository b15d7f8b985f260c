"""What is stored is read without the memory between, until something may have overwritten it."""

from functools import partial

import numpy as np
import pytest

from srcgrad.passes.forward_stores import forward_stores
from tests.passes.pass_programs import agree, program, text, vec

X, Y, V = np.arange(12.0).reshape(4, 3), np.arange(3.0), np.array([5.0, 7.0, 9.0])
PARAMS = "x: f64[4, 3], y: f64[3], v: f64[3], k: int"
ROWS = """
a: f64[4, 3] = copy(x)
r: f64[3] = view(a, 1, spec=('i', ':'))
assign(r, v)
"""


def read(body, returns="t", args=(X, Y, V, 2)):
    """The line that defines `t`, after the pass, which leaves the program computing the same."""
    new = agree(forward_stores, program(PARAMS, body, f"{returns},"), args)
    return next(line for line in text(new).splitlines() if line.strip().startswith("t:"))


FORWARDED = {
    "a row": (ROWS + "t: f64[3] = mul(r, y)", "mul(v, y)"),
    "a row of another name": (
        ROWS + "s: f64[3] = view(a, 1, spec=('i', ':'))\nt: f64[3] = mul(s, y)",
        "mul(v, y)",
    ),
    "an element of a row": (ROWS + "t: f64 = load(a, 1, 2)", "load(v, 2)"),
    "an element of a row, as a view": (
        ROWS + "s: f64[()] = view(r, 2, spec=('i',))\nt: f64 = load(s)",
        "load(v, 2)",
    ),
    "behind another row": (
        ROWS + "s: f64[3] = view(a, 2, spec=('i', ':'))\nassign(s, y)\nt: f64[3] = mul(r, y)",
        "mul(v, y)",
    ),
    "behind an element of another row": (
        ROWS + "store(a, 0, 1, 2.0)\nt: f64[3] = mul(r, y)",
        "mul(v, y)",
    ),
    "all of an array": (
        "a: f64[3] = copy(y)\nassign(a, v)\nt: f64[3] = neg(a)",
        "neg(v)",
    ),
    "inside a loop and a branch that do not store to it": (
        ROWS
        + """
c: bool = lt(k, 3)
z: f64[3] = zeros(3, dtype='f64')
for i in range(0, k):
    if c:
        t: f64[3] = mul(r, y)
        add_to(z, t)
u: f64 = sum(z, axes=(0,))
""",
        "mul(v, y)",
    ),
}


@pytest.mark.parametrize("name", FORWARDED)
def test_forwarded(name):
    body, expected = FORWARDED[name]
    assert read(body, "u" if "u: f64 = " in body else "t").endswith(f"= {expected}")


def test_an_element():
    body = "a: f64[3] = copy(y)\ns: f64 = load(v, 1)\nstore(a, 1, s)\nw: f64 = load(a, 1)\n"
    assert read(body + "t: f64 = neg(w)").endswith("= neg(s)")


MEMORY = {
    "the row was stored to": ROWS + "assign(r, y)\nadd_to(r, y)\nt: f64[3] = neg(r)",
    "an element of it was stored to": ROWS + "store(a, 1, 0, 4.0)\nt: f64[3] = neg(r)",
    "an element at a place that is not known": ROWS + "store(a, k, 0, 4.0)\nt: f64[3] = neg(r)",
    "by another view": ROWS
    + """
s: f64.strided[3, 4] = transpose(a, perm=(1, 0))
store(s, 0, 1, 4.0)
t: f64[3] = neg(r)
""",
    "by a slice": ROWS
    + """
s: f64[2, 3] = view(a, 0, 2, 1, spec=('s', ':'))
store(s, 1, 0, 4.0)
t: f64[3] = neg(r)
""",
    "a column across it": ROWS
    + """
z: f64[4] = zeros(4, dtype='f64')
s: f64.strided[4] = view(a, 0, spec=(':', 'i'))
assign(s, z)
t: f64[3] = neg(r)
""",
    "in a branch": ROWS
    + """
c: bool = lt(k, 3)
if c:
    store(a, 1, 0, 4.0)
t: f64[3] = neg(r)
""",
    "in an earlier trip": ROWS
    + """
z: f64[3] = zeros(3, dtype='f64')
for i in range(0, k):
    t: f64[3] = neg(r)
    add_to(z, t)
    store(a, 1, 0, 4.0)
u: f64 = sum(z, axes=(0,))
""",
    "the value was stored to": """
a: f64[4, 3] = copy(x)
b: f64[3] = copy(v)
r: f64[3] = view(a, 1, spec=('i', ':'))
assign(r, b)
store(b, 0, 4.0)
t: f64[3] = neg(r)
""",
    "the value was broadcast": """
a: f64[4, 3] = copy(x)
b: f64[1] = view(v, 0, 1, 1, spec=('s',))
r: f64[3] = view(a, 1, spec=('i', ':'))
assign(r, b)
t: f64[3] = neg(r)
""",
    "the value has another dtype": """
a: f64[4, 3] = copy(x)
b: f32[3] = cast(v, dtype='f32')
r: f64[3] = view(a, 1, spec=('i', ':'))
assign(r, b)
t: f64[3] = neg(r)
""",
    "of another element": "a: f64[3] = copy(y)\nstore(a, 1, 4.0)\nt: f64 = load(a, 2)",
    "in a loop only": """
a: f64[4, 3] = copy(x)
r: f64[3] = view(a, 1, spec=('i', ':'))
for i in range(0, k):
    assign(r, v)
t: f64[3] = neg(r)
""",
}


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("name", MEMORY)
def test_read_from_memory(name, k):
    body = MEMORY[name]
    line = read(body, "u" if "u: f64 = " in body else "t", (X, Y, V, k))
    assert line.endswith(("= neg(r)", "= load(a, 2)"))


def test_a_view_stays_one_of_the_memory():
    body = ROWS + "s: f64[3] = view(r, 0, 3, 1, spec=('s',))\nstore(r, 0, 4.0)\nt: f64[3] = neg(s)"
    assert read(body).endswith("= neg(s)")


# ---- places that are integers of the program ----
INDEXED = partial(forward_stores, indexed=True)
TRIP = """
a: f64[n] = zeros(n, dtype='f64')
for i in range(0, n):
    w: f64 = load(x, i)
    store(a, i, w)
    {}
    t: f64 = load(a, {})
    store(x, i, t)
"""


def in_a_trip(between, place="i"):
    """The line after the pass that has what the trip stores to `x`."""
    body = TRIP.format(between.replace("\n", "\n    ") or "u: f64 = sin(w)", place)
    f = program("x: f64[n], v: f64, k: int", body, "a,")
    new = agree(INDEXED, f, *((vec(0.3, 0.7, 1.1), 0.5, k) for k in (0, 1, 2)), (vec(), 0.5, 0))
    return text(new).splitlines()[-2].strip()


KNOWN = {
    "what the trip has stored": "",
    "another array is stored to": "b: f64[n] = zeros(n, dtype='f64')\nstore(b, i, v)",
    "read in a loop inside": "for j in range(0, 2):\n    c: f64 = load(a, i)\n    u: f64 = sin(c)",
}
UNKNOWN = {
    "at another place": ("", "k"),
    "a place that may be the same was stored to": ("store(a, k, v)", "i"),
    "a constant place was stored to": ("store(a, 0, v)", "i"),
    "it was added to": ("add_at(a, i, v)", "i"),
    "all of it was stored to": ("b: f64[n] = copy(x)\nassign(a, b)", "i"),
    "a loop stores to it": ("for j in range(0, k):\n    store(a, j, v)", "i"),
    "a branch stores to it": ("c: bool = lt(w, v)\nif c:\n    store(a, i, v)", "i"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_trip_reads_what_it_has_stored(name):
    assert in_a_trip(KNOWN[name]) == "store(x, i, w)"


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_trip_reads_from_memory(name):
    assert in_a_trip(*UNKNOWN[name]) == "store(x, i, t)"


def test_a_trip_does_not_read_what_another_one_has_stored():
    body = "for i in range(0, n):\n    t: f64 = load(x, k)\n    store(x, i, t)\n    store(x, k, v)"
    f = program("x: f64[n], v: f64, k: int", body)
    assert "store(x, i, t)" in text(agree(INDEXED, f, (vec(0.3, 0.7, 1.1), 0.5, 1)))


def test_a_number_has_the_dtype_of_its_array():
    body = "a: i64[2] = zeros(2, dtype='i64')\nstore(a, k, k)\nt: i64 = load(a, k)"
    f = program("k: int", body, "t,")
    assert "t: i64 = cast(k, dtype='i64')" in text(agree(INDEXED, f, (0,), (1,)))


ON_A_TAPE = {
    "at the same place": ("", True),
    "it is made longer": ("m: int = add(n, 5)\nreserve(a, m)", False),
    "another place may be the same": ("store(a, k, 9.0)", False),
    "a view of it was stored to": ("h: f64[n] = tape_view(a, 0, n)\nassign(h, 2.0)", False),
}


@pytest.mark.parametrize("name", ON_A_TAPE)
def test_elements_of_tapes(name):
    between, known = ON_A_TAPE[name]
    lines = "".join(f"    {line}\n" for line in between.splitlines())
    body = "a: tape[f64] = tape(n, dtype='f64')\nfor i in range(0, n):\n    w: f64 = load(x, i)\n"
    body += f"    store(a, i, w)\n{lines}    t: f64 = load(a, i)\n    store(x, i, t)"
    new = text(agree(INDEXED, program("x: f64[n], k: int", body), (vec(0.3, 0.7, 1.1), 1)))
    assert ("store(x, i, w)" in new) == known, new
