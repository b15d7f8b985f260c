"""`vjp`, `jvp` and the derivatives by name, called inside compiled functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

A = np.array([[0.4, -0.2, 0.3], [0.1, 0.5, -0.6]])
X, V, G = np.array([0.7, -0.4, 1.1]), np.array([1.0, 0.5, -2.0]), np.array([2.0, -1.0])


def curve(x, s=2.0):
    return s * np.tanh(A @ x)


def energy(x, c):
    return c * np.sum(x**3) + x[0] * x[1]


def several(p, n):
    return {"a": p["w"] * p["b"] ** n, "n": n}, np.sum(p["w"])


def on_python(f):
    return flow.compile(f, target="python")


# ---- vjp ----
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_vjp(target):
    @flow.compile(target=target)
    def f(x, g):
        out, pull = flow.vjp(curve, x)
        return out, pull(g), pull(2.0 * g)

    value, pull = flow.vjp(on_python(curve), X)
    out, one, other = f(X, G)
    assert_allclose(out, value)
    for got, want in zip((*one, *other), (*pull(G), *pull(2.0 * G)), strict=True):
        assert_allclose(got, want)


def test_structures_and_what_has_no_gradient():
    @on_python
    def f(p, n):
        out, pull = flow.vjp(several, p, n)
        return pull(({"a": out[0]["a"], "n": None}, 1.0))

    p = {"w": X, "b": 0.5}
    out, pull = flow.vjp(on_python(several), p, 3)
    want, none = pull(({"a": out[0]["a"], "n": None}, 1.0))
    got, also = f(p, 3)
    assert none is None and also is None
    assert_allclose(got["w"], want["w"])
    assert_allclose(got["b"], want["b"])


def test_by_keyword_and_of_defaults():
    @on_python
    def f(x, g):
        return flow.vjp(curve, s=3.0, x=x)[1](g), flow.vjp(curve, x)[1](g)

    for got, s in zip(f(X, G), (3.0, 2.0), strict=True):
        want = flow.vjp(on_python(curve), X, s)[1](G)
        assert len(got) == 2
        assert_allclose(got[0], want[0])
        assert_allclose(got[1], want[1])


def test_of_inner_functions():
    @on_python
    def f(x, c):
        out, pull = flow.vjp(lambda a, *, b: a * b * c, x, b=x + 1.0)
        return pull(out)

    by_a, by_b = f(X, 2.0)
    out = X * (X + 1.0) * 2.0
    assert_allclose(by_a, out * (X + 1.0) * 2.0)
    assert_allclose(by_b, out * X * 2.0)


def test_values_are_those_of_the_call():
    """Arguments and captured arrays may change before the adjoint comes."""

    @on_python
    def f(x, g):
        x = x.copy()
        c = x * 2.0
        _, pull = flow.vjp(lambda y: y * y * c, x)
        c[:] = 0.0
        x[:] = 5.0
        return pull(g)[0], x

    got, x = f(X, V)
    assert_allclose(got, 4.0 * X**2 * V)
    assert_allclose(x, 5.0)


def test_arguments_that_are_stored_to():
    def scaled(x):
        x[0] = x[0] * x[1]
        return x * 2.0

    @on_python
    def f(x, g):
        out, pull = flow.vjp(scaled, x)
        return out, pull(g)[0], x

    out, got, x = f(X, V)
    value, pull = flow.vjp(on_python(scaled), X)
    assert_allclose(out, value)
    assert_allclose(got, pull(V)[0])
    assert_allclose(x, X)


def test_in_a_loop_and_in_branches():
    @on_python
    def f(x, n):
        for k in range(n):
            out, pull = flow.vjp(np.sin, x)
            x = pull(out)[0] if k % 2 == 0 else out
        return x

    want = X
    for k in range(3):
        want = np.cos(want) * np.sin(want) if k % 2 == 0 else np.sin(want)
    assert_allclose(f(X, 3), want)
    assert_allclose(flow.grad(f)(X, 3), flow.jacfwd(f)(X, 3).sum(0))


def test_it_is_differentiated():
    @on_python
    def f(x, g):
        out, pull = flow.vjp(curve, x)
        return np.sum(pull(g * out)[0])

    by_x, by_g = flow.grad(f, (0, 1))(X, G)
    assert_allclose(by_x, flow.jacfwd(f)(X, G))
    assert_allclose(by_g, flow.jacfwd(f, 1)(X, G))
    assert_allclose(flow.hessian(f)(X, G), flow.jacrev(flow.grad(f))(X, G))


def test_of_a_transform():
    @on_python
    def f(x, v):
        _, pull = flow.vjp(flow.grad(energy), x, 2.0)
        return pull(v)[0]

    assert_allclose(f(X, V), flow.hvp(on_python(energy))(X, V, 2.0))


def test_has_aux():
    def with_others(x):
        return np.sum(x**2), x + 1.0, 3

    @on_python
    def f(x, v):
        out, pull, more = flow.vjp(with_others, x, has_aux=True)
        value, dot, also = flow.jvp(with_others, (x,), (v,), has_aux=True)
        return out, pull(1.0)[0], more, value, dot, also

    out, g, more, value, dot, also = f(X, V)
    assert out == value == np.sum(X**2)
    assert_allclose(g, 2.0 * X)
    assert_allclose(dot, 2.0 * X @ V)
    for others in (more, also):
        assert_allclose(others[0], X + 1.0)
        assert others[1] == 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: flow.vjp(curve, x)[1](x), ValueError, "adjoint.*shape"),
        (lambda x: flow.vjp(curve, x)[1](x[0]), ValueError, r"adjoint has the shape \(\)"),
        (lambda x: flow.vjp(curve, x)[1]({"a": x}), TypeError, "adjoint is a dict, its output"),
        (lambda x: flow.jvp(curve, (x,), ([x],)), TypeError, "tangent of x is a list, x is an"),
        (lambda x: flow.vjp(curve, x)[1](g=x), TypeError, "passed by position"),
        (lambda x: flow.vjp(x, x), TypeError, "cannot be differentiated: it is no function"),
        (lambda x: flow.vjp(curve, x, weights=()), flow.UnsupportedError, "by Parameters|Param"),
        (lambda x: flow.hvp(lambda y: np.sum(y**3))(x), TypeError, "direction .* is missing"),
        (lambda x: flow.hvp(energy)(x, x[:2], 1.0), ValueError, r"v has the shape \(2,\), x has"),
        (lambda x: flow.hvp(energy, 0, argnums=0)(x, x, 1.0), ValueError, "two names of one"),
    ],
)
def test_what_does_not_fit(call, error, text):
    with pytest.raises(error, match=text):
        on_python(call)(X)


# ---- the names ----
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_by_name(target):
    @flow.compile(target=target)
    def f(x, v):
        return (
            flow.hvp(energy)(x, v, 2.0),
            flow.vhp(energy, (0, 1))(x, 2.0, (v, 1.0)),
            flow.hessian_diag(energy)(x, 2.0),
            flow.laplacian(energy)(x, 2.0),
            flow.value_grad_hess(energy)(x, 2.0),
            flow.jacobian(curve)(x),
            flow.value_and_jac(curve)(x),
            flow.elementwise_grad(np.sin)(x),
        )

    e, c = on_python(energy), on_python(curve)
    h = flow.hessian(e)(X, 2.0)
    product, (by_x, by_c), diagonal, total, vgh, j, (value, again), slopes = f(X, V)
    assert_allclose(product, h @ V)
    want = flow.hvp(e, (0, 1))(X, 2.0, (V, 1.0))
    assert_allclose(by_x, want[0])
    assert_allclose(by_c, want[1])
    assert_allclose(diagonal, np.diag(h))
    assert_allclose(total, np.trace(h))
    assert_allclose(vgh[0], energy(X, 2.0))
    assert_allclose(vgh[1], flow.grad(e)(X, 2.0))
    assert_allclose(vgh[2], h)
    assert_allclose(j, flow.jacrev(c)(X))
    assert_allclose(again, j)
    assert_allclose(value, curve(X))
    assert_allclose(slopes, np.cos(X))


def test_names_of_inner_functions():
    @on_python
    def f(x, v, c):
        def inner(v):  # the direction may not be taken for it
            return c * np.sum(v**3)

        return (
            flow.hvp(inner)(x, v), flow.hessian_diag(inner)(x), flow.laplacian(inner)(x),
            flow.value_grad_hess(inner)(x)[2], flow.jacobian(lambda y: y * c * x)(x),
            flow.hvp(lambda a, b: np.sum(a**2 * b), (0, 1))(x, v, (v, x)),
            flow.hvp(flow.laplacian(lambda y: np.sum(y**4)))(x, v),
        )  # fmt: skip

    c = 1.5
    product, diagonal, total, matrix, j, both, fourth = f(X, V, c)
    assert_allclose(product, 6.0 * c * X * V)
    assert_allclose(diagonal, 6.0 * c * X)
    assert_allclose(total, np.sum(6.0 * c * X))
    assert_allclose(matrix, np.diag(6.0 * c * X))
    assert_allclose(j, np.diag(c * X))
    assert_allclose(both[0], 2.0 * V * V + 2.0 * X * X)
    assert_allclose(both[1], 2.0 * X * V)
    assert_allclose(fourth, 24.0 * V)
    assert_allclose(flow.grad(lambda c: f(X, V, c)[2])(c), np.sum(6.0 * X))


def test_a_function_among_the_arguments():
    def applied(g, x):
        return np.sum(g(x) ** 2)

    @on_python
    def f(x, v, c):
        return flow.hvp(applied, 1)(lambda y: c * y, x, v), flow.vjp(applied, lambda y: c * y, x)[
            1
        ](1.0)[1]

    product, gradient = f(X, V, 3.0)
    assert_allclose(product, 18.0 * V)
    assert_allclose(gradient, 18.0 * X)
