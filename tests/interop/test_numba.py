"""Compiled functions and gradients called from code that Numba compiles."""

import threading

import numpy as np
import pytest
from numba import cfunc, njit
from numba.core.errors import TypingError
from numba.core.runtime import _nrt_python, rtsys
from scipy import LowLevelCallable, integrate

import srcgrad as flow
from srcgrad.interop.of_numba import register

register()  # as Numba does where the package is installed


def loss(x, k):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) * k
    return s


gradient = flow.value_and_grad(loss, (0, 1))
slope = flow.grad(lambda v: v**3 * np.exp(v))


def test_arrays_and_numbers():
    @njit
    def run(x):
        value, (by_x, by_k) = gradient(x, 2.0)
        return value, by_x + 1.0, by_k

    x = np.linspace(0.0, 1.0, 5)
    want = gradient(x, 2.0)
    value, by_x, by_k = run(x)
    assert value == want[0] and by_k == want[1][1]
    np.testing.assert_array_equal(by_x, want[1][0] + 1.0)


def test_layouts_and_dtypes():
    f = flow.grad(lambda x: np.sum(x[:, 0] ** 2 * x[:, 1]))

    @njit
    def run(x):
        return f(x)

    x = np.arange(24.0).reshape(4, 6)
    for part in (x, x[::2, ::3], x.T, np.asfortranarray(x)):
        np.testing.assert_array_equal(run(part), f(part))
    single = run(x.astype(np.float32))
    assert single.dtype == np.float32


def test_complex_and_tuples():
    f = flow.compile(lambda p, z: (p[0] * z, z.imag > 0.0, p[1]))

    @njit
    def run(a, k, z):
        return f((a, k), z)

    assert run(2.0, 3, 1.0 + 2.0j) == (2.0 + 4.0j, True, 3)


def test_a_loop_of_calls_keeps_no_memory():
    @njit
    def run(x, n):
        s = 0.0
        for _ in range(n):
            _, (by_x, _) = gradient(x, 2.0)
            s += by_x[0]
        return s

    x = np.ones(1000)
    run(x, 1)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    run(x, 500)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    made, freed = after.alloc - before.alloc, after.free - before.free
    assert made == freed and made >= 500


WEIGHTS = np.array([1.0, 2.0, 3.0])


def test_captured_values_are_constants():
    f = flow.grad(lambda x: np.sum(WEIGHTS * x**2))

    @njit
    def run(x):
        return f(x)

    np.testing.assert_array_equal(run(np.ones(3)), [2.0, 4.0, 6.0])


def test_as_a_callable_of_scipy():
    @cfunc("float64(float64)")
    def integrand(v):
        return slope(v)

    found, _ = integrate.quad(LowLevelCallable(integrand.ctypes), 0.0, 1.0)
    assert found == pytest.approx(np.e, rel=1e-12)


def test_threads_without_the_gil():
    @njit(nogil=True)
    def run(out, k):
        for i in range(len(out)):
            out[i] = slope(i * 1e-3 + k)

    outs = [np.zeros(2000) for _ in range(4)]
    threads = [threading.Thread(target=run, args=(out, float(k))) for k, out in enumerate(outs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, out in enumerate(outs):
        assert out[7] == slope(7e-3 + k)


def test_failures_raise():
    @njit
    def run(x):
        return at(x, 7)

    def at_place(x, k):
        return x[k] ** 2

    at = flow.compile(at_place)
    with pytest.raises(RuntimeError, match=r"at_place\(\) has failed: called from Python"):
        run(np.ones(3))


@pytest.mark.parametrize(
    ("fn", "args", "said"),
    [
        (lambda x: {"a": x}, (1.0,), "returns what Numba has no type for"),
        (lambda x: np.spam(x), (1.0,), "has no attribute 'spam'"),
        (
            lambda x, k: np.sum(x, axis=k),
            (np.ones((2, 2)), 0),
            "specialised on the value of 'k'",
        ),
    ],
)
def test_what_is_refused(fn, args, said):
    f = flow.compile(fn)

    @njit
    def run(*args):
        return f(*args)

    with pytest.raises(TypingError, match=said):
        run(*args)


def test_nothing_is_cached_with_an_address(tmp_path, monkeypatch):
    @njit
    def run(v):
        return slope(v)

    run(1.0)
    (made,) = run.overloads.values()
    assert made.library.has_dynamic_globals


def test_the_machine_code_can_be_read():
    text = slope.source("asm", 1.0)
    assert "ret" in text and "srcgrad_" in text
