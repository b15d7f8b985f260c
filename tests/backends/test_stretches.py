"""Stretches of long blocks as functions of their own: the same numbers, errors and references."""

import re
from itertools import product

import numpy as np
import pytest
from numba.core.runtime import _nrt_python
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu import threads
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import state
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.passes import loops_in_chunks
from srcgrad.passes.lower import lower
from tests.backends.backend_programs import Program
from tests.backends.failing_calls import CALLS, left
from tests.backends.test_nests import agree, emitted, kept
from tests.backends.test_random_frames import disagree
from tests.backends.test_threads import PROGRAMS, arguments
from tests.tools.turns import share


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(state, "LONG", 3)
    monkeypatch.setattr(state, "HEAVY", 3)
    monkeypatch.setattr(state, "BULKY", 3)


def stretches_of(text):
    return re.findall(r"^define internal .* @(stretch\d+)\(", text, re.MULTILINE)


def calls_in(text):
    return re.findall(r"call .* @(stretch\d+)\(", text)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_nests(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    assert [seed for seed in share(range(50, 59)) if disagree(seed)] == []


@pytest.mark.parametrize("long", [1, 4])
@pytest.mark.parametrize("way", ["", "guarded"])
def test_tapes_that_grow(way, long, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    monkeypatch.setattr(state, "LONG", long)
    x = np.linspace(0.3, 1.1, 7)
    g = flow.value_and_grad(kept, grad_position=(0, 1))
    reference = flow.compile(kept, target="python")
    assert stretches_of(emitted(g, x, 40.0))
    for tol in (3.0, 40.0, 0.1):
        value, grads = g(x, tol)
        want, wants = flow.value_and_grad(reference, grad_position=(0, 1))(x, tol)
        assert_allclose(value, want, 1e-13)
        agree(grads, wants)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("way", ["", "guarded"])
def test_errors_and_references(name, way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    for f, good, bad in CALLS[name]:
        g = flow.value_and_grad(f)
        assert stretches_of(emitted(g, *good))
        value, grad = g(*good)
        want, wanted = flow.value_and_grad(flow.compile(f, target="python"))(*good)
        assert_allclose(value, want, 1e-12)
        assert_allclose(grad, wanted, 1e-12)
        with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)) as theirs:
            f(*bad)
        with pytest.raises(theirs.type):
            g(*bad)
        assert g(*good)[0] == value


def test_no_buffer_is_left():
    _nrt_python.memsys_enable_stats()
    calls = [(flow.value_and_grad(f), good, bad) for f, good, bad in CALLS["rows"]]
    before, after = left(calls, 10), left(calls, 200)
    assert before == after


def test_chunks_on_threads(monkeypatch):
    monkeypatch.setattr(loops_in_chunks, "ENOUGH", 1)
    fn = PROGRAMS[2]
    g = flow.value_and_grad(flow.compile(fn, parallel=True), (0, 1))
    with threads.at_most(3):
        value, grads = g(*arguments())
    want, wants = flow.value_and_grad(flow.compile(fn, target="python"), (0, 1))(*arguments())
    assert_allclose(value, want, 1e-12)
    agree(grads, wants)


def chained(many):
    """Products of matrices, one after the other."""
    p = Program()
    x = p.array("x", None, None)
    y = x
    for _ in range(many):
        y = p.b("neg", p.b("matmul", y, p.b("transpose", x, perm=(1, 0))))
    return lower(p.returns(y))


def test_equal_stretches_share_a_function():
    text = emit_module(state.Program(chained(30)))[0].text
    assert 0 < 3 * len(stretches_of(text)) < len(calls_in(text))
    x = np.linspace(-0.5, 0.7, 9).reshape(3, 3)
    (got,) = build(chained(30), BuildOptions(cache=False))(x)
    assert_allclose(got, x @ np.linalg.matrix_power(-x.T, 30), 1e-10)


@pytest.mark.parametrize("long", [60, 120])
def test_no_function_has_many_more_blocks(long, monkeypatch):
    """Twice the statements: the stretches are as long, and the function calls twice as many."""
    monkeypatch.setattr(state, "LONG", long)
    few, more = (blocks_of(emit_module(state.Program(chained(n)))[0].text) for n in (200, 400))
    assert max(more[:-1]) <= 1.1 * max(few[:-1]) < 2 * long
    assert more[-1] < 2.3 * few[-1] < 2.3 * 100


def blocks_of(text):
    """How many blocks each function has; the last one is that of the program."""
    functions = text.split("\ndefine ptr @srcgrad")[0].split("\ndefine ")[1:]
    return [len(re.findall(r"^\w+:$", each, re.MULTILINE)) for each in functions]


def link(v):
    if v < 0.5:
        v = np.sin(v) * np.exp(v)
    return v * 1.01 + 0.1


def saving(v, most):
    """A loop whose trips save many numbers for the reverse sweep."""
    while v < most:
        v = link(link(link(link(link(v)))))
        v = link(link(link(link(link(v)))))
        v = link(link(link(link(link(v)))))
    return v


def test_tapes_are_calls_with_the_number_of_the_first_site(monkeypatch):
    """A function that makes many tapes is short, and has two parameters for each."""
    monkeypatch.setattr(state, "LONG", 40)
    monkeypatch.setattr(state, "BULKY", 10**6)  # all of the loop stays in one function
    g = flow.value_and_grad(saving)
    text = emitted(g, 0.1, 3.0)
    per_tape = [
        len(re.findall(rf"@{name}_limited_settled\(", text)) for name in ("begin", "enlarge")
    ]
    assert min(per_tape) > 30
    assert text.count("@grow(") == 2  # its definition, and one call
    heads = re.findall(r"^define internal i32 @stretch\d+\((.*)\) noinline", text, re.MULTILINE)
    assert [head for head in heads if "%k20" in head]
    assert all(head.count("i64 %a") <= 1 for head in heads)
    value, grad = g(0.1, 3.0)
    want, wanted = flow.value_and_grad(flow.compile(saving, target="python"))(0.1, 3.0)
    assert_allclose(value, want, 1e-12)
    assert_allclose(grad, wanted, 1e-11)


def branching(x, n):
    """Stretches within branches within branches; values and arrays leave both."""
    y, s = x * 2.0, 0.0
    if n > 0:
        a = x @ x.T
        b = a @ x
        if n > 1:
            c = b @ x.T
            y = c @ x + b
            s = s + np.sum(c) * y[0, 0]
            s = s + np.sum(a @ c)
        else:
            y = b
            s = s * np.sum(np.linalg.inv(a + n * np.eye(len(a))))
        s = s + np.sum(y * b)
    z = y[::-1].T
    return np.sum(np.tanh(z)) + s + np.sum(y @ z)


@pytest.mark.parametrize(("long", "way"), share([*product([1, 2, 5], ["", "guarded"])]))
def test_branches(way, long, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    monkeypatch.setattr(state, "LONG", long)
    x = np.linspace(-0.4, 0.9, 9).reshape(3, 3)
    g = flow.value_and_grad(branching)
    for n in (0, 1, 2):
        value, grad = g(x, n)
        want, wanted = flow.value_and_grad(flow.compile(branching, target="python"))(x, n)
        assert_allclose(value, want, 1e-12)
        assert_allclose(grad, wanted, 1e-11)


def raising(x, n):
    y = x * 2.0
    y = y @ y
    if np.sum(y) > n:
        raise ValueError(f"too large: {np.sum(y)}")
    return np.sum(y @ x)


def test_an_error_has_its_line_and_its_values():
    g, x = flow.value_and_grad(raising), np.eye(2)
    assert stretches_of(emitted(g, x, 100.0))
    with pytest.raises(ValueError, match=r"too large: 8\.0"):
        g(x, 1.0)


def relaxed(v, x, most):
    """A helper of a loop that is long, with one inside that saves as often as it has to."""
    for i in range(len(x)):
        w = v * x[i]
        if w > 0.3:
            v = v + np.sin(w) * 0.1
        while w < most:
            w = w * 1.5 + x[i] * v
        v = v * 0.9 + np.log(w) * 0.1
        x[i] = v * 0.5 + x[i]
    return v


def relaxed_in_a_loop(x, n, most):
    x = x * 1.0
    v = 0.5
    for _ in range(n):
        v = relaxed(v, x, most)
        if v > 0.2:
            v = relaxed(v * 0.5, x, most) + relaxed(v, x, most)
        v = relaxed(v, x, most)
    return v + np.sum(x)


@pytest.mark.parametrize(("heavy", "way"), share([*product([3, 8, 20], ["", "guarded"])]))
def test_loops_within_loops(way, heavy, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    monkeypatch.setattr(state, "HEAVY", heavy)
    x = np.array([0.3, 0.7, 0.2])
    g = flow.value_and_grad(relaxed_in_a_loop)
    text = emitted(g, x, 3, 2.0)
    assert len(calls_in(text)) > len(stretches_of(text))
    for n, most in ((3, 2.0), (0, 2.0), (5, 40.0)):
        value, grad = g(x, n, most)
        want, wanted = flow.value_and_grad(flow.compile(relaxed_in_a_loop, target="python"))(
            x, n, most
        )
        assert_allclose(value, want, 1e-12)
        assert_allclose(grad, wanted, 1e-11)


def settling(x, n, most):
    """Branches within branches of a loop: arrays and tapes on both sides, and a failure."""
    s, k, y = 0.2, 0, x * 1.0
    while k < n:
        if s > 0.5:
            z = y @ x
            if np.sum(z) > most:
                raise ValueError(f"too large: {np.sum(z)}")
            w = np.sin(s) * s + np.exp(-s) / (1.0 + s * s)
            if k % 2 == 0:
                w = w * np.log(1.0 + s) + np.sum(z * y)
            s = 0.3 * s + 0.1 * w
            y = z * 0.5 + np.linalg.inv(z + 3.0 * np.eye(len(x))) * s
        else:
            w = s * (0.2 + s * (0.1 + s * (0.3 + s * 0.4))) + np.cos(s)
            s = s + 0.2 * w + 0.1 * np.sum(y)
        k = k + 1
    return s + np.sum(y)


@pytest.mark.parametrize(("bulky", "way"), share([*product([3, 8, 14], ["", "guarded"])]))
def test_branches_within_loops(way, bulky, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    monkeypatch.setattr(state, "HEAVY", 10**6)
    x = np.array([[0.3, 0.2], [-0.1, 0.5]])
    g = flow.value_and_grad(settling)
    monkeypatch.setattr(state, "BULKY", 10**6)
    before = calls_in(emitted(g, x, 3, 9.0))
    monkeypatch.setattr(state, "BULKY", bulky)
    assert len(calls_in(emitted(flow.value_and_grad(settling), x, 3, 9.0))) > len(before)
    g = flow.value_and_grad(settling)
    for n in (0, 1, 6):
        value, grad = g(x, n, 9.0)
        want, wanted = flow.value_and_grad(flow.compile(settling, target="python"))(x, n, 9.0)
        assert_allclose(value, want, 1e-12)
        assert_allclose(grad, wanted, 1e-11)
    with pytest.raises(ValueError, match="too large"):
        g(x, 6, 0.01)


def refusing(x, n):
    """A loop within a loop that fails in some trip, while arrays are owned on both sides."""
    s = 0.0
    for k in range(n):
        y = x @ x + k
        for i in range(len(x)):
            z = np.linalg.solve(y + i * np.eye(len(x)), x)
            s = s + np.sum(z @ y)
            if s > 50.0:
                raise ValueError(f"too large: {s}")
        s = s + np.sum(y)
    return s


@pytest.mark.parametrize("way", ["", "guarded"])
def test_a_loop_within_a_loop_fails(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    g, x = flow.value_and_grad(refusing), np.eye(2) * 0.7
    assert stretches_of(emitted(g, x, 2))
    value, grad = g(x, 2)
    want, wanted = flow.value_and_grad(flow.compile(refusing, target="python"))(x, 2)
    assert_allclose(value, want, 1e-12)
    assert_allclose(grad, wanted, 1e-11)
    with pytest.raises(ValueError, match="too large"):
        g(x, 9)
    with pytest.raises(np.linalg.LinAlgError):
        g(x * 0.0, 2)
    assert g(x, 2)[0] == value


def test_no_buffer_is_left_by_a_loop_within_a_loop():
    x = np.eye(2) * 0.7
    _nrt_python.memsys_enable_stats()
    made = [(flow.value_and_grad(refusing), (x, 2), (x, 9))]
    assert left(made, 10) == left(made, 200)
