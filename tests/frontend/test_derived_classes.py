"""Classes that derive from list, tuple, float and int: captured instances, dtypes, what is new."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentValueError, UnsupportedError
from tests.frontend.as_python import agrees
from tests.passes.with_and_without import anew

X = np.array([1.0, 2.0, 3.0])


class Vector(list):
    """A method, and no operation of list's anew."""

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))


class FromOne(list):
    def __getitem__(self, k):
        return list.__getitem__(self, k - 1)

    def __len__(self):
        return 7


class Point(tuple):
    def __new__(cls, x, y):
        return super().__new__(cls, (x, y))

    @property
    def x(self):
        return self[0]


class Angle(float):
    def __new__(cls, value, scale):
        made = super().__new__(cls, value)
        made.scale = scale
        return made

    def scaled(self):
        return self * self.scale


class Count(int):
    def half(self):
        return self / 2


class Doubled(dict):
    """Its reads and its keys are its own."""

    def __getitem__(self, key):
        return 2.0 * dict.__getitem__(self, key)

    def __iter__(self):
        return iter(["a"])


V, W, P = Vector([1.0, np.ones(3), 2.0]), FromOne([3.0, 5.0]), Point(2.0, 4.0)
A, N, D = Angle(0.5, 3.0), Count(3), Doubled(a=1.5, b=np.arange(3.0))
V.extra = 2.0


def lists(x):
    return V.dot([x[0], x[1], 3.0])[1] * V.extra * len(V) + W[1] * W[2] * x[2] * len(W) + sum(W)


def numbers(x):
    return np.sum(x * A) + A.scaled() * x[0] + P.x * P[1] * x[1] + N.half() * x[N - 1] + A + 1


def dicts(x):
    return sum(D[k] * x[0] for k in D) + np.sum(D["b"] * x) + len(D) + D.get("a") * x[1]


def questions(x):
    same = isinstance(V, list) and W == [3.0, 5.0] and P == (2.0, 4.0) and type(A) is Angle
    return np.sum(x) if same and A > 0.25 and 3.0 in W else 0.0


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [lists, numbers, dicts, questions])
def test_captured_ones_as_in_plain_python(f, target):
    value, g = flow.value_and_grad(flow.compile(anew(f), target=target))(X)
    assert value == pytest.approx(f(X))
    differences = [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(g, differences, rtol=1e-7, atol=1e-8)
    _, forward = flow.jvp(flow.compile(anew(f), target=target), (X,), (np.ones(3),))
    assert forward == pytest.approx(np.sum(g))


def test_changes_between_calls_are_seen():
    v, w, p, a = Vector([1.0, 2.0]), FromOne([1.0, 2.0]), Point(1.0, 2.0), Angle(0.5, 2.0)

    def f(x):
        return x * v.dot(w) * len(v) + x * p.x * a.scaled() + x * w[1] * getattr(v, "k", 0.0)

    c = flow.compile(f, target="python")

    def check():
        assert c(1.5) == pytest.approx(f(1.5))

    check()
    v[0], w[:] = 4.0, [3.0, 5.0]
    check()
    v.append(2.5)
    w.append(1.0)
    check()
    v.k = 3.0
    check()
    a.scale = 7.0
    check()
    p, a = Point(9.0, 2.0), Angle(1.5, 1.0)
    check()
    v = Vector([2.0, 3.0, 4.0])
    check()
    w = v
    with pytest.raises(IndexError):
        f(1.0), w[3]
    check()


def test_methods_that_are_defined_later_are_seen():
    class Own(list):
        pass

    class Number(float):
        pass

    def f(x):
        v, n = Own([x, 2.0]), Number(x)
        return sum(v) + (n + 1.0) + (2.0 * n) + np.sum(np.array(v)) + len(v)

    c = flow.compile(f, target="python")
    assert c(1.5) == f(1.5)
    Number.__add__ = lambda self, other: 10.0
    assert c(1.5) == f(1.5)
    Number.__rmul__ = lambda self, other: 20.0
    assert c(1.5) == f(1.5)
    Own.__len__ = lambda self: 2  # as it is: NumPy reads that one from now on
    with pytest.raises(UnsupportedError, match="defines __len__ anew"):
        c(1.5)
    del Own.__len__
    assert c(1.5) == f(1.5)


def test_one_that_is_captured_twice_is_one():
    p, q = Point(1.0, 2.0), Point(1.0, 2.0)
    c = flow.compile(lambda x: x if p is q else 2.0 * x, target="python")
    assert c(1.0) == 2.0
    q = p
    assert c(1.0) == 1.0


def test_captured_list_is_changed_and_an_instance_is_not():
    v = Vector([1.0, 2.0])

    def changed(x):
        v.append(x)
        v[0] = 3.0
        return v.dot([x, x, x])

    assert flow.compile(changed, target="python")(2.0) == 14.0
    assert type(v) is Vector
    assert v == [3.0, 2.0, 2.0]
    w = FromOne([1.0, 2.0])

    def refused(x):
        w.append(x)
        return x

    with pytest.raises(UnsupportedError, match="captures cannot be changed"):
        flow.compile(refused, target="python")(1.0)
    assert list(w) == [1.0, 2.0]


def test_argument_that_is_captured_too():
    v = Vector([1.0, 2.0])

    def f(argument, x):
        argument[0] = x
        return v.dot([x, 1.0])

    with pytest.raises(ArgumentValueError, match="captures and changes"):
        flow.compile(f, target="python")(v, 3.0)
    assert v == [1.0, 2.0]
    assert flow.compile(f, target="python")(Vector([1.0, 2.0]), 3.0) == 5.0
    with pytest.raises(UnsupportedError, match="only known at run time"):
        flow.compile(lambda a, x: x if a is v else 0.0, target="python")(v, 1.0)


def kinds(x, single, whole):
    """The classes of results, as bits."""
    a, n = Angle(2.0, 1.0), Count(2)
    results = [
        a * x, x * a, a * single, single * a, a * whole, whole * a, n * x, n * whole, whole * n,
        n * single, n * 2.0, a * n, n * a, a // x, a**x, -a, abs(a), +n, a.real, n * True, n & 1,
    ]  # fmt: skip
    bits = 0
    for r in results:
        bits = 2 * bits + (type(r) is float)
        bits = 2 * bits + (type(r) is int)
    return bits


def test_numbers_have_the_classes_that_plain_python_gives_them():
    args = np.float64(3.0), np.float32(1.5), np.int64(2)
    assert flow.compile(kinds, target="python")(*args) == kinds(*args)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_arrays_of_single_precision_become_double(target):
    def f(x):
        return np.sum(x * Angle(2.5, 1.0)) + np.sum(Angle(1.0, 1.0) / x)

    x = X.astype(np.float32)
    c = flow.compile(f, target=target)
    value = c(x)
    assert value.dtype == f(x).dtype == np.float64
    assert value == pytest.approx(f(x), rel=1e-15)
    np.testing.assert_allclose(flow.grad(c)(x), 2.5 - 1.0 / x**2, rtol=1e-6)


class Scaled(list):
    def __add__(self, other):
        return Scaled(a + b for a, b in zip(self, other, strict=True))

    def __mul__(self, factor):
        return Scaled(a * factor for a in self)


def operators_in_place(x):
    """Python takes the class's own `__mul__` for `*=`, and list's `__iadd__` for `+=`."""
    one = two = Scaled([x, 1.0])
    one += [3.0]
    shared = one is two
    one *= 2
    return one[0], len(one), shared, one is two, len(two), (Vector([x]) * 2)[1]


def test_operators_in_place():
    agrees(operators_in_place, 0.3)
