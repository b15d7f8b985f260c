"""The builder: promotion, broadcasting, checks, sharing."""

import numpy as np
import pytest

from srcgrad.errors import ShapeError, UnsupportedError
from srcgrad.ir.nodes import Const, Def, Var, atom
from srcgrad.ir.types import BOOL, FLOAT, INT, Array, Scalar, join_scalars, np_dtype
from srcgrad.primitives import REGISTRY
from tests.ir.ir_programs import F32, F64, I64, array, builder

STRONG = ("bool", "i8", "i32", "i64", "u8", "u64", "f16", "f32", "f64", "c64", "c128")
ARITHMETIC = ("add", "mul", "div", "maximum", "lt", "logical_and", "arctan2")


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("right", STRONG)
@pytest.mark.parametrize("left", STRONG)
def test_two_arrays_promote_as_numpy_promotes_them(op, left, right):
    b = builder()
    x, y = Var("x", Array(left, (3,))), Var("y", Array(right, (3,)))
    try:
        want = REGISTRY[op].impl(np.ones(3, np_dtype(left)), np.ones(3, np_dtype(right))).dtype
        if "c" in (left[0], right[0]) and op in ("maximum", "lt"):
            raise UnsupportedError(op)  # NumPy orders complex numbers, srcgrad does not
    except (TypeError, UnsupportedError) as e:
        with pytest.raises(type(e), match=op):
            b(op, x, y)
        return
    if want == np.float16 and {left, right} in ({"bool"}, {"i8", "u8"}):
        return  # NumPy computes these two in half precision; here truth values are Python numbers
    assert np_dtype(b(op, x, y).type.dtype) == want


@pytest.mark.parametrize("number", (True, 2, 2.5))
@pytest.mark.parametrize("dtype", STRONG)
def test_a_python_number_is_weak_next_to_an_array(dtype, number):
    b, x = builder(), Var("x", Array(dtype, (3,)))
    want = (np.ones(3, np_dtype(dtype)) * number).dtype
    assert np_dtype(b.mul(x, number).type.dtype) == want


def test_a_weak_variable_gives_way_within_its_kind_only():
    b, n, x = builder(), Var("n", INT), Var("x", FLOAT)
    assert b.add(n, Var("a", F32)).type == F32
    assert b.add(x, Var("a", F32)).type == F32
    assert b.add(x, Var("a", I64)).type == F64
    assert b.add(x, n).type == FLOAT
    assert b.div(n, n).type == FLOAT
    assert b.div(Var("i", I64), 2).type == F64
    assert join_scalars(BOOL, INT) == INT


def test_operands_are_cast_in_the_text():
    b, x = builder(), Var("x", Array("f32", (3,)))
    b.add(x, Var("k", I64))
    *casts, add = b.out
    assert [(c.op.name, c.params) for c in casts] == [("cast", {"dtype": "f64"})] * 2
    assert [a.type.dtype for a in add.args] == ["f64", "f64"]


def test_constants_take_the_dtype_of_their_partner():
    b = builder()
    b.mul(Var("x", F32), 0.1)
    constant = b.out[0].args[1]
    assert constant == Const(float(np.float32(0.1)), F32)


def test_an_integer_that_does_not_fit_is_refused():
    with pytest.raises(TypeError, match="300 is out of bounds for u8"):
        builder()("add", Var("x", Array("u8", (3,))), 300)


def test_a_condition_becomes_bool():
    b = builder()
    b.where(Var("c", Array("i64", (3,))), 1.0, 2.0)
    assert b.out[-1].args[0].type == Array("bool", (3,))


def test_the_modulus_of_a_complex_number_is_real():
    b = builder()
    assert b.abs(Var("z", Scalar("c64"))).type == F32
    assert b.out[-1].args[0].type.dtype == "c64"


def test_an_undefined_operation_is_refused():
    with pytest.raises(TypeError, match="bit_and is not defined for f64"):
        builder()("bit_and", Var("x", F64), 1.0)


# ---- broadcasting ----
def test_equal_dims_and_ones_need_no_check():
    b = builder()
    x = array(b, "x", rank=2)
    n, m = x.type.dims
    y = b.add(x, Var("row", Array("f64", (m,))))
    z = b.add(y, Var("column", Array("f64", (n, 1))))
    assert z.type.dims == (n, m)
    assert names(b) == ["dim", "dim", "add", "add"]


def test_axes_of_parameters_are_checked_and_never_one():
    b = builder()
    x, y = array(b, "x"), array(b, "y")
    z = b.add(x, y)
    assert names(b)[2:] == ["check_broadcast", "add"]
    assert b.out[2].args == (x.type.dims[0], y.type.dims[0]) and b.out[2].params == {"split": 1}
    assert z.type.dims == x.type.dims


def test_dims_that_may_be_one_are_joined_at_run_time():
    b, n, m = builder(), Var("n", INT), Var("m", INT)
    z = b.add(Var("x", Array("f64", (n,))), Var("y", Array("f64", (m,))))
    assert names(b) == ["check_broadcast", "broadcast_dim", "add"]
    assert z.type.dims == (b.out[1].var,)


def test_never_one():
    b, unknown = builder(), Var("n", INT)
    n = array(b, "x").type.dims[0]
    assert b.never_one(n) and b.never_one(3)
    assert not b.never_one(1) and not b.never_one(unknown)
    assert b.never_one(b.broadcast_dim(unknown, n))
    assert not b.never_one(b.broadcast_dim(unknown, Var("m", INT)))


def test_known_shapes_that_do_not_fit_raise_at_once():
    b = builder()
    with pytest.raises(ShapeError, match=r"shapes \(3,\) \(4,\)"):
        b.add(Var("x", Array("f64", (3,))), Var("y", Array("f64", (4,))))


# ---- buffers of no dims ----
def test_what_a_cell_holds_is_loaded_for_arithmetic():
    b = builder()
    cell = b.zeros(dtype="f64")
    assert cell.type == Array("f64", ()) and b.copy(cell).type == Array("f64", ())
    assert b.add(cell, 1.0).type == F64
    assert names(b)[-2:] == ["load", "add"]


def test_layouts_of_views():
    b, x = builder(), Var("x", Array("f64", (4, 5)))
    assert b.view(x, 1, spec=("i", ":")).type == Array("f64", (5,))
    assert b.view(x, 1, spec=(":", "i")).type == Array("f64", (4,), "S")
    assert b.view(x, 1, 2, 1, spec=("s", ":")).type == Array("f64", (2, 5))
    assert b.view(x, 1, 2, 2, spec=("s", ":")).type == Array("f64", (2, 5), "S")
    assert b.view(x, 1, 2, spec=("i", "i")).type == Array("f64", ())
    assert b.transpose(x, perm=(1, 0)).type == Array("f64", (5, 4), "S")


# ---- sharing ----
def test_scalars_are_shared_within_their_scope():
    b, x = builder(), Var("x", F64)
    outer = b.sin(x)
    assert b.sin(x) is outer
    with b.block():
        inner = b.cos(x)
        assert b.cos(x) is inner and b.sin(x) is outer
    assert b.cos(x) is not inner


def test_what_reads_memory_is_not_shared():
    b, x = builder(), Var("x", Array("f64", (3,)))
    assert b.load(x, atom(0)) is not b.load(x, atom(0))
    assert b.zeros(dtype="f64") is not b.zeros(dtype="f64")


def names(b):
    return [s.op.name for s in b.out if isinstance(s, Def)]
