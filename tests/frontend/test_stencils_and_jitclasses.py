"""Stencils, jitclasses, typed lists and dicts of Numba's: its values, and their derivatives."""

import numpy as np
import pytest
from numba import float64, int64, njit, stencil, types
from numba.experimental import jitclass
from numba.typed import Dict, List

import srcgrad as flow

pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([0.3, -1.7, 2.5, 0.4, 2.0])
A = np.random.default_rng(0).normal(size=(4, 5))


# ---- stencils ----
@stencil
def laplace(u):
    return 0.25 * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0]) - u[0, 0] ** 2


@stencil(cval=1.5)
def difference(u):
    return u[2] - u[-1] if u[0] > 0.0 else 3.0 * u[0]


@stencil(neighborhood=((-2, 0),))
def mean_of_three(u):
    s = 0.0
    for i in range(-2, 1):
        s += u[i]
    return s / 3.0


@stencil(standard_indexing=("w",))
def weighted(u, v, w, c):
    return w[0] * u[-1] * v[1] + w[1] * c


@stencil
def ahead(u):
    return u[1] + u[2]


@stencil
def counted(u):
    return u[-1] + u[1]


@njit
def steps(u, n):
    for _ in range(n):
        u = laplace(u)
    return u


def into(u):
    out = np.ones_like(u)
    difference(u, out=out)
    ahead(u, out=out)
    return out


def from_integers(u):
    return counted(np.arange(5)) * u


CALLS = [
    (lambda u: steps(u, 3), A),
    (lambda u: difference(u), X), (lambda u: mean_of_three(u), X), (lambda u: ahead(u), X),
    (lambda u: weighted(u, 2.0 * u, np.array([2.0, 3.0]), u[0]), X), (into, X),
    (from_integers, X), (lambda u: ahead(u[:2]), X), (lambda u: laplace(u[:1]), A),
]  # fmt: skip


# ---- classes and containers ----
@jitclass([("n", int64), ("w", float64), ("kept", float64[:])])
class Bag:
    def __init__(self, w, n):
        self.n, self.w = 2.9, w  # a field has its type: n is 2
        self.kept = np.zeros(n)

    def add(self, v):
        self.kept[0] += v * self.w
        if v > 0.0:
            self.n = 3.7
        return self.kept

    @property
    def twice(self):
        return 2 * self.w * self.n

    @staticmethod
    def square(v):
        return v * v


@jitclass
class Outer:
    a: float64
    bag: Bag.class_type.instance_type

    def __init__(self, a):
        self.a = a
        self.bag = Bag(a, 2)

    def run(self, x):
        return self.bag.add(x)[0] + self.bag.square(self.a)


def objects(x):
    outer, total = Outer(x[0]), 0.0
    for i in range(3):
        outer.a = outer.a * x[1]
        total += outer.run(x[i]) + outer.bag.twice
    return np.array([total, outer.bag.kept[0]])


@njit
def lists(x):
    squares, empty = List(), List.empty_list(types.float64)
    for v in x:
        squares.append(v * v)
    empty.append(x[0])
    squares[1] = squares[0] * empty[0]
    return np.array([squares[1], sum(squares), len(squares) * x[0]])


def dicts(x):
    made, named = Dict(), Dict.empty(types.unicode_type, types.float64)
    for i in range(3):
        made[i] = x[i] ** 2
    named["a"], named["b"] = x[0], x[1] ** 3
    total = 0.0
    for k in made:
        total += k * made[k]
    return np.array([total, named["a"] * named["b"] + len(named)])


CALLS += [(objects, X), (lists, X)]


def differences(f, x):
    """The derivative of a function of an array by central differences."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    steps = [(f(x + 1e-5 * u) - f(x - 1e-5 * u)) / 2e-5 for u in units]
    return np.reshape(steps, (*x.shape, *np.shape(steps[0])))


@pytest.mark.parametrize(("f", "x"), CALLS, ids=range(len(CALLS)))
def test_values_and_derivatives(f, x):
    """Values against Numba's, derivatives against differences of these values."""
    want, plain = f(x), flow.compile(f, target="python")
    slopes = differences(lambda x: np.sum(plain(x) ** 2), x)
    for target in ("python", "cpu"):
        loss = flow.compile(lambda x: np.sum(f(x) ** 2), target=target)
        np.testing.assert_allclose(flow.compile(f, target=target)(x), want, rtol=1e-14)
        gradient = flow.grad(loss)
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-6, atol=1e-7)
        tangent = flow.jvp(loss, (x,), (x,))[1]
        np.testing.assert_allclose(tangent, np.sum(gradient(x) * x), rtol=1e-12)
    bends = differences(gradient, x)
    second = flow.grad(lambda x: np.sum(gradient(x)))(x)
    bends = bends.reshape(*x.shape, -1).sum(-1)
    np.testing.assert_allclose(second, bends, rtol=1e-5, atol=1e-5)


def test_dicts():
    """Numba takes long to compile them: against what they hold."""

    def plain(x):
        return np.array([x[1] ** 2 + 2.0 * x[2] ** 2, x[0] * x[1] ** 3 + 2.0])

    for target in ("python", "cpu"):
        compiled = flow.compile(dicts, target=target)
        np.testing.assert_allclose(compiled(X), plain(X), rtol=1e-14)
        jacobian = flow.jacobian(compiled)(X)
        np.testing.assert_allclose(jacobian, flow.jacobian(plain)(X), rtol=1e-14)


@stencil(neighborhood=((-1, 1),))
def beyond(u):
    return u[2]


@stencil
def other_name(u):
    v = u
    return v[1]


@pytest.mark.parametrize(
    ("f", "error", "said"),
    [
        (lambda u: Bag(u, 2).w, TypeError, "'w' of Bag is a number"),
        (lambda u: beyond(u[0]), IndexError, "outside of its neighborhood"),
        (lambda u: other_name(u[0]), IndexError, "outside of its neighborhood"),
        (lambda u: laplace(1.0), TypeError, "must be an array"),
        (lambda u: weighted(u[0], u[0, :2], u[0], 1.0), ValueError, "smaller than the first"),
        (lambda u: difference(u), ValueError, "an index for each axis"),
    ],
)  # fmt: skip
def test_what_is_refused(f, error, said):
    with pytest.raises(error, match=said):
        flow.compile(f, target="python")(A)


def test_a_field_that_is_none():
    def f(x):
        bag = Bag(x[0], 2)
        bag.z = x[1]
        return bag.w

    with pytest.raises(AttributeError, match="Bag has no field 'z'"):
        flow.compile(f, target="python")(X)
