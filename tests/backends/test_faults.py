"""What does not compile is reported as a fault of srcgrad, at the user's line, in our words.

The faults are made: a row of the emitter is replaced by one that fails, or that writes what LLVM or
Numba refuses.
"""

import inspect

import numba
import numpy as np
import pytest
from scipy.special import sph_harm_y

import srcgrad as flow
from srcgrad.backends.cpu.emit import numba_internals, operations, values
from srcgrad.backends.cpu.text import expressions
from srcgrad.errors import CompilerError
from srcgrad.primitives import elementwise, special


def inside(v):
    return np.tanh(v)


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += inside(x[i])
    return s


def alone(x):
    return np.exp(x[0]) * np.sin(x[1]) + inside(x[0])


def helped(x):
    """An operation that Numba compiles."""
    return np.sum(sph_harm_y(2, 1, x, x).real)


def broken(w, s):
    raise KeyError("an operand")


def missing(w, s):
    raise values.not_emitted("tanh of this")


FAULTS = {
    "the emitter": broken,
    "what is not emitted": missing,
    "an instruction": lambda w, s: w.do("ftanh double 1.0"),
    "a name": lambda w, s: w.do("fadd double %nothing, 1.0"),
    "a type": lambda w, s: w.do("fneg i64 1"),
}


def failing(function):
    with pytest.raises(CompilerError) as caught:
        flow.value_and_grad(flow.compile(function, cache=False))(np.ones(3))
    return caught.value


def line_of(function, fragment):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if fragment in line)


@pytest.mark.parametrize("function", [total, alone])
@pytest.mark.parametrize("row", FAULTS.values(), ids=FAULTS)
def test_the_users_line_without_the_compilers_text(row, function, monkeypatch):
    """In a nest, which is a function of its own, and outside."""
    monkeypatch.delenv("SRCGRAD_DEBUG", raising=False)
    monkeypatch.setitem(operations.SCALARS, elementwise.tanh, row)
    error = failing(function)
    text = str(error)
    assert f"test_faults.py:{line_of(inside, 'tanh')}, in inside" in text
    assert "a fault of srcgrad" in text
    assert 'target="python"' in text
    for theirs in ("%", "LLVM assembly", "ftanh", "KeyError", "Traceback"):
        assert theirs not in text
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize("template", ["nothing(a)", "math.exp(a, a, a)", "math.exp('a')"])
def test_a_helper_that_numba_does_not_compile(template, monkeypatch):
    monkeypatch.delenv("SRCGRAD_DEBUG", raising=False)
    monkeypatch.setitem(expressions.TEMPLATES, special.sph_legendre_p, template)
    error = failing(helped)
    assert error.location.line == line_of(helped, "sph_harm_y(")
    assert "nopython" not in str(error)


def test_the_compilers_text_for_who_asks(monkeypatch):
    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    monkeypatch.setitem(expressions.TEMPLATES, special.sph_legendre_p, "np.exp(a).nothing")
    error = failing(helped)
    assert "Unknown attribute 'nothing'" in str(error)
    assert isinstance(error.__cause__, numba.core.errors.NumbaError)


def test_a_fault_inside_numba(monkeypatch):
    """What Numba raises that is no error of its own, without a line."""

    def broken(*args, **kwargs):
        raise AssertionError("no such target")

    monkeypatch.setattr(numba_internals, "object_code", broken)
    with pytest.raises(CompilerError) as caught:
        flow.compile(total, cache=False)(np.ones(3))
    assert caught.value.location is None
    assert "no such target" not in str(caught.value)


def test_the_way_out_works(monkeypatch):
    monkeypatch.setitem(operations.SCALARS, elementwise.tanh, broken)
    gradient = flow.grad(flow.compile(total, target="python"))(np.ones(3))
    np.testing.assert_allclose(gradient, 1.0 - np.tanh(np.ones(3)) ** 2)
