"""Jacobians over structures of outputs and arguments, each entry compared with vjp or jvp.

`test_nested_transforms.py` covers nesting, scalars, empty arrays and float32 as well.
"""

import copy
import pickle
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, PositionError, ZeroGradientWarning
from tests.transforms.jacobians import MODES, by_columns, by_rows, held_against


class Pair(NamedTuple):
    u: Any
    s: Any


@dataclass
class Box:
    u: Any
    s: Any


U, S, Q = np.array([0.3, -0.7]), 1.3, np.array([0.5, 0.9])

# an argument of some structure, and how a program takes the array and the number out of it
ARGUMENTS = {
    "list": ([U, S], lambda p: (p[0], p[1])),
    "tuple": ((U, S), lambda p: (p[0], p[1])),
    "dict": ({"u": U, "s": S}, lambda p: (p["u"], p["s"])),
    "named tuple": (Pair(U, S), lambda p: (p.u, p.s)),
    "dataclass": (Box(U, S), lambda p: (p.u, p.s)),
    "nested": ({"a": [Box(U, 2), (S,)]}, lambda p: (p["a"][0].u, p["a"][1][0])),
    "matrix": (np.outer(U, U) + S, lambda p: (p[0], p[1, 0])),
    "number": (S, lambda p: (np.array([p, 2.0 * p]), p)),
}

# a result of some structure, made of an array and a number
RESULTS = {
    "array": lambda y, t: y * t,
    "number": lambda y, t: t + np.sum(y),
    "list": lambda y, t: [y, t],
    "tuple": lambda y, t: (t, y),
    "dict": lambda y, t: {"y": y, "t": t, "n": 3},
    "named tuple": lambda y, t: Pair(y, t),
    "dataclass": lambda y, t: Box(np.outer(y, y), t),
    "nested": lambda y, t: (y, {"b": [t, Pair(y * t, None)]}),
}
POSITIONS = (0, 1, (0, 1), (1, 0), (1,))
COMBINATIONS = [
    (a, r, POSITIONS[k % len(POSITIONS)], mode)
    for k, (a, r, mode) in enumerate(product(ARGUMENTS, RESULTS, MODES))
]


def program(take, give):
    def f(p, q=Q):
        u, s = take(p)
        y = np.sin(u * s) + q[0]
        return give(y, np.sum(u * u) * s * q[1])

    return flow.compile(f, target="python")


@pytest.mark.parametrize(("argument", "result", "positions", "mode"), COMBINATIONS)
def test_each_element(argument, result, positions, mode):
    value, take = ARGUMENTS[argument]
    f = program(take, RESULTS[result])
    made = mode(f, positions)(value, q=Q)
    elements = by_rows if mode is flow.jacrev else by_columns
    held_against(elements(f, (value, Q)), made, positions)


def test_there_are_enough_combinations():
    assert len(set(COMBINATIONS)) >= 80


@pytest.mark.parametrize("mode", MODES)
def test_on_the_cpu(mode):
    def f(p, q):
        y = p["u"].copy()
        for k in range(1, len(y)):
            y[k] = y[k] * y[k - 1] * p["s"]
        return {"y": y * q, "t": Box(np.sum(y), y[0])}

    p, q = {"u": np.array([0.5, 2.0, 3.0]), "s": 0.7}, np.array([1.0, 0.5, -1.0])
    held_against(
        by_columns(flow.compile(f, target="python"), (p, q)), mode(f, (0, 1))(p, q), (0, 1)
    )


# ---- what is shown, and what pickles ----
def squared(x):
    return x * np.sin(x)


def test_they_are_compiled_functions():
    x = np.array([1.0, 2.0])
    j = flow.jacrev(flow.compile(squared, target="python"))
    assert repr(j) == "<srcgrad.jacrev of squared(x) on python>"
    assert (
        repr(flow.jacfwd(flow.grad(squared), (0,)))
        == "<srcgrad.jacfwd of grad of squared(x) on cpu>"
    )
    assert "rows" in j.explain(x) and "x * np.sin(x)" in j.source("primal")
    assert "[:, None]" in j.source("adjoint") and "cos" in j.ir("adjoint")
    for other in (pickle.loads(pickle.dumps(j)), copy.deepcopy(j)):
        assert_allclose(other(x), j(x))
        assert other.options.target == "python"


def test_keywords():
    def f(p, t, *, scale=1.0):
        return p[0] * t * scale

    f = flow.compile(f, target="python")
    t = np.array([1.0, 2.0])
    for mode in MODES:
        assert mode(f)([3.0], t=t, scale=2.0)[0].tolist() == [2.0, 4.0]
    out, pull = flow.vjp(f, [3.0], t=t, scale=2.0)
    assert out.tolist() == [6.0, 12.0]
    (dp,), dt, dscale = pull(np.ones(2))
    assert (dp, dt.tolist(), dscale) == (6.0, [6.0, 6.0], 9.0)


def test_least_squares_with_keywords():
    from scipy.optimize import least_squares

    def residuals(p, t, y):
        return p[0] * np.exp(-p[1] * t) - y

    t = np.linspace(0.0, 1.0, 20)
    f = flow.compile(residuals, target="python")
    for mode in MODES:
        given = {"t": t, "y": 2.0 * np.exp(-3.0 * t)}
        found = least_squares(residuals, np.ones(2), jac=mode(f), kwargs=given)
        assert_allclose(found.x, [2.0, 3.0], rtol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_one_by_one(mode):
    f = flow.compile(lambda *xs: xs[0] * xs[1], target="python")
    assert mode(f, 1)(2.0, 3.0) == 2.0
    assert mode(f, (0, 1))(2.0, 3.0) == (3.0, 2.0)


# ---- Hessians ----
def energy(p):
    return np.sum(p["u"] ** 3) * p["s"] ** 2


@pytest.mark.parametrize("mode", MODES)
def test_hessians_by_structures(mode):
    p = {"u": np.array([1.0, 2.0]), "s": 3.0}
    h = mode(flow.grad(flow.compile(energy, target="python")))(p)
    assert_allclose(h["u"]["u"], np.diag(54.0 * p["u"]))
    assert_allclose(h["u"]["s"], 18.0 * p["u"] ** 2)
    assert_allclose(h["s"]["u"], h["u"]["s"])
    assert_allclose(h["s"]["s"], 18.0)


@pytest.mark.parametrize("modes", [*product(MODES, MODES)])
def test_jacobians_of_jacobians_by_structures(modes):
    def f(p):
        return [p[0] ** 3 * p[1]]

    x = np.array([1.0, 2.0])
    (((xx, xs), (sx, ss)),) = (modes[0](modes[1](flow.compile(f, target="python")))((x, 2.0)),)[0]
    want = np.zeros((2, 2, 2))
    want[range(2), range(2), range(2)] = 12.0 * x
    assert_allclose(xx, want)
    assert_allclose(xs, np.diag(3.0 * x**2))
    assert_allclose(sx, np.diag(3.0 * x**2))
    assert_allclose(ss, [0.0, 0.0])


@pytest.mark.parametrize("mode", MODES)
def test_inside_compiled_functions(mode):
    @flow.compile(target="python")
    def f(x, s):
        def inner(p):
            return {"y": p.u * p.s * x, "t": np.sum(p.u)}

        j = mode(inner, 0)(Box(x * x, s))
        return np.sum(np.sin(j["y"].u)) + np.sum(j["y"].s) * s + np.sum(j["t"].u)

    x, s = np.array([0.5, 2.0]), 1.5
    y = np.sum(np.sin(np.diag(s * x))) + np.sum(x**3) * s + 2.0
    assert_allclose(f(x, s), y)
    dx, ds = flow.grad(f, (0, 1))(x, s)
    assert_allclose(dx, np.cos(s * x) * s + 3.0 * x**2 * s)
    assert_allclose(ds, np.sum(np.cos(s * x) * x) + np.sum(x**3))


# ---- arguments that are not real arrays ----
@pytest.mark.parametrize("mode", MODES)
def test_integers_among_outputs_and_arguments(mode):
    f = flow.compile(lambda d: (d["x"] * d["n"], np.argmax(d["x"])), target="python")
    block, nothing = mode(f)({"x": np.array([1.0, 2.0]), "n": 3})
    assert nothing is None and block["n"] is None
    assert block["x"].tolist() == [[3.0, 0.0], [0.0, 3.0]]


@pytest.mark.parametrize("mode", MODES)
def test_refusals(mode):
    x = np.array([1.0, 2.0])
    with pytest.raises(
        ArgumentTypeError, match=r"squared.. is an array of dtype int64: only floats"
    ):
        mode(squared)(np.array([1, 2]))
    with pytest.raises(ArgumentTypeError, match="returns nothing that has a gradient"):
        mode(lambda x: np.argmax(x))(x)
    with pytest.raises(PositionError, match=r"squared.. has 1 argument"):
        mode(squared, 1)(x)
    with pytest.raises(PositionError, match="should not be empty"):
        mode(squared, ())(x)
    with pytest.raises(TypeError, match="'has_aux' should be bool"):
        mode(squared, has_aux=1)
    with pytest.raises(ArgumentTypeError, match=r"squared.. returns complex numbers and is diff"):
        mode(squared)(x * 1j)


@pytest.mark.parametrize("mode", MODES)
def test_zero_jacobians_are_said(mode):
    with pytest.warns(ZeroGradientWarning, match="passes a step without a derivative"):
        made = mode(flow.compile(lambda x: np.round(x), target="python"))(np.array([1.2, 2.0]))
    assert made.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_complex_numbers_agree():
    x = np.array([0.3, 0.7])
    wave = flow.compile(lambda x: {"w": np.exp(1j * x) * x, "s": np.sum(x) * 2j}, target="python")
    length = flow.compile(lambda z: (np.abs(z) ** 2, np.sum((z * z).real)), target="python")
    for mode in MODES:
        made = mode(wave)(x)
        assert_allclose(made["w"], np.diag(np.exp(1j * x) * (1.0 + 1j * x)))
        assert_allclose(made["s"], [2j, 2j])
        z = x + 1j
        first, second = mode(length)(z)
        assert_allclose(first, np.diag(2.0 * z))
        assert_allclose(second, 2.0 * np.conj(z))


@pytest.mark.parametrize("mode", MODES)
def test_precision_layout_and_empty_arrays(mode):
    f = flow.compile(lambda d: [np.sin(d["x"]), d["y"] * 2.0], target="python")
    x = np.arange(8.0, dtype=np.float32)[::2]
    one, two = mode(f)({"x": x, "y": np.ones((0, 2), np.float32)})
    assert one["x"].dtype == np.float32 and two["x"].shape == (0, 2, 4)
    assert_allclose(one["x"], np.diag(np.cos(x)), rtol=1e-6)
    assert one["y"].shape == (4, 0, 2) and two["y"].shape == (0, 2, 0, 2)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_stay_as_they_were(mode):
    def f(x):
        x[0] = x[1] * x[1]
        return x

    x = np.array([1.0, 2.0])
    made = mode(flow.compile(f, target="python"))(x)
    assert made.tolist() == [[0.0, 4.0], [0.0, 1.0]] and x.tolist() == [1.0, 2.0]
    made[...] = 0.0  # a result is the caller's own
    assert mode(flow.compile(f, target="python"))(x).tolist() == [[0.0, 4.0], [0.0, 1.0]]


# ---- tensors ----
@pytest.mark.parametrize("tape", [None, flow.PYNATIVE_MODE])
@pytest.mark.parametrize("mode", MODES)
def test_structures_of_tensors(mode, tape):
    def f(p):
        return {"a": p["x"] * p["x"], "b": (p["x"].sum(), p["y"] * 2.0)}

    flow.set_context(mode=tape)
    try:
        j = mode(f)({"x": flow.tensor([1.0, 2.0]), "y": flow.tensor(3.0)})
    finally:
        flow.set_context(mode=None)
    assert j["a"]["x"].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert j["a"]["y"].tolist() == [0.0, 0.0]
    assert j["b"][0]["x"].tolist() == [1.0, 1.0]
    assert j["b"][1]["y"].item() == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_what_the_compiler_refuses_goes_by_the_tape(mode):
    def f(x):
        try:
            return x * x
        except ZeroDivisionError:
            return x

    assert mode(f)(flow.tensor([1.0, 2.0])).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("mode", MODES)
def test_they_are_recorded(mode):
    w = flow.tensor([1.0, 2.0], requires_grad=True)
    mode(lambda x: x**3)(w).sum().backward()
    assert w.grad.tolist() == [6.0, 12.0]


def test_captured_parameters():
    linear = flow.nn.Linear(2, 3)
    for mode in MODES:
        made = mode(linear)(flow.tensor([1.0, 2.0]))
        assert_allclose(made.detach().numpy(), linear.weight.detach().numpy())
