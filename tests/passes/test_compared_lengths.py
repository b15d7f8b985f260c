"""Which lengths of parameters the checks of a program compare."""

import pytest

from srcgrad.passes.compared_lengths import compared, with_equal
from srcgrad.passes.unify_lengths import unify_lengths
from tests.passes.pass_programs import agree, program, vec

PARAMS = "x: f64[n], y: f64[m]"
EQUAL = (((0, 0), (1, 0)),)
CALLS = (vec(1, 2, 3, 4), vec(4, 5, 6, 7)), (vec(), vec())


def equal(lengths):
    """Whether two lengths of a call are equal, of which the second may be a constant."""
    return lambda m, n: 1 < lengths[m[0]] == (n if isinstance(n, int) else lengths[n[0]])


def found(body, lengths=(4, 4)):
    return compared(program(PARAMS, body, "x,"), equal(lengths))


@pytest.mark.parametrize(
    "body",
    [
        "p: int = sub(n, 2)\nq: int = sub(m, 2)\ncheck_broadcast(p, q, split=1)",
        "for i in range(0, 3):\n    check_equal(n, m, message='{} is not {}')",
        "for i in range(0, 3):\n    check_assign(n, m, split=1)",
        "show(n, message='{}')\ncheck_broadcast(n, m, split=1)",
        "p: int = sub(n, 2)\nq: int = sub(m, 2)\nr: int = broadcast_dim(p, q)\n"
        "check_equal(p, r, message='{} is not {}')",
        "for i in range(0, n):\n    for j in range(0, i):\n        k: int = slice_start(j, m, 1)\n"
        "        check_equal(k, j, message='{} is not {}')",
        "for i in range(0, n):\n    k: int = slice_start(i, m, 1)\n"
        "    check_equal(i, k, message='')",
        "for i in range(0, n):\n    t: int = add(i, 1)\n    k: int = slice_start(t, m, 1)\n"
        "    p: int = sub(n, t)\n    q: int = sub(m, k)\n    check_equal(p, q, message='')",
    ],
)
def test_what_is_compared(body):
    assert found(body) == EQUAL
    assert found(body, (4, 5)) == ()


@pytest.mark.parametrize(
    "body",
    [
        "check_equal(n, m, message='{} is not {}')",  # the pass finds them equal anyway
        "p: int = sub(n, 2)\nq: int = sub(m, 1)\ncheck_broadcast(p, q, split=1)",
        "p: int = sub(n, 2)\nq: int = add(m, 2)\ncheck_broadcast(p, q, split=1)",
        "p: int = sub(n, 2)\ncheck_broadcast(p, 5, split=1)",
        "p: int = sub(n, 2)\ncheck_broadcast(p, n, split=1)",
        "p: f64 = add(1.0, 2.0)",
    ],
)
def test_what_is_not(body):
    assert found(body) == ()


def test_lengths_of_one_and_none_are_not_taken_for_equal():
    body = "for i in range(0, 3):\n    check_equal(n, m, message='{} is not {}')"
    assert found(body, (1, 1)) == found(body, (0, 0)) == ()


def test_sums_of_sums_take_no_time():
    lines = ["p0: int = add(n, n)", "q0: int = add(m, m)"]
    for k in range(60):
        lines += [f"{v}{k + 1}: int = add({v}{k}, {v}{k})" for v in "pq"]
        lines += [f"r{k}: int = broadcast_dim(p{k + 1}, q{k + 1})"] if k > 57 else []
    assert found("\n".join([*lines, "check_equal(p60, q60, message='{} is not {}')"])) == EQUAL


def test_the_program_for_equal_lengths():
    body = (
        "p: int = sub(n, 2)\nq: int = sub(m, 2)\n"
        "for i in range(0, 3):\n    check_equal(n, m, message='{} is not {}')\n"
        "    check_broadcast(p, q, split=1)\n"
        "z: f64[n] = add(x, y)"
    )
    body = body.replace("z: f64[n]", "check_equal(n, m, message='{} is not {}')\nz: f64[n]")
    f = program(PARAMS, body, "z,")
    pairs = compared(f, lambda *_: True)
    new = agree(lambda g: unify_lengths(with_equal(g, pairs)), f, *CALLS)
    assert new.params[0].type.dims[0] is new.params[1].type.dims[0]
