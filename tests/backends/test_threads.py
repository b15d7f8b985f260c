"""Chunks on threads: the same bits whatever their number, and the error of the first trip."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import srcgrad as flow
from srcgrad.backends.cpu import threads
from srcgrad.errors import ArgumentTypeError
from srcgrad.passes import loops_in_chunks
from tests.cases import Case, sample
from tests.checks.comparing import close
from tests.tools.turns import share


@pytest.fixture(autouse=True)
def little_is_enough(monkeypatch):
    monkeypatch.setattr(loops_in_chunks, "ENOUGH", 1)


def total(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        h = 0.0
        for k in range(x.shape[1]):
            h += w[k] * x[i, k]
        s += np.tanh(h)
    return s


def chain(x, w):
    return np.sum(np.sin(x) * np.exp(-x)) + np.sum(w)


def products(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.tanh(np.outer(w, w) @ x[i]) @ w
    return s


def steps(x, w):
    u = x.copy()
    for _ in range(3):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u * w)


def neighbours(x, w):
    y = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        for k in range(x.shape[1]):
            y[i, k] = w[k] * (x[i + 1, k] - x[i, k] * x[i - 1, k])
    return np.sum(y * y)


def gathered(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i, 0] * w[(i * i) % w.shape[0]]
    return s


PROGRAMS = (total, chain, products, steps, neighbours, gathered)


def arguments(rows=500):
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 6)), rng.normal(size=6)


def bits(value):
    return [np.asarray(v).tobytes() for v in (value[0], *value[1])]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_the_bits_do_not_depend_on_the_number_of_threads(fn):
    want = flow.value_and_grad(fn, (0, 1))(*arguments())
    run = flow.value_and_grad(fn, (0, 1), parallel=True)
    assert "@spread(ptr @chunk" in run.source("llvm") if run(*arguments()) else False
    found = []
    for count in (1, 2, 3, 3, 70):
        with threads.at_most(count):
            found.append(run(*arguments()))
    close(found[0][0], want[0], 1e-12, "value")
    close(found[0][1], want[1], 1e-12, "gradient")
    assert all(bits(f) == bits(found[0]) for f in found)


@pytest.mark.parametrize("case", share(sample(40)), ids=lambda c: c.id)
def test_cases(case: Case):
    def ask(**options):
        case.reset()
        f = flow.compile(case.fn, **options)
        return flow.value_and_grad(f, grad_position=case.position)(*case.arguments())

    with threads.at_most(3):
        found = ask(parallel=True)
    close(found, ask(), 1e-11, "gradient")


def up_to(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * x[i]
    return s


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, int])
def test_narrow_bounds_do_not_wrap(kind):
    x = np.linspace(0.1, 1.0, 200)
    with threads.at_most(2):
        found = flow.value_and_grad(up_to, parallel=True)(x, kind(100))
    close(found, flow.value_and_grad(up_to)(x, 100), 1e-12, "gradient")


# ---- errors ----
def looked_up(x, places):
    out = np.zeros(len(places))
    for i in range(len(places)):
        out[i] = x[places[i]]
    return out


def test_the_first_trip_that_fails_raises():
    f = flow.compile(looked_up, parallel=True)
    places = np.zeros(1000, np.int64)
    for count in (1, 2, 3):
        with threads.at_most(count):
            assert f(np.ones(3), places).shape == (1000,)
            for _ in range(20):
                bad = places.copy()
                bad[[999, 640, 641, 333, 334]] = 40, 50, 60, 70, 80
                with pytest.raises(IndexError, match="index 70 is out of bounds for axis 0 with"):
                    f(np.ones(3), bad)


# ---- callers ----
def test_callers_on_several_threads():
    f = flow.grad(flow.compile(total, parallel=True), (0, 1))
    want = f(*arguments())
    with threads.at_most(3), ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: f(*arguments()), range(40)):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(got, want, strict=True))
        assert threads._idle.value == 2  # all were given back


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_threads_of_its_own():
    f = flow.compile(total, parallel=True)
    want = f(*arguments())
    child = os.fork()
    if not child:
        os._exit(int(f(*arguments()) != want))
    assert os.waitpid(child, 0)[1] == 0


def test_no_buffer_is_left():
    _nrt_python.memsys_enable_stats()
    f = flow.value_and_grad(flow.compile(products, parallel=True), (0, 1))
    with threads.at_most(3):
        f(*arguments())
        before = rtsys.get_allocation_stats()
        for _ in range(20):
            f(*arguments())
        now = rtsys.get_allocation_stats()
    assert now.mi_alloc - before.mi_alloc == now.mi_free - before.mi_free > 0


def test_guarded(monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    for fn in PROGRAMS:
        with threads.at_most(2):
            got = flow.value_and_grad(flow.compile(fn, parallel=True), (0, 1))(*arguments())
        close(got[0], fn(*arguments()), 1e-12, "value")


# ---- settings ----
COUNT = """
import numpy as np, srcgrad as flow
from srcgrad.backends.cpu import threads
def f(x): return np.sum(np.sin(x))
flow.compile(f, parallel=True, source="def f(x): return np.sum(np.sin(x))")(np.ones(10))
print(threads._idle.value + 1)
"""


@pytest.mark.parametrize("count", ["1", "5"])
def test_numba_num_threads(count):
    env = {**os.environ, "NUMBA_NUM_THREADS": count}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, text=True, check=True, env=env
    )
    assert done.stdout.strip() == count


def test_transforms_keep_the_setting():
    f = flow.compile(total, parallel=True)
    for g in (f, flow.grad(f), flow.value_and_grad(f, (0, 1)), flow.grad(total, parallel=True)):
        assert g.options.parallel
    assert not flow.grad(f, parallel=False).options.parallel
    assert not flow.compile(total).options.parallel


@pytest.mark.parametrize("make", [flow.compile, flow.grad, flow.value_and_grad])
def test_a_number_of_threads_is_refused(make):
    with pytest.raises(ArgumentTypeError, match="parallel must be True or False, not 4"):
        make(total, parallel=4)


def test_without_it_no_thread_is_named():
    f = flow.compile(total)
    f(*arguments())
    assert "spread" not in f.source("llvm")


def test_little_starts_nothing(monkeypatch):
    monkeypatch.setattr(loops_in_chunks, "ENOUGH", 100_000)
    f = flow.compile(total, parallel=True)
    with threads.at_most(1 << 40):  # a thread for each would not go unnoticed
        f(*arguments(5))
