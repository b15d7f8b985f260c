"""The text: what is printed parses back to the same text, and reads as the sketch in the design."""

import keyword

import pytest

from srcgrad.errors import Location
from srcgrad.ir.check import check
from srcgrad.ir.nodes import Const, Def, Function, Var
from srcgrad.ir.parse import parse
from srcgrad.ir.text import printed, to_text
from srcgrad.ir.types import BOOL, COMPLEX, FLOAT, INT, RefTape, Scalar, Tape, Tuple
from srcgrad.primitives import REGISTRY
from tests.ir import ir_programs as programs


def round_trip(f):
    text = to_text(f, notes=False)
    again = parse(text, REGISTRY)
    assert to_text(again, notes=False) == text
    return again


@pytest.mark.parametrize("program", programs.ALL, ids=lambda p: p.__name__)
def test_round_trip(program):
    f = program()
    check(f)
    check(round_trip(f))


@pytest.mark.parametrize("program", programs.ALL, ids=lambda p: p.__name__)
def test_round_trip_with_all_names_taken(program):
    text = to_text(program(), set(REGISTRY), notes=False)
    assert to_text(parse(text, REGISTRY), set(REGISTRY), notes=False) == text


def test_the_text_of_a_loop():
    text = to_text(programs.power(), notes=False)
    assert (
        text
        == """\
def power_vjp(x: float, n: int):
    y_tape: tape[f64] = tape(n, dtype='f64')
    y: float = 1.0
    for i in range(0, n):
        store(y_tape, i, y)
        y1: float = mul(y, x)
        y = y1
    x_bar: f64 = f64(0.0)
    y_bar: f64 = f64(1.0)
    for i1 in reversed(range(0, n)):
        y2: f64 = load(y_tape, i1)
        t: f64 = mul(y_bar, x)
        t1: f64 = mul(y_bar, y2)
        x_bar1: f64 = add(x_bar, t1)
        x_bar, y_bar = x_bar1, t
    return (y, x_bar,)
"""
    )


def test_every_line_knows_its_place_and_shows_it():
    p = printed(programs.power())
    lines = p.text.splitlines()
    here = Location(programs.__file__, 1)
    noted = [k for k, line in enumerate(lines, 1) if "# " in line]
    assert noted and all(p.owner(k).loc == here for k in noted)
    assert all(line.endswith("  # " + here.text.strip()) for line in lines if "# " in line)
    assert p.owner(1) is None and p.owner(99) is None
    assert parse(p.text, REGISTRY).name == "power_vjp"


SCALARS = ["bool", "i8", "u64", "f16", "f32", "f64", "c64", "c128"]
VALUES = [
    Const(True, BOOL), Const(-3, INT), Const(3, Scalar("i8")), Const(2**64 - 1, Scalar("u64")),
    Const(1e300, FLOAT), Const(-0.0, FLOAT), Const(float("-inf"), FLOAT), Const(0, FLOAT),
    Const(float("nan"), Scalar("f64")), Const(0.1, Scalar("f32")), Const(6e-8, Scalar("f16")),
    Const(complex(-0.0, float("inf")), COMPLEX), Const(1 - 2j, Scalar("c64")),
]  # fmt: skip


def test_constants_survive():
    f = Function("f", (), (), tuple(VALUES))
    again = round_trip(f)
    assert [c.type for c in again.returns] == [c.type for c in VALUES]
    for got, c in zip(again.returns, VALUES, strict=True):
        assert got == c or c.type.dtype in ("f32", "f16", "c64") or c == Const(0, FLOAT)


def test_the_shortest_digits_are_printed():
    c = Const(0.10000000149011612, Scalar("f32"))
    f = Function("f", (), (), (c,))
    assert "f32(0.1)" in to_text(f) and round_trip(f).returns == (c,)


@pytest.mark.parametrize(
    "type",
    [*map(Scalar, SCALARS), INT, FLOAT, COMPLEX, Tape("f32"), RefTape("i64", 2),
     Tuple((Scalar("f64"), Tape("i8")))],
    ids=str,
)  # fmt: skip
def test_types_survive(type):
    f = Function("f", (Var("x", type),), (), ())
    assert round_trip(f).params[0].type == type


def test_static_parameters_survive():
    b, n = programs.builder(), Var("n", INT)
    x = programs.array(b, "x", rank=2)
    b.view(x, 0, 0, n, -1, spec=("n", "i", "s"))
    b.show(n, message='it\'s {}\n "{{}}"')
    b.sum(x, axes=(0, -1))
    f = programs.finish(b, "f", (x, n))
    params = [s.params for s in round_trip(f).body]
    assert params == [s.params for s in f.body]


def test_names_are_kept_if_they_can_be_and_made_unique():
    wishes = ["w1", "w2", "w", "w1", "i8", "lambda", "inf", "a b", "2x", "", "exp", "größe", "w1"]
    f = Function("<lambda>", tuple(Var(w, FLOAT) for w in wishes), (), ())
    head = to_text(f).splitlines()[0]
    names = [p.split(":")[0] for p in head.partition("(")[2].removesuffix("):").split(", ")]
    assert len(set(names)) == len(wishes) and names[:3] == ["w1", "w2", "w"]
    assert names[-2] == "größe" and names[-3] == "exp"
    assert all(n.isidentifier() and not keyword.iskeyword(n) for n in names)
    round_trip(f)


def test_no_value_is_named_as_a_primitive_in_use():
    x = Var("x", FLOAT)
    y = Var("exp", FLOAT)
    f = Function("f", (x,), (Def(y, REGISTRY["sin"], (x,)), Def(None, REGISTRY["show"], (y,)),
                             Def(Var("z", FLOAT), REGISTRY["exp"], (y,))), ())  # fmt: skip
    assert "exp1: float = sin(x)" in to_text(f)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "def f(x: f64):\n    return x",
        "def f(x: f65):\n    return ()",
        "def f(x: f64[n]):\n    return ()",
        "def f(x: f64):\n    y: f64 = cosinus(x)\n    return ()",
        "def f(x: f64):\n    y: f64 = sin(z)\n    return ()",
        "def f(x: f64):\n    y: f64 = x\n    return ()",
        "def f(x: f64):\n    y = sin(x)\n    return ()",
        "def f(x: f64):\n    while True:\n        store(x)\n    return ()",
        "def f(x: f64):\n    y: f64 = x\n    for i in range(0, 2):\n        pass\n    return ()",
    ],
)
def test_what_is_not_ir_is_refused(text):
    with pytest.raises(SyntaxError):
        parse(text, REGISTRY)
