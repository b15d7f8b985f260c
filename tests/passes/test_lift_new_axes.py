"""Arithmetic on arrays with new axes: done without them where the result is only read."""

import numpy as np
import pytest

from srcgrad.ir.nodes import Def
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes.lift_new_axes import lift_new_axes
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, count

HEAD = """
def f(x: f64[n, m], y: f64[n], z: f64[n]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
"""
ARGS = np.arange(6.0).reshape(3, 2) / 7.0, np.linspace(0.5, 1.0, 3), np.linspace(-1.0, 1.0, 3)
VIEWS = "a: f64[n, 1] = view(y, spec=(':', 'n'))\nb: f64[n, 1] = view(z, spec=(':', 'n'))"


def lifted(body, returns):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    f = parse(f"{HEAD}{lines}    return ({returns})\n", REGISTRY)
    return agree(lift_new_axes, f, ARGS)


def flat(f, name):
    """The ranks of the results of an operation."""
    return [s.var.type.ndim for s in walk(f.body) if isinstance(s, Def) and s.op.name == name]


def test_chains_are_lifted_whole():
    body = f"{VIEWS}\nc: f64[n, 1] = add(a, b)\nd: f64[n, 1] = exp(c)\nr: f64[n, m] = mul(x, d)"
    new = lifted(body, "r,")
    assert flat(new, "add") == flat(new, "exp") == [1] and flat(new, "mul") == [2]


def test_numbers_and_conditions_stay_what_they_are():
    body = (
        f"{VIEWS}\nc: bool[n, 1] = gt(a, b)\nd: f64[n, 1] = where(c, a, 2.0)\n"
        "r: f64[n, m] = mul(x, d)"
    )
    new = lifted(body, "r,")
    assert flat(new, "gt") == flat(new, "where") == [1]


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        (f"{VIEWS}\nc: f64[n, 1] = add(a, b)", "c,"),
        (f"{VIEWS}\nc: f64[n, 1] = add(a, b)\nstore(c, 0, 0, 9.0)\nr: f64[n, m] = mul(x, c)", "r,"),
        (f"{VIEWS}\nc: f64[n, m] = mul(x, a)", "c,"),
        (
            "a: f64[n, 1] = view(y, spec=(':', 'n'))\nb: f64[1, n] = view(z, spec=('n', ':'))\n"
            "c: f64[n, n] = add(a, b)\ns: f64 = sum(c, axes=(0, 1))",
            "s,",
        ),
    ],
)
def test_what_is_returned_stored_to_or_broadcast_stays(body, returns):
    before = [s for s in body.splitlines() if "add" in s or "mul" in s]
    new = lifted(body, returns)
    assert flat(new, "add") + flat(new, "mul") == [2] * len(before)


def test_memory_is_read_where_it_was_read():
    """A store between the view and the arithmetic is seen, one behind it is not."""
    body = (
        f"{VIEWS}\nstore(y, 1, 5.0)\nc: f64[n, 1] = add(a, b)\nstore(y, 2, 7.0)\n"
        "r: f64[n, m] = mul(x, c)"
    )
    assert flat(lifted(body, "r,"), "add") == [1]


def test_a_sum_to_axes_of_length_one_is_a_sum():
    body = "a: f64[n, 1] = sum_to(x, n, 1)\nr: f64[n, m] = mul(x, a)"
    assert count(lifted(body, "r,"), "sum_to") == 0
    body = "a: f64[1, m] = sum_to(x, 1, m)\nr: f64[n, m] = mul(x, a)"
    assert count(lifted(body, "r,"), "sum_to") == 0


@pytest.mark.parametrize("dims", ["1, 1", "n, m"])
def test_other_sums_stay(dims):
    body = f"a: f64[{dims}] = sum_to(x, {dims})\nr: f64[n, m] = mul(x, a)"
    assert count(lifted(body, "r,"), "sum_to") == 1
