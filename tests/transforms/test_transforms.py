"""vjp and jvp; transforms of transforms, and transforms called inside a compiled function."""

import threading
import types
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow


def compiled(f):
    return flow.compile(f, target="python")


@compiled
def square(x):
    return x * x


@dataclass
class Model:
    weight: np.ndarray
    bias: float


# ---- vjp and jvp ----
def test_vjp_gives_a_tuple_and_may_be_called_again():
    @compiled
    def f(x, n, y):
        return x * n, {"s": np.sum(y) * x}

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    out, pull = flow.vjp(f, x, 2, y)
    assert out[0].tolist() == [2.0, 4.0] and out[1]["s"].tolist() == [7.0, 14.0]
    x[:] = 0.0  # the function has its own copies
    for _ in range(2):
        dx, dn, dy = pull((np.array([1.0, 0.0]), {"s": np.array([0.0, 1.0])}))
        assert dx.tolist() == [2.0, 7.0] and dn is None and dy.tolist() == [2.0, 2.0]
    assert type(flow.vjp(square, 3.0)[1](1.0)) is tuple


def test_vjp_checks_adjoints():
    _, pull = flow.vjp(square, np.ones(2))
    with pytest.raises(ValueError, match=r"an adjoint has shape \(3,\), its output \(2,\)"):
        pull(np.ones(3))
    with pytest.raises(ValueError, match=r"an adjoint has shape \(2, 2\), its output \(2,\)"):
        pull(np.ones(2), np.ones(2))
    _, pull = flow.vjp(compiled(lambda x: (x, x)), 1.0)
    with pytest.raises(ValueError, match="do not have the structure of the outputs"):
        pull((1.0,))


def test_vjp_drops_no_part_of_an_adjoint():
    """A part that has no place in the output would be lost, and with it a gradient."""
    _, pull = flow.vjp(square, np.ones(2))
    for adjoint in (np.ones(2) * 1j, np.array([1.0, None])):
        with pytest.raises(
            TypeError, match=r"an adjoint is an array of .*, its output is of float64"
        ):
            pull(adjoint)
    _, pull = flow.vjp(square, 2.0)
    for adjoint, kind in ((1j, "complex128"), ("1.0", "<U3")):
        with pytest.raises(TypeError, match=f"of {kind}, its output is of float64"):
            pull(adjoint)
    with pytest.raises(ValueError, match=r"an adjoint has shape \(1,\), its output \(\)"):
        pull(np.ones(1))
    _, pull = flow.vjp(compiled(lambda x: (x[0], x[1])), np.ones(2))
    assert pull(1.0, 2.0)[0].tolist() == pull([1.0, 2.0])[0].tolist() == [1.0, 2.0]
    assert pull(None)[0].tolist() == [0.0, 0.0] and pull(None, 2.0)[0].tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match="there is a tuple of 3, not a tuple of 2"):
        pull(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match="there is an array, not a tuple"):
        pull(np.ones(2))
    _, pull = flow.vjp(compiled(lambda x: {"a": x, "b": (x, 3)}), 1.0)
    assert pull({"b": (2.0, None), "a": 1.0}) == (3.0,)
    with pytest.raises(
        ValueError, match="there is a dict of 'a', 'b', 'c', not a dict of 'a', 'b'"
    ):
        pull({"a": 1.0, "b": (1.0, None), "c": 1.0})
    with pytest.raises(ValueError, match=r"there is the number 1.0 at out\.b, not a tuple"):
        pull({"a": 1.0, "b": 1.0})


def test_vjp_of_a_function_without_floats():
    with pytest.raises(TypeError, match="returns nothing that has a gradient"):
        flow.vjp(compiled(lambda x: len(x)), np.ones(2))[1](None)


def test_vjp_with_arguments_that_cannot_be_copied():
    settings = types.SimpleNamespace(lock=threading.Lock(), gain=3.0)
    _, pull = flow.vjp(compiled(lambda x, library, s: library.sin(x) * s.gain), 0.0, np, settings)
    assert pull(1.0) == (3.0, None, None)
    settings.gain = 4.0
    with pytest.raises(flow.errors.AutogradError, match="'gain' has changed"):
        pull(1.0)


def test_positions_of_gradients_with_an_adjoint():
    """The adjoint is an argument, but is not counted."""
    f, x = compiled(lambda x, y: x * y), np.array([1.0, 2.0])
    one, two = (flow.grad(f, k, return_ids=True, sens_param=True)(x, 2.0, x) for k in (0, (1, 0)))
    assert one[0] == 0 and one[1].tolist() == [2.0, 4.0]
    assert [k for k, _ in two] == [1, 0] and flow.get_grad(two, 1) == 5.0
    with pytest.raises(RuntimeError, match=r"Position index 2 .*\s.*has 2 arguments"):
        flow.grad(f, 2, sens_param=True)(x, 2.0, x)


def test_an_adjoint_has_the_structure_of_its_output():
    g = flow.grad(compiled(lambda x: {"a": x * x, "n": 3, "b": x}), sens_param=True)
    assert g(2.0, {"a": 10.0, "n": None, "b": 1.0}) == 41.0
    with pytest.raises(ValueError, match="the keys of its output"):
        g(2.0, {"a": 10.0, "n": None, "c": 1.0})
    for x, adjoint in ((2.0, np.ones(3)), (np.ones(3), np.ones((3, 1)))):
        with pytest.raises(ValueError, match="the shape of its output"):
            flow.grad(square, sens_param=True)(x, adjoint)


@compiled
def weighted(first, *others):
    return first * others[0] * others[1] ** 2


def test_arguments_of_args_count_one_by_one():
    args = (2.0, 3.0, 5.0)
    assert flow.grad(weighted, (0, 1, 2))(*args) == (75.0, 50.0, 60.0)
    assert flow.vjp(weighted, *args)[1](1.0) == (75.0, 50.0, 60.0)
    for k, want in enumerate((75.0, 50.0, 60.0)):
        tangents = tuple(float(i == k) for i in range(3))
        assert flow.jvp(weighted, args, tangents) == (150.0, want)
        inside = compiled(lambda *a, t=tangents: flow.jvp(weighted, a, t)[1])
        assert inside(*args) == want
    tensors = [flow.tensor(v, dtype=flow.float64) for v in args]
    assert [g.item() for g in flow.vjp(weighted, *tensors)[1](1.0)] == [75.0, 50.0, 60.0]
    assert flow.grad(weighted, (0, 2), sens_param=True)(*args, 2.0) == (150.0, 120.0)
    assert flow.grad(flow.grad(weighted, 2), 2)(*args) == 12.0


def test_jvp():
    @compiled
    def f(x, n, y):
        return x * y * n, n

    out, dot = flow.jvp(f, (3.0, 2, np.ones(2)), (1.0, None, np.zeros(2)))
    assert out[0].tolist() == [6.0, 6.0] and dot[0].tolist() == [2.0, 2.0] and dot[1] is None


def test_jvp_checks_the_number_of_tangents():
    with pytest.raises(ValueError, match="v has invalid length: should be 2, but got 1"):
        flow.jvp(compiled(lambda x, y: x * y), (1.0, 2.0), (1.0,))


def test_jvp_of_a_dict():
    @compiled
    def f(p):
        return p["a"] * p["b"]

    assert flow.jvp(f, ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": 10.0},)) == (6.0, 23.0)


# ---- transforms of transforms ----
@compiled
def cubic(x):
    return x * x * x


def test_grad_of_grad():
    assert flow.grad(flow.grad(cubic))(2.0) == 12.0
    assert flow.grad(flow.grad(flow.grad(cubic)))(2.0) == 6.0


def test_jvp_of_grad():
    assert flow.jvp(flow.grad(cubic), (2.0,), (10.0,)) == (12.0, 120.0)


def test_grad_of_value_and_grad_counts_both():
    value, gradient = flow.value_and_grad(flow.value_and_grad(cubic))(2.0)
    assert value == (8.0, 12.0) and gradient == 24.0


def test_hessian_product_of_a_loop_with_stores():
    @compiled
    def f(x):
        y = x * 1.0
        for i in range(1, len(y)):
            y[i] = y[i] * y[i - 1]
        return np.sum(y)

    x, v = np.array([2.0, 3.0, 5.0]), np.array([1.0, 0.0, 0.0])
    _, column = flow.jvp(flow.grad(f), (x,), (v,))
    assert column.tolist() == [0.0, 6.0, 3.0]


def test_a_transform_called_inside_a_function():
    @compiled
    def f(x):
        return flow.grad(cubic)(x) * x

    assert f(2.0) == 24.0 and flow.grad(f)(2.0) == 36.0


def test_jvp_called_inside_a_function():
    @compiled
    def f(x):
        return flow.jvp(cubic, (x,), (1.0,))[1]

    assert f(2.0) == 12.0 and flow.grad(f)(2.0) == 12.0


def reduced(x, axis):
    return np.sum(np.sum(x, axis=axis) ** 2)


def test_a_transform_inside_learns_what_must_be_static():
    @compiled
    def f(x, axis):
        return np.sum(flow.grad(reduced)(x, axis) * x)

    x = np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, 0):
        assert f(x, axis) == pytest.approx(2 * np.sum(x.sum(axis) ** 2))


def of_model(m):
    return np.sum(m.weight * m.weight) * m.bias


def test_a_transform_inside_of_a_dataclass():
    @compiled
    def f(w):
        return np.sum(flow.grad(of_model)(Model(w, 3.0)).weight * w)

    assert f(np.ones(2)) == 12.0


def test_stop_gradient():
    @compiled
    def f(x, p):
        kept = flow.stop_gradient({"x": x, "n": 2})
        return np.sum(kept["x"] * x) * kept["n"] + flow.stop_gradient(p) * p

    x = np.array([1.0, 2.0])
    dx, dp = flow.grad(f, (0, 1))(x, 3.0)
    assert dx.tolist() == [2.0, 4.0] and dp == 3.0
    assert flow.stop_gradient(x) is not x and flow.stop_gradient(x).tolist() == [1.0, 2.0]


def test_tangents_of_variadic_arguments():
    def f(a, *more):
        return a * more[0] + more[1] ** 2

    assert flow.jvp(f, (2.0, 3.0, 4.0), (1.0, 10.0, 100.0)) == (22.0, 823.0)
    outer = flow.compile(lambda x: flow.jvp(f, (x, x, x), (1.0, 0.0, 2.0))[1], target="python")
    assert outer(3.0) == 15.0


def test_tangents_inside_may_be_none_or_of_rank_zero():
    def f(x, a):
        return np.sum(a * x)

    def outer(x, a):
        return flow.jvp(f, (x, a), (None, np.zeros_like(a) + 1.0))[1]

    assert flow.compile(outer, target="python")(np.array([1.0, 2.0]), 3.0) == 3.0
