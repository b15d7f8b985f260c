"""The simulated device: barriers, shared memory, atomics; against numba-cuda's own simulator."""

import numpy as np
import pytest

from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.simulator import Simulator

ORDERS = ("forward", "backward", 0, 1)

SQUARES = """
def block_add(v):
    s = cuda.shared.array(8, np.float64)
    t = cuda.threadIdx.x
    s[t] = v
    cuda.syncthreads()
    h = 4
    while h > 0:
        if t < h:
            s[t] = s[t] + s[t + h]
        cuda.syncthreads()
        h = h // 2
    out = s[0]
    cuda.syncthreads()
    return out


def squares(x, total):
    i = cuda.grid(1)
    a = 0.0
    while i < x.size:
        a += x[i] * x[i]
        i += cuda.gridsize(1)
    a = block_add(a)
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(total, 0, a)
"""


def run(name, source, blocks, threads, args, order="forward"):
    Simulator(order).load([KernelText(name, source, ())])[name](blocks, threads, args)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [0, 1, 31, 100])
def test_a_block_reduction(order, size):
    x, total = np.arange(float(size)), np.zeros(1)
    run("squares", SQUARES, 3, 8, [x, total], order)
    assert total[0] == np.sum(x * x)


def test_numba_cudas_simulator_agrees():
    from numba import cuda
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray
    from numba.cuda.simulator.kernel import FakeCUDAKernel

    scope = {"np": np, "cuda": cuda}
    exec(SQUARES, scope)
    x, total = np.arange(100.0), np.zeros(1)
    FakeCUDAKernel(scope["squares"], False)[3, 8](FakeCUDAArray(x), FakeCUDAArray(total))
    assert total[0] == np.sum(x * x)


def test_a_missing_barrier_shows_in_some_order():
    source = SQUARES.replace("        cuda.syncthreads()\n        h = h", "        h = h")
    x, results = np.arange(100.0), set()
    for order in ORDERS:
        total = np.zeros(1)
        run("squares", source, 3, 8, [x, total], order)
        results.add(float(total[0]))
    assert len(results) > 1 or np.isnan(results.pop())


def test_a_barrier_that_some_threads_skip():
    source = """
def k(x):
    if cuda.threadIdx.x > 0:
        cuda.syncthreads()
    x[cuda.threadIdx.x] = 1.0
"""
    with pytest.raises(RuntimeError, match="3 of 4 threads are at a barrier"):
        run("k", source, 1, 4, [np.zeros(4)])


def test_barriers_of_different_lines():
    source = """
def k(x):
    if cuda.threadIdx.x > 0:
        cuda.syncthreads()
    else:
        cuda.syncthreads()
"""
    with pytest.raises(RuntimeError, match="4 of 4 threads are at a barrier"):
        run("k", source, 1, 4, [np.zeros(4)])


def test_votes_at_a_barrier():
    source = """
def k(x, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.syncthreads_or(x[t] > 2)
    out[1, t] = cuda.syncthreads_and(x[t] > 2)
    out[2, t] = cuda.syncthreads_count(x[t] > 2)
"""
    out = np.zeros((3, 4))
    run("k", source, 1, 4, [np.arange(4), out])
    assert out.tolist() == [[1] * 4, [0] * 4, [1] * 4]


def test_a_grid_of_two_axes():
    source = """
def k(x):
    i, j = cuda.grid(2)
    if i < x.shape[1] and j < x.shape[0]:
        x[j, i] = 10 * cuda.blockIdx.y + cuda.threadIdx.x
"""
    x = np.full((2, 3), -1)
    run("k", source, (2, 2), (2, 1), [x])
    assert x.tolist() == [[0, 1, 0], [10, 11, 10]]


def test_shared_memory_that_nobody_wrote_is_no_number():
    source = """
def k(x):
    s = cuda.shared.array(4, np.float64)
    x[0] = s[0]
"""
    x = np.zeros(1)
    run("k", source, 1, 1, [x])
    assert np.isnan(x[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mathematics_is_of_the_operand_and_raises_nothing(dtype):
    source = """
def k(x, y):
    y[0], y[1], y[2] = math.log(x[0]), math.exp(x[1]), math.asin(x[1])
    y[3], y[4] = libdevice.floor(x[2]), math.erf(x[2])
    y[5] = math.floor(x[2])
"""
    x, y = np.array([0, 1e30, -1.5], dtype), np.zeros(6, object)
    run("k", source, 1, 1, [x, y])
    assert [type(v) for v in y[:5]] == [dtype] * 5
    assert y[0] == -np.inf and y[1] == np.inf and np.isnan(y[2]) and y[3] == -2
    assert type(y[5]) is int


def test_floats_are_those_of_the_compiler():
    source = """
def k(x, y):
    y[0], y[1] = 1.0 / x[0], x[1] * 2.0
    y[2] = float(x[1]) / 0.0
    y[3] = 1.0 / (1.0 - int(x[1]))
"""
    x, y = np.array([0, 1], np.float32), np.zeros(4, object)
    run("k", source, 1, 1, [x, y])
    assert y.tolist() == [np.inf, 2, np.inf, np.inf]
    assert {type(v) for v in y} == {np.float64}
