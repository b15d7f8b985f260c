"""Folding: what is exact is computed or dropped at construction, what is not stays."""

import numpy as np
import pytest

from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import BOOL, FLOAT, INT, Scalar
from tests.ir.ir_programs import F32, F64, I64, builder

X, N, C = Var("x", F64), Var("n", INT), Var("c", BOOL)


@pytest.mark.parametrize(
    ("op", "args", "want"),
    [
        ("mul", (X, 1.0), X),
        ("mul", (1.0, X), X),
        ("div", (X, 1.0), X),
        ("add", (N, 0), N),
        ("sub", (N, 0), N),
        ("sub", (N, N), Const(0, INT)),
        ("mul", (N, 0), Const(0, INT)),
        ("maximum", (X, X), X),
        ("logical_and", (C, True), C),
        ("logical_and", (C, False), Const(False, BOOL)),
        ("logical_or", (False, C), C),
        ("where", (True, X, 2.0), X),
        ("where", (C, X, X), X),
        ("wrap", (2, N), Const(2, INT)),
        ("broadcast_dim", (N, N), N),
        ("broadcast_dim", (1, N), N),
        ("broadcast_dim", (N, 1), N),
        ("add", (2, 3), Const(5, INT)),
        ("div", (1, 4), Const(0.25, FLOAT)),
        ("index", (-1, 3), Const(2, INT)),
        ("floordiv", (-7, 2), Const(-4, INT)),
        ("trips", (0, 7, 2), Const(4, INT)),
    ],
)
def test_reduces(op, args, want):
    b = builder()
    got = b(op, *args)
    assert got is want if isinstance(want, Var) else got == want
    assert not b.out


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("add", (X, 0.0)),  # -0.0 + 0.0 is 0.0
        ("mul", (X, 0.0)),  # inf * 0.0 is nan
        ("sub", (X, X)),
        ("div", (X, X)),
        ("absorb", (1.0, 2.0)),
        ("floordiv", (7, 0)),  # raises where it stands
        ("index", (5, 3)),
    ],
)
def test_stays(op, args):
    b = builder()
    assert isinstance(b(op, *args), Var) and len(b.out) == 1


def test_an_identity_does_not_change_the_type():
    b = builder()
    assert b.add(N, Const(0, I64)).type == I64
    assert b.mul(Var("x", FLOAT), Const(1.0, F64)).type == F64
    assert b.mul(N, Const(0, I64)) == Const(0, I64)
    assert b.logical_and(True, Const(3, INT)).type == BOOL


def test_constants_are_computed_in_their_own_dtype():
    b = builder()
    got = b.add(Const(1.0, F32), Const(1e-9, F32))
    assert got == Const(float(np.float32(1.0) + np.float32(1e-9)), F32)
    wrapped = b.add(Const(200, Scalar("u8")), Const(100, Scalar("u8")))
    assert wrapped == Const(44, Scalar("u8"))
    assert b("cast", Const(0.1, F64), dtype="f32") == Const(float(np.float32(0.1)), F32)


def test_special_values():
    b = builder()
    assert b.div(1.0, 0.0) == Const(float("inf"), FLOAT)
    assert b.log(-1.0) == Const(float("nan"), FLOAT)
    assert Const(0.0, FLOAT) != Const(-0.0, FLOAT)
