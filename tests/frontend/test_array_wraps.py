"""Classes derived from ndarray that define `__array_wrap__`, which makes what ufuncs give."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_array_rules import NAMES, RULES, call_of, given, same

X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -2.0, 4.0])


class Finite(np.ndarray):
    """Its `__new__` raises for bad input; attributes are set in `__array_finalize__`."""

    ranks = (1, 2)

    def __new__(cls, values):
        a = np.array(values)
        if a.size == 0:
            raise ValueError("no values")
        if not np.all(np.isfinite(a)):
            raise ValueError("values that are not finite")
        if a.ndim not in cls.ranks:
            raise ValueError(f"an array of rank {a.ndim}")
        return np.asarray(values).view(cls)

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.unit = getattr(obj, "unit", "m")

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if return_scalar:
            return array[()]
        try:
            return type(self)(array)
        except Exception:
            return array

    def length(self):
        return np.linalg.norm(self)


class Arrow(Finite):
    ranks = (1,)

    def direction(self):
        return self / self.length()

    def turned(self, matrix):
        return Arrow(matrix @ self)

    def along(self, other):
        return Arrow(other.dot(self) / other.dot(other) * other)


class Cloud(Finite):
    ranks = (2,)

    def centre(self):
        return Arrow(self.mean(axis=0))


class Marked(np.ndarray):
    """Its results tell which of NumPy's calls made them."""

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if return_scalar:
            return 3.0 * array[()] if context is None else 5.0 * array[()]
        return array + 1.0 if context is None else (2.0 * array).view(Marked)


class Passing(np.ndarray):
    calls = 7

    def __array_finalize__(self, obj):
        self.seen = getattr(obj, "seen", 0) + 1

    def __array_wrap__(self, array, context=None, return_scalar=False):
        made = super().__array_wrap__(array, context, return_scalar)
        made.seen += 10
        return made


def arrows(x):
    v, w = Arrow(x), Arrow([1.0, 2.0, -1.0])
    w.unit = "km"
    return v.direction() + w.along(v) * v.sum() - v.turned(np.eye(3)[::-1])


def clouds(x):
    points = Cloud(np.outer(x, x + 1.0))
    return points.centre() * points.max() + (points - points.centre())[1]


def other_ranks(x):
    return Arrow(x) * np.ones((2, 3)), Arrow(x)[:2] * 2.0, Arrow(x)[0], Cloud(np.outer(x, x))[0]


def marked(x):
    v = x.view(Marked)
    return v * 2.0 + 1.0, -v, v.sum(), v @ x, np.modf(v), v.cumsum(), v.max(keepdims=True), v > 1.0


def reduced(x):
    m = np.outer(x, x + 1.0).view(Marked)
    return (
        m.sum(axis=0),
        np.cumsum(m, axis=1),
        m.mean(),
        m.mean(axis=1),
        m[0].dot(x),
        np.clip(m, 1, 5),
    )


def solved(x):
    m = (np.outer(x, x) + 5.0 * np.eye(3)).view(Marked)
    return np.linalg.inv(m), np.linalg.solve(m, x), np.linalg.solve(np.asarray(m), x.view(Marked))


def passed_on(x):
    v = x.view(Passing)
    return v * 2.0, (v + x)[1:], v.sum(), np.sum(v, keepdims=True)


def in_loops(x):
    v = Arrow(x)
    for _ in range(3):
        v = v * 0.5 + Arrow(np.cos(np.asarray(v)))
    return v


PROGRAMS = arrows, clouds, other_ranks, marked, reduced, solved, passed_on, in_loops


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_results_are_those_that_numpy_wraps(f, target):
    compiled = flow.compile(f, target=target)
    for x in (X, Y):
        kept = x.copy()
        same(compiled(x), f(x.copy()))
        np.testing.assert_array_equal(x, kept)


def weighed(f):
    def loss(x):
        out = f(x)
        many = out if isinstance(out, tuple) else (out,)
        return sum(np.sum(np.sin(np.asarray(p))) for p in many)

    return loss


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [arrows, clouds, solved, in_loops], ids=lambda f: f.__name__)
def test_gradients_are_those_of_what_is_wrapped(f, target):
    gradient = flow.grad(weighed(f), target=target)
    for x in (X, Y):
        steps = 1e-6 * np.eye(3)
        wanted = [(weighed(f)(x + s) - weighed(f)(x - s)) / 2e-6 for s in steps]
        np.testing.assert_allclose(gradient(x), wanted, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_the_class_cannot_hold_is_the_array(target):
    def shares(x):
        return Arrow(x) / (x - 1.0)

    with np.errstate(divide="ignore"):
        for order in ((X, Y), (Y, X)):
            compiled = flow.compile(shares, target=target)
            for x in order:
                same(compiled(x), shares(x))
            gradient = flow.grad(weighed(shares), target=target)(Y)
            np.testing.assert_allclose(gradient, -np.cos(Y / (Y - 1.0)) / (Y - 1.0) ** 2)


def test_bad_input_of_the_class_raises():
    compiled = flow.compile(lambda x: Arrow(x) * 2.0, target="python")
    same(compiled(X), Arrow(X) * 2.0)
    for bad in (np.array([1.0, np.nan, 2.0]), np.empty(0), np.ones((2, 2))):
        with pytest.raises(ValueError, match=r"values|rank 2"):
            compiled(bad)


def test_arguments_and_captured_instances_are_wrapped():
    v = Arrow(X)
    v.unit = "km"
    scaled = lambda a: a * 2.0 + 1.0
    same(flow.compile(scaled, target="python")(v), scaled(v))
    same(flow.compile(lambda x: v * x, target="python")(Y), v * Y)
    np.testing.assert_allclose(flow.grad(lambda a: np.sum(a**3))(v), 3.0 * X**2)


def test_a_method_that_changes_is_followed():
    class Changing(np.ndarray):
        pass

    compiled = flow.compile(lambda x: x.view(Changing) + 1.0, target="python")
    same(compiled(X), X.view(Changing) + 1.0)
    Changing.__array_wrap__ = lambda self, array, context=None, scalar=False: np.asarray(array) * 3
    same(compiled(X), X.view(Changing) + 1.0)
    Changing.__array_wrap__ = lambda self, array, context=None, scalar=False: np.asarray(array) * 5
    same(compiled(X), X.view(Changing) + 1.0)
    del Changing.__array_wrap__
    same(compiled(X), X.view(Changing) + 1.0)


WRAPPED = []


class Logged(np.ndarray):
    def __array_wrap__(self, *given):
        WRAPPED.append((type(given[0]), [p is None for p in given[1:2]], len(given)))
        return np.asarray(given[0]).view(type(self))


CALLED = {
    "": [],
    "ufunc": [(np.ndarray, [False], 3)],
    "reduction": [(np.ndarray, [True], 3)],
    "alone": [(np.ndarray, [], 1)],
}


CALLING = ("where", "empty_like")  # as programs that have ufuncs in them
OF_ONE_CALL = [n for n in NAMES if RULES[n].wraps != "steps" and n not in CALLING]


@pytest.mark.parametrize("name", OF_ONE_CALL)
def test_numpy_calls_it_as_the_rule_says(name):
    program = given(Logged)
    WRAPPED.clear()
    eval(call_of(name), program)
    called = CALLED[RULES[name].wraps]
    assert called == WRAPPED
