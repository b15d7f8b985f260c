"""Zeros that are only added to: their first addition is the value, unless anything could tell."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.parse import parse
from srcgrad.passes import checking
from srcgrad.passes.first_additions import first_additions
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, count, outcome, program
from tests.tools.counted import calls

HEAD = """
def f(x: f64[n, m], v: f64):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    z: f64[n, m] = zeros(n, m, dtype='f64')
    a: f64[n, m] = sin(x)
    t: f64.strided[m, n] = transpose(a, perm=(1, 0))
"""
ARGS = np.array([[-0.0, 1.0, 2.0], [3.0, -4.0, 5.0]]), 0.5


def folded(body, returns="z,"):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    f = parse(f"{HEAD}{lines}    return ({returns})\n", REGISTRY)
    new = agree(first_additions, f, ARGS)
    assert repr(outcome(new, ARGS)) == repr(outcome(f, ARGS))  # zeros have their signs
    return count(new, "zeros") == 0


@pytest.mark.parametrize(
    "body",
    [
        "add_to(z, a)",
        "add_to(z, x)",
        "add_to(z, a)\nb: f64[n, m] = cos(x)\nadd_to(z, b)\nadd_to(z, a)",
        "w: f64.strided[m, n] = transpose(z, perm=(1, 0))\nadd_to(w, t)",
        "add_to(z, a)\nw: f64.strided[m, n] = transpose(z, perm=(1, 0))\nadd_to(w, t)",
        "k: int = mul(n, m)\nw: f64[k] = reshape(z, k)\nb: f64[k] = reshape(a, k)\nadd_to(w, b)",
        "add_to(z, a)\nk: int = mul(n, m)\nw: f64[k] = reshape(z, k)\nq: f64 = load(w, 1)",
        "w: f64[n, m, 1] = view(z, spec=(':', ':', 'n'))\n"
        "b: f64[n, m, 1] = view(a, spec=(':', ':', 'n'))\nadd_to(w, b)",
        "w: f64[n, m, 1] = view(z, spec=(':', ':', 'n'))\n"
        "b: f64[n, m, 1] = broadcast_to(v, n, m, 1)\nadd_to(w, b)",
    ],
)
def test_sums_of_values(body):
    assert folded(body)
    assert folded(f"{body}\ny: f64[n, m] = cos(z)", "y, z,")
    assert folded(f"{body}\nfor i in range(0, n):\n    q: f64 = load(z, i, 0)", "z,")


@pytest.mark.parametrize(
    "body",
    [
        "q: f64 = load(z, 0, 0)\nadd_to(z, a)",
        "add_to(z, a)\nstore(z, 0, 0, v)",
        "add_to(z, a)\ny: f64[n, m] = cos(z)\nadd_to(z, y)",
        "add_to(z, a)\nfor i in range(0, n):\n    add_at(z, i, 0, v)",
        "w: f64[m] = view(z, 0, spec=('i', ':'))\nb: f64[m] = view(a, 0, spec=('i', ':'))\n"
        "add_to(w, b)",
        "add_to(z, v)",
        "b: f64[n, m] = copy(x)\nadd_to(z, b)\nstore(b, 0, 0, v)",
        "for i in range(0, n):\n    add_to(z, a)",
        "w: f64[n, m] = z\nfor i in range(0, n):\n    c: f64[n, m] = sin(w)\n    w = c\n"
        "add_to(z, a)",
    ],
)
def test_what_must_stay_zeros(body):
    assert not folded(body)


def test_two_results_are_two_buffers():
    body = "y: f64[n, m] = zeros(n, m, dtype='f64')\nadd_to(z, a)\nadd_to(y, a)"
    assert folded(body, "y, z, a,")


def test_a_gradient_is_never_the_callers_array():
    def f(x, w):
        return np.sum(np.transpose(x) * w)

    with checking():
        x, w = np.ones((3, 2)), np.ones((2, 3))
        gx, gw = flow.grad(f, grad_position=(0, 1))(x, w)
    assert not np.shares_memory(gx, w) and not np.shares_memory(gw, x)
    gx[:] = 7.0
    np.testing.assert_array_equal(w, 1.0)
    np.testing.assert_array_equal(gw, 1.0)


def test_a_program_that_adds_to_no_array_is_not_walked():
    body = "".join(f"z{k}: f64[n] = zeros(n, dtype='f64')\n" for k in range(50))
    f = program("x: f64[n]", body, "x,")
    first_additions(f)  # finds what the function contains
    assert calls(lambda: first_additions(f)) < 20
