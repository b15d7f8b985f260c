"""Reverse mode of a long program: eight times the statements take about eight times the work."""

import pytest

from srcgrad.autodiff.reverse import vjp
from srcgrad.ir.nodes import Function
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import program
from tests.tools.counted import calls

# decisions of rules in a trip, which the forward sweep has not taken
DECISIONS = """
    a{k}: f64 = load(x, i)
    b{k}: f64 = mul(a{k}, {k}.0)
    c{k}: f64 = maximum(b{k}, s{k})
    s{n}: f64 = sin(c{k})
"""
# elements that are read long before they are needed, and again in the reverse sweep
EARLY = """
    a{k}: f64 = load(x, {k})
    store(y, {k}, a{k})
--
    b{k}: f64 = sin(s{k})
    s{n}: f64 = mul(b{k}, a{k})
"""
# elements that are stored, read and stored again
STORES = """
    a{k}: f64 = load(y, {k})
    b{k}: f64 = sin(a{k})
    store(y, {n}, b{k})
    s{n}: f64 = mul(s{k}, b{k})
"""
BRANCHES = """
    c{k}: bool = lt(s{k}, {k}.0)
    s{n}: f64
    if c{k}:
        a{k}: f64 = load(x, {k})
        b{k}: f64 = sin(a{k})
        s{n} = b{k}
    else:
        d{k}: f64 = mul(s{k}, v)
        s{n} = d{k}
"""
FEW, TIMES, MOST = 40, 8, 10


def long(kind: str, times: int) -> Function:
    body = "".join(p.format(k=k, n=k + 1) for p in kind.split("--\n") for k in range(times))
    first = "s: f64 = v\nfor i in range(0, n):\n    s0: f64 = mul(s, v)"
    text = f"{first}{body}    s = s{times}\n"
    return program("x: f64[n], y: f64[m], v: f64", text, "s,")


def work(function: Function) -> int:
    return calls(lambda: vjp(function, [0, 2], REGISTRY))


@pytest.mark.parametrize(
    "kind", [DECISIONS, EARLY, STORES, BRANCHES],
    ids=["decisions", "early", "stores", "branches"],
)  # fmt: skip
def test_work_grows_as_the_program(kind: str):
    short, longer = (work(long(kind, times)) for times in (FEW, TIMES * FEW))
    assert longer < MOST * short
