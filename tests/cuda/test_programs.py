"""The target cuda on the simulated device: right in every order of the threads, or refused."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as flow
from srcgrad.backends.cuda import launching
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.errors import BoundsError, RaisedError, UnsupportedError
from tests.cuda.programs import PROGRAMS, Program, chain
from tests.structures import flatten

ORDERS = ("forward", "backward", 0)


def cuda(fn, **options):
    return flow.value_and_grad(flow.compile(fn, target="cuda"), **options)


def near(got, want):
    got, want = flatten(got), flatten(want)
    assert np.max(np.abs(got - want), initial=0.0) <= 1e-12 * np.max(np.abs(want), initial=1.0)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.fn.__name__)
def test_programs(program: Program, order):
    wrt = tuple(program.positions)
    want = flow.value_and_grad(flow.compile(program.fn), wrt)(*program.args)
    before = [np.array(a) for a in program.args]
    with using(Simulator(order)):
        got = flow.value_and_grad(program.fn, wrt, target="cuda")(*program.args)
    near(got, want)
    for a, b in zip(program.args, before, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.fn.__name__)
def test_few_blocks_run_many_trips(program: Program, monkeypatch):
    wrt = tuple(program.positions)
    want = flow.value_and_grad(flow.compile(program.fn), wrt)(*program.args)
    monkeypatch.setattr(launching, "BLOCKS", 1)
    near(flow.value_and_grad(program.fn, wrt, target="cuda")(*program.args), want)


def test_arrays_of_trips_have_a_bound(monkeypatch):
    launched = []

    class Counting(Simulator):
        def load(self, kernels, keep=True):
            def counted(run):
                return lambda blocks, *rest: (launched.append(blocks), run(blocks, *rest))

            return {name: counted(run) for name, run in super().load(kernels, keep).items()}

    def walks(x):
        s = 0.0
        for i in flow.prange(len(x)):
            seen = np.zeros(40)
            for k in range(1, 40):
                seen[k] = np.sin(seen[k - 1]) + x[i]
            s += seen[39] * seen[20]
        return s

    x = np.linspace(0.0, 0.1, 500)
    monkeypatch.setattr(launching, "ROOM", 2 * launching.THREADS * 40 * 8)
    with using(Counting()):
        near(flow.compile(walks, target="cuda")(x), walks(x))
    assert launched == [2]


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
    assert "def chain_grad_0_trip(i, " in text and "    chain_grad_0(0, n, x, x_bar)" in text


# ---- errors ----
def at(fn, text: str) -> int:
    lines, first = inspect.getsourcelines(fn)
    return first + next(k for k, line in enumerate(lines) if text in line)


def gathered(x, places):
    y = x[places]
    return np.sum(y * y)


def raising(x):
    for i in flow.prange(len(x)):
        if x[i] < 0.0:
            raise ValueError(f"negative: {x[i]} at {i}")
    return np.sum(np.sqrt(x))


@pytest.mark.parametrize(
    ("fn", "args", "kind", "line"),
    [
        (gathered, (np.ones(3), np.array([0, 5, 1])), BoundsError, "x[places]"),
        (gathered, (np.ones(0), np.array([0])), BoundsError, "x[places]"),
        (raising, (np.array([1.0, 2.0, -3.5]),), RaisedError, "raise"),
    ],
)
def test_a_check_that_fails_in_a_kernel(fn, args, kind, line):
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(Exception) as found:
            flow.grad(fn, target=target)(*args)
        errors.append(found.value)
    mine, reference = errors
    assert type(mine) is type(reference) and str(mine) == str(reference)
    assert mine.location.line == at(fn, line)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_integers_divided_by_zero_are_numpys(dtype):
    x, y = np.arange(4).astype(dtype), np.array([1, 0, 2, 0], dtype)

    def quotients(x, y):
        return x // y, x % y, *np.divmod(x, y), x // 0

    with np.errstate(all="ignore"):
        want = quotients(x, y)
    for got, expected in zip(flow.compile(quotients, target="cuda")(x, y), want, strict=True):
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist()


def test_a_python_number_divided_by_zero_is_an_error():
    def f(x, k):
        y = np.zeros(len(x))
        for i in flow.prange(len(x)):
            y[i] = x[i] + i // k
        return y

    with pytest.raises(ZeroDivisionError) as found:
        flow.compile(f, target="cuda")(np.ones(3), 0)
    assert found.value.location.line == at(f, "i // k")


def test_a_store_to_a_read_only_argument():
    def f(x, y):
        y *= 2.0
        x[1:] = y[1:]

    x, y = np.zeros(3), np.ones(3)
    x.flags.writeable = False
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(ValueError, match="read-only") as found:
            flow.compile(f, target=target)(x, y)
        errors.append((str(found.value), found.value.location.line))
        assert not x.any() and y.tolist() == [1, 1, 1]
    assert errors[0] == errors[1] and errors[0][1] == at(f, "x[1:]")


def test_nothing_runs_after_a_failure():
    """The index that failed is not used, nor is what the kernel would have made."""

    def f(x, places, y):
        z = x[places]
        y[...] = 1.0
        return z

    y = np.zeros(3)
    with pytest.raises(IndexError):
        flow.compile(f, target="cuda")(np.ones(3), np.array([0, 9, 1]), y)
    assert not y.any()


# ---- refusals ----
def scan(x):
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + x[i]
    return s


def search(x):
    i = 0
    while x[i] > 0.5:
        i += 1
    return x[i]


def permuted(x):
    places = np.argsort([2.0, 1.0, 3.0])
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[places[i]] = x[i]
    return np.sum(y)


def diffused(u):
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def swapped(x):
    a, b = x * 1.0, x * 2.0
    for _ in range(3):
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + b[i]
        a, b = b, a
    return np.sum(a * b)


REFUSED = [
    (scan, "s = 0.5", "each trip needs 's' of the one before it"),
    (search, "while", "a while loop runs one trip after the other"),
    (permuted, "y[places[i]]", "trips may touch one element of 'y'"),
    (swapped, "a[i] = ", "trips may reach one array by several names"),
]


@pytest.mark.parametrize(("fn", "line", "reason"), REFUSED)
def test_loops_over_elements_are_refused(fn, line, reason):
    with pytest.raises(UnsupportedError) as found:
        flow.compile(fn, target="cuda")(np.array([0.7, 0.2, 0.9]))
    assert reason in str(found.value) and "flow.prange" in str(found.value)
    assert found.value.location.line in (at(fn, line), at(fn, "for") if fn is scan else 0)


def test_the_gradient_of_a_loop_over_elements_in_time_is_refused():
    with pytest.raises(UnsupportedError, match="around it has bound a name anew") as found:
        flow.grad(diffused, target="cuda")(np.ones(4))
    assert found.value.location.line == at(diffused, "v[i] = ")


def test_the_ways_out_of_a_refusal():
    def promised(x, places):
        y = np.zeros(len(x))
        for i in flow.prange(len(x)):
            y[places[i]] = x[i]
        return np.sum(y * np.arange(len(x)))

    x, places = np.array([0.7, 0.2, 0.9]), np.array([1, 0, 2])
    want = promised(x, places)
    assert flow.compile(promised, target="cuda")(x, places) == want
    assert flow.compile(scan, target="cpu")(x) == scan(x)

    def of_arrays(u):
        for _ in range(3):
            v = u.copy()
            v[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
            u = v
        return np.sum(u * u)

    near(flow.grad(of_arrays, target="cuda")(x), flow.grad(diffused)(x))


def test_with_fastmath_off_sums_are_refused():
    with pytest.raises(UnsupportedError, match="keep the order"):
        flow.compile(chain, target="cuda", fastmath=False)(np.ones(3))


@pytest.mark.parametrize("order", ORDERS)
def test_with_fastmath_off_a_thread_adds_in_order(order):
    def rows(x, y):
        for i in flow.prange(x.shape[0]):
            for j in range(x.shape[1]):
                y[i] += x[i, j]
        return y

    x = np.array([[1e16, 1.0, -1e16, 1.0], [1.0, 1e16, 1.0, -1e16]])
    with using(Simulator(order)):
        got = flow.compile(rows, target="cuda", fastmath=False)(x, np.zeros(2))
    assert got.tolist() == rows(x, np.zeros(2)).tolist()


def test_operations_without_a_device_form_are_refused():
    def root(a):
        return np.sum(scipy.linalg.sqrtm(a))

    with pytest.raises(UnsupportedError, match="cuda has no 'sqrtm'") as found:
        flow.compile(root, target="cuda")(np.eye(3))
    assert found.value.location.line == at(root, "linalg.sqrtm")


def digammas(x):
    return np.sum(scipy.special.digamma(x))


@pytest.mark.parametrize("f", [digammas, lambda x: np.sum(scipy.special.digamma(x))])
def test_functions_without_a_kernel_are_refused(f):
    with pytest.raises(UnsupportedError, match="kernels have no 'digamma'") as found:
        flow.compile(f, target="cuda")(np.ones(3))
    assert found.value.location.line == at(f, "special.digamma")


def test_shared_additions_of_complex_numbers_are_refused():
    def f(z, places):
        y = np.zeros(3, complex)
        for i in range(len(z)):
            y[places[i]] += z[i]
        return y

    with pytest.raises(
        UnsupportedError, match=r"same elements of 'y'.* no atomic addition of c128"
    ):
        flow.compile(f, target="cuda")(np.ones(4, complex), np.array([0, 1, 1, 2]))


@pytest.mark.parametrize(
    ("f", "a"),
    [
        (np.linalg.solve, np.zeros((2, 2))),
        (np.linalg.cholesky, -np.eye(2)),
        (np.argmax, np.zeros(0)),
        (scipy.linalg.solve_triangular, np.diag([1.0, 0.0])),
    ],
)
def test_errors_of_the_library_are_those_of_the_cpu(f, a):
    def of_two(a):
        return f(a, a[0])

    fn = of_two if "solve" in f.__name__ else lambda a: f(a)
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(Exception) as found:
            flow.compile(fn, target=target)(a)
        errors.append((type(found.value), str(found.value)))
    assert errors[0] == errors[1]


def test_nothing_is_loaded_before_it_is_needed():
    code = """
import sys, srcgrad
srcgrad.compile(lambda x: x, target="cuda")
print("srcgrad.backends.cuda" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
