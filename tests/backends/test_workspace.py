"""The memory a compiled function owns: reused, never shared by two calls, never handed out."""

import sys
import threading

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu import workspace
from srcgrad.backends.cpu.workspace import Workspaces


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


@pytest.fixture
def made(monkeypatch):
    """The workspaces of all functions built in the test."""
    out = []
    start = Workspaces.__init__

    def recorded(self, slots):
        start(self, slots)
        out.append(self)

    monkeypatch.setattr(Workspaces, "__init__", recorded)
    return out


def stencil(u, k):
    for _ in range(k):
        w = u.copy()
        u[1:-1] = 0.5 * (w[1:-1] * np.sin(w[:-2]) + w[2:])
    return np.sum(u * u)


def halvings(x):
    """A `while` of unknown length: its tapes grow."""
    total = 0.0
    for i in range(x.shape[0]):
        v = x[i]
        while abs(v) > 1.0:
            v = np.sin(v) * v * 0.5
        total += v * v
    return total


def picked(x, i):
    y = x * x
    z = y.copy()
    z[0] = 2.0 * z[1]
    return z[i] * np.sum(z)


def expected(fn, *args):
    return flow.value_and_grad(flow.compile(fn, target="python"))(*args)


def allocations(call):
    """How many buffers and references from outside compiled code has to manage in a call."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats().mi_alloc
    kept = call()
    return rtsys.get_allocation_stats().mi_alloc - before, kept


@pytest.mark.parametrize("fn, args", [(stencil, (np.linspace(0, 1, 500), 20)),
                                      (halvings, (np.linspace(0, 30, 50),))])  # fmt: skip
def test_after_the_first_call_only_results_are_allocated(fn, args):
    g = flow.value_and_grad(fn)
    first, _ = allocations(lambda: g(*args))
    again, (value, gradient) = allocations(lambda: g(*args))
    # the argument, the workspace and the gradient
    assert first > again == 3
    want = expected(fn, *args)
    assert np.allclose(value, want[0]) and np.allclose(gradient, want[1])


def test_results_keep_their_values(made):
    g = flow.value_and_grad(stencil)
    x, y = np.linspace(0, 1, 40), np.linspace(1, 2, 40)
    first = [g(x, 3)[1] for _ in range(3)]
    kept = [r.copy() for r in first]
    for _ in range(3):
        g(y, 5)
    assert all(np.array_equal(r, k) for r, k in zip(first, kept, strict=True))
    held = [w.words for s in made for w in s.free]
    assert held and not any(np.shares_memory(r, w) for r in first for w in held)


def test_lengths_that_change():
    g = flow.value_and_grad(stencil)
    for n, k in ((10, 2), (1000, 30), (3, 1), (1000, 30), (2000, 1)):
        x = np.linspace(0, 1, n)
        value, gradient = g(x, k)
        want = expected(stencil, x, k)
        assert np.allclose(value, want[0]) and np.allclose(gradient, want[1])


def test_a_tape_that_grew_starts_as_large(made):
    g = flow.value_and_grad(halvings)
    x = np.linspace(0, 30, 200)
    g(x)
    slots = [w.header[1] for s in made for w in s.free if len(w.header) > 1]
    assert max(slots) > 16


def test_exceptions_leave_the_workspace_usable(made):
    g = flow.value_and_grad(picked)
    x = np.linspace(1, 2, 30)
    want = expected(picked, x, 3)
    for _ in range(3):
        with pytest.raises(IndexError):
            g(x, 99)
        value, gradient = g(x, 3)
        assert np.allclose(value, want[0]) and np.allclose(gradient, want[1])
    assert all(len(s.free) <= 1 for s in made)


def test_threads_have_workspaces_of_their_own():
    g = flow.value_and_grad(stencil)
    inputs = [np.linspace(0, 1 + k, 300 + 7 * k) for k in range(4)]
    wants = [expected(stencil, x, 10) for x in inputs]
    wrong = []

    def work(k):
        for _ in range(60):
            value, gradient = g(inputs[k], 10)
            if not (np.allclose(value, wants[k][0]) and np.allclose(gradient, wants[k][1])):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def chatty(x):
    y = x.copy()
    y[0] = y[1] * 3.0
    print("half way")
    return np.sum(y * np.sin(y))


class Calling:
    """A stream that calls the function that writes to it."""

    def __init__(self, call):
        self.call, self.depth, self.results = call, 0, []

    def write(self, text):
        if self.depth < 2:
            self.depth += 1
            self.results.append(self.call())

    def flush(self):
        pass


def test_a_call_inside_a_call(monkeypatch):
    g = flow.value_and_grad(chatty)
    x, other = np.linspace(0, 1, 50), np.linspace(2, 3, 50)
    want = expected(chatty, x)
    inner = expected(chatty, other)
    g(x)
    stream = Calling(lambda: g(other))
    monkeypatch.setattr(sys, "stdout", stream)
    value, gradient = g(x)
    monkeypatch.undo()
    assert len(stream.results) == 2
    assert np.allclose(value, want[0]) and np.allclose(gradient, want[1])
    assert all(np.allclose(r[1], inner[1]) for r in stream.results)


def test_no_more_than_the_limit_is_kept(made, monkeypatch):
    monkeypatch.setattr(workspace, "KEPT", 1 << 14)
    g = flow.value_and_grad(stencil)
    x = np.linspace(0, 1, 2000)
    want = expected(stencil, x, 5)
    for _ in range(3):
        value, gradient = g(x, 5)
        assert np.allclose(value, want[0]) and np.allclose(gradient, want[1])
    assert all(8 * s._kept() <= 1 << 14 for s in made)


def test_stale_contents_are_never_read(made, monkeypatch):
    """All that a call reads in its workspace it has written before."""
    for fn, args in ((stencil, (np.linspace(0, 1, 50), 4)), (halvings, (np.linspace(0, 30, 20),)),
                     (picked, (np.linspace(1, 2, 30), 3))):  # fmt: skip
        g = flow.value_and_grad(fn)
        g(*args)
        want = g(*args)
        for s in made:
            for w in s.free:
                w.words[s.first :] = -1  # as floats: NaN
        got = g(*args)
        assert got[0] == want[0] and np.array_equal(got[1], want[1])


def squared(n, m, x):
    t = np.zeros((n, m))
    t[0, 0] = x
    return t[0, 0] * t[0, 0]


def test_a_size_that_overflows_is_not_carved():
    g = flow.value_and_grad(squared, 2)
    assert g(2, 3, 1.5) == (2.25, 3.0)
    with pytest.raises((MemoryError, ValueError)):
        g(2**32, 2**32, 1.5)  # 0 bytes, modulo 2**64
    assert g(2, 3, 1.5) == (2.25, 3.0)


def test_functions_that_need_none_have_none(made):
    flow.value_and_grad(lambda x: np.sum(x * np.sin(x)))(np.ones(5))
    assert not made


def test_carved_memory_starts_at_cache_lines():
    s = Workspaces(3)
    w = s._new(1000)
    assert w.words.ctypes.data % workspace.ALIGNMENT == 0
    assert s.first % (workspace.ALIGNMENT // workspace.WORD) == 0
