"""Every row of the table: forward mode against differences, the transposes against forward mode."""

import numpy as np
import pytest

from srcgrad.autodiff.forward import jvp
from srcgrad.autodiff.rules import contribution, depends, fitted, reads
from srcgrad.backends.python import build
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.check import check
from srcgrad.ir.nodes import Def, Function, Var
from srcgrad.ir.types import BOOL, INT, Array, Scalar, float_type
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY
from tests.autodiff.build import function
from tests.autodiff.examples import ELSEWHERE, EXAMPLES, derived
from tests.autodiff.running import (
    check_forward,
    differences,
    floats,
    positions,
    random_tangents,
    tangents,
)

# their transposes are reverse mode's own business: they are the places where shadows are touched
SHADOWED = {n for n, p in REGISTRY.items() if p.kind == "linear" and p.rules == ()}
SHADOWED |= {"view", "reshape"}  # the rules of these two serve tensors
TRANSPOSED = [e for e in EXAMPLES if e.op not in SHADOWED]
# second derivatives that are known to be those of another branch, or that have none
NO_SECOND = {  # by shapes
    "absorb", "betainc(f64[4], f64[4], f64[4])", "betaincinv(f64[4], f64[4], f64[4])",
    "stdtr(f64[4], f64[4])", "stdtrit(f64[4], f64[4])",
}  # fmt: skip


def last(b: Builder) -> Def:
    """The statement that has just defined a value."""
    return next(s for s in reversed(b.out) if isinstance(s, Def) and s.op.name not in ("dim",))


def transposed(example, dtype="f64") -> Function:
    """The function of the arguments and an adjoint of the result that gives the contributions."""
    kinds = example.kinds(dtype)
    result = example.program(dtype).returns[0].type
    rank = len(getattr(result, "dims", ()))
    g = f"g:{result.dtype}" + (f"[{rank}]" if rank else "")

    def body(b, *params):
        *xs, g = params
        y = example.call(b, *xs)
        d = b.definition.get(y)
        out = []
        for x in xs:
            if not float_type(x.type):
                continue
            total = None
            for k, a in enumerate(d.args if d is not None else ()):
                if a is x and depends(d, k):
                    one = contribution(b, d, k, g)
                    total = None if one is None else fitted(b, one, x.type, full=True)
            if y is x:
                total = g
            out.append(b.zeros(1, dtype=dtype) if total is None else total)
        return tuple(out)

    return function(body, *kinds, g, name="f_vjp")


def test_the_examples_are_complete():
    assert {e.op for e in EXAMPLES} | ELSEWHERE >= set(derived())


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_forward_against_differences(example):
    f = example.program()
    if example.static.get("dtype") == "f32":
        pytest.skip("differences do not reach through float32")
    check_forward(f, *example.inputs(), order=1)


@pytest.mark.parametrize("example", TRANSPOSED, ids=str)
def test_transposes_against_forward(example):
    f, args = example.program(), example.inputs(seed=1)
    back = transposed(example)
    check(back)
    wrt = positions(f)
    ts = random_tangents(args, wrt, seed=2)
    y = build(f)(*args)[0]
    g = random_tangents([y], (0,), seed=3)[0]
    dot = tangents(f, args, wrt, ts)[: floats([y]).size]
    bars = build(back)(*args, g)
    shapes = [np.shape(b) for b in bars]
    assert all(s in (np.shape(args[k]), (1,)) for s, k in zip(shapes, wrt, strict=True))
    # rules have dL = Re(g dy): without conjugates
    got = sum(np.real(np.sum(bar * t)) for bar, t in zip(bars, ts, strict=True))
    tolerance = 1e-6 if example.static.get("dtype") == "f32" else 1e-11
    assert abs(got - floats([np.conj(g)]) @ dot) <= tolerance * (1 + abs(got))


@pytest.mark.parametrize("example", TRANSPOSED, ids=str)
def test_second_derivatives(example):
    """Forward over the transposes against differences of the transposes."""
    if {example.op, str(example)} & NO_SECOND or example.static.get("dtype") == "f32":
        pytest.skip("no second derivative to compare with")
    back = transposed(example)
    args = example.inputs(seed=4)
    y = build(example.program())(*args)[0]
    args += random_tangents([y], (0,), seed=5)
    wrt = positions(back)
    ts = random_tangents(args, wrt, seed=6)
    got = tangents(back, args, wrt, ts)
    want, error = differences(back, args, wrt, ts)
    assert np.all(np.abs(got - want) <= 50 * error + 1e-6 * (1 + np.abs(want)))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_float32_stays_float32(example):
    if example.op == "cast":
        pytest.skip("it changes the dtype on purpose")
    programs = [jvp(example.program("f32"), positions(example.program("f32")), REGISTRY)]
    if example.op not in SHADOWED:
        programs.append(transposed(example, "f32"))
    for f in programs:
        check(f)
        made = {s.var.type.dtype for s in walk(f.body) if isinstance(s, Def) and s.var is not None}
        assert not {"f64", "c128"} & made, f


def test_cholesky():
    """Of a matrix that is symmetric throughout: NumPy reads the lower triangle only."""

    def body(b, a):
        return b.cholesky(b.matmul(a, b.transpose(a, perm=(1, 0))))

    check_forward(function(body, "a:f64[2]"), np.array([[1.3, 0.2], [0.4, 0.9]]))


# ---- what is read ----
X, N = Var("x", Array("f64", (Var("n", INT),))), Var("n", INT)
C = Var("c", Array("bool", X.type.dims))


def definition(op, *args, **params):
    b = Builder(REGISTRY)
    return b.definition[b(op, *args, **params)]


@pytest.mark.parametrize(
    ("op", "args", "params", "k", "expected"),
    [
        ("add", (X, X), {}, 0, (set(), False)),
        ("mul", (X, X), {}, 0, ({1}, False)),
        ("div", (X, X), {}, 1, ({1}, True)),
        ("exp", (X,), {}, 0, (set(), True)),
        ("sin", (X,), {}, 0, ({0}, False)),
        ("where", (C, X, X), {}, 1, ({0}, False)),
        ("maximum", (X, X), {}, 0, ({0, 1}, False)),
        ("maximum", (X, 2.0), {}, 0, ({0}, False)),
        ("sum", (X,), {"axes": (0,)}, 0, (set(), False)),
        ("max", (X,), {"axes": (0,)}, 0, ({0}, True)),
        ("concatenate", (X, X), {"axis": 0}, 1, (set(), False)),
        ("matmul", (Var("a", Array("f64", (3, 4))), Var("b", Array("f64", (4, 2)))), {}, 1,
         ({0}, False)),
        ("cholesky", (Var("a", Array("f64", (3, 3))),), {}, 0, (set(), True)),
        ("powi", (X,), {"n": 2}, 0, ({0}, False)),
        ("copysign", (X, X), {}, 1, (set(), False)),
    ],
)  # fmt: skip
def test_reads(op, args, params, k, expected):
    positions_read, result = reads(definition(op, *args, **params), k)
    assert (set(positions_read), result) == expected


# ---- products ----
def emitted(op, *args, k=0, **params):
    """The names of the primitives that a contribution consists of."""
    d = definition(op, *args, **params)
    b = Builder(REGISTRY)
    out = contribution(b, d, k, Var("g", d.var.type))
    return [s.op.name for s in b.out], out


def test_products_with_one_cost_nothing():
    assert emitted("add", X, X)[0] == []
    assert emitted("sub", X, X, k=1)[0] == ["neg"]
    assert emitted("powi", X, n=1)[0] == []


def test_masks_become_selects():
    assert emitted("where", C, X, X, k=1)[0] == ["where"]
    assert "mul" not in emitted("clip", X, -1.0, 1.0)[0]


def test_nothing_where_it_is_said_to_be_zero():
    assert emitted("copysign", X, X, k=1) == ([], None)
    assert emitted("floor", X) == ([], None)
    assert emitted("powi", X, n=0) == ([], None)


@pytest.mark.parametrize(
    ("op", "at"), [("sqrt", 0.0), ("log", 0.0), ("cbrt", 0.0), ("arcsin", 1.0), ("arctanh", 1.0)]
)
def test_a_zero_adjoint_absorbs_an_infinite_partial(op, at):
    def body(b, x):
        b(op, x)
        g = b.sub(x, at)
        return contribution(b, b.definition[b.out[0].var], 0, g)

    assert build(function(body, "x:f64"))(at) == (0.0,)


def test_fitted():
    b = Builder(REGISTRY)
    n = Var("n", INT)
    g = Var("g", Array("f64", (n, n)))
    assert fitted(b, g, g.type) is g
    assert fitted(b, g, Array("f32", (n,))).type == Array("f32", (n,))
    assert fitted(b, g, Scalar("f32")).type == Scalar("f32")
    s = Var("s", Scalar("f64"))
    assert fitted(b, s, g.type) is s
    assert fitted(b, s, g.type, full=True).type == g.type
    names = [d.op.name for d in b.out]
    assert names == ["sum_to", "cast", "sum", "cast", "broadcast_to"]


def test_a_rule_of_real_numbers_is_refused_for_complex_ones():
    a = Var("a", Array("c128", (3, 3)))
    with pytest.raises(UnsupportedError, match="detsign of complex numbers has no derivative"):
        emitted("detsign", a)
    assert emitted("add", Var("z", Scalar("c128")), Var("z", Scalar("c128")))[0] == []


def test_a_result_that_is_no_float_depends_on_nothing():
    d = definition("gt", X, X)
    assert d.var.type.dtype == BOOL.dtype and not depends(d, 0)
