"""The reference backend: the text runs, with NumPy's semantics and errors at the user's line."""

import linecache
import traceback
import warnings

import numpy as np
import pytest

from srcgrad.backends.located import located_error
from srcgrad.backends.python import build
from srcgrad.errors import (
    BoundsError,
    DivisionError,
    Location,
    RaisedError,
    ShapeError,
    SingularError,
    SrcgradError,
    UnboundError,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.parse import parse
from srcgrad.ir.types import FLOAT, INT
from srcgrad.primitives import REGISTRY
from tests.ir import ir_programs as programs

HERE = Location(__file__, 1, 3, 6, "f")


def run(f, *args):
    """The results, of the function and of what its text parses to."""
    made = build(f)
    out = made(*args)
    again = build(parse(made.source, REGISTRY))(*args)
    np.testing.assert_equal(out, again)
    return out


def text(source):
    return build(parse(source, REGISTRY))


# ---- programs ----
def test_loops():
    y, x_bar = run(programs.power(), 3.0, 4)
    assert (y, x_bar) == (81.0, 108.0)


def test_while():
    x, k = run(programs.halvings(), 10.0, 100)
    assert x == 0.625 and k == 4
    assert run(programs.halvings(), -0.5, 100) == (-0.5, 0)


@pytest.mark.parametrize(("c", "want"), [(True, (18.0, 3)), (False, (3.0, 1))])
def test_branches(c, want):
    x = np.array([1.0, 2.0, 3.0])
    assert build(programs.choice())(c, True, x) == want
    np.testing.assert_equal(x, [3.0, 6.0, 9.0] if c else [3.0, 2.0, 3.0])


def test_carried_dims():
    y, n = run(programs.carried_dims(), np.array([1.0, 2.0]))
    assert n == 8 and y.tolist() == [1.0, 2.0] * 4


def test_arithmetic_in_its_own_dtype():
    y, w, *rest = run(programs.arithmetic(), np.float32(3.0), 2)
    assert type(y) is np.float32 and y == np.float32(3) * np.float32(0.1) + np.float32(2)
    assert type(w) is np.float64 and w == np.copysign(np.float64(y), -0.0) - 2.5
    assert rest == [True, 3, -7] and type(rest[1]) is np.int64


def test_shapes():
    a, v, s = (np.ones(d, np.float32) for d in ((2, 3), 3, 6))
    same, total, e = run(programs.shapes(), a, v, s[::2])
    assert same.tolist() == [[3.0] * 3] * 2 and total == 18.0 and e == np.exp(np.float32(18))


# ---- numbers ----
SCALARS = """
def f(x: float, y: float, n: int):
    q: float = div(x, y)
    l: float = log(y)
    r: float = sqrt(q)
    e: float = exp(n)
    p: int = add(n, 9223372036854775807)
    return (q, l, r, e, p,)
"""


def test_scalars_follow_numpy_and_are_silent():
    f = text(SCALARS.replace("exp(n)", "exp(x)"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q, log_y, root, e, wrapped = f(-1e5, 0.0, 2)
    assert q == -np.inf and log_y == -np.inf and np.isnan(root) and e == 0.0
    assert wrapped == -(2**63) + 1


@pytest.mark.parametrize(("dtype", "found"), [("f64", np.nan), ("i64", -(2**63))])
def test_unwritten_memory_shows(dtype, found):
    """A read before the first write gives no number that could pass for a result."""
    f = text(f"""
def f(n: int):
    x: {dtype}[n] = empty(n, dtype={dtype!r})
    t: tape[{dtype}] = tape(n, dtype={dtype!r})
    y: {dtype}[n] = tape_view(t, 0, n)
    return (x, y,)
""")
    for part in f(3):
        np.testing.assert_equal(part, np.full(3, found))


def test_what_is_carried_can_index_and_bound_loops():
    f = text("""
def f(x: f64[n], c: bool):
    n: int = dim(x, axis=0)
    k: int = 0
    total: f64 = f64(0.0)
    for i in range(0, n):
        k1: int = add(k, 1)
        j: int = where(c, k, i)
        for i1 in range(j, k1):
            y: f64[n] = zeros(k1, dtype='f64')
            store(y, j, 1.0)
        t: f64 = load(x, j)
        total1: f64 = add(total, t)
        k, total = k1, total1
    return (total, k,)
""")
    assert f(np.arange(4.0), np.True_) == (6.0, 4)


def test_fresh_arrays_are_contiguous():
    f = text("""
def f(x: f64[n, n1]):
    n: int = dim(x, axis=0)
    n1: int = dim(x, axis=1)
    t: f64.strided[n1, n] = transpose(x, perm=(1, 0))
    y: f64[n1, n] = mul(t, 2.0)
    size: int = mul(n, n1)
    flat: f64[size] = reshape(y, size)
    store(flat, 1, -1.0)
    return (t, y,)
""")
    t, y = f(np.ones((2, 3)))
    assert not t.flags.c_contiguous and y.flags.c_contiguous and y[0, 1] == -1.0


def test_short_dtypes():
    f = text("""
def f(n: int):
    y: i8[n] = zeros(n, dtype='i8')
    z: c64[n] = empty(n, dtype='c64')
    u: u16 = cast(n, dtype='u16')
    return (y, z, u,)
""")
    y, z, u = f(70000)
    assert (y.dtype, z.dtype, u.dtype) == (np.int8, np.complex64, np.uint16) and u == 70000 - 65536


def test_parameters_of_a_dtype_get_it():
    (y,) = text("def f(x: f32):\n    y: f32 = add(x, x)\n    return (y,)")(0.1)
    assert type(y) is np.float32


def test_a_stopped_gradient_is_an_array_of_its_own():
    f = text("""
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    y: f64[n] = stop_gradient(x)
    store(y, 0, 5.0)
    return (y,)
""")
    x = np.zeros(2)
    assert f(x)[0][0] == 5.0 and x[0] == 0.0


def test_a_view_by_integers_is_a_view():
    f = text("""
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    cell: f64[()] = view(x, 1, spec=('i',))
    store(cell, 7.0)
    return ()
""")
    x = np.zeros(2)
    f(x)
    assert x[1] == 7.0


def test_a_function_may_have_the_name_of_a_primitive():
    b, x = programs.builder(), Var("x", FLOAT)
    f = programs.finish(b, "sin", (x,), b.sin(x))
    assert run(f, 0.5) == (np.sin(0.5),)


# ---- errors ----
def failing(op, *args, **params):
    """A function of `x` and `n` whose one located statement fails."""
    b = programs.builder()
    x, n = programs.array(b, "x", rank=2), Var("n", INT)
    b.loc = HERE
    b(op, *({"x": x, "n": n}.get(a, a) for a in args), **params)
    b.loc = None
    return build(programs.finish(b, "f", (x, n)))


@pytest.mark.parametrize(
    ("op", "args", "params", "kinds"),
    [
        ("index", ("n", 3), {"axis": 0}, (BoundsError, IndexError)),
        ("check_broadcast", ("n", 2), {"split": 1}, (ShapeError, ValueError)),
        ("check_assign", ("n", 2), {"split": 1}, (ShapeError, ValueError)),
        ("max", ("x",), {"axes": (0,)}, (ShapeError, ValueError)),
        ("inv", ("x",), {}, (SingularError, np.linalg.LinAlgError)),
        ("fail", ("n",), {"kind": "ZeroDivisionError", "message": "by {}"}, (DivisionError,)),
        ("fail", (), {"kind": "UnboundLocalError", "message": "x"}, (UnboundError, NameError)),
        ("fail", (), {"kind": "ValueError", "message": "mine"}, (RaisedError, ValueError)),
        ("fail", (), {"kind": "KeyError", "message": "mine"}, (RaisedError, KeyError)),
        ("fail", (), {"kind": "AssertionError", "message": ""}, (RaisedError, AssertionError)),
        ("fail", (), {"kind": "OSError", "message": "mine"}, (RaisedError, OSError)),
    ],
)
def test_errors_name_the_users_line(op, args, params, kinds):
    f = failing(op, *args, **params)
    x = np.zeros((0, 2)) if op == "max" else np.zeros((2, 2))
    with pytest.raises(SrcgradError) as e:
        f(x, 5)
    assert all(isinstance(e.value, kind) for kind in kinds)
    assert e.value.location == HERE
    assert f"{__file__}:1, in f\n    {HERE.text}\n       ^^^" in str(e.value)
    if params.get("message") == "mine":
        assert "mine" in str(e.value).splitlines()[0]


def test_numpys_texts():
    f = failing("check_broadcast", "n", 2, 3, split=2)
    with pytest.raises(ValueError, match=r"together with shapes \(5,2\) \(3,\)"):
        f(np.zeros((2, 2)), 5)


def test_tracebacks_show_the_text():
    f = failing("index", "n", 3, axis=0)
    with pytest.raises(IndexError) as e:
        f(np.zeros((2, 2)), 5)
    shown = "".join(traceback.format_exception(e.value))
    assert 'File "<srcgrad f ' in shown and "t: int = index(n2, 3, axis=0)" in shown
    assert e.value.__suppress_context__


def test_the_text_is_found_by_its_pseudo_file():
    f = build(programs.power())
    files = [name for name in linecache.cache if name.startswith("<srcgrad power_vjp ")]
    linecache.checkcache()
    assert any("".join(linecache.getlines(name)) == f.source for name in files)


def test_a_fault_of_the_text_itself_is_not_the_users():
    b = programs.builder()
    y = b.sin(Var("x", FLOAT))
    with pytest.raises(NameError) as e:
        build(programs.finish(b, "f", (), y))()
    assert not isinstance(e.value, SrcgradError)


def test_classes_whose_instances_take_more_than_a_text():
    error = located_error(UnicodeDecodeError("utf-8", b"x", 0, 1, "why"), None)
    assert isinstance(error, RaisedError) and isinstance(error, UnicodeDecodeError)
    assert str(error).startswith("utf-8")


def test_located_errors_pass():
    exc = ShapeError("x")
    assert located_error(exc, None) is exc
    recursion = RecursionError()
    assert located_error(recursion, None) is recursion
