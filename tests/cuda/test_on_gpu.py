"""The target on a GPU: kernels, arguments of other libraries, errors, and every case."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.gpu import current_gpu
from srcgrad.backends.cuda.machine import machine
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.errors import ArgumentTypeError, BoundsError, UnsupportedError
from srcgrad.ir.types import BOOL, FLOAT, INT, Scalar
from tests.cases import CASES, Case
from tests.checks.comparing import close
from tests.cuda.device_programs import PROGRAMS, Program, chain, histogram, newton
from tests.cuda.test_simulator import SQUARES
from tests.cuda.test_toolchain import contractible, vector
from tests.tools.modes import Modes
from tests.tools.structures import flatten

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("quiet")]

PRECISE, SINGLE = 1e-10, 1e-5


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def test_namespace():
    assert flow.cuda.is_available() and flow.cuda.device_count() >= 1
    assert flow.cuda.current_device() == 0 and flow.cuda.get_device_name()
    assert flow.cuda.get_device_capability() >= (7, 5)
    flow.cuda.synchronize()


# ---- kernels ----
def test_shared_memory_barriers_and_atomics(cupy):
    kernel = KernelText("squares", SQUARES, (vector("f64"), vector("f64")))
    x, total = cupy.arange(100.0), cupy.zeros(1)
    current_gpu().load([kernel])["squares"](3, 8, [x, total])
    assert float(total[0]) == float((x * x).sum())


def test_words_of_arguments(cupy):
    source = "def k(out, n, s, h, b, z):\n    out[0, 1] = n + s + h + b + z.real + z.imag\n"
    matrix = vector("f64", "S")
    matrix = type(matrix)("f64", (*matrix.dims, *matrix.dims), "S")
    parameters = (matrix, INT, FLOAT, Scalar("f32"), BOOL, Scalar("c128"))
    out = cupy.zeros((3, 2)).T
    args = [out, 2**40, 0.5, 0.25, True, 3 + 4j]
    current_gpu().load([KernelText("k", source, parameters)])["k"](1, 1, args)
    assert float(out[0, 1]) == 2**40 + 0.5 + 0.25 + 1 + 7


def test_products_and_sums_are_rounded_as_numpys(cupy):
    r = np.random.default_rng(0)
    x, y = r.random((2, 1000))
    out = cupy.zeros(1000)
    kernel = current_gpu().load([contractible("f64")])["k"]
    kernel(8, 128, [cupy.asarray(x), cupy.asarray(y), out, 0.1])
    np.testing.assert_array_equal(cupy.asnumpy(out), (x * x - y * y) + 0.1 * x)


def test_reshaped_arrays(cupy):
    text = "def k(x, n, m):\n    y = x[1 : 1 + n * m].reshape((n, m))\n    y[1, 2] = y[0, 1]\n"
    x = cupy.arange(10.0)
    current_gpu().load([KernelText("k", text, (vector("f64"), INT, INT))])["k"](1, 1, [x, 2, 3])
    assert cupy.asnumpy(x).tolist() == [0, 1, 2, 3, 4, 5, 2, 7, 8, 9]


def test_kernels_go_to_the_current_stream(cupy):
    gradient = flow.grad(chain, target="cuda")
    x = cupy.linspace(0, 1, 1000)
    want = gradient(x)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        got = gradient(x)
        stream.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(got), cupy.asnumpy(want))


@pytest.mark.parametrize("first", [True, False])
def test_threads_of_their_own(first, cupy):
    """A new thread has no context, whether or not the kernel was loaded before it."""
    gradient, x, found = flow.grad(chain, target="cuda"), cupy.linspace(0, 1, 1000), []
    if first:
        gradient(x)
    threads = [threading.Thread(target=lambda: found.append(gradient(x))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(bool((g == found[0]).all()) for g in found)


# ---- programs ----
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.fn.__name__)
def test_programs(program: Program, cupy):
    wrt = tuple(program.positions)
    want = flatten(flow.value_and_grad(flow.compile(program.fn), wrt)(*program.args))
    gradient = flow.value_and_grad(program.fn, wrt, target="cuda")
    got = flatten(gradient(*program.args))
    scale = np.max(np.abs(want), initial=1.0)
    assert np.max(np.abs(got - want), initial=0.0) <= PRECISE * scale
    there = [cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in program.args]
    value, grads = gradient(*there)
    arrays = [cupy.asnumpy(g) if isinstance(g, cupy.ndarray) else g for g in grads]
    assert np.max(np.abs(flatten((value, arrays)) - want), initial=0.0) <= PRECISE * scale


# newton() ends in double precision only
SINGLES = [p for p in PROGRAMS if p.fn is not newton]


@pytest.mark.parametrize("program", SINGLES, ids=lambda p: p.fn.__name__)
def test_programs_in_single_precision(program: Program):
    def narrow(a):
        a = np.asarray(a)
        return a.astype(np.float32) if a.dtype.kind == "f" else a

    args = [narrow(a) if isinstance(a, np.ndarray) else a for a in program.args]
    wrt = tuple(program.positions)
    want = flatten(flow.value_and_grad(flow.compile(program.fn), wrt)(*args))
    got = flatten(flow.value_and_grad(program.fn, wrt, target="cuda")(*args))
    assert np.max(np.abs(got - want)) <= SINGLE * np.max(np.abs(want), initial=1.0)


def test_a_run_gives_the_bits_of_the_next():
    x = np.random.default_rng(0).random(100_000)
    gradient = flow.value_and_grad(chain, target="cuda")
    (value, grad), (again, anew) = gradient(x), gradient(x)
    assert value == again and np.array_equal(grad, anew)


def test_a_failed_check_leaves_the_device_usable():
    x, places = np.ones(40), np.arange(40) % 7
    gradient = flow.grad(histogram, target="cuda")
    gradient(x, places)
    places[3] = 7
    with pytest.raises(BoundsError, match="index 7 is out of bounds"):
        gradient(x, places)
    places[3] = 0
    gradient(x, places)


def test_a_second_process_takes_the_machine_code_from_disk(tmp_path):
    code = (
        "import sys, numpy as np, srcgrad as flow\n"
        "from tests.cuda.device_programs import chain\n"
        "flow.grad(chain, target='cuda')(np.ones(3))\n"
        "print('numba' in sys.modules)"
    )
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(tmp_path)}

    def run():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
        return done.stdout.decode().strip()

    assert (run(), run()) == ("True", "False")


# ---- arguments of other libraries ----
def test_pytorch():
    torch = pytest.importorskip("torch")
    x = torch.linspace(0, 1, 50, device="cuda", dtype=torch.float64)
    gradient = flow.grad(chain, target="cuda")(x)
    assert isinstance(gradient, torch.Tensor) and gradient.device == x.device
    want = flow.grad(chain)(x.cpu().numpy())
    np.testing.assert_allclose(gradient.cpu().numpy(), want, rtol=PRECISE)


def test_pytorchs_tensors_that_require_grad():
    torch = pytest.importorskip("torch")
    x = torch.ones(5, device="cuda", requires_grad=True)
    with pytest.raises(ArgumentTypeError, match=r"pass x\.detach"):
        flow.grad(chain, target="cuda")(x)
    assert flow.grad(chain, target="cuda")(x.detach()).shape == (5,)


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU here")
    x = jax.numpy.linspace(0, 1, 50)
    gradient = flow.grad(chain, target="cuda")(x)
    assert isinstance(gradient, jax.Array)
    np.testing.assert_allclose(gradient, flow.grad(chain)(np.asarray(x)), rtol=SINGLE)


def test_numbas_arrays(cupy):
    from numba import cuda

    gradient = flow.grad(chain, target="cuda")(cuda.to_device(np.linspace(0, 1, 50)))
    want = flow.grad(chain)(np.linspace(0, 1, 50))
    np.testing.assert_allclose(cupy.asnumpy(cupy.asarray(gradient)), want, rtol=PRECISE)


def test_a_store_reaches_the_callers_array(cupy):
    @flow.compile(target="cuda")
    def doubled(x):
        x *= 2.0
        return x

    x, y = cupy.ones(5), np.ones(5)
    assert doubled(x) is x and float(x.sum()) == 10
    assert doubled(y) is y and y.sum() == 10


# ---- every case ----
# one skipped test where there is no GPU, not one for every case
@pytest.mark.parametrize("case", [] if machine().problem else CASES, ids=lambda c: c.id)
def test_cases(case: Case):
    """Right, or refused as on the simulator."""
    try:
        value, grads = Modes(case, "cuda").value_and_grad(case.arguments())
    except UnsupportedError as refused:
        assert refused.location is not None, str(refused)
        with using(Simulator()), pytest.raises(UnsupportedError):
            Modes(case, "cuda").value_and_grad(case.arguments())
        return
    want_value, want = Modes(case).value_and_grad(case.arguments())
    close(value, want_value, PRECISE, "value")
    close(grads, want, PRECISE, "gradient")
