"""Names of several kinds: what is read of them, how many copies are made, what is refused."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ShapeError, UnsupportedError
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.trace import trace as traced
from srcgrad.ir.nodes import If
from srcgrad.ir.walk import walk
from tests.frontend.as_python import TARGETS

X = np.array([1.0, 2.0, 3.0])


def summed(x, n):
    s = 0
    for i in range(n):
        s = s + x * i
    return s


def thrice(x):
    s = 0
    for i in range(3):
        s = s + x * i
    return s


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_that_has_a_trip_leaves_an_array(target: str):
    f = flow.compile(thrice, target=target)
    assert f(X).tolist() == thrice(X).tolist()


@pytest.mark.parametrize("target", TARGETS)
def test_a_result_that_is_a_number_on_another_path(target: str):
    f = flow.compile(summed, target=target)
    assert f(X, 3).tolist() == summed(X, 3).tolist()
    assert f(X, 0) == 0 and type(f(X, 0)) is int
    assert f(X, 1).tolist() == [0.0, 0.0, 0.0]
    value, gradient = flow.value_and_grad(f, target=target)(X, 3)
    assert (value.tolist(), gradient.tolist()) == (summed(X, 3).tolist(), [3.0, 3.0, 3.0])
    assert flow.value_and_grad(f, target=target)(X, 0)[0] == 0
    with pytest.raises(UnsupportedError, match="the number 0 on one path and an array") as e:
        flow.vjp(f, X, 0)
    assert "return s" in str(e.value)


def test_dtypes_are_those_of_the_path():
    def f(x, n):
        s = np.zeros(3, np.float32)
        if n:
            s = s + x
        return 2.0 if s.dtype == np.float32 else 3.0

    compiled = flow.compile(f, target="python")
    assert [compiled(X, n) for n in (0, 1)] == [f(X, n) for n in (0, 1)] == [2.0, 3.0]


def test_a_statement_that_reads_none_is_interpreted_once():
    def f(x, n):
        s = 0.0
        if n:
            s = x
        a = np.sin(x)
        b = a * a
        return np.sum(s) + b[0]

    body = traced(f, {"x": X, "n": 1}, Requirements()).function.body
    assert sum(isinstance(s, If) for s in walk(body)) == 2  # the branch, and the return


def returned(x, n):
    return x if n else 0.0


def read_by_a_loop(x, n):
    s = 0.0
    while np.sum(s) < n:
        s = s + x
    return np.sum(s)


READ = {
    "in an expression": lambda x, n: np.sum(returned(x, n) * x),
    "in a list": lambda x, n: np.sum([x if n else 0.0][0]),
    "in a list of NumPy's": lambda x, n: np.sum(np.stack([x if n else x * 2.0, x])),
    "in a test of a loop": read_by_a_loop,
    "in a text": lambda x, n: float(len(str("sum" if n else "mean"))) * x[0],
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read_by_operations(name: str):
    for n in (0, 2):
        assert flow.compile(READ[name], target="python")(X, n) == READ[name](X, n)


def test_a_bound_of_a_slice_may_be_none():
    def f(x, n):
        first = None
        if n:
            first = n
        return np.sum(x[first:]) + np.sum(x[:first])

    for n in (0, 1, 2):
        assert flow.compile(f, target="python")(X, n) == f(X, n)


def test_an_index_that_is_none_is_refused_as_it_runs():
    def f(x, n):
        k = None
        if n:
            k = n
        return x[k] * 1.0

    compiled = flow.compile(f, target="python")
    assert compiled(X, 2) == f(X, 2)
    with pytest.raises(UnsupportedError, match="an index is None on some paths"):
        compiled(X, 0)


def test_a_kind_that_an_operation_does_not_take_raises_where_it_is_met():
    def f(x, n):
        k = np.nan
        for i in range(n):
            k = i
        return x[k]

    compiled = flow.compile(f, target="python")
    assert compiled(X, 2) == f(X, 2)
    with pytest.raises(IndexError, match="nan cannot be an index"):
        compiled(X, 0)


def test_nan_is_no_index_whichever_path_comes_first():
    def f(x, n):
        k = 1 if n > 1 else np.nan
        m = np.nan if n < 2 else 1
        return 0.0 if np.isnan(k) else x[k] * x[m]

    for n in (1, 2):
        assert flow.compile(f, target="python")(X, n) == f(X, n)


def test_a_kind_that_only_the_first_trip_has():
    def f(x, n):
        old, s = None, 0.0
        for i in range(n):
            if i > 0:
                s = s + old * x[i]
            old = x[i]
        return s

    for n in (0, 1, 3):
        assert flow.compile(f, target="python")(X, n) == f(X, n)


def test_none_is_returned_by_a_plain_call():
    def f(x, n):
        if n > 2:
            return None
        return np.sum(x * n)

    def pair(x, n):
        if n > 2:
            return None, None
        return n, x * n

    compiled = flow.compile(f, target="python")
    assert (compiled(X, 3), compiled(X, 2)) == (None, 12.0)
    assert flow.grad(f, target="python")(X, 2).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(UnsupportedError, match="returns None here"):
        flow.grad(f, target="python")(X, 3)
    compiled = flow.compile(pair, target="python")
    assert compiled(X, 3) == (None, None) and compiled(X, 1)[1].tolist() == X.tolist()


def test_places_of_containers():
    def f(x, n):
        held = {"sum": 0, "old": None}
        for i in range(n):
            held["sum"] = held["sum"] + x * i
            held["old"] = x[i]
        return held

    for n in (0, 3):
        made, want = flow.compile(f, target="python")(X, n), f(X, n)
        assert made["old"] == want["old"] and np.array_equal(made["sum"], want["sum"])


REFUSED = {"of four kinds": "changes kind|cannot be read", "nested ever deeper": "changes kind"}


def nested_ever_deeper(x, n):
    s = x
    for _ in range(n + int(x[0] > 9.0)):
        s = (s, x)
    return np.sum(s[1])


def of_four_kinds(x, n):
    s, n = 0.0, n + int(x[0] > 9.0)
    if n == 1:
        s = x
    elif n == 2:
        s = np.outer(x, x)
    elif n == 3:
        s = np.ones((3, 3, 3))
    return np.sum(s)


PROGRAMS = {"of four kinds": of_four_kinds, "nested ever deeper": nested_ever_deeper}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str):
    with pytest.raises(UnsupportedError, match=REFUSED[name]) as e:
        flow.compile(PROGRAMS[name], target="python")(X, 2)
    assert e.value.way_out


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_shapes_that_do_not_fit_raise_on_their_path(target):
    """Those of the other path are right, as in plain Python."""

    def f(x, sign):
        y = np.ones((2, 3)) * x[0] if sign > 0.0 else np.ones(3) * x[1]
        z = np.zeros(3)
        if sign > 2.0:
            z += np.ones((2, 3))
        elif sign > 1.0:
            y = y + np.ones(4)
        else:
            z += y[..., 0].sum()
        return np.sum(z) + np.sum(y)

    x = np.array([0.5, 2.0])
    compiled = flow.value_and_grad(flow.compile(f, target=target))
    for sign in (-1.0, 0.5):
        value, gradient = compiled(x, sign)
        assert np.isclose(value, f(x, sign))
        assert np.allclose(gradient, [12.0, 0.0] if sign > 0.0 else [0.0, 6.0])
    for sign in (1.5, 3.0):
        with pytest.raises(ValueError, match="broadcast"):
            f(x, sign)
        with pytest.raises(ShapeError, match="broadcast"):
            compiled(x, sign)
