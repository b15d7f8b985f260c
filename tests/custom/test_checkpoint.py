"""`flow.checkpoint`: the function's own derivatives, of every order, with less kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError

U, V = np.array([0.3, -0.6, 1.1, 0.2]), np.array([1.0, -2.0, 0.5, 3.0])


def diffuse(u, k):
    for _ in range(4):
        v = np.tanh(k * u)
        u = u + 0.1 * (np.roll(v, 1) - v) * np.exp(-u * u)
    return u


def steps(one, target="python"):
    def repeated(u, k, n):
        for _ in range(n):
            u = one(u, k)
        return np.sum(u**3)

    return flow.compile(repeated, target=target)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_derivatives(target):
    f, plain = steps(flow.checkpoint(diffuse), target), steps(diffuse)
    value, grads = flow.value_and_grad(f, (0, 1))(U, 0.7, 5)
    want_value, want = flow.value_and_grad(plain, (0, 1))(U, 0.7, 5)
    assert_allclose(value, want_value, rtol=1e-13)
    for got, w in zip(grads, want, strict=True):
        assert_allclose(got, w, rtol=1e-12)
    dots = (V, 0.3, 0)
    assert_allclose(
        flow.jvp(f, (U, 0.7, 5), dots)[1], flow.jvp(plain, (U, 0.7, 5), dots)[1], rtol=1e-12
    )
    hessian = flow.hessian(plain)(U, 0.7, 5)
    for jacobian in (flow.jacfwd, flow.jacrev):
        assert_allclose(jacobian(flow.grad(f))(U, 0.7, 5), hessian, rtol=1e-10, atol=1e-12)


def kept(f, *args):
    """The numbers that a gradient keeps at most, by its explanation."""
    text = str(flow.grad(f).explain(*args))
    return [line for line in text.splitlines() if "_tape" in line]


def test_of_each_step_its_beginning_is_kept():
    plain = kept(steps(diffuse, "cpu"), U, 0.7, 5)
    less = kept(steps(flow.checkpoint(diffuse), "cpu"), U, 0.7, 5)
    assert len(plain) == 4 and all("n * 4 * len(u) slots" in line for line in plain)
    assert [line.split()[0] for line in less if "n * " in line] == ["u_tape1"]
    assert "n * len(u) slots" in next(line for line in less if "u_tape1" in line)


def test_structures_integers_and_defaults():
    def move(state, n, scale=0.5):
        x, other = state["x"], state["other"]
        for _ in range(n):
            x = x + scale * np.sin(x * other[0])
        return {"x": x, "other": other, "steps": n}, np.sum(x)

    def run(one, x, y):
        state, total = {"x": x, "other": (y, "name"), "steps": 0}, 0.0
        for _ in range(3):
            state, s = one(state, 2)
            total += s * state["steps"]
        return total

    moved = flow.checkpoint(move)
    want = flow.grad(flow.compile(lambda x, y: run(move, x, y), target="python"), (0, 1))(U, 1.3)
    got = flow.grad(flow.compile(lambda x, y: run(moved, x, y), target="python"), (0, 1))(U, 1.3)
    for g, w in zip(got, want, strict=True):
        assert_allclose(g, w, rtol=1e-12)


def test_defaults_of_arguments_by_keyword_alone():
    def move(x, k=0.7, *, many=3, scale=0.5):
        for _ in range(many):
            x = x + scale * np.sin(k * x)
        return x

    moved = flow.checkpoint(move)
    for target in ("python", "cpu"):
        f = flow.compile(lambda x, k: np.sum(moved(moved(x), k) ** 2), target=target)
        plain = flow.compile(lambda x, k: np.sum(move(move(x), k) ** 2), target="python")
        for got, want in zip(
            flow.grad(f, (0, 1))(U, 0.9), flow.grad(plain, (0, 1))(U, 0.9), strict=True
        ):
            assert_allclose(got, want, rtol=1e-12)
    u = flow.tensor(U, requires_grad=True)
    moved(u, k=0.9).sum().backward()
    one = flow.compile(lambda x: np.sum(move(x, 0.9)), target="python")
    assert_allclose(u.grad.numpy(), flow.grad(one)(U), rtol=1e-12)
    assert_allclose(moved(U, k=0.9), move(U, k=0.9), rtol=0)
    with pytest.raises(UnsupportedError, match="by position only"):
        flow.grad(flow.compile(lambda x: np.sum(moved(x, many=2)), target="python"))(U)
    with pytest.raises(ArgumentTypeError, match="by position only"):
        moved(u, many=2)


def test_data_decide_how_long_a_step_is():
    def halve(x):
        n = 0
        while np.max(x) > 1.0:
            x = x * np.exp(-0.3 * x)
            n += 1
        return x * n

    def f(one):
        return flow.compile(lambda x: np.sum(one(x) + one(2.0 * x)), target="cpu")

    x = np.array([3.0, 0.4, 7.0])
    assert_allclose(flow.grad(f(flow.checkpoint(halve)))(x), flow.grad(f(halve))(x), rtol=1e-12)


def test_python_runs_the_function_and_arrays_stay_as_they_are():
    x = U.copy()
    assert_allclose(flow.checkpoint(diffuse)(x, 0.7), diffuse(U, 0.7), rtol=0)
    flow.grad(steps(flow.checkpoint(diffuse)))(x, 0.7, 3)
    assert np.array_equal(x, U)


def test_stated_where_it_is_called():
    @flow.compile(target="python")
    def f(x, k):
        once = flow.checkpoint(diffuse)
        return np.sum(once(flow.checkpoint(diffuse)(x, k), k))

    plain = flow.compile(lambda x, k: np.sum(diffuse(diffuse(x, k), k)), target="python")
    assert_allclose(flow.grad(f)(U, 0.7), flow.grad(plain)(U, 0.7), rtol=1e-12)


def test_tensors():
    u = flow.tensor(U, requires_grad=True)
    k = flow.tensor(0.7, dtype=flow.float64, requires_grad=True)

    def step(u, k):
        for _ in range(3):
            u = u + 0.1 * flow.tanh(k * u)
        return u

    again = flow.checkpoint(step)
    (again(again(u, k), k) ** 2).sum().backward()
    got = u.grad.numpy().copy(), k.grad.numpy().copy()
    u.grad = k.grad = None
    (step(step(u, k), k) ** 2).sum().backward()
    assert_allclose(got[0], u.grad.numpy(), rtol=1e-12)
    assert_allclose(got[1], k.grad.numpy(), rtol=1e-12)


def test_what_is_refused():
    def inside(x, y):
        once = flow.checkpoint(lambda z: z * y)
        return np.sum(once(x))

    with pytest.raises(UnsupportedError, match=r"what is defined inside(.|\n)*define .* outside"):
        flow.grad(flow.compile(inside, target="python"))(U, 2.0)

    weight = flow.Parameter(U, name="weight")
    once = flow.checkpoint(lambda z: z * weight)
    loss = flow.compile(lambda z: (once(z) ** 2).sum(), target="python")
    with pytest.raises(UnsupportedError, match="pass it as an argument"):
        flow.grad(loss, None, weight)(flow.tensor(V))

    @flow.checkpoint
    def stores(x):
        x[0] = 1.0
        return x * 2.0

    with pytest.raises(UnsupportedError, match="stores to"):
        flow.grad(flow.compile(lambda x: np.sum(stores(x * 1.0)), target="python"))(U)
    with pytest.raises(ArgumentTypeError, match="checkpoint takes a function, not int"):
        flow.checkpoint(3)
    with pytest.raises(ArgumentTypeError, match="a rule of its own"):
        flow.checkpoint(flow.checkpoint(diffuse))
