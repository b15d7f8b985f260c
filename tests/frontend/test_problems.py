"""Several problems of one function come in one error, and no problem follows from another.

A line with a problem says so in a comment, `# problem: <fragment>`: these lines are reported, in
this order, and no others.
"""
# ruff: noqa: B007, F821, F841, RUF059, SIM115 (programs with problems)

import inspect
import pickle
import re
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnboundError, UnsupportedError
from srcgrad.frontend.problems import MOST


def independent(x, n):
    a = np.histogramdd(x)  # problem: numpy.histogramdd
    with open("somewhere") as b:  # problem: open()
        pass
    c = np.random.bytes(3)  # problem: random numbers
    return np.sum(x) * n


def what_follows_from_another(x, n):
    a = np.histogramdd(x)  # problem: numpy.histogramdd
    b = a * 2.0
    for v in b:
        if v > 0.0:
            return v
        n += len(a)
    return b[0, 1, 2] + len(b.nothing)


def in_branches_and_loops(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0.0:
            s += np.histogramdd(x[i])  # problem: numpy.histogramdd
        else:
            y = x.tobytes()  # problem: tobytes
    while n < 10:
        n = n + 1
        y = x.tofile("log")  # problem: tofile
    while s < 10.0:
        s = open("s")  # problem: open()
    return s


def helper(v):
    w = np.histogramdd(v)  # problem: numpy.histogramdd
    return w * 2.0


def in_helpers(x, n):
    a = helper(x)
    b = helper(a)
    c = helper(x * 2.0)
    del n.real  # problem: 'del' of an attribute
    return np.sum(x)


def after_a_return(x, n):
    if n > 2:
        return np.histogramdd(x)[0]  # problem: numpy.histogramdd
    elif n > 1:
        return open("where no call comes")
    else:
        return x[0]
    return open("x")


def with_containers(x, n):
    rows, other = [], {}
    rows.append(np.histogramdd(x))  # problem: numpy.histogramdd
    first = rows[0]
    second = other["a"]
    total = open("x")  # problem: open()
    return first + second


def unpacked(x, n):
    a, (b, *c) = np.histogramdd(x)  # problem: numpy.histogramdd
    x[:] = a
    for k, v in enumerate(c):
        n = n + v
    with open("somewhere") as file:  # problem: open()
        text = file.read()
    return n * len(text) * x[0]


def changes_kind(x, n):
    y = x
    for _ in range(n):  # problem: y changes kind
        y = (y, x)
    z = open("x")  # problem: open()
    return np.sum(y)


def unbound_first(x, n):
    y = x * missing  # problem: name 'missing' is not defined
    z = np.histogramdd(x)  # problem: numpy.histogramdd
    return y + z


def in_a_nested_function(x, n):
    def inner(v):
        y = np.histogramdd(v)  # problem: numpy.histogramdd
        return y

    def other(v):
        return open("v")  # problem: open()

    a = inner(x)
    b = other(x)
    return a + b


@dataclass
class State:
    u: float
    v: float


def through_attributes(x, n):
    s = State(x[0], x[1])
    s.u = np.histogramdd(x[0])  # problem: numpy.histogramdd
    t = s.u * s.v
    z = open("x")  # problem: open()
    return t


def in_a_recursion(x, n):
    if n == 0:
        return np.histogramdd(x)  # problem: numpy.histogramdd
    a = in_a_recursion(x, n - 1)
    b = in_a_recursion(x, n - 1)
    return a + b


def always_fails_after(x, n):
    y = np.histogramdd(x)  # problem: numpy.histogramdd
    raise ValueError("never")


def after_the_first_trip(x, n):
    product = None
    for i in range(n):
        if i == 0:
            product = x[i]
        else:
            product = open("product")  # problem: open()
            n = open("after what fails")
    return product + n


FUNCTIONS = [
    independent, what_follows_from_another, in_branches_and_loops, in_helpers, after_a_return,
    with_containers, unpacked, changes_kind, unbound_first, in_a_nested_function,
    through_attributes, in_a_recursion, always_fails_after, after_the_first_trip,
]  # fmt: skip


def error_of(function) -> SrcgradError:
    with pytest.raises(SrcgradError) as caught:
        flow.grad(flow.compile(function, target="python"))(np.array([1.0, 2.0, 3.0]), 3)
    return caught.value


def expected(function):
    """(line, fragment) of the comments; `helper`'s first, as it is called first."""
    found = []
    for f in (helper, function) if function is in_helpers else (function,):
        lines, first = inspect.getsourcelines(f)
        for k, line in enumerate(lines):
            if match := re.search(r"# problem: (.*)$", line):
                found.append((first + k, match[1]))
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_these_problems_and_no_others(function):
    error = error_of(function)
    problems = (error, *error.others)
    said = [(p.location.line, p.reason) for p in problems]  # type: ignore[union-attr]
    wanted = expected(function)
    assert [line for line, _ in said] == [line for line, _ in wanted]
    assert all(w in reason for (_, reason), (_, w) in zip(said, wanted, strict=True))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_text_lists_them_all(function):
    error = error_of(function)
    text = str(error)
    for problem in (error, *error.others):
        assert problem.reason in text
        assert f"test_problems.py:{problem.location.line}" in text  # type: ignore[union-attr]
    assert text.count("\nalso: ") == len(error.others)


def test_the_class_is_that_of_the_first():
    assert isinstance(error_of(independent), UnsupportedError)
    assert isinstance(error_of(unbound_first), UnboundError)
    assert isinstance(error_of(unbound_first).others[0], UnsupportedError)


def test_one_problem_says_nothing_of_others():
    error = error_of(what_follows_from_another)
    assert error.others == ()
    assert "also" not in str(error)


def test_no_more_than_a_few(tmp_path):
    """A function of many problems; the search ends."""
    lines = "".join(f"    a{k} = open('x')\n" for k in range(3 * MOST))
    scope: dict = {}
    text = f"def many(x, n):\n{lines}    return x[0]\n"
    exec(text, scope)
    function = flow.compile(scope["many"], target="python", source=text)
    with pytest.raises(UnsupportedError) as caught:
        flow.grad(function)(np.ones(3), 3)
    assert len(caught.value.others) == MOST - 1


def depends_on_kinds(x, n):
    if isinstance(n, int):
        y = np.histogramdd(x)
        z = np.ones(int(np.sum(np.array([n, n]))))
        w = x.reshape(n, -1)
        s = np.sum(w, axis=n - 2)
    return np.sum(x)


def test_what_is_found_out_on_the_way_is_forgotten():
    """The arguments that a search for more problems wants to be static are none afterwards."""
    gradient = flow.grad(flow.compile(depends_on_kinds, target="python"))
    with pytest.raises(UnsupportedError):
        gradient(np.ones(3), 3)
    assert not gradient._requirements.static_leaves
    assert gradient(np.ones(3), 3.5).tolist() == [1.0, 1.0, 1.0]


def test_all_are_in_the_text_after_pickling():
    with pytest.raises(UnsupportedError) as e:
        flow.compile(independent, target="python")(np.ones(3), 2)
    again = pickle.loads(pickle.dumps(e.value))
    assert str(again) == str(e.value) and "also: " in str(again)
    assert [str(p) for p in again.others] == [str(p) for p in e.value.others]


def test_a_refusal_does_not_repeat_one_of_another_call():
    def scaled(x, n):
        total = 0.0
        for i in range(n):
            total = total + x * i
        return total

    g = flow.compile(scaled, target="python")
    with pytest.raises(flow.UnsupportedError, match="arithmetic with a list"):
        g([1.0, 2.0], 3)
    with pytest.raises(flow.UnsupportedError, match=r"range\(\) takes integers"):
        g(2.0, 0.5)
    assert g(2.0, 3) == 6.0
