"""Names of several kinds: what is read of them, how many copies are made, what is refused."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
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
    with pytest.raises(UnsupportedError, match="the number 0 on one path and an array") as e:
        f(X, 0)
    assert "return s" in str(e.value) and f(X, 1).tolist() == [0.0, 0.0, 0.0]


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


REFUSED = {
    "in an expression": (lambda x, n: np.sum(returned(x, n) * x), "the returns of returned()"),
    "in a list": (lambda x, n: np.sum([x if n else 0.0][0]), "the value depends on the path"),
    "in a test of a loop": (None, "'s' cannot be read here"),
    "of four kinds": (None, "changes kind|cannot be read"),
}


def read_by_a_loop(x, n):
    s = 0.0
    while np.sum(s) < n:
        s = s + x
    return np.sum(s)


def of_four_kinds(x, n):
    s = 0.0
    if n == 1:
        s = x
    elif n == 2:
        s = np.outer(x, x)
    elif n == 3:
        s = np.ones((3, 3, 3))
    return np.sum(s)


PROGRAMS = {"in a test of a loop": read_by_a_loop, "of four kinds": of_four_kinds}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str):
    f, said = REFUSED[name]
    with pytest.raises(UnsupportedError, match=said) as e:
        flow.compile(f or PROGRAMS[name], target="python")(X, 2)
    assert e.value.way_out


def test_the_ways_out():
    def named(x, n):
        t = returned(x, n)
        return np.sum(t * x)

    def one_kind(x, n):
        s = np.zeros_like(x)
        while np.sum(s) < n:
            s = s + x
        return np.sum(s)

    for f in (named, one_kind):
        for n in (0, 7):
            assert flow.compile(f, target="python")(X, n) == f(X, n)
