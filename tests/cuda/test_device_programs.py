"""The target cuda on the simulated device: right in every order of the threads, or refused."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda import shapes
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from tests.cuda.checks import ORDERS, Watched, named, near
from tests.cuda.device_programs import PROGRAMS, Program, chain
from tests.tools.turns import share


def cuda(fn, **options):
    return flow.value_and_grad(flow.compile(fn, target="cuda"), **options)


@pytest.mark.parametrize(("program", "order"), share([*product(PROGRAMS, ORDERS)]), ids=named)
def test_programs(program: Program, order):
    wrt = tuple(program.positions)
    want = flow.value_and_grad(flow.compile(program.fn), wrt)(*program.args)
    before = [np.array(a) for a in program.args]
    with using(Simulator(order)):
        got = flow.value_and_grad(program.fn, wrt, target="cuda")(*program.args)
    near(got, want)
    for a, b in zip(program.args, before, strict=True):
        assert np.array_equal(a, b)


# functions of CuPy that take arrays only, where NumPy's take numbers too
OF_ARRAYS = ["broadcast_to", "take", "argsort", "flatnonzero", "diagonal", "matmul", "ravel"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.fn.__name__)
def test_the_library_is_called_with_arrays(program: Program, monkeypatch):
    def strict(function):
        def call(x, *rest, **options):
            assert isinstance(x, np.ndarray), (function, x)
            return function(x, *rest, **options)

        return call

    gradient = flow.value_and_grad(program.fn, tuple(program.positions), target="cuda")
    gradient(*program.args)
    for name in OF_ARRAYS:
        monkeypatch.setattr(np, name, strict(getattr(np, name)))
    gradient(*program.args)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.fn.__name__)
def test_few_blocks_run_many_trips(program: Program, monkeypatch):
    wrt = tuple(program.positions)
    want = flow.value_and_grad(flow.compile(program.fn), wrt)(*program.args)
    monkeypatch.setattr(shapes, "BLOCKS", 1)
    near(flow.value_and_grad(program.fn, wrt, target="cuda")(*program.args), want)


def test_arrays_of_trips_have_a_bound(monkeypatch):
    def walks(x):
        s = 0.0
        for i in flow.prange(len(x)):
            seen = np.zeros(40)
            for k in range(1, 40):
                seen[k] = np.sin(seen[k - 1]) + x[i]
            s += seen[39] * seen[20]
        return s

    x = np.linspace(0.0, 0.1, 500)
    monkeypatch.setattr(shapes, "ROOM", 2 * shapes.THREADS * 40 * 8)
    with using(device := Watched()):
        near(flow.compile(walks, target="cuda")(x), walks(x))
    # the second puts the sum together
    assert [blocks for _, blocks, _ in device.launched] == [2, 1]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 1000])
def test_sizes(size):
    x = np.linspace(0.0, 1.0, size)
    near(cuda(chain)(x), flow.value_and_grad(flow.compile(chain))(x))


def test_sums_do_not_depend_on_the_order_of_threads():
    def cubes(x):
        return np.sum(x * x * x)

    x = np.random.default_rng(1).normal(size=1000)
    found = set()
    for order in ORDERS:
        with using(Simulator(order)):
            found.add(float(flow.compile(cubes, target="cuda")(x)))
    assert len(found) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_sums_have_their_dtype(dtype):
    x = np.arange(300).astype(dtype)
    got, want = (flow.compile(lambda x: np.sum(x), target=t)(x) for t in ("cuda", "cpu"))
    assert got == want and np.asarray(got).dtype == np.asarray(want).dtype


def test_an_argument_is_changed_in_place():
    def double(x):
        x *= 2.0

    x = np.arange(4.0)
    flow.compile(double, target="cuda")(x)
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_a_result_that_is_an_argument_is_that_argument():
    x = np.arange(4.0)
    assert flow.compile(lambda x: x, target="cuda")(x) is x


def test_results_share_what_they_share_in_any_order_of_the_axes():
    class AsCuPy(Simulator):
        def to_host(self, value):
            return np.array(value, order="C")  # as cupy.asnumpy does

    def parts(x):
        return x[1:], x[:, 1:], x

    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        with using(AsCuPy()):
            *got, same = flow.compile(parts, target="cuda")(a := x.transpose(axes))
        assert same is a and all(map(np.array_equal, got, parts(a)))
        assert np.shares_memory(*got)


def test_results_share_what_they_share():
    def f(n):
        m = np.arange(4.0 * n).reshape(n, 4)
        row = m[1, ::-1]
        return m[:, 1:3], row, row, m * 2.0

    parts, row, again, other = flow.compile(f, target="cuda")(3)
    want = f(3)
    for got, expected in zip((parts, row, again, other), want, strict=True):
        assert np.array_equal(got, expected)
    parts[1, 0] = 99.0
    assert row[2] == again[2] == 99.0
    assert not np.shares_memory(other, parts)


def test_one_result_twice_is_one_memory():
    def f(n):
        m = np.arange(4.0 * n).reshape(n, 4)
        return m[:, 1:3], m[:, 1:3]

    a, b = flow.compile(f, target="cuda")(3)
    assert np.shares_memory(a, b) and np.array_equal(a, b) and np.array_equal(a, f(3)[0])


def test_a_gradient_inside_a_loop():
    def powers(v):
        u, s = v * 1.0, 0.0
        for _ in range(3):
            u = np.sin(u) * u + 0.5
            s = s * 0.3 + np.sum(u)
        return s

    slope = flow.grad(powers)

    def squares(x):
        t = 0.0
        for i in range(x.shape[0]):
            t = t * 0.5 + np.sum(slope(x[i]) ** 2)
        return t

    x = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    near(flow.compile(squares, target="cuda")(x), flow.compile(squares)(x))


SECOND = [p for p in PROGRAMS if p.fn.__name__ in ("chain", "cross_entropy", "option", "bodies")]


@pytest.mark.parametrize("program", SECOND, ids=lambda p: p.fn.__name__)
def test_second_derivatives(program: Program):
    def hessian_product(target):
        grad = flow.grad(program.fn, target=target)
        return flow.grad(lambda *args: np.sum(grad(*args) ** 2), target=target)(*program.args)

    near(hessian_product("cuda"), hessian_product("cpu"))


def test_the_text_of_the_kernels():
    f = flow.grad(chain, target="cuda")
    f(np.ones(3))
    text = f.source("cuda")
    assert (
        "def chain_grad_0(start, trips1, x, x_bar):" in text
        and "    chain_grad_0(0, n, x, x_bar)" in text
    )


def test_nothing_is_loaded_before_it_is_needed():
    code = """
import sys, srcgrad
srcgrad.compile(lambda x: x, target="cuda")
print("srcgrad.backends.cuda" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
