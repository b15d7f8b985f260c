"""Functions and transforms made anew: compiled code is used again, and never wrongly.

Each gradient is compared with the one of a program that was built for this function alone.
"""

import functools
import types
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.transforms import reuse

X = np.array([0.3, 0.7, -0.4])


def gradient(f, target="python"):
    return flow.grad(flow.compile(f, target=target))


def checked(f, x=X):
    """The gradient by way of what was built before; it is that of a program built anew."""
    got = gradient(f)(x)
    reuse.forget()
    want = gradient(f)(x)
    assert np.array_equal(got, want), (got, want)
    return got


def each(make, values, x=X):
    """Gradients of functions that one `def` makes, each checked against its own program."""
    want = []
    for v in values:
        reuse.forget()
        want.append(gradient(make(v))(x))
    reuse.forget()
    for v, expected in zip(values, want, strict=True):
        got = gradient(make(v))(x)
        assert np.array_equal(got, expected), (v, got, expected)


def times(v):
    return lambda x: np.sum(x * x * v)


# ---- what is used again ----
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_transform_made_anew(builds, target):
    def f(x, k):
        return np.sum(x**3) * k

    for k in (1.0, 2.0, 3.0):
        assert np.allclose(gradient(f, target)(X, k), 3 * X * X * k)
    assert len(builds) == 1


@pytest.mark.parametrize(
    "values",
    [
        (1.0, 2.0, -3.0),
        (np.ones(3), 2 * np.ones(3), X),
        (1.0 + 0j, 2.0 + 0j),
        (np.float32(2), np.float32(3)),
    ],
    ids=["floats", "arrays", "complex", "float32"],
)
def test_captured_values(builds, values):
    def make(v):
        return lambda x: np.sum(x * x * np.real(v))

    for v in values:
        assert np.allclose(gradient(make(v))(X), 2 * X * np.real(v))
    assert len(builds) == 1


def test_hessian_times_vector(builds):
    def f(x):
        return np.sum(x**4)

    for k in range(5):
        v = X + k
        got = gradient(lambda x, v=v: 0.0 * np.sum(x * v) + np.sum(flow.grad(f)(x) * X))(X)
        assert np.allclose(got, 12 * X * X * X)
        assert np.allclose(gradient(lambda x: flow.grad(f)(x) @ v)(X), 12 * X * X * v)  # noqa: B023  (called here)
    assert len(builds) == 2


def test_a_transform_that_is_captured(builds):
    def f(x):
        return np.sum(x**4)

    for k in range(3):
        g, v = flow.grad(f), X + k

        def along(x):
            return g(x) @ v  # noqa: B023  (called here)

        assert np.allclose(gradient(along)(X), 12 * X * X * v)
    assert len(builds) == 1


def test_closures_in_closures(builds):
    def make(a, b):
        def inner(x):
            return x * a

        def outer(x):
            return np.sum(inner(x) * inner(x) * b)

        return outer

    for a, b in [(1.0, 2.0), (3.0, X), (2.0, 5.0), (1.5, 2 * X)]:
        assert np.allclose(gradient(make(a, b))(X), 2 * a * a * X * b)
    assert len(builds) == 2


def test_integers_become_inputs(builds):
    for n in range(1, 8):
        assert np.allclose(gradient(times(n))(X), 2 * X * n)
    assert len(builds) == 2


def test_a_method(builds):
    class Spring:
        def __init__(self):
            self.stiffness = 3.0

        def energy(self, x):
            return np.sum(0.5 * self.stiffness * x * x)

    a, b = Spring(), Spring()
    b.stiffness = 4.0
    for _ in range(3):
        assert np.array_equal(gradient(a.energy)(X), 3 * X)
    a.stiffness = 5.0
    assert np.array_equal(gradient(a.energy)(X), 5 * X)
    assert len(builds) == 1
    assert np.array_equal(gradient(b.energy)(X), 4 * X)
    assert len(builds) == 2  # another instance


class Base:
    def __init__(self, a):
        self.a = a

    def scaled(self, k):
        return self.a * k


class Vector(Base):
    def scaled(self, k):
        return Vector(super().scaled(k))

    def __mul__(self, other):
        return np.sum(self.a * other.a)


def test_instances_that_are_made(builds):
    """Methods that a class is found not to have do not tie a program to one function."""

    def make(k):
        def f(x):
            v = Vector(x)
            w = v.scaled(k)
            w += 0.0 if isinstance(w, float) else Vector(x * 0.0)
            same = 1.0 if v == w or getattr(v, "b", None) else 2.0
            return v * w * same if v else 0.0

        return f

    Vector.__add__ = lambda self, other: Vector(self.a + other.a)
    for k in (1.0, 2.0, 3.0):
        assert np.allclose(gradient(make(k))(X), 4.0 * k * X)
    assert len(builds) == 1


def test_transforms_of_all_kinds(builds):
    def make(k):
        return lambda x: np.array([k * x[0] ** 2, x[1] * x[2] * k])

    for k in (1.0, 2.0):
        jacobian = np.array([[2 * k * X[0], 0, 0], [0, k * X[2], k * X[1]]])
        f = make(k)
        assert np.allclose(flow.jacrev(flow.compile(f, target="python"))(X), jacobian)
        assert np.allclose(flow.jacfwd(flow.compile(f, target="python"))(X), jacobian)
        out, dots = flow.jvp(flow.compile(f, target="python"), X, np.ones(3))
        assert np.allclose(dots, jacobian @ np.ones(3))
        out, pull = flow.vjp(flow.compile(f, target="python"), X)
        assert np.allclose(pull(np.ones(2))[0], np.ones(2) @ jacobian)
        made = len(builds)
    assert len(builds) == made == 5
    assert np.allclose(out, [2 * X[0] ** 2, 2 * X[1] * X[2]])


def test_second_order(builds):
    for k in (1.0, 2.0):
        f = gradient(lambda x, k=k: x**3 * k)
        assert flow.grad(f)(2.0) == 12.0 * k
        assert np.allclose(flow.jacfwd(gradient(times(k)))(X), 2 * k * np.eye(3))


def test_tensors():
    for k in (1.0, 2.0, 3.0):
        x, v = flow.tensor(X, requires_grad=True), flow.tensor(k * X)
        made = flow.compile(lambda x: (x * x * v).sum(), target="python")  # noqa: B023  (called here)
        made(x).backward()
        assert np.allclose(x.grad.numpy(), 2 * k * X * X)
        g = flow.value_and_grad(lambda x: (x * v).sum())(flow.tensor(X))[1]  # noqa: B023  (called here)
        assert np.allclose(g.numpy(), k * X)


def test_an_adjoint_that_is_given(builds):
    for k in (1.0, 2.0):
        g = flow.grad(flow.compile(lambda x: x * x, target="python"), sens_param=True)
        assert np.allclose(g(X, k * np.ones(3)), 2 * X * k)


def test_each_second_call_is_fast(builds):
    for k in (1.0, 2.0):
        g = gradient(times(k))
        for _ in range(3):
            assert np.array_equal(g(X), 2 * k * X)
        assert len(g._fast) == 1
    assert len(builds) == 1


# ---- what is not ----
@pytest.mark.parametrize(
    "values",
    [
        (1.0, X, X.astype("f"), np.ones((3, 1)), np.ones((1, 3)), np.ones((3, 3))[:, 0], 2, True),
        (np.float32(2), 2.0, np.float64(2), np.int64(2), 2),
        (flow.tensor(X), X, flow.tensor(2 * X)),
        ("a", "b"),
    ],
    ids=["arrays", "numbers", "tensors", "strings"],
)
def test_other_kinds(values):
    def make(v):
        def f(x):
            if isinstance(v, str):
                return np.sum(x * (2.0 if v == "a" else 3.0))
            return np.sum(x * x * v)

        return f

    if any(isinstance(v, flow.Tensor) for v in values):
        for v in (*values, *values):
            got = gradient(make(v))(flow.tensor(X))
            assert np.allclose(got.numpy(), 2 * X * np.asarray(getattr(v, "_a", v)))
    else:
        each(make, (*values, *values))


def test_functions():
    def make(f):
        return lambda x: np.sum(f(x) * x)

    each(make, (np.sin, np.cos, lambda x: x * x, lambda x: x * 3.0, times(2.0), times(3.0), np.sin))


def test_one_cell_or_two():
    """Two functions that share a captured name, and two that have one each."""

    def pair(a):
        return (lambda x: x * a), (lambda x: x + a)

    def make(both):
        f, g = both
        return lambda x: np.sum(f(x) * g(x))

    (f, g), (h, i) = pair(2.0), pair(3.0)
    each(make, [(f, g), (h, i), (f, i), (h, g), (f, g), (f, f), (f, h), (h, h)])


def test_one_function_or_two():
    def make(both):
        f, g = both
        return lambda x: np.sum(x * (2.0 if f is g else 3.0) * f(x) * g(x))

    f, g = (lambda x: x), (lambda x: x)
    h, i = times(2.0), times(2.0)
    each(make, [(f, f), (f, g), (h, h), (h, i), (i, i), (f, f)])


def test_containers():
    def make(v):
        return lambda x: np.sum(sum([x * k for k in v]))

    each(make, [[1.0, 2.0], [3.0, 4.0], (1.0, 2.0), [1.0, 2.0, 3.0], [1.0, X], [2, 3], [4, 5]])


def test_dicts():
    def make(d):
        return lambda x: np.sum(x * sum([d[k] * (2.0 if k == "a" else 1.0) for k in d]))

    each(make, [{"a": 1.0}, {"b": 1.0}, {"a": 2.0, "b": 3.0}, {"b": 3.0, "a": 2.0}, {"a": X}])


def test_sets():
    def make(s):
        return lambda x: np.sum(x * (2.0 if "a" in s else 3.0))

    each(make, [{"a"}, {"b"}, {"a", "b"}, set()])


@dataclass
class Model:
    rate: float
    bias: object = 1.0


def test_objects():
    def make(m):
        return lambda x: np.sum(x * x * m.rate + x * m.bias)

    plain = [types.SimpleNamespace(rate=r, bias=b) for r, b in [(1.0, 2.0), (2.0, X), (3, 4)]]
    each(make, [Model(1.0), Model(2.0), Model(3.0, X), Model(1, 2), *plain])


def test_modules():
    def make(m):
        return lambda x: np.sum(m.rate * x * m.f(x))

    one, two, three = (types.ModuleType(name) for name in ("one", "two", "one"))
    one.rate, two.rate, three.rate = 2.0, 3.0, 4.0
    one.f, two.f, three.f = np.sin, np.cos, np.sin
    each(make, [one, two, three, one])


def test_an_object_that_changes():
    m = types.SimpleNamespace(rate=1.0, f=np.sin)

    def f(x):
        return np.sum(m.rate * m.f(x))

    for rate, function in [(1.0, np.sin), (2.0, np.sin), (2.0, np.cos), (X, np.cos)]:
        m.rate, m.f = rate, function
        checked(f)


def test_names_that_are_bound_again():
    rate, steps = 1.0, 2

    def make():
        return lambda x: np.sum(x * rate) * steps

    for rate, steps in [(1.0, 2), (2.0, 2), (2.0, 3), (X, 4), (3, 1.0)]:  # noqa: B007  (make reads them)
        checked(make())


def test_defaults():
    def make(v):
        def f(x, k=v):
            return np.sum(x * k)

        return lambda x: f(x) + f(x, 2.0)

    each(make, [1.0, 2.0, -0.0, 0.0, 3, 4, True, X, 2 * X, X[:1]])


def test_functions_as_defaults():
    def make(v):
        def f(x, g=v, *, h=np.cos):
            return np.sum(g(x) * h(x))

        return lambda x: f(x)

    each(make, [np.sin, np.cos, lambda x: x * x, lambda x: x])


def test_partials():
    def f(k, x, power=2):
        return np.sum(k * x**power)

    partial = functools.partial
    for made in [partial(f, 2.0), partial(f, 3.0), partial(f, X), partial(f, 2.0, power=3)]:
        checked(made)
        checked(lambda x, made=made: made(x) * 2.0)


def test_recursion():
    def make(k, depth):
        def f(x, n):
            return x * k if n == 0 else f(x * x, n - 1) * k

        return lambda x: np.sum(f(x, depth))

    for k, depth in [(1.0, 2), (2.0, 2), (2.0, 3), (X, 1), (3.0, 1)]:
        checked(make(k, depth))


def test_recursion_into_another_function():
    """What a function calls by its own name may be another one."""

    def make(k, other):
        f = None

        def made(x, n=1):
            return x * k if n == 0 else f(x * x, n - 1)

        f = made if other is None else other
        return lambda x: np.sum(made(x))

    each(lambda v: make(*v), [(2.0, None), (3.0, None), (2.0, lambda x, n: x), (4.0, None)])


def test_other_transforms_that_are_captured():
    def f(a, b):
        return np.sum(a * a * b * b * b)

    each(lambda g: lambda x: np.sum(g(x, x)), [flow.grad(f), flow.grad(f, 1), flow.grad(f)])


def test_what_a_function_is_called():
    def make(name):
        def f(x):
            return x * (2.0 if f.__name__ == "a" else 3.0)

        f.__name__ = name
        return lambda x: np.sum(f(x))

    each(make, ["a", "b", "a"])
