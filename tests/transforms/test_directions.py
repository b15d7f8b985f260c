"""`jvp` checks tangents against its arguments; non-floats have None in place of a derivative."""

import dataclasses

import numpy as np
import pytest
from scipy import special

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError

X = np.array([1.0, 2.0, 3.0])


@dataclasses.dataclass
class Model:
    layers: int
    weight: object


def on_python(f):
    return flow.compile(f, target="python")


def fitted(p, x):
    return np.sum(p["a"] * x) + p["b"]


def sized(m):
    return m.layers * np.sum(m.weight)


GIVEN = {"a": X, "b": 2.0}
MISFITS = {
    "a number for an array": (
        {"a": 1.0, "b": 1.0}, ArgumentValueError, r"tangent of p.a has the shape \(\), .* \(3,\)"),
    "a shorter one": (
        {"a": X[:2], "b": 1.0}, ArgumentValueError, r"p.a has the shape \(2,\), p.a has \(3,\)"),
    "an array for a number": (
        {"a": X, "b": X[:1]}, ArgumentValueError, r"p.b has the shape \(1,\), p.b has \(\)"),
    "a key is missing": ({"a": X}, ArgumentValueError, r"structure .* there is none at p\.b"),
    "a key too many": (
        {"a": X, "b": 1.0, "c": 2.0}, ArgumentValueError, "structure .* there is one at p.c"),
    "not a dict": (3.0, ArgumentValueError, "structure .* there is none at p.a"),
    "complex": ({"a": X, "b": 1j}, ArgumentTypeError, "tangent of p.b .* complex128, .* float64"),
    "a text": ({"a": X, "b": "x"}, ArgumentTypeError, "tangent of p.b is a string"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISFITS)
def test_a_tangent_that_does_not_fit(case: str):
    tangent, kind, text = MISFITS[case]
    with pytest.raises(kind, match=text):
        flow.jvp(on_python(fitted), (GIVEN, X), (tangent, X))


def test_none_is_zero_of_all_below():
    f = on_python(fitted)
    assert flow.jvp(f, (GIVEN, X), (None, X))[1] == np.sum(X * X)
    assert flow.jvp(f, (GIVEN, X), ({"a": None, "b": 1.0}, None))[1] == 1.0


def test_a_tangent_of_another_dtype_is_rounded_as_an_adjoint_is():
    x = X.astype(np.float32)
    dot = flow.jvp(on_python(lambda x: x * 2), (x,), (np.array([0.1, 0.2, 0.3]),))[1]
    assert dot.dtype == np.float32
    assert flow.jvp(on_python(lambda x: x * 2), (x,), ([1, 2, 3],))[1].tolist() == [2, 4, 6]


def test_a_list_too_long():
    with pytest.raises(ArgumentValueError, match=r"there is one at v\[2\]"):
        flow.jvp(on_python(lambda v: v[0] * v[1]), ((1.0, 2.0),), ((1.0, 0.0, 0.0),))


@pytest.mark.parametrize("tangent", [1.0, np.ones(2), np.ones((1, 3))])
def test_inside_a_compiled_function_it_is_refused_as_well(tangent):
    def slope(x, v):
        return flow.jvp(lambda x: np.sum(x * x), (x,), (v,))[1]

    with pytest.raises(ValueError, match="the tangent of x has"):
        on_python(slope)(X, tangent)
    assert on_python(slope)(X, np.ones(3)) == 12.0


def test_a_key_that_is_missing_inside():
    def slope(x):
        return flow.jvp(lambda p: p["a"] * p["b"], ({"a": x, "b": x},), ({"a": 1.0},))[1]

    with pytest.raises(ArgumentValueError, match=r"there is none at p\.b"):
        on_python(slope)(2.0)


# ---- integers among floats ----
COUNTED = {"rate": 0.5, "days": 3}


def total(p):
    return p["rate"] * p["days"]


@pytest.mark.parametrize("days", [3, True, np.int64(3), np.arange(3)])
def test_an_integer_among_floats_has_none(days):
    f, p = on_python(lambda p: np.sum(p["rate"] * p["days"])), {"rate": 0.5, "days": days}
    want = {"rate": np.sum(days), "days": None}
    assert flow.grad(f)(p) == want
    assert flow.value_and_grad(f)(p) == (0.5 * np.sum(days), want)
    assert flow.vjp(f, p)[1](1.0) == (want,)
    assert flow.jacrev(f)(p) == want
    assert flow.jvp(f, (p,), ({"rate": 1.0, "days": None},))[1] == want["rate"]
    assert flow.jvp(f, (p,), ({"rate": 1.0},))[1] == want["rate"]


def test_in_a_dataclass_and_a_tuple():
    made = flow.grad(on_python(sized))(Model(3, X))
    assert made.layers is None and made.weight.tolist() == [3.0] * 3
    assert flow.grad(on_python(lambda t: t[0] * t[1]))((3, 2.0)) == (None, 3.0)


@pytest.mark.parametrize("p", [{"rate": 1, "days": 3}, {"rate": True, "days": np.arange(3)}])
def test_a_position_of_integers_alone_is_refused(p):
    f = on_python(lambda p: np.sum(p["rate"] * p["days"]))
    for transform in (flow.grad, flow.value_and_grad):
        with pytest.raises(ArgumentTypeError, match="no float in it"):
            transform(f)(p)


def test_a_tangent_of_an_integer_is_none_or_zero():
    f = on_python(total)
    assert flow.jvp(f, (COUNTED,), ({"rate": 1.0, "days": 0},))[1] == 3.0
    with pytest.raises(ArgumentTypeError, match=r"p.days is .* which has no tangent"):
        flow.jvp(f, (COUNTED,), ({"rate": 1.0, "days": 1.0},))


@pytest.mark.parametrize("where", ["outside", "inside", "of a closure"])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_an_argument_whose_tangent_is_none_is_a_constant(where, target):
    """jv has no derivative by its first argument, which none is asked for."""

    def f(shape, x, scale=2.0):
        return special.jv(shape, x) * scale

    def inside(shape, x):
        return flow.jvp(f, (shape, x), (None, 1.0))[1]

    def of_a_closure(shape, x):
        def closure(a, b):
            return f(a, b * x / x)

        return flow.jvp(closure, (shape, x), (None, 1.0))[1]

    shape, x = 1.3, 0.7
    expected = flow.grad(f, 1, target=target)(shape, x)
    compiled = flow.compile(f, target=target)
    if where == "outside":
        found = flow.jvp(compiled, (shape, x), (None, 1.0))[1]
        assert flow.jvp(flow.compile(lambda x: f(1.3, x), target=target), (x,), (None,))[1] == 0.0
        with pytest.raises(UnsupportedError, match="jv has no derivative"):
            flow.jvp(compiled, (shape, x), (0.0, 1.0))
    else:
        of = inside if where == "inside" else of_a_closure
        found = flow.compile(of, target=target)(shape, x)
    assert np.isclose(found, expected, rtol=1e-14)
