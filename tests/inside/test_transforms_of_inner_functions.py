"""Transforms of functions that are defined inside a compiled one, as without compilation."""

import numpy as np
import pytest

import srcgrad as flow

compiled = flow.compile(target="python")
X, V = np.array([1.0, 2.0]), np.array([0.5, -1.0])


def of_a_lambda(x, y):
    return flow.value_and_grad(lambda p, q: p * p * q, (0, 1))(x, y)


def newton(x, c):
    def f(t):
        return t**3 - c * t - 5.0

    slope = flow.grad(f)
    for _ in range(20):
        x = x - f(x) / slope(x)
    return x


def grad_of_a_grad(x, c):
    g = flow.grad(lambda t: t**4 * c)
    return flow.grad(lambda t: g(t) * x)(x)


def twice(x, c):
    return flow.grad(flow.grad(lambda t: np.sin(t * c)))(x)


def recursive(x, c):
    def f(t, k):
        return c if k == 0 else t * f(t, k - 1)

    return flow.grad(f)(x, 3)


def read_late(x, c):
    g = flow.grad(lambda t: c * t * t)
    c = c * 3.0
    return g(x)


def with_defaults(x, c):
    def f(t, k=c, *, s=2.0):
        return t * t * k * s

    return flow.grad(f)(x) + flow.grad(f)(x, 1.0, s=1.0)


def by_other_names(x, c):
    act = lambda z: np.tanh(z) * c
    other = act

    def f(z):
        return other(z) + act(z * 2)

    return flow.grad(f)(x)


def containers_around(x, c):
    given = {"a": (c, 2.0), "b": [x, c]}

    def f(t):
        return t * given["a"][0] * given["a"][1] + t * t * given["b"][0]

    return flow.grad(f)(x)


def two_levels(x, c):
    def outer(t):
        inner = lambda u: u * u * t * c
        return flow.grad(inner)(t * 2.0)

    return flow.grad(outer)(x)


def in_a_loop(x, c):
    s = 0.0
    for k in range(4):
        s = s + flow.grad(lambda t: t**k * c)(x)  # noqa: B023 (bound late, as Python does)
    return s


SCALARS = {
    of_a_lambda: lambda x, y: (x * x * y, (2 * x * y, x * x)),
    grad_of_a_grad: lambda x, c: 12 * x**2 * c * x,
    twice: lambda x, c: -c * c * np.sin(x * c),
    recursive: lambda x, c: 3 * x * x * c,
    read_late: lambda x, c: 6 * c * x,
    with_defaults: lambda x, c: 4 * x * c + 2 * x,
    by_other_names: lambda x, c: c / np.cosh(x) ** 2 + 2 * c / np.cosh(2 * x) ** 2,
    containers_around: lambda x, c: 2 * c + 2 * x * x,
    two_levels: lambda x, c: 8 * c * x,
    in_a_loop: lambda x, c: c * (1 + 2 * x + 3 * x * x),
}  # fmt: skip


@pytest.mark.parametrize("f", SCALARS, ids=lambda f: f.__name__)
def test_of_numbers(f):
    got, want = compiled(f)(0.7, 1.3), SCALARS[f](0.7, 1.3)
    pairs = (got, want) if isinstance(want, tuple) else ((got,), (want,))
    for a, b in zip(*map(np.hstack, pairs), strict=True):
        np.testing.assert_allclose(a, b, 1e-13)


@pytest.mark.parametrize(
    "f", [f for f in SCALARS if f is not of_a_lambda], ids=lambda f: f.__name__
)
def test_what_is_around_has_a_gradient(f):
    got = flow.grad(compiled(f), (0, 1))(0.7, 1.3)
    want = flow.grad(compiled(SCALARS[f]), (0, 1))(0.7, 1.3)
    np.testing.assert_allclose(got, want, 1e-12)


def test_implicit_derivative_through_newton():
    root = newton(2.0, 2.0)
    np.testing.assert_allclose(compiled(newton)(2.0, 2.0), root, 1e-14)
    by_c = flow.grad(compiled(newton), 1)(2.0, 2.0)
    np.testing.assert_allclose(by_c, root / (3 * root**2 - 2.0), 1e-13)


def test_hessian_vector_product():
    def product(x, v):
        a = np.outer(v, v)

        def loss(z):
            return (z * z * a).sum() + np.sin(z).sum() * len(v)

        return flow.jvp(flow.grad(loss), (x,), (v,))[1]

    want = 2 * np.outer(V, V).sum(0) * V - 2 * np.sin(X) * V
    np.testing.assert_allclose(compiled(product)(X, V), want, 1e-13)


def test_through_numba():
    f = flow.compile(by_other_names)
    np.testing.assert_allclose(f(0.7, 1.3), SCALARS[by_other_names](0.7, 1.3), 1e-13)


def test_an_argument_that_is_around_as_well():
    def f(x):
        return flow.grad(lambda a: (a * x).sum())(x)

    np.testing.assert_allclose(compiled(f)(X), X)


def test_stores_to_what_is_around_are_refused():
    def f(x):
        kept = np.zeros(2)

        def g(t):
            kept[0] = t
            return kept[0] * t

        return flow.grad(g)(x), kept

    with pytest.raises(flow.UnsupportedError, match="changes 'kept'"):
        compiled(f)(2.0)


def two_meanings(x):
    k = 2.0
    f = lambda t: t * k

    def g(t, k):
        return flow.grad(lambda u: f(u) * k)(t)

    return g(x, 3.0)


def gathered(*args):
    return flow.grad(lambda *a: a[0] * a[1])(*args)


def of_a_list_of_functions(x):
    fs = [lambda t: t * t, lambda t: t]
    return flow.grad(lambda t: fs[0](t))(x)


@pytest.mark.parametrize(
    ("f", "args", "want"),
    [
        (two_meanings, (1.0,), 6.0),
        (gathered, (1.0, 2.0), 2.0),
        (of_a_list_of_functions, (1.5,), 3.0),
    ],
    ids=["two_meanings", "gathered", "of_a_list_of_functions"],
)
def test_of_functions_found_in_other_ways(f, args, want):
    assert compiled(f)(*args) == want


def test_a_number_is_no_function():
    with pytest.raises((TypeError, flow.UnsupportedError)):
        compiled(lambda x: flow.grad(x)(x))(1.0)
