"""Which additions get a loop of their own."""

from srcgrad.ir.nodes import For
from srcgrad.ir.walk import walk
from srcgrad.passes.loop_fission import loop_fission
from tests.passes.pass_programs import agree, program, vec

PARAMS = "x: f64[n], y: f64[m, 3]"
BODY = """
last: int = sub(n, 1)
for i in range(0, last):
    j: int = add(i, 1)
    v: f64 = load(x, i)
    w: f64 = mul(v, v)
    add_at(y, {})
    add_at(y, {})
"""
X, Y = vec(1, 2, 3), vec(*range(9)).reshape(3, 3)


def loops(first, second):
    f = agree(loop_fission, program(PARAMS, BODY.format(first, second)), (X, Y))
    return sum(isinstance(s, For) for s in walk(f.body))


def test_neighbours_in_a_row_are_added_to_apart():
    assert loops("0, i, w", "0, j, v") == 2


def test_neighbours_in_a_column_are_not():
    """No loop over elements that far apart is vectorised: two walk the column twice."""
    assert loops("i, 1, w", "j, 1, v") == 1
