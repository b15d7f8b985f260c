"""`mode="tape"`: any Python is differentiated on arrays and numbers, or refused at its line."""

import contextlib
import math
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy import zeros

import srcgrad as flow

X = np.array([0.7, 1.3, 0.4, 2.1])


def same_as_compiled(f: Any, *args: Any, position: Any = 0) -> None:
    """The value and the gradient are those of the compiled function, with its kinds."""
    value, g = flow.value_and_grad(f, position, mode="tape")(*args)
    want, w = flow.value_and_grad(flow.compile(f, target="python"), position)(*args)
    np.testing.assert_allclose(value, want, 1e-13)
    parts = zip(*((g, w) if isinstance(g, tuple) else ((g,), (w,))), strict=True)
    for a, b in parts:
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, 1e-12)
        assert np.asarray(a).dtype == np.asarray(b).dtype


# ---- any Python ----
def test_a_function_without_source():
    scope: dict[str, Any] = {"np": np}
    exec("def f(x):\n    return np.sum(x[1:] * np.sin(x[:-1]))", scope)
    want = np.append(X[1:] * np.cos(X[:-1]), 0.0) + np.append(0.0, np.sin(X[:-1]))
    np.testing.assert_allclose(flow.grad(scope["f"], mode="tape")(X), want)


def squares(x):
    for v in x:
        yield v * v


class Spring:
    def __init__(self, k):
        self.k, self.calls = k, 0

    def __call__(self, x):
        self.calls += 1
        return 0.5 * self.k * x * x


def collatz(x, n):
    return x if n <= 1 else collatz(x * 1.1, n // 2) if n % 2 == 0 else collatz(x + 0.1, 3 * n + 1)


def exotic(x):
    class Pair(NamedTuple):
        a: Any
        b: Any

    total = 0.0
    found = defaultdict(dict)
    try:
        total += x[9]
    except IndexError as error:
        found["error"][str(error)] = x[0] * 3.0
    with contextlib.suppress(ZeroDivisionError):
        total += 1.0 / 0
    spring = Spring(2.0)
    for k, v in enumerate(squares(x)):
        found[k % 2][k] = Pair(v, spring(v))
    total += sum(found.pop("error").values())
    total += sum(p.a * p.b for inner in found.values() for p in inner.values())
    return total + collatz(x[1], 27) + max(x) * min(x, key=lambda v: -v)


def test_exotic_control_flow():
    g = flow.grad(exotic, mode="tape")(X)
    h = 1e-6
    want = [(exotic(X + h * e) - exotic(X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(g, want, 1e-6)


def test_structures_and_kinds():
    def f(p, k):
        y = p["a"] * p["b"][0] * k + np.sum(p["b"][1])
        return y, {"k": k * 2.0, "n": 3}

    p = {"a": 2.0, "b": (np.float32(1.5), X.astype(np.float32)), "n": 4}
    value, (g, gk) = flow.value_and_grad(f, (0, 1), mode="tape")(p, np.float64(0.5))
    want, (w, wk) = flow.value_and_grad(flow.compile(f, target="python"), (0, 1))(
        p, np.float64(0.5)
    )
    assert str(value) == str(want) and str(g) == str(w) and (gk, type(gk)) == (wk, type(wk))
    assert g["b"][1].dtype == np.float32 and type(g["b"][0]) is np.float32 and type(g["a"]) is float


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dtypes(dtype):
    same_as_compiled(lambda x: np.sum(x * 2 + np.sqrt(x) ** 3 / (x + 1)), X.astype(dtype))
    same_as_compiled(lambda x: x * np.float64(2.0) + x / 3, dtype(1.5))
    same_as_compiled(lambda x, y: np.sum(x * y), X.astype(dtype), 2.5, position=(0, 1))


def test_has_aux_and_adjoints():
    def f(x, n, y):
        return np.sum(x**n) * y, x * y, n

    g, aux = flow.grad(f, 0, has_aux=True, mode="tape")(X, 2, 1.5)
    np.testing.assert_allclose(g, 3.0 * X)
    np.testing.assert_array_equal(aux[0], X * 1.5)
    assert aux[1] == 2 and type(aux[0]) is np.ndarray
    g = flow.grad(lambda x: np.sin(x), sens_param=True, mode="tape")(X, np.arange(4.0))
    np.testing.assert_allclose(g, np.cos(X) * np.arange(4.0))


NAMES = (
    flow.grad, flow.value_and_grad, flow.elementwise_grad, flow.jacrev, flow.jacfwd, flow.jacobian,
    flow.value_and_jac, flow.hessian, flow.value_grad_hess, flow.hessian_diag, flow.laplacian,
)  # fmt: skip


@pytest.mark.parametrize("transform", NAMES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("x", [X, 1.3, np.float64(0.4)], ids=["array", "float", "number"])
def test_every_transform(transform, x):
    def f(x):
        y = np.sin(x) * x
        return np.sum(y * y) + np.exp(np.sum(x) / 3.0)

    made, want = transform(f, mode="tape")(x), transform(flow.compile(f, target="python"))(x)
    for a, b in zip(flow.tree.leaves(made), flow.tree.leaves(want), strict=True):
        assert isinstance(b, type(a))  # a number may be Python's where it is NumPy's
        np.testing.assert_allclose(a, b, 1e-12)


def test_products_and_nesting():
    def f(x):
        return np.sum(np.sin(x) * x[0])

    want = flow.hvp(flow.compile(f, target="python"))(X, X)
    np.testing.assert_allclose(flow.hvp(f, mode="tape")(X, X), want, 1e-12)
    t = flow.tensor(X.tolist(), dtype=flow.float64)
    made = flow.hvp(lambda t: (t.sin() * t[0]).sum(), mode="tape")(t, t)  # one tensor, twice
    np.testing.assert_allclose(made.numpy(), want, 1e-12)

    def along(x):  # a gradient on the tape inside of a function on the tape
        return np.sum(flow.grad(f)(x) * X)

    np.testing.assert_allclose(flow.grad(along, mode="tape")(X), want, 1e-12)
    third = flow.grad(flow.grad(flow.grad(lambda x: x**4, mode="tape")))
    assert third(2.0) == 48.0


# ---- memory ----
def stores(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] ** 2
    z = y[::-2]
    z *= 3.0
    y[1:] += y[:-1]
    y[[0, 2]] = np.sin(x[:2])
    w = y.reshape(2, 2).T
    w[0] -= x[1]
    w[w > 1.0] = x[3]
    return np.sum(y * np.arange(1.0, 5.0)) + y[0] * w[1, 0]


def stores_to_the_argument(x):
    x[1:] *= x[:-1]
    np.add(x, x[0], out=x)
    x[:2], x[2:] = x[2:].copy(), x[:2] * 2.0
    np.multiply(x, 2.0, out=x, where=x > 3.0)
    x.sort()
    return np.sum(x**2 * np.arange(4.0))


def blank_by_like(x):
    out = np.zeros(4, like=x)
    for i, v in enumerate(x):
        out[3 - i] = np.sin(v)
    full = np.full_like(x, x[1])
    full[2] = 0.0
    np.copyto(out, full, where=np.array([True, False, False, True]))
    np.put(out, [1], x[2])
    return np.sum(out * full)


def in_its_own_place(x):
    y = x
    y += 1.0
    a = np.exp(x)
    x[0] = 5.0  # what exp has saved stays
    b = a * x
    a[1] = 0.0
    return np.sum(b) + np.sum(a)


def flat_places(x):
    y = x.reshape(2, 2).copy(order="F")
    y.flat[1:3] = x[0] * x[1]
    y.flat[3] += 1.0
    return np.sum(y.flat[::2]) * y.ravel(order="K")[1] + sum(v * v for v in y.flat)


def replaced_in_its_own_place(x):
    y = np.log(x - 0.6)  # NaN at 0.4
    z = np.nan_to_num(y[::2], copy=False, nan=x[0])
    z[0] *= 2.0
    np.nan_to_num(y, False, posinf=1.0)
    other = np.array([1.0, np.nan])
    np.nan_to_num(other, copy=False, nan=x[3])
    return np.sum(y * x) + np.sum(other**2)


@pytest.mark.parametrize(
    "f",
    [
        stores, stores_to_the_argument, blank_by_like, in_its_own_place, flat_places,
        replaced_in_its_own_place,
    ],
)  # fmt: skip
def test_stores_have_numpys_meaning(f):
    x = X.copy()
    g = flow.value_and_grad(f, mode="tape")(x)
    np.testing.assert_array_equal(x, X)
    h, value = 1e-6, f_at(f, X)
    want = [(f_at(f, X + h * e) - f_at(f, X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(g[0], value, 1e-13)
    np.testing.assert_allclose(g[1], want, 1e-6, 1e-7)


def f_at(f: Any, x: np.ndarray) -> Any:
    return f(x.copy())


@pytest.mark.parametrize(
    "median",
    [
        lambda y: np.median(y, overwrite_input=True),
        lambda y: np.median(y, None, None, True),
        lambda y: np.percentile(y, 50.0, overwrite_input=True),
        lambda y: np.nanquantile(y, 0.5, None, None, True),
    ],
)
def test_what_may_overwrite_its_argument_leaves_it(median):
    def f(x):
        y = x * 1.0
        return median(y) + np.sum(y * np.arange(4.0))

    value, g = flow.value_and_grad(f, mode="tape")(X)
    np.testing.assert_allclose(value, np.median(X) + np.sum(X * np.arange(4.0)), 1e-14)
    np.testing.assert_allclose(g, [0.5, 1.5, 2.0, 3.0], 1e-14)


def test_a_plain_array_beside_it_may_be_written_later():
    def f(x):
        a, s = np.ones(4), 0.0
        for k in range(3):
            a[:] = k
            s = s + np.sum(a * x)
        return s

    np.testing.assert_array_equal(flow.grad(f, mode="tape")(X), np.full(4, 3.0))


# ---- what NumPy and `math` make ----
def buffers(x):
    out, table = np.zeros(4), np.empty((2, 2))
    for i in range(4):
        out[i] = math.sin(x[i]) * math.pi
        table[i // 2, i % 2] = out[i] ** 2
    out += x
    np.multiply(out, 2.0, out=out)
    y = np.asarray(x, dtype=float)
    z = np.array([y[0], out[1] * y[2], 1.0])
    w = np.linspace(0.0, 1.0, 4)
    w[1:3] = y[:2]
    return np.sum(out) + np.sum(table @ z[:2]) + np.sum(w * z[1]) + np.full(2, x[3])[1] * z[2]


def of_numbers(x):
    y = math.exp(-x[0]) + math.log(x[1]) + math.log(x[3], 3.0) + math.pow(x[2], 2.5)
    y += math.atan2(x[0], x[1]) * math.sqrt(x[2]) - math.hypot(x[0], x[3]) + math.erf(x[1])
    return y * (1.0 if math.isfinite(y) and math.floor(x[3]) == 2 else 0.0) + abs(math.fabs(x[0]))


def helper(x, n=3):
    made = zeros(n)
    made[0] = x
    helper.calls = getattr(helper, "calls", 0) + 1
    return made[0] if n == 1 else made[0] * helper(x * 2.0, n - 1)


def within(k):
    total = [0]

    def inner(x, depth):
        nonlocal k
        k, total[0] = k + 1, total[0] + 1
        buffer = np.zeros(2)
        buffer[depth % 2] = x[depth]
        return buffer.sum() + (inner(x, depth - 1) * k if depth else 0.0)

    return lambda x: inner(x, 3) * k


def caught_by_math(x):
    try:
        return math.sqrt(-x[0])
    except ValueError:
        return math.sqrt(x[0])


def by_helpers(x):
    return helper(x[0]) * within(1)(x)


@pytest.mark.parametrize("f", [buffers, of_numbers, by_helpers, caught_by_math, within(2)])
def test_what_is_made_in_the_function_is_recorded(f):
    fresh = (lambda: within(2)) if f.__name__ == "<lambda>" else lambda: f  # it counts its calls
    g = flow.grad(fresh(), mode="tape")(X)
    h = 1e-6
    want = [(fresh()(X + h * e) - fresh()(X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(g, want, 1e-6, 1e-7)
    assert np.zeros is zeros and type(np.zeros(2)) is np.ndarray and type(math.sin(1.0)) is float


def test_a_shared_name_that_is_bound_anew_is_refused():
    def double(x):
        return x * 2.0

    def change():
        nonlocal double
        double = np.sin

    def f(x):
        change()
        return double(x)

    with pytest.raises(flow.UnsupportedError, match="bound anew"):
        flow.grad(f, mode="tape")(1.5)


def test_a_function_that_is_moved_is_itself():
    helper.calls = 0
    flow.grad(lambda x: helper(x), mode="tape")(1.5)
    assert helper.calls == 3


def test_arrays_without_dims_and_other_kinds():
    same_as_compiled(lambda x: x * x, np.array(1.5))
    same_as_compiled(lambda x: np.sum(x**2), np.asfortranarray(X.reshape(2, 2)))
    same_as_compiled(lambda x: np.sum(x**2), X[::-2])
    same_as_compiled(lambda x: np.sum(x**2), np.zeros((0, 3)))
    for x in (X.astype(">f8"), X.astype(np.longdouble), X.astype(complex), X.astype(int)):
        with pytest.raises((flow.UnsupportedError, TypeError)):
            flow.grad(lambda x: np.sum(x * x), mode="tape")(x)


# ---- calls of others ----
def test_the_transforms_that_have_no_tape():
    f = flow.grad(lambda x: np.sum(x * x), mode="tape")
    for call in (lambda: flow.vjp(f, X), lambda: flow.jvp(f, (X,), (X,))):
        with pytest.raises(flow.UnsupportedError, match='no mode="tape"'):
            call()
    with pytest.raises(ValueError, match='mode must be "tape"'):
        flow.grad(np.sin, mode="eager")
    with pytest.raises(TypeError, match="by tensors and by arrays"):
        flow.grad(lambda a, b: a * b, (0, 1), mode="tape")(flow.tensor(1.0), 2.0)


def test_tensors_are_tensors():
    t = flow.tensor(X.tolist(), dtype=flow.float64)
    g = flow.grad(lambda t: (t * t).sum(), mode="tape")(t)
    assert isinstance(g, flow.Tensor) and np.array_equal(g.numpy(), 2 * X)
