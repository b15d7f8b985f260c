"""Compiled loops look for signals: they leave with what the handler raises, and leave nothing else.

Looks are counted, not timed: where the flag is always set each of them asks Python, and the n-th
of those sends the signal.
"""

import os
import signal
import threading

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import interrupts
from srcgrad.backends.cpu import polling
from srcgrad.backends.cpu.threads import at_most
from tests.test_interrupts import Points

pytestmark = pytest.mark.usefixtures("interruptible")


def numbers(x, n):
    for k in range(n):
        x = x + 1.0 / (x * x + k)
    return x


def until(x, n):
    k = 0
    while k < n:
        x = 0.5 * x + 1.0 / (1.0 + x * x)
        k += 1
    return x


def steps(x, n):
    for k in range(n):
        x = np.tanh(x * 0.5 + k % 3)
    return np.sum(x)


def kept(x, n):
    rows = []
    for k in range(n):
        rows.append(x * k)
        if k > 10:
            x = x + rows[k - 10] * 1e-9
    return np.sum(x)


def returned(x, n):
    y = np.zeros(n)
    for k in range(n):
        y[k % 3] = np.sum(x) * k
    return y, x * 2.0


def pairs(x, n):
    s = 0.0
    for k in range(n):
        for i in range(len(x)):
            for j in range(len(x)):
                s += x[i] * x[j] / (1.0 + k)
    return s


def long_vectors(x, n):
    y = np.arange(n) * x[0]
    return np.sum(np.sin(y) * np.exp(-y * y))


def products(x, n):
    w = np.outer(x, x)
    for _ in range(n):
        x = w @ x * 0.1 + np.linalg.solve(w + np.eye(len(x)), x)
    return np.sum(x)


def spectra(x, n):
    for _ in range(n):
        x = np.real(np.fft.ifft(np.fft.fft(x) * 0.5)) + 0.1
    return np.sum(x)


def straight(x, n):
    a = np.eye(n) + 0.1
    for _ in range(4):
        y = np.linalg.solve(a, np.ones(n))
        y = np.sum(a @ a @ np.linalg.solve(a, y * x[0]))
    return y


def sometimes(x, n):
    s = 0.0
    for k in range(n):
        if k < len(x):
            s += x[k] * x[k]
    return s


X = np.linspace(0.1, 0.9, 6)
# a program, its argument, trips in which it looks a few times, trips that plain Python runs too
PROGRAMS = {
    "numbers": (numbers, 0.7, 400_000, 50),
    "until": (until, 0.7, 1000, 50),
    "steps": (steps, X, 300, 20),
    "kept": (kept, X, 300, 20),
    "returned": (returned, X, 300_000, 20),
    "pairs": (pairs, X, 100, 5),
    "sometimes": (sometimes, X, 300_000, 20),
    "long_vectors": (long_vectors, X, 300_000, 20),
    "products": (products, X, 200, 5),
    "spectra": (spectra, X, 40, 5),
    "straight": (straight, X, 150, 5),
}


@pytest.fixture
def looking():
    """Each look asks Python; the result interrupts a call at one of them."""
    polling._always.value = polling._flag.value = 1

    def call(f, x, n, at):
        points = interrupts.answer = Points(at)
        try:
            f(x, n)
        except KeyboardInterrupt:
            assert at <= points.count <= at + 1  # the end of a block that is held is a point
        else:
            assert at == 0
        finally:
            interrupts.answer = points.answer
        return points.count

    yield call
    polling._always.value = 0


def memory():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_running_loop_leaves_and_gives_up_what_it_owns(name, looking):
    f, x, many, few = PROGRAMS[name]
    compiled = flow.compile(f)
    before = np.copy(x)
    wanted = f(x, few)
    compiled(x, few)
    total = looking(compiled, x, many, 0)
    assert total >= 3, total
    there = memory()
    for at in {1, total // 2, total}:
        looking(compiled, x, many, at)
    assert memory() == there
    assert np.array_equal(before, x)
    for a, b in zip(_parts(wanted), _parts(compiled(x, few)), strict=True):
        assert np.allclose(a, b)


SWEPT = ["numbers", "steps", "kept", "long_vectors", "products", "spectra", "straight"]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("name", SWEPT)
def test_sweeps_of_a_gradient_leave_too(name, parallel, looking):
    f, x, many, few = PROGRAMS[name]
    g = flow.grad(f, parallel=parallel)
    wanted = g(x, few)
    with at_most(1):  # which thread takes a chunk is no matter of luck then
        total = looking(g, x, many, 0)
        assert total >= 3, total
        there = memory()
        for at in {2, total // 2, total - 1}:
            looking(g, x, many, at)
        assert memory() == there
    assert np.array_equal(wanted, g(x, few))


def _parts(out):
    return out if isinstance(out, tuple) else (out,)


def stored(x, n):
    for k in range(n):
        x[k % 6] = x[k % 6] * 0.999 + np.sum(x) * 1e-3


def test_what_was_stored_to_an_argument_is_there(looking):
    f = flow.compile(stored)
    x = X.copy()
    f(x.copy(), 3)
    assert looking(f, x.copy(), 20_000, 0) >= 3
    looking(f, x, 20_000, 2)
    assert not np.array_equal(x, X)
    done = X.copy()
    f(done, 20_000)
    assert not np.array_equal(x, done)


def rows(x, n):
    out = np.zeros(len(x))
    for i in range(len(x)):
        y = x[i]
        for k in range(n):
            y = y + 1.0 / (y * y + k)
        out[i] = y
    return np.sum(out)


def test_threads_of_a_loop_leave_with_the_one_that_handles_signals(looking):
    x, f = np.linspace(0.1, 0.9, 256), flow.compile(rows, parallel=True)
    with at_most(4):
        wanted = f(x, 10)
        # chunks that the main thread does not run have looks of their own: not all are counted
        points = interrupts.answer = Points(1)
        try:
            with pytest.raises(KeyboardInterrupt):
                f(x, 200_000)
        finally:
            interrupts.answer = points.answer
        assert f(x, 10) == wanted


def test_a_call_in_another_thread_is_not_interrupted(looking):
    f, out = flow.compile(numbers), []
    wanted = f(0.7, 300_000)
    points = interrupts.answer = Points(1)
    try:
        thread = threading.Thread(target=lambda: out.append(f(0.7, 300_000)))
        thread.start()
        thread.join()
    finally:
        interrupts.answer = points.answer
    assert points.count == 0 and out == [wanted]


def test_a_handler_that_does_not_raise_changes_nothing(looking):
    f, seen = flow.compile(numbers), []
    wanted = f(0.7, 400_000)
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(f(0.7, 10)))
    points = interrupts.answer = Points(2)
    try:
        assert f(0.7, 400_000) == wanted
    finally:
        interrupts.answer = points.answer
        signal.signal(signal.SIGINT, before)
    assert seen == [f(0.7, 10)]


def test_a_signal_that_is_ignored_changes_nothing(looking):
    f = flow.compile(numbers)
    wanted = f(0.7, 400_000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    points = interrupts.answer = Points(2)
    try:
        assert f(0.7, 400_000) == wanted
    finally:
        interrupts.answer = points.answer
    assert points.count >= 3


# ---- Python that runs within, and around ----
def test_a_function_of_the_users_is_interrupted_at_once():
    called = []

    def outside(v):
        called.append(v)
        if len(called) == 3:
            signal.raise_signal(signal.SIGINT)
            called.append("never")
        return v * 0.5

    halved = flow.opaque(outside, lambda v: v)

    @flow.compile
    def f(x, n):
        for _ in range(n):
            x = halved(x) + 1.0
        return np.sum(x)

    with pytest.raises(KeyboardInterrupt):
        f(X, 10)
    assert len(called) == 3
    assert np.isclose(f(X, 10), np.sum(X) / 2**10 + 6 * (2 - 2**-9))


def printed(x, n):
    for k in range(n):
        print(k)
        x = x * 0.5
    return x


def test_an_interrupt_while_a_line_is_printed(monkeypatch):
    """Numba's code around the call stands no exception: it waits for the next look."""
    f, lines = flow.compile(printed), []

    class Stream:
        def write(self, text):
            lines.append(text)
            if len(lines) == 5:
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("sys.stdout", Stream())
    with pytest.raises(KeyboardInterrupt):
        f(X, 20)
    lines += ["done"] * 5
    assert np.array_equal(f(X, 2), X * 0.25)


def sorted_pair(x):
    y = np.sort(x)
    return y, y[::-1] * 2.0


def test_a_signal_during_the_last_step_is_no_error_of_the_system():
    """Nobody looks after a sort: arrays are boxed with the signal pending."""
    f, x = flow.compile(sorted_pair), np.sin(np.arange(200_000.0))
    wanted = f(x)[0]
    for k in range(6):
        thread = threading.Timer(k / 200, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            while True:
                f(x)
        thread.join()
    assert np.array_equal(f(x)[0], wanted)
