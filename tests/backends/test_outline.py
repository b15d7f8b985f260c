"""Functions in parts: the same numbers, the same errors, one entry of the cache."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.backends.cpu import outline
from srcgrad.ir.nodes import Def
from tests.cases import CASES
from tests.modes import Modes


@pytest.fixture(autouse=True)
def small_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(outline, "LARGEST", 12)


def kept(x, tol):
    """Tapes of unknown length in two loops, a branch with loops, an array stored to in both."""
    s, y = 0.0, x.copy()
    while s < tol:
        for i in range(1, len(y)):
            y[i] = y[i] * y[i - 1] + 0.1
        for i in range(len(y)):
            s += y[i] ** 2
        s += 0.5
    if s > 1.0:
        for i in range(len(y)):
            y[i] = np.sin(y[i]) * s
        for i in range(1, len(y)):
            s += y[i] * y[i - 1]
    else:
        for i in range(len(y)):
            s -= y[i] * x[i]
    return s


def ends_with_part(x):
    """Its own name looks like a part's."""
    return kept(x, 2.0) + kept(2.0 * x, 1.0)


def several(grads):
    return grads if isinstance(grads, tuple) else (grads,)


def agree(got, want):
    """Sums may be added in another order."""
    for g, w in zip(several(got), several(want), strict=True):
        assert_allclose(g, w, 1e-10, 1e-12)


def functions_of(text):
    return re.findall(r"^def (\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("tol", [0.1, 3.0, 40.0])
def test_parts_change_no_number(tol):
    x = np.linspace(0.3, 1.1, 7)
    g = flow.value_and_grad(kept, grad_position=(0, 1))
    assert len(functions_of(g.source("numba", x, tol))) > 3
    for _ in range(2):  # the second call finds its tapes in the workspace
        value, grads = g(x, tol)
        want, wants = flow.value_and_grad(
            flow.compile(kept, target="python"), grad_position=(0, 1)
        )(x, tol)
        assert_allclose(value, want, 1e-13)
        agree(grads, wants)


@pytest.mark.parametrize("name", ["soft_time_warping", "gram_schmidt", "two_sided_recursion"])
def test_kernels_in_parts(name):
    case = next(c for c in CASES if c.id == f"kernels.{name}-0")
    value, grads = Modes(case, "cpu").value_and_grad(case.arguments())
    want, wants = Modes(case).value_and_grad(case.arguments())
    assert_allclose(value, want, 1e-11)
    agree(grads, wants)


def test_no_function_is_larger():
    x = np.ones(5)
    text = flow.value_and_grad(ends_with_part).source("numba", x)
    for piece in re.split(r"(?m)^(?=def )", text)[1:]:
        calls, rest = piece.count("_part"), len(piece.splitlines())
        assert rest < 60 + calls


def test_a_name_like_a_parts():
    x = np.linspace(0.3, 1.1, 5)
    got = flow.grad(ends_with_part)(x)
    want = flow.grad(flow.compile(ends_with_part, target="python"))(x)
    agree(got, want)


def late_failure(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    for i in range(len(x)):
        y[i] += np.sin(x[i]) * y[i]
        y[k + i] += x[i]
    return y.sum()


def test_an_error_in_a_part_has_its_line():
    g = flow.value_and_grad(late_failure)
    x = np.ones(4)
    assert "_part" in g.source("numba", x, 1)
    with pytest.raises(IndexError, match=r"y\[k \+ i\] \+= x\[i\]"):
        g(x, 1)
    value, _ = g(x, 0)
    assert value == pytest.approx(4 * (1 + np.sin(1.0) + 1))


def test_the_cache_holds_the_parts():
    x = np.linspace(0.3, 1.1, 5)
    value, grad = flow.value_and_grad(ends_with_part)(x)
    again = flow.value_and_grad(ends_with_part)
    assert "loaded from the cache folder" in again.explain(x)
    loaded, grad_loaded = again(x)
    assert loaded == value
    assert np.array_equal(grad, grad_loaded)


def test_small_functions_stay_whole(monkeypatch):
    monkeypatch.setattr(outline, "LARGEST", 150)
    assert len(functions_of(flow.value_and_grad(kept).source("numba", np.ones(3), 1.0))) == 1


def test_scalars_alone_are_no_part():
    """A run without a loop stays where it is: a call there would cost more than it saves."""
    s = [Def(None, None, ()) for _ in range(40)]
    assert outline._cut(tuple(s), set()) == tuple(s)
