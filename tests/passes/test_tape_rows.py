"""Buffers that are saved whole are rows of their tapes, unless something else would be seen."""

import pytest

from srcgrad.passes.tape_rows import tape_rows
from tests.passes.pass_programs import agree, program, text, vec

CALLS = [(vec(1, 2, 3), vec(5, 6, 7, 8)), (vec(1, 2), vec(5)), (vec(), vec(1, 2))]
SAVED = """
size: int = mul(n, m)
saved: tape[f64] = tape(size, dtype='f64')
whole: f64[size] = tape_view(saved, 0, size)
assign(whole, 2.0)
"""
LOOP = """\
for i in range(0, m):
    v: f64 = load(y, i)
    t: f64[n] = {made}
    for j in range(0, n):
        a: f64 = load(x, j)
        b: f64 = mul(a, v)
        add_at(t, j, b)
{before}    at: int = mul(i, n)
    row: f64[n] = tape_view(saved, at, n)
    assign(row, t)
{after}
for i1 in reversed(range(0, m)):
    at1: int = mul(i1, n)
    row1: f64[n] = tape_view(saved, at1, n)
    for j1 in range(0, n):
        c: f64 = load(row1, j1)
        add_at(y, i1, c)
"""


def of(lines):
    return program("x: f64[n], y: f64[m]", SAVED + lines)


def rows(made="zeros(n, dtype='f64')", before="", after=""):
    """Whether the buffer is gone; results are the same anyway."""
    lines = ["".join(f"    {line}\n" for line in part.splitlines()) for part in (before, after)]
    made_of = LOOP.format(made=made, before=lines[0], after=lines[1])
    f = of(made_of)
    new = text(agree(tape_rows, f, *CALLS[: 1 if before or after else 3]))
    return "    t: f64[n] =" not in new and "assign(row, t)" not in new


def test_a_buffer_that_is_saved_whole():
    assert rows()
    assert rows(before="w: f64 = load(t, 0)\nstore(y, i, w)")


def test_what_it_begins_with():
    assert rows(made="empty(n, dtype='f64')\n    assign(t, 2.0)")
    assert not rows(made="copy(x)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "add_at(t, 0, 1.0)\nw: f64 = load(t, 0)\nstore(y, i, w)"),  # no snapshot any more
        ("", "w: f64 = load(t, 0)\nstore(y, i, w)"),
        ("w: f64 = load(saved, 0)\nstore(y, i, w)", ""),  # another name of the row
        ("store(saved, 0, 3.0)", ""),
        ("k: int = floordiv(i, n)\nl: int = mul(k, 0)", ""),
    ],
)
def test_what_would_be_seen(before, after):
    assert rows(before=before, after=after) is before.startswith("k")


def test_a_place_that_may_raise_where_it_is_computed():
    f = of(
        """\
for i in range(0, m):
    t: f64[n] = zeros(n, dtype='f64')
    store(x, 0, 1.0)
    k: int = floordiv(i, m)
    at: int = mul(k, n)
    row: f64[n] = tape_view(saved, at, n)
    assign(row, t)
""",
    )
    assert text(agree(tape_rows, f, *CALLS[:2])) == text(f)


def test_a_copy_of_a_row():
    reads = """\
for i in range(0, m):
    at: int = mul(i, n)
    row: f64[n] = tape_view(saved, at, n)
    u: f64[n] = copy(row)
{}    w: f64 = load(u, 0)
    store(y, i, w)
"""
    f = of(reads.format(""))
    assert "copy" not in text(agree(tape_rows, f, *CALLS[:2]))
    for line in ("store(u, 0, 1.0)", "store(row, 0, 1.0)", "store(saved, at, 1.0)"):
        f = of(reads.format(f"    {line}\n"))
        assert text(agree(tape_rows, f, *CALLS[:2])) == text(f)
