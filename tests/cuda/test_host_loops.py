"""Loops over numbers alone, which the host runs as compiled code of the cpu."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.errors import RaisedError
from tests.cuda.checks import at, near

X = np.array([0.7, 0.2, 0.9])


def recurrence(c, n):
    s = 1.0
    for k in range(n):
        s = 0.5 * s + c / (k + 1)
    return s


def newton(c, n):
    s = 1.0
    while abs(s * s - c) > 1e-12:
        s -= (s * s - c) / (2.0 * s)
    return s


def nested(c, n):
    s, i = c, 0
    while i < n:
        i += 1
        for k in range(i):
            if s * k > 1.0:
                s = s * 0.5 + 0.1 * np.sin(s)
            else:
                s += 0.1 * c
    return s


def beside_arrays(c, n):
    x = np.sin(X * c)
    a = np.sum(x)
    for k in range(n):
        a = a * 0.9 + c / (k + 1)
    return np.sum(a * x * x)


def in_a_time_loop(c, n):
    x = np.sin(X * c)
    for _ in range(3):
        step = c
        for k in range(n):
            step = 0.5 * step + 0.1 / (k + 1.0)
        x = x + step * np.cos(x)
    return np.sum(x)


PROGRAMS = [recurrence, newton, nested, beside_arrays, in_a_time_loop]


def interpreted(monkeypatch, run):
    """What `run` gives, and how often the host's interpreter has added two numbers."""
    many, plain = [], python.namespace

    def counting():
        scope = plain()
        add = scope["add"]
        return scope | {"add": lambda *args: many.append(1) or add(*args)}

    monkeypatch.setattr(python, "namespace", counting)
    found = run()
    monkeypatch.undo()
    return found, len(many)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_values_and_gradients(fn, monkeypatch):
    plain = flow.value_and_grad(flow.compile(fn, target="python"))
    run = flow.value_and_grad(flow.compile(fn, target="cuda"))
    for n in (0, 1, 40):
        got, added = interpreted(monkeypatch, lambda n=n: run(1.3, n))
        near(got, plain(1.3, n))
        assert added < 25
    text = run.source("cuda", 1.3, 40)
    assert "_host_0(" in text


def test_a_number_of_the_device_is_read_once():
    def f(x, n):
        s = np.sum(x * x)
        for _ in range(n):
            s = 0.5 * s + 0.1
        return s

    near(flow.grad(f, target="cuda")(X, 50), flow.grad(f)(X, 50))


def test_what_is_raised_and_printed_in_one(capsys):
    def f(c, n):
        s = c
        for k in range(n):
            s = s * 0.5
            if k % 50 == 7:
                print(k)
            if s < 1e-30:
                raise ValueError("too small")
        return s

    run = flow.compile(f, target="cuda")
    assert run(1.0, 60) == f(1.0, 60)
    assert capsys.readouterr().out == "7\n57\n" * 2
    with pytest.raises(ValueError, match="too small") as found:
        run(1.0, 200)
    assert isinstance(found.value, RaisedError)
    assert found.value.location.line == at(f, "raise")


def test_a_short_one_is_not_compiled():
    def f(c):
        s = c
        for k in range(3):
            s = s * 0.5 + k
        return s

    run = flow.compile(f, target="cuda")
    assert run(1.5) == f(1.5) and "_host_" not in run.source("cuda", 1.5)
