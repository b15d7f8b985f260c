"""Integers at a constant distance from others have one form, also where they wrap."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes.cse import cse
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.simplify import simplify
from tests.passes.pass_programs import agree, count, program, vec

CALLS = [(vec(*range(k)),) for k in range(8)]
TOP = 2**63 - 1


def names(body, returns, calls=CALLS, params="x: f64[n]"):
    """How many integers are computed for some results."""
    new = eliminate(cse(agree(simplify, program(params, body, returns), *calls)))
    return len({*new.returns}), count(new, "add", "sub", "maximum")


def test_slices_of_slices_have_the_lengths_of_slices():
    body = """
a: int = sub(n, 2)
b: int = maximum(a, 0)
c: int = add(b, -1)
d: int = maximum(c, 0)
e: int = add(n, -3)
f: int = maximum(e, 0)
"""
    assert names(body, "d, f") == (1, 2)


def test_what_is_added_before_it_is_cut_off_stays():
    body = "a: int = sub(n, 3)\nb: int = maximum(a, 0)\nc: int = add(b, 1)\nd: int = maximum(c, 0)"
    assert names(body + "\ne: int = sub(n, 2)\nf: int = maximum(e, 0)", "d, f")[0] == 2


def test_lengths_are_not_cut_off():
    assert names("a: int = add(n, 2)\nb: int = maximum(a, 0)", "b, a") == (1, 1)


@pytest.mark.parametrize("k", [TOP, TOP - 1, -TOP, -TOP - 1, 0, 1, 2, 3])
def test_sums_wrap_in_their_form_too(k):
    body = """
a: int = sub(k, 2)
b: int = maximum(a, 0)
c: int = sub(b, 1)
d: int = maximum(c, 0)
e: int = sub(a, 1)
g: int = add(e, 3)
"""
    found = names(body, "d, e, g", [(vec(1), k)], "x: f64[n], k: int")
    assert found[1] > 3  # of any integer cutting off twice is not cutting off once


def test_constants_stay_integers_of_64_bits():
    body = f"a: int = add(k, {TOP})\nb: int = add(a, {TOP})\nc: int = add(b, 2)"
    assert names(body, "c,", [(vec(1), 5)], "x: f64[n], k: int") == (1, 3)


def upwind(q, steps):
    for _ in range(steps):
        slope = np.diff(q)[1:] - np.diff(q)[:-1]
        q[1:-1] -= 0.1 * slope * q[1:-1]
    return q


def test_no_length_of_a_stencil_is_broadcast():
    text = flow.grad(lambda q: np.sum(upwind(q.copy(), 3))).source("numba", np.ones(9))
    assert "!= 1" not in text and "broadcast" not in text
