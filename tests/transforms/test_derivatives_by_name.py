"""How derivatives are asked for by name: positions, modes, directions, errors, pickling."""

import inspect
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError

X, V = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])
BY_POSITION = (
    "grad", "value_and_grad", "jacrev", "jacfwd", "jacobian", "value_and_jac", "hessian", "hvp",
    "vhp", "value_grad_hess", "hessian_diag", "laplacian", "elementwise_grad",
)  # fmt: skip


def on_python(f):
    return flow.compile(f, target="python")


@on_python
def cubes(x, c=2.0):
    return c * np.sum(x**3)


# ---- positions ----
@pytest.mark.parametrize("name", BY_POSITION)
def test_argnums_is_another_name_of_grad_position(name):
    transform = getattr(flow, name)
    by_one, by_other = transform(cubes, 1), transform(cubes, argnums=1)
    assert repr(by_one) == repr(by_other) and by_one.spec.positions == by_other.spec.positions
    assert transform(cubes, argnums=[0, 1]).spec.positions == (0, 1)
    for given in ({"grad_position": 0, "argnums": 0}, {"grad_position": (1,), "argnums": (0, 1)}):
        with pytest.raises(ArgumentValueError, match=r"grad_position=.* and argnums=.* are two"):
            transform(cubes, **given)
    with pytest.raises(ArgumentValueError, match="argnums must be >= 0"):
        transform(cubes, argnums=-1)
    with pytest.raises(ArgumentTypeError, match="'has_aux' should be bool"):
        transform(cubes, has_aux="yes")


def test_a_sequence_of_one_argnum_gives_a_tuple_of_one():
    assert isinstance(flow.grad(cubes, (0,))(X), np.ndarray)
    (got,) = flow.grad(cubes, argnums=(0,))(X)
    assert_allclose(got, 6.0 * X**2)
    (diagonal,) = flow.hessian_diag(cubes, argnums=[0])(X)
    assert_allclose(diagonal, 12.0 * X)
    ((matrix,),) = flow.hessian(cubes, argnums=(0,))(X)
    assert_allclose(matrix, np.diag(12.0 * X))
    (product,) = flow.hvp(cubes, argnums=(0,))(X, (V,))
    assert_allclose(product, 12.0 * X * V)
    seeded = flow.grad(cubes, argnums=(0,), sens_param=True)(X, 2.0, 1.0)
    assert isinstance(seeded, tuple) and len(seeded) == 1

    @on_python
    def inside(x):
        return flow.grad(cubes, argnums=(0,))(x)[0] + flow.hvp(cubes, argnums=[0])(x, (x,))[0]

    assert_allclose(inside(X), 6.0 * X**2 + 12.0 * X**2)


def test_with_others():
    f = on_python(lambda x: (np.sum(x**3), 2.0 * x))
    diagonal, doubled = flow.hessian_diag(f, has_aux=True)(X)
    assert_allclose(diagonal, 6.0 * X)
    assert_allclose(doubled, 2.0 * X)
    product, doubled = flow.hvp(f, has_aux=True)(X, V)
    assert_allclose(product, 6.0 * X * V)
    assert_allclose(doubled, 2.0 * X)
    total, _ = flow.laplacian(f, has_aux=True)(X)
    assert_allclose(total, np.sum(6.0 * X))
    (value, doubled), gradient, matrix = flow.value_grad_hess(f, has_aux=True)(X)
    assert_allclose(value, np.sum(X**3))
    assert_allclose(doubled, 2.0 * X)
    assert_allclose(gradient, 3.0 * X**2)
    assert_allclose(matrix, np.diag(6.0 * X))
    (value, _), gradient = flow.value_and_jac(f, has_aux=True)(X)
    assert_allclose(gradient, 3.0 * X**2)


# ---- the mode of a Jacobian ----
@pytest.mark.parametrize(
    ("f", "args", "forward"),
    [
        (lambda x: np.tanh(x), (X,), True),
        (lambda x: np.sum(x), (X,), False),
        (lambda x: x[:2] * 2.0, (X,), False),
        (lambda x: np.concatenate([x, x]), (X,), True),
        (lambda x: np.outer(x, x), (X,), True),
        (lambda s: s * X, (2.0,), True),
        (lambda s: s * s, (2.0,), True),
        (lambda a, x: a @ x, (np.ones((2, 3)), X), False),
        (lambda a: a[a > 0.5], (np.ones(4),), True),
        (lambda p: {"a": p["w"] * 2.0, "b": p["w"][0]}, ({"w": X},), True),
    ],
)
def test_the_mode_follows_the_numbers_of_inputs_and_outputs(f, args, forward):
    j = flow.jacobian(on_python(f))
    stages = {line.split()[0] for line in j.explain(*args).splitlines() if line.startswith("  ")}
    assert ("columns" in stages, "rows" in stages) == (forward, not forward)


def test_a_rule_that_has_one_mode_only():
    @flow.custom_vjp
    def sine(x):
        return np.sin(x)

    def backward(x, g):
        if np.sum(g) > 1e9:
            return (0.0 * g,)
        return (g * np.cos(x),)

    sine.defvjp(lambda x: (np.sin(x), x), backward)
    f = on_python(lambda x: sine(x))
    assert_allclose(flow.jacobian(f)(X), np.diag(np.cos(X)))
    with pytest.raises(flow.UnsupportedError, match="forward mode cannot be had"):
        flow.jacfwd(f)(X)
    one = on_python(lambda x: np.sum(sine(x)))  # its gradient has both
    assert_allclose(flow.hvp(one)(X, V), -np.sin(X) * V)
    assert_allclose(flow.laplacian(one)(X), -np.sum(np.sin(X)))


# ---- directions ----
def test_the_direction_is_an_argument():
    product = flow.hvp(cubes)
    assert str(inspect.signature(product)) == "(x, v, c=2.0)"
    assert_allclose(product(X, V), 12.0 * X * V)
    assert_allclose(product(X, v=V, c=1.0), 6.0 * X * V)
    assert_allclose(product(X, None), 0.0 * X)
    of_x, of_c = flow.hvp(cubes, (0, 1))(X, 2.0, (None, 1.0))
    assert_allclose(of_x, 3.0 * X**2)
    assert of_c == 0.0
    named = on_python(lambda v, w: w * np.sum(v**2))
    assert str(inspect.signature(flow.hvp(named))) == "(v, v2, w)"
    assert_allclose(flow.hvp(named)(X, V, 3.0), 6.0 * V)
    keyword = on_python(lambda a, *, x: a * np.sum(x**3))
    assert_allclose(flow.hvp(keyword, 1)(2.0, x=X, v=V), 12.0 * X * V)


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
@pytest.mark.parametrize("own", [np.float32, np.float64])
def test_a_direction_is_cast_to_its_argument(kind, own):
    x, v = X.astype(own), np.array([1, 2, -1], kind)
    got = flow.hvp(cubes)(x, v)
    assert got.dtype == own
    assert_allclose(got, 12.0 * x * v, rtol=1e-6)
    assert_allclose(flow.hvp(cubes)(x, np.repeat(v, 2)[::2]), 12.0 * x * v, rtol=1e-6)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_product_has_memory_of_its_own(target):
    product = flow.hvp(flow.compile(lambda x: 0.5 * np.sum(x * x), target=target))
    v = V.copy()
    for _ in range(2):
        made = product(X, v)
        assert not np.shares_memory(made, v)
        made[:] = 7.0
        assert_allclose(v, V)


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((X, V[:2]), ValueError, r"v has the shape \(2,\), x has \(3,\)"),
        ((X, 1.0), ValueError, r"v has the shape \(\), x has \(3,\)"),
        ((X, V[:, None]), ValueError, r"v has the shape \(3, 1\), x has \(3,\)"),
        ((X[:1], V), ValueError, r"v has the shape \(3,\), x has \(1,\)"),
        ((np.ones((2, 3)), np.ones((3, 2))), ValueError, r"v has the shape \(3, 2\), x has \(2, "),
        ((X, 1j * V), TypeError, "v is of complex128, x is of float64"),
        ((X, [1.0, 2.0, 3.0]), TypeError, r"v is a list, x is an array"),
        ((X, "north"), TypeError, "v is a string, x is an array"),
        ((X,), TypeError, "missing 1 required positional argument: 'v'"),
        (({"a": X}, {"a": V[:2]}), ValueError, r"v.a has the shape \(2,\), x.a has \(3,\)"),
        (({"a": X}, {"b": V}), ValueError, "v is a dict of 'b', x is a dict of 'a'"),
        (({"a": X, "n": 3}, {"a": V, "n": 1}), TypeError, "only floats have one"),
    ],
)
def test_directions_that_do_not_fit(args, error, text):
    f = on_python(lambda x: np.sum(x["a"] ** 3) if isinstance(x, dict) else np.sum(x**3))
    with pytest.raises(error, match=text):
        flow.hvp(f)(*args)


def test_a_wrong_direction_after_a_right_one():
    """A call on the fast path compares shapes too."""
    for target in ("python", "cpu"):
        f = flow.compile(lambda x: np.sum(x**3), target=target)
        product = flow.hvp(f)
        for _ in range(3):
            product(X, V)
        v = np.ones(5)
        with pytest.raises(ValueError, match=r"v has the shape \(5,\), x has \(3,\)"):
            product(X, v)
        assert np.all(v == 1.0)
        matrices = flow.hvp(f)
        matrices(np.ones((2, 3)), np.ones((2, 3)))
        with pytest.raises(ValueError, match=r"v has the shape \(2, 4\), x has \(2, 3\)"):
            matrices(np.ones((2, 3)), np.ones((2, 4)))


def test_complex_numbers():
    f = on_python(lambda z: np.sum(np.abs(z) ** 4))
    z, v = X + 0.5j, V * (1.0 - 2.0j)
    assert_allclose(flow.hvp(f)(z, v), flow.jvp(flow.grad(f), (z,), (v,))[1])
    for transform in (flow.hessian_diag, flow.laplacian, flow.value_grad_hess):
        with pytest.raises(
            TypeError, match=r"no second derivatives with respect to complex numbers"
        ):
            transform(f)(z)


# ---- as transforms ----
def test_they_are_called_by_their_names():
    for name in BY_POSITION:
        made = getattr(flow, name)(cubes)
        expected = {"elementwise_grad": "grad", "hessian": "jacfwd of jacrev"}.get(name, name)
        assert repr(made).startswith(f"<srcgrad.{expected} of cubes(")


def test_what_is_shown():
    product = flow.hvp(cubes)
    product(X, V)
    assert "x_bar_dot" in product.source("tangent") or "v" in product.ir("tangent").split("(")[1]
    assert "v" not in product.source("adjoint").splitlines()[0]
    assert "hvp" in product.explain().splitlines()[0]
    assert "diagonal" in flow.laplacian(cubes).explain(X)


def energy(x, c):
    return c * np.sum(x**3) + x[0] * x[1]


@pytest.mark.parametrize("name", [n for n in BY_POSITION if n != "grad"])
def test_they_pickle(name):
    made = getattr(flow, name)(flow.compile(energy, target="python"))
    again = pickle.loads(pickle.dumps(made))
    args = (X, V, 2.0) if name in ("hvp", "vhp") else (X, 2.0)
    assert repr(again) == repr(made)
    assert str(again(*args)) == str(made(*args))


def test_they_nest():
    f = flow.compile(energy, target="python")
    product = flow.hvp(f)
    third = 12.0 * X * 0.0 + 12.0 * V  # by x of 12 x v
    h = flow.hessian(f)(X, 2.0)
    assert_allclose(flow.jacobian(product, 1)(X, V, 2.0), h)
    assert_allclose(flow.jacfwd(product)(X, V, 2.0), np.diag(third))
    assert_allclose(flow.jacrev(product)(X, V, 2.0), np.diag(third))
    assert_allclose(flow.grad(product, 2)(X, V, 2.0), np.sum(6.0 * X * V))
    assert_allclose(flow.grad(flow.laplacian(f))(X, 2.0), np.full(3, 12.0))
    assert_allclose(flow.jacobian(flow.hessian_diag(f))(X, 2.0), np.diag(np.full(3, 12.0)))
    assert_allclose(flow.laplacian(flow.laplacian(f))(X, 2.0), 0.0)
    out, dot = flow.jvp(product, (X, V, 2.0), (V, None, None))
    assert_allclose(out, h @ V)
    assert_allclose(dot, third * V)
    _, pull = flow.vjp(product, X, V, 2.0)
    by_x, by_v, by_c = pull(np.ones(3))
    assert_allclose(by_x, third)
    assert_allclose(by_v, h @ np.ones(3))
    assert_allclose(by_c, np.sum(6.0 * X * V))
    _, gradient, matrix = flow.value_grad_hess(flow.compile(flow.laplacian(f)))(X, 2.0)
    assert_allclose(gradient, np.full(3, 12.0))
    assert_allclose(matrix, np.zeros((3, 3)))


def test_the_value_is_computed_once():
    """The program of value, gradient and Hessian takes the exponentials once."""
    f = on_python(lambda x: np.sum(np.exp(x) * x))
    text = flow.value_grad_hess(f).ir("tangent", X)
    assert text.count(" exp(") == 1


def test_a_diagonal_keeps_no_matrix():
    """No array of the program has two axes."""
    f = on_python(lambda x: np.sum(np.sin(x[1:] * x[:-1])))
    for transform in (flow.hessian_diag, flow.laplacian):
        text = transform(f).ir("tangent", X)
        assert "[n, n" not in text and "1, n]" not in text


# ---- tensors, and on the tape ----
def test_a_derivative_has_the_kind_of_its_argument():
    f = on_python(lambda x, c, s: (x**3).sum() * (c**2).sum() * s)
    args = flow.tensor(X), X, 2.0
    kinds = [type(a) for a in args]
    assert [type(d) for d in flow.hessian_diag(f, (0, 1, 2))(*args)] == kinds
    assert [type(d) for d in flow.hvp(f, (0, 1, 2))(*args, args)] == kinds
    assert type(flow.laplacian(f, 1)(X, X, 2.0)) is np.float64


@pytest.mark.parametrize("mode", [flow.GRAPH_MODE, flow.PYNATIVE_MODE])
def test_tensors(mode):
    def f(x, c):
        return (x**3).sum() * c + x[0] * x[1]

    x, v = flow.tensor(X), flow.tensor(V)
    want = np.diag(12.0 * X) + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    flow.set_context(mode=mode)
    try:
        assert_allclose(flow.hvp(f)(x, v, 2.0).numpy(), want @ V)
        assert_allclose(flow.hessian_diag(f)(x, 2.0).numpy(), np.diag(want))
        assert_allclose(flow.laplacian(f)(x, 2.0).numpy(), np.trace(want))
        value, gradient, matrix = flow.value_grad_hess(f)(x, 2.0)
        assert_allclose(matrix.numpy(), want)
        assert_allclose(gradient.numpy(), flow.grad(f)(x, 2.0).numpy())
        assert_allclose(value.numpy(), f(X, 2.0))
        assert_allclose(flow.value_and_jac(f)(x, 2.0)[1].numpy(), gradient.numpy())
        by_x, by_c = flow.hvp(f, (0, 1))(x, flow.tensor(2.0), (v, None))
        assert_allclose(by_x.numpy(), want @ V)
        assert_allclose(by_c.numpy(), np.sum(3.0 * X**2 * V))
        w, u = flow.tensor(X, requires_grad=True), flow.tensor(V, requires_grad=True)
        flow.hvp(f)(w, u, 2.0).sum().backward()
        assert_allclose(w.grad.numpy(), 12.0 * V)
        assert_allclose(u.grad.numpy(), want @ np.ones(3))
        w.grad = None
        flow.laplacian(f)(w, 2.0).backward()
        assert_allclose(w.grad.numpy(), np.full(3, 12.0))
        with pytest.raises(ValueError, match=r"\(2,\).*\(3,\)"):
            flow.hvp(f)(x, flow.tensor(V[:2]), 2.0)
    finally:
        flow.set_context(mode=None)
