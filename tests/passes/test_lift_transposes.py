"""Outer products that are read transposed are made in that order, where nothing else shows."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes.lift_transposes import lift_transposes
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, count

HEAD = """
def f(x: f64[n], y: f64[m], z: f64[n, m]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    a: f64[n, 1] = view(x, spec=(':', 'n'))
    b: f64[1, m] = view(y, spec=('n', ':'))
"""
ARGS = np.linspace(0.5, 1.0, 3), np.linspace(-1.0, 1.0, 2), np.arange(6.0).reshape(3, 2) / 7.0
TURNED = "t: f64.strided[m, n] = transpose(p, perm=(1, 0))"
READ = f"{TURNED}\nr: f64[m, n] = exp(t)"


def lifted(body, returns="r,", args=ARGS):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    f = parse(f"{HEAD}{lines}    return ({returns})\n", REGISTRY)
    return agree(lift_transposes, f, args)


@pytest.mark.parametrize("product", ["mul(a, b)", "mul(b, a)", "mul(a, y)", "pow(a, b)"])
def test_outer_products_are_made_as_they_are_read(product):
    new = lifted(f"p: f64[n, m] = {product}\n{READ}", args=(ARGS[0], ARGS[1] + 2.0, ARGS[2]))
    assert count(new, "transpose") == 0


def test_operands_of_several_axes_are_turned():
    body = (
        "s: f64[1, n, m] = view(z, spec=('n', ':', ':'))\n"
        "c: f64[n, 1, 1] = view(x, spec=(':', 'n', 'n'))\n"
        "p: f64[n, n, m] = mul(s, c)\nt: f64.strided[m, n, n] = transpose(p, perm=(2, 0, 1))\n"
        "r: f64[m, n, n] = exp(t)"
    )
    new = lifted(body)
    assert count(new, "transpose") == 1  # of the operand, which is smaller


def test_what_is_added_to_a_transpose_is_added_to_the_array():
    body = "w: f64.strided[m, n] = transpose(z, perm=(1, 0))\n"
    body += "c: f64[m, 1] = view(y, spec=(':', 'n'))\n"
    body += "p: f64[m, n] = mul(c, x)\nadd_to(w, p)\nr: f64[n, m] = mul(z, 2.0)"
    new = lifted(body)
    (added,) = [s for s in walk(new.body) if isinstance(s, Def) and s.op.name == "add_to"]
    assert added.args[0] is new.params[2]
    wider = body.replace("p: f64[m, n] = mul(c, x)", "p: f64[n] = mul(x, 2.0)")
    assert count(lifted(wider), "transpose") == 1


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        (f"p: f64[n, m] = mul(a, b)\n{TURNED}", "t,"),
        (f"p: f64[n, m] = mul(a, b)\n{READ}", "r, p"),
        (f"p: f64[n, m] = mul(a, b)\n{READ}\ns: f64 = sum(p, axes=(0, 1))", "r, s"),
        (f"p: f64[n, m] = mul(a, b)\nstore(p, 0, 1, 9.0)\n{READ}", "r,"),
        (f"p: f64[n, m] = mul(a, z)\n{READ}", "r,"),
    ],
)
def test_what_is_returned_stored_to_or_as_large_stays(body, returns):
    assert count(lifted(body, returns), "transpose") == 1


def test_operands_are_read_where_they_were_read():
    """A store before the product is seen, one between it and its transpose is not."""
    body = f"store(x, 1, 5.0)\np: f64[n, m] = mul(a, b)\nstore(x, 2, 7.0)\n{READ}"
    assert count(lifted(body), "transpose") == 0


def vector_by_matrix(a, x):
    return (a @ x) @ a


def test_the_gradient_of_a_vector_by_a_matrix_has_no_transposed_product():
    a, x = ARGS[2], ARGS[1]
    text = flow.grad(vector_by_matrix, (0, 1)).source("adjoint", a, x)
    assert ".copy()" not in text and "[:, None]).T" not in text
