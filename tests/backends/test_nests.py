"""Nests of loops as functions of their own: the same numbers and errors, equal ones shared."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.backends.cpu.emit import state
from tests.cases import CASES
from tests.tools.modes import Modes


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


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


def twice(x):
    return kept(x, 2.0) + kept(2.0 * x, 1.0)


def several(grads):
    return grads if isinstance(grads, tuple) else (grads,)


def agree(got, want):
    """Sums may be added in another order."""
    for g, w in zip(several(got), several(want), strict=True):
        assert_allclose(g, w, 1e-10, 1e-12)


def emitted(f, *args):
    """The text of what was compiled last."""
    f(*args)
    entries = [e for found in f._entries.values() for e in found]
    return entries[-1].executable.print_compiled().shown()


def nests_of(text):
    return re.findall(r"^define internal .* @(nest\d+)\(", text, re.MULTILINE)


def calls_in(text):
    return re.findall(r"call .* @(nest\d+)\(", text)


@pytest.mark.parametrize("most", [0, 60, 10_000])
@pytest.mark.parametrize("tol", [0.1, 3.0, 40.0])
def test_nests_change_no_number(tol, most, monkeypatch):
    monkeypatch.setattr(state, "MOST", most)
    x = np.linspace(0.3, 1.1, 7)
    g = flow.value_and_grad(kept, grad_position=(0, 1))
    assert bool(nests_of(emitted(g, x, tol))) == (most > 0)
    reference = flow.compile(kept, target="python")
    want, wants = flow.value_and_grad(reference, grad_position=(0, 1))(x, tol)
    for _ in range(2):  # the second call finds its tapes in the workspace
        value, grads = g(x, tol)
        assert_allclose(value, want, 1e-13)
        agree(grads, wants)


@pytest.mark.parametrize("name", ["soft_time_warping", "gram_schmidt", "two_sided_recursion"])
@pytest.mark.parametrize("most", [0, 12])
def test_kernels_in_nests(name, most, monkeypatch):
    monkeypatch.setattr(state, "MOST", most)
    case = next(c for c in CASES if c.id == f"kernels.{name}-0")
    value, grads = Modes(case, "cpu").value_and_grad(case.arguments())
    want, wants = Modes(case).value_and_grad(case.arguments())
    assert_allclose(value, want, 1e-11)
    agree(grads, wants)


def test_equal_nests_share_a_function():
    def copies(x):
        a, b = np.zeros(len(x)), np.zeros(len(x))
        for i in range(len(x)):
            a[i] = np.sin(x[-i]) * 2.0  # the other end: such loops are not joined
        for i in range(len(x)):
            b[i] = np.sin(a[-i]) * 2.0
        for i in range(len(x)):
            a[i] = np.sin(b[-i]) * 2.0
        return a

    with_nests = emitted(flow.compile(copies), np.ones(4))
    assert len(calls_in(with_nests)) > len(nests_of(with_nests)) == len(set(calls_in(with_nests)))


def relaxed(x):
    """Steps that alternate between two arrays, as a swap of names does when it is unrolled."""
    a, b = x.copy(), x.copy()
    n, m = x.shape
    for _ in range(7):
        for i in range(1, n - 1):
            for j in range(m):
                b[i, j] = 0.3 * (a[i - 1, j] + a[i, j] * a[i, j] + a[i + 1, j])
        a, b = b, a
    return np.sum(a * a)


def test_equal_nests_of_a_time_step_share_a_function():
    x = np.linspace(0.1, 0.9, 30).reshape(6, 5)
    g = flow.value_and_grad(relaxed)
    text = emitted(g, x)
    shared = {n for n in nests_of(text) if calls_in(text).count(n) == 2}
    assert len(shared) == 2, "one of the step, one of its adjoint"
    want, wants = flow.value_and_grad(flow.compile(relaxed, target="python"))(x)
    value, grad = g(x)
    assert_allclose(value, want, 1e-13)
    agree(grad, wants)


def test_no_nest_is_larger():
    text = emitted(flow.value_and_grad(twice), np.ones(5))
    largest = max(
        piece.count("\n") for piece in text.split("\ndefine internal ") if "@nest" in piece
    )
    assert largest < 40 * state.MOST


def late_failure(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    for i in range(len(x)):
        y[i] += np.sin(x[i]) * y[i]
        y[k + i] += x[i]
    return y.sum()


def test_an_error_in_a_nest_has_its_line():
    g = flow.value_and_grad(late_failure)
    x = np.ones(4)
    assert nests_of(emitted(g, x, 0))
    with pytest.raises(IndexError, match=r"y\[k \+ i\] \+= x\[i\]"):
        g(x, 1)
    value, _ = g(x, 0)
    assert value == pytest.approx(4 * (1 + np.sin(1.0) + 1))


def test_the_cache_holds_the_nests():
    x = np.linspace(0.3, 1.1, 5)
    value, grad = flow.value_and_grad(twice)(x)
    again = flow.value_and_grad(twice)
    assert "loaded from the cache folder" in again.explain(x)
    loaded, grad_loaded = again(x)
    assert loaded == value
    assert np.array_equal(grad, grad_loaded)


def test_the_text_has_the_users_lines():
    text = emitted(flow.value_and_grad(late_failure), np.ones(4), 0)
    for line in ("y[i] = x[i] ** 2", "y[k + i] += x[i]", "grad of: y[k + i] += x[i]"):
        assert re.search(rf"^  ; {re.escape(line)}  \(line \d+\)$", text, re.MULTILINE), line
