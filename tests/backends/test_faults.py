"""What Numba does not compile is told as a fault of srcgrad, at the user's line, in our words.

The faults are made: a template of the printer is replaced by one that Numba refuses.
"""

import inspect

import numba
import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu import expressions
from srcgrad.errors import CompilerError
from srcgrad.primitives import elementwise

FAULTS = {
    "an attribute": "math.tanh(a).nothing",
    "a name": "nothing(a)",
    "too many arguments": "math.tanh(a, a, a)",
    "a type": "math.tanh('a')",
}


def inside(v):
    return np.tanh(v)


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += inside(x[i])
    return s


def long(x):
    """Printed in parts."""
    for k in (0.0, 1.0, 2.0, 3.0):
        for i in range(len(x)):
            x[i] = x[i] * np.sin(x[i]) + k
        for i in range(len(x)):
            x[i] = x[i] * np.cos(x[i]) + k
        for i in range(len(x)):
            x[i] = x[i] * np.exp(x[i]) + k
        for i in range(len(x)):
            x[i] = x[i] * np.tanh(x[i]) + k
    return np.sum(x)


def failing(function, monkeypatch, template):
    monkeypatch.setitem(expressions.TEMPLATES, elementwise.tanh, template)
    with pytest.raises(CompilerError) as caught:
        flow.grad(flow.compile(function, cache=False))(np.ones(3))
    return caught.value


def line_of(function, fragment):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if fragment in line)


@pytest.mark.parametrize("template", FAULTS.values(), ids=FAULTS)
def test_the_users_line_without_numbas_text(template, monkeypatch):
    monkeypatch.delenv("SRCGRAD_DEBUG", raising=False)
    error = failing(total, monkeypatch, template)
    text = str(error)
    assert f"test_faults.py:{line_of(inside, 'tanh')}, in inside" in text
    assert "a fault of srcgrad" in text
    assert 'target="python"' in text
    assert "nopython" not in text
    assert "Traceback" not in text
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_a_line_of_a_part(monkeypatch):
    assert "_part(" in flow.grad(long).source("numba", np.ones(3))
    error = failing(long, monkeypatch, "math.tanh(a).nothing")
    assert error.location is not None
    assert error.location.line == line_of(long, "tanh")


def test_a_part_without_a_line(monkeypatch):
    """Numba names the call of the part only, which is no line of the user's."""
    assert failing(long, monkeypatch, "nothing(a)").location is None


def test_numbas_text_for_who_asks(monkeypatch):
    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    error = failing(total, monkeypatch, "math.tanh(a).nothing")
    assert "Unknown attribute 'nothing'" in str(error)
    assert isinstance(error.__cause__, numba.core.errors.NumbaError)


def test_a_fault_inside_numba(monkeypatch):
    """What Numba raises that is no error of its own, without a line."""

    def broken(*args):
        raise AssertionError("type inference")

    monkeypatch.setattr(numba.core.compiler.CompilerBase, "compile_extra", broken)
    with pytest.raises(CompilerError) as caught:
        flow.compile(total, cache=False)(np.ones(3))
    assert caught.value.location is None
    assert "type inference" not in str(caught.value)


def test_the_way_out_works(monkeypatch):
    monkeypatch.setitem(expressions.TEMPLATES, elementwise.tanh, "nothing(a)")
    gradient = flow.grad(flow.compile(total, target="python"))(np.ones(3))
    np.testing.assert_allclose(gradient, 1.0 - np.tanh(np.ones(3)) ** 2)
