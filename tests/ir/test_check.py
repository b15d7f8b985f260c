"""The checker: one program that it refuses for each rule, and the statement that it names."""

import pytest

from srcgrad.ir.check import IRError, check
from srcgrad.ir.nodes import Def, Function, Var
from srcgrad.ir.parse import parse
from srcgrad.ir.types import FLOAT
from srcgrad.primitives import REGISTRY


def function(body, params="x: f64, n: int, c: bool", returns=""):
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return parse(f"def f({params}):\n{lines}\n    return ({returns})\n", REGISTRY)


RANK1 = "x: f64[n], s: f64.strided[n], y: f64[m], c: bool"
ENTRY = "n: int = dim(x, axis=0)\nm: int = dim(y, axis=0)\n"


def loop(carried, yielded, body="    pass"):
    names = ", ".join(line.split(":")[0] for line in carried.splitlines())
    return f"{ENTRY}{carried}\nfor i in range(0, n):\n{body}\n    {names} = {yielded}"


LEGAL = {
    "mixed weak and strong": ("y: f64 = add(x, 1.0)\nz: i64 = add(n, i64(2))", None),
    "carried with its dim": (loop("z: f64[k] = x\nk: int = n", "y, m"), RANK1),
    "contiguous into strided": (loop("z: f64.strided[n] = s", "x"), RANK1),
    "the test's names in the body": (
        "v: f64 = x\nwhile bounded(n):\n    w: f64 = mul(v, 0.5)\n    going: bool = gt(w, 1.0)\n"
        "    if not going: break\n    v = w",
        None,
    ),
    "a broadcast of three": (
        ENTRY + "t: f64[n] = where(c, x, s)\nu: f64[n, 1] = view(x, spec=(':', 'n'))\n"
        "v: f64[n, m] = mul(u, y)",
        RANK1,
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal(name):
    body, params = LEGAL[name]
    check(function(body, *([params] if params else [])))


BROKEN = {
    # operands
    "operand dtypes": ("y: f64 = add(x, f32(1.0))", None, "different dtypes: f64, f32"),
    "product of dtypes": (
        "n: int = dim(x, axis=0)\nz: c128[n] = cast(x, dtype='c128')\ny: f64 = vecdot(x, z)",
        "x: f64[n]", "different dtypes",
    ),
    "condition of where": ("y: f64 = where(n, x, x)", None, "not bool"),
    "integers need a cast": ("y: f64 = div(n, n)", None, "need a cast"),
    "operands per primitive": ("y: f64 = add(x)", None, "takes 2 arguments"),
    "operation undefined": ("y: f64 = bit_and(x, x)", None, "not defined for f64"),
    "arithmetic on cells": (
        "y: f64[()] = zeros(dtype='f64')\nz: f64 = sin(y)", None, "arrays with axes",
    ),
    # results
    "result dtype": ("y: f32 = sin(x)", None, "is f64, not f32"),
    "result rank": (ENTRY + "t: f64 = sin(x)", RANK1, "not f64"),
    "result dims": (ENTRY + "t: f64[m] = sin(x)", RANK1, "is f64[n], not f64[m]"),
    "result layout": (ENTRY + "t: f64[n] = transpose(s, perm=(0,))", RANK1, "is f64.strided[n]"),
    "type rule": (ENTRY + "t: f64[n] = sum(x, axes=())\nu: f64[n] = sum(x, axes=(0,))", RANK1,
                  "the result of sum"),
    "arguments of a rule": ("y: f64 = sum(x, axes=(0,))", None, "sum does not take"),
    "effects define nothing": ("y: f64 = store(x, 0, 1.0)", None, "defines y"),
    "results have names": ("sin(x)", None, "not named"),
    # joins
    "init dtype": ("y: f32 = x\nfor i in range(0, n):\n    y = y", None, "the init of y"),
    "yield dtype": ("y: f64 = x\nfor i in range(0, n):\n    y = n", None, "the yield of y"),
    "yield dims": (loop("z: f64[n] = x", "y"), RANK1, "is f64[m], not f64[n]"),
    "yield of the wrong dim": (loop("z: f64[k] = x\nk: int = n", "y, n"), RANK1, "the yield of z"),
    "yield layout": (loop("z: f64[n] = x", "s"), RANK1, "is f64.strided[n], not f64[n]"),
    "branch dtype": ("y: f64\nif c:\n    y = x\nelse:\n    y = n", None, "the yield of y"),
    "branch dims": (
        ENTRY + "z: f64[n]\nif c:\n    z = x\nelse:\n    z = y", RANK1, "the yield of z",
    ),
    # conditions and bounds
    "condition": ("if n:\n    pass", None, "the condition n is int"),
    "condition of a while": ("while True:\n    if not x: break\n    pass", None, "not a bool"),
    "bounds": ("for i in range(0, x):\n    pass", None, "the bound x is f64"),
    "limit": ("while bounded(x):\n    if not c: break\n    pass", None, "the limit x"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_refused(name):
    body, params, reason = BROKEN[name]
    with pytest.raises(IRError) as e:
        check(function(body, *([params] if params else [])))
    assert reason in str(e.value)


def test_the_statement_is_named():
    with pytest.raises(IRError, match=r"in f: z: f64 = add\(y, f32\(1.0\)\)"):
        check(function("y: f64 = sin(x)\nz: f64 = add(y, f32(1.0))"))
    with pytest.raises(IRError, match=r"in f: for i in range\(0, x\):"):
        check(function("v: int = n\nfor i in range(0, x):\n    v = v"))


# ---- scopes: the parser cannot even write these ----
X, Y, Z = (Var(name, FLOAT) for name in "xyz")
SIN = REGISTRY["sin"]


def refused(params, body, returns, reason):
    with pytest.raises(IRError, match=reason):
        check(Function("f", params, body, returns))


def test_bound_once():
    refused((X,), (Def(Y, SIN, (X,)), Def(Y, SIN, (X,))), (), "y is bound twice")
    refused((X, X), (), (), "x is bound twice")


def test_bound_before_use():
    refused((X,), (Def(Z, SIN, (Y,)), Def(Y, SIN, (X,))), (), "y is read before it is bound")
    refused((X,), (), (Y,), "y is read before it is bound")


def test_out_of_scope():
    f = function("if c:\n    y: f64 = sin(x)\nz: f64 = cos(x)")
    inner = f.body[0].then[0].var
    with pytest.raises(IRError, match="y is out of scope"):
        check(f.with_body(f.body, (inner,)))


def test_dims_are_uses():
    f = function(ENTRY + "t: f64[n] = sin(x)", RANK1)
    late = f.with_body((f.body[2], *f.body[:2]))
    with pytest.raises(IRError, match="a dim of t: n is read before it is bound"):
        check(late)
    with pytest.raises(IRError, match="the dim m of the parameter y is not bound"):
        check(f.with_body((f.body[0], f.body[2])))


def test_yields_are_counted():
    f = function("y: f64 = x\nfor i in range(0, n):\n    y = y")
    object.__setattr__(f.body[0], "yields", ())
    with pytest.raises(IRError, match="0 yields for 1 names"):
        check(f)
