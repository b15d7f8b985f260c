"""Calls with arrays of other libraries that lie on a GPU: results are of their kind.

The library here keeps its memory on the host, and the simulator takes it as it is.
"""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.backends.gpu_arrays import layout_of, made_like
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError


class Elsewhere:
    """An array of a library for GPUs."""

    def __init__(self, a):
        self.a, self.shape = a, a.shape

    @property
    def __cuda_array_interface__(self):
        return {**self.a.__array_interface__, "version": 3}

    def __array_namespace__(self):
        return SimpleNamespace(from_dlpack=Elsewhere)


@pytest.fixture(autouse=True)
def simulated():
    with using(Simulator()):
        yield


@flow.compile(target="cuda")
def energy(x, w):
    return np.sum(np.sin(x) * w)


@flow.compile(target="cuda")
def doubled(x):
    x *= 2.0
    return x + 1.0


X, W = np.linspace(0, 1, 5), np.arange(5.0)


def test_results_are_of_the_arguments_kind():
    value, gradient = flow.value_and_grad(energy)(Elsewhere(X), Elsewhere(W))
    assert type(value) is float or isinstance(value, np.float64)
    assert type(gradient) is Elsewhere
    np.testing.assert_allclose(gradient.a, np.cos(X) * W, rtol=1e-14)


def test_beside_numpys_arrays():
    gradient = flow.grad(energy, 1)(Elsewhere(X), W)
    assert type(gradient) is Elsewhere
    gradient = flow.grad(energy, 1)(X, W)
    assert type(gradient) is np.ndarray


def test_what_is_compiled_serves_both():
    f = flow.grad(energy)
    f(X, W)
    f(Elsewhere(X), Elsewhere(W))
    f(Elsewhere(X), Elsewhere(W))
    assert len({id(e) for entries in f._entries.values() for e in entries}) == 1


def test_a_store_reaches_the_callers_memory():
    x = Elsewhere(X.copy())
    out = doubled(x)
    np.testing.assert_array_equal(x.a, 2 * X)
    np.testing.assert_array_equal(out.a, 2 * X + 1)
    y = X.copy()
    np.testing.assert_array_equal(doubled(y), 2 * X + 1)
    np.testing.assert_array_equal(y, 2 * X)


def test_strided_arrays():
    x = np.arange(10.0)
    gradient = flow.grad(energy)(Elsewhere(x[::2]), Elsewhere(W))
    np.testing.assert_allclose(gradient.a, np.cos(x[::2]) * W, rtol=1e-14)


def test_arrays_that_share_memory_which_is_stored_to():
    @flow.compile(target="cuda")
    def shifted(x, y):
        x[:] = 2.0 * y
        return np.sum(x * y)

    memory = np.arange(6.0)
    with pytest.raises(UnsupportedError, match="share memory that it stores to"):
        flow.grad(shifted)(Elsewhere(memory[:-1]), Elsewhere(memory[1:]))


@pytest.mark.parametrize("second", [slice(1, None, 2), slice(1, 4)], ids=["between", "over"])
def test_a_plain_call_with_arrays_that_share_memory(second):
    @flow.compile(target="cuda")
    def swap(x, y):
        for i in flow.prange(len(x)):
            t = x[i]
            x[i] = y[i]
            y[i] = t

    memory = np.arange(6.0)
    x, y = memory[:6:2], memory[second]
    with pytest.raises(UnsupportedError, match=r"may share memory that it stores to(.|\n)*copies"):
        swap(Elsewhere(x), Elsewhere(y))
    assert memory.tolist() == [0, 1, 2, 3, 4, 5]
    copy = Elsewhere(y.copy())
    swap(Elsewhere(x), copy)
    assert copy.a.tolist() == [0, 2, 4]


@pytest.mark.parametrize("target", ["cpu", "python"])
def test_other_targets_say_what_to_do(target):
    f = flow.grad(flow.compile(energy, target=target))
    f(X, W)  # what is compiled for NumPy's arrays is not handed one of a GPU
    with pytest.raises(ArgumentTypeError, match=r"'x' is on a GPU(.|\n)*choose target=\"cuda\""):
        f(Elsewhere(X), W)


def test_vjp():
    value, pull = flow.vjp(doubled_of, Elsewhere(X))
    assert type(value) is Elsewhere
    (gradient,) = pull(Elsewhere(W))
    np.testing.assert_allclose(gradient.a, 2 * X * W, rtol=1e-14)


@flow.compile(target="cuda")
def doubled_of(x):
    return x * x


def test_jvp():
    value, tangent = flow.jvp(doubled_of, (Elsewhere(X),), (Elsewhere(W),))
    assert type(value) is type(tangent) is Elsewhere
    np.testing.assert_allclose(tangent.a, 2 * X * W, rtol=1e-14)


def test_tangents_and_adjoints_of_other_shapes():
    with pytest.raises(ArgumentValueError, match=r"has the shape \(2,\), x has \(5,\)"):
        flow.jvp(doubled_of, (Elsewhere(X),), (Elsewhere(W[:2]),))
    _, pull = flow.vjp(doubled_of, Elsewhere(X))
    with pytest.raises(ArgumentValueError, match=r"has the shape \(2,\), its output has \(5,\)"):
        pull(Elsewhere(W[:2]))
    assert not pull(None)[0].a.any()


def test_containers():
    @flow.compile(target="cuda")
    def loss(p):
        return np.sum(p["w"] * p["w"]) + p["b"] * 3.0

    gradient = flow.grad(loss)({"w": Elsewhere(W), "b": 2.0})
    assert type(gradient["w"]) is Elsewhere and gradient["b"] == 3.0


# ---- layouts ----
LAYOUTS = [
    np.ones(3), np.ones((2, 3)), np.ones((2, 3)).T, np.ones(6)[::2], np.ones(6)[::-1],
    np.ones((3, 1))[:, ::-1], np.ones((0, 3))[:, ::2], np.broadcast_to(1.0, (2, 2)), np.ones(()),
]  # fmt: skip


@pytest.mark.parametrize("a", LAYOUTS, ids=lambda a: f"{a.shape}{a.strides}")
def test_layouts(a):
    like = layout_of(Elsewhere(a))
    assert like.contiguous == a.flags.c_contiguous
    stand_in = like.stand_in()
    assert (stand_in.shape, stand_in.dtype) == (a.shape, a.dtype)
    assert stand_in.flags.c_contiguous == a.flags.c_contiguous
    if a.size:
        assert like.extent == np.lib.array_utils.byte_bounds(a)


def test_a_library_without_exchange_gets_the_devices_arrays():
    x = np.ones(2)
    assert made_like(x, Fraction(1)) is x


def test_an_array_of_another_rank_is_another_kind():
    gradient = flow.grad(energy)
    gradient(Elsewhere(X), Elsewhere(W))
    two = np.ones((2, 5))
    assert gradient(Elsewhere(two), Elsewhere(W)).shape == (2, 5)


def checked_between(x, y, i):
    for k in flow.prange(len(x)):
        y[k] = x[k] * 2.0
    if i > 3:
        raise ValueError("too far")
    for k in flow.prange(len(x)):
        y[k] += 1.0
    return np.sum(y)


def read_between(x, y, i):
    for k in flow.prange(len(x)):
        y[k] = x[k] * 2.0
    a = x[i]
    for k in flow.prange(len(x)):
        y[k] += a
    return np.sum(y)


@pytest.mark.parametrize("fn", [checked_between, read_between])
def test_what_was_stored_before_an_error_stays_stored(fn):
    """A check between two loops of one range stays behind the stores of the first."""
    x, y = np.arange(1.0, 6.0), np.zeros(5)
    with pytest.raises((ValueError, IndexError)):
        flow.compile(fn, target="cuda")(Elsewhere(x), Elsewhere(y), 5)
    assert y.tolist() == [2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_tensor_that_does_not_tell_its_memory_is_refused():
    class Tensor(Elsewhere):
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("Can't get it on Variable that requires grad.")

    with pytest.raises(ArgumentTypeError, match=r"a Tensor does not tell[^$]*pass x.detach\(\)"):
        flow.grad(energy)(Tensor(X), W)
