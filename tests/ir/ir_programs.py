"""Hand-built functions that have every statement form between them."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import Location
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Const, For, Function, If, Var, While, atom
from srcgrad.ir.types import BOOL, FLOAT, INT, Array, Scalar
from srcgrad.primitives import REGISTRY

F32, F64, I64 = Scalar("f32"), Scalar("f64"), Scalar("i64")


def builder() -> Builder:
    return Builder(REGISTRY)


def array(b: Builder, name: str, dtype: str = "f64", rank: int = 1, layout: str = "C") -> Var:
    """A parameter whose dims are bound at the entry, as the frontend makes it."""
    x = Var(name, Array(dtype, (1,) * rank, layout))
    dims = tuple(b("dim", x, axis=axis, name="n") for axis in range(rank))
    x.type = Array(dtype, dims, layout)
    return x


def finish(b: Builder, name: str, params: tuple, *returns: Any) -> Function:
    return Function(name, params, tuple(b.out), tuple(atom(r) for r in returns))


def arithmetic() -> Function:
    """Scalars only; weak and strong constants, the special ones too."""
    b, x, n = builder(), Var("x", F32), Var("n", INT)
    y = b.add(b.mul(x, 0.1, name="y"), n, name="y")
    z = b.where(b.lt(y, float("inf")), b.copysign(y, -0.0), float("nan"), name="z")
    w = b.add(z, Const(-2.5, F64), name="w1")
    return finish(b, "arithmetic", (x, n), y, w, Const(True, BOOL), Const(3, I64), -7)


def power() -> Function:
    """A counted loop that carries one scalar, and its reverse over a tape."""
    b, x, n = builder(), Var("x", FLOAT), Var("n", INT)
    b.loc = Location(__file__, 1)
    tape = b.tape(n, dtype="f64", name="y_tape")
    i, y, out = Var("i", INT), Var("y", FLOAT), Var("y", FLOAT)
    with b.block() as body:
        b.store(tape, i, y)
        y1 = b.mul(y, x, name="y")
    b.append(For(i, atom(0), n, (y,), (atom(1.0),), tuple(body), (y1,), (out,), False, b.loc))
    j, x_bar, y_bar = Var("i", INT), Var("x_bar", F64), Var("y_bar", F64)
    results = Var("x_bar", F64), Var("y_bar", F64)
    with b.block() as body:
        y2 = b.load(tape, j, name="y")
        t = b.mul(y_bar, x)
        s = b.add(x_bar, b.mul(y_bar, y2), name="x_bar")
    b.append(For(j, atom(0), n, (x_bar, y_bar), (Const(0.0, F64), Const(1.0, F64)), tuple(body),
                 (s, t), results, True))  # fmt: skip
    return finish(b, "power_vjp", (x, n), out, results[0])


def halvings() -> Function:
    """A bounded `while` with a test of its own, and an effect in a branch without results."""
    b, x = builder(), Var("x", FLOAT)
    v, k, steps = Var("x", FLOAT), Var("k", INT), Var("limit", INT)
    with b.block() as test:
        going = b.gt(b.abs(v), 1.0, name="going")
    with b.block() as body:
        too_many = b.ge(k, 60)
        with b.block() as then:
            b.fail(k, kind="ValueError", message="no end after {} steps")
        b.append(If(too_many, tuple(then), (), (), (), ()))
        half = b.div(v, 2, name="half")
        k1 = b.add(k, 1, name="k")
    out = Var("x", FLOAT), Var("k", INT)
    b.append(While(tuple(test), going, (v, k), (x, atom(0)), tuple(body), (half, k1), out, steps))
    return finish(b, "halvings", (x, steps), *out)


def choice() -> Function:
    """A branch whose results are a reference and its dim, nested in a `while True`."""
    b, c, once = builder(), Var("c", BOOL), Var("once", BOOL)
    x = array(b, "x")
    part = b.view(x, 0, 1, 2, spec=("s",), name="part")
    n, y = Var("n", INT), Var("y", None)
    y.type = Array("f64", (n,), "S")
    b.append(If(c, (), (), (x, x.type.dims[0]), (part, atom(1)), (y, n)))
    r, out = Var("y", Array("f64", (n,), "S")), Var("y", Array("f64", (n,), "S"))
    going, after = Var("going", BOOL), Var("going", BOOL)
    with b.block() as body:
        b.assign(r, b.mul(r, 3.0))
    b.append(While((), going, (r, going), (y, once), tuple(body), (r, Const(False, BOOL)),
                   (out, after)))  # fmt: skip
    return finish(b, "choice", (c, once, x), b.sum(out, axes=(0,)), n)


def carried_dims() -> Function:
    """A loop that carries an array whose length changes: the length is carried beside it."""
    b = builder()
    x = array(b, "x")
    n, m = Var("n", INT), Var("n", INT)
    y, out = Var("y", Array("f64", (n,))), Var("y", Array("f64", (m,)))
    with b.block() as body:
        longer = b.concatenate(y, y, axis=0, name="y")
    i = Var("i", INT)
    b.append(For(i, atom(0), atom(2), (y, n), (x, x.type.dims[0]), tuple(body),
                 (longer, longer.type.dims[0]), (out, m)))  # fmt: skip
    return finish(b, "carried_dims", (x,), out, m)


def shapes() -> Function:
    """Arrays of every rank, broadcasts that are checked at run time, 0-d buffers, references."""
    b = builder()
    a, v, s = array(b, "a", "f32", 2), array(b, "v", "f32"), array(b, "s", "f32", 1, "S")
    y = b.add(b.add(a, v), s, name="y")
    cell = b.zeros(dtype="f32", name="cell")
    b.store(cell, b.sum(y, axes=(0, 1)))
    refs = b.reftape(dtype="f32", ndim=2)
    b.ref_put(refs, 0, y)
    same = b.ref_get(refs, 0, *y.type.dims, name="same")
    b.reserve(b.tape(1, dtype="f64"), 4)
    return finish(b, "shapes", (a, v, s), same, b.load(cell), b.exp(cell))


ALL = (arithmetic, power, halvings, choice, carried_dims, shapes)
