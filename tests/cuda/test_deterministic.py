"""deterministic=True: additions to one element give the same bits in every order of the threads."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda import shapes
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from tests.cuda.checks import ORDERS, at, near
from tests.cuda.device_programs import PROGRAMS as CUDA
from tests.cuda.device_programs import histogram, neighbours, tones
from tests.cuda.row_programs import ADDING
from tests.cuda.test_machine_code import compiles, kernels_of
from tests.cuda.test_waits import failing
from tests.tools.structures import flatten
from tests.tools.turns import share


def gathered(w, places):
    return np.sum(np.tanh(w[places]) ** 2)


def several(x, places):
    """A fixed number of additions of a trip, in an inner loop, under a branch, through a view."""
    y, z = np.zeros((5, 3)), np.zeros(5)
    for i in flow.prange(len(x)):
        row = y[places[i]]
        for k in range(3):
            row[2 - k] += np.sin(x[i] * (k + 1))
            if x[i] > 0.5:
                z[places[i] - k] += x[i] * 0.3
        z[places[i]] += x[i]
    return np.sum(y**3) + np.sum(z**2)


def rows(x, steps):
    """The loop of a trip runs as often as an argument says, downwards in the gradient."""
    y = np.zeros((2, 2))
    for i in flow.prange(len(x)):
        for k in range(steps):
            y[k % 2, i % 2] += x[i] * y.shape[1] / (k + 1.0)
    return np.sum(y * y)


_r = np.random.default_rng(3)
PROGRAMS = [
    (histogram, (_r.normal(size=300), _r.integers(0, 7, 300))),
    (neighbours, (_r.random((12, 14)),)),
    (gathered, (_r.normal(size=(5, 3)), _r.integers(-5, 5, 200))),
    (several, (_r.random(150), _r.integers(0, 5, 150))),
    (rows, (_r.random(140), 4)),
    (rows, (_r.random(140), 0)),
    (histogram, (_r.normal(size=300).astype(np.float32), _r.integers(0, 7, 300))),
]
PROGRAMS += [(p.fn, p.args) for p in (*ADDING, next(p for p in CUDA if p.fn is tones))]
IDS = [fn.__name__ for fn, _ in PROGRAMS]


def floats(args):
    return tuple(k for k, a in enumerate(args) if np.asarray(a).dtype.kind in "fc")


def found(fn, args, blocks, **options):
    """What a call returns in each order of the threads."""
    for order in (*ORDERS, 1, 2):
        with using(Simulator(order)), pytest.MonkeyPatch.context() as patch:
            patch.setattr(shapes, "BLOCKS", blocks)
            yield flow.value_and_grad(fn, floats(args), target="cuda", **options)(*args)


@pytest.mark.parametrize("blocks", [1, 1024])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=IDS)
def test_every_order_of_the_threads_gives_the_same_bits(fn, args, blocks):
    first, *others = found(fn, args, blocks, deterministic=True)
    for other in others:
        assert flatten(other).tobytes() == flatten(first).tobytes()
    want = flow.value_and_grad(flow.compile(fn), floats(args))(*args)
    if args[0].dtype in (np.float64, np.complex128):
        near(first, want)
    else:
        np.testing.assert_allclose(flatten(first), flatten(want), rtol=1e-5)


def test_atomic_additions_do_not():
    """Of what this guards against: without the option some order gives other bits."""
    results = {flatten(out).tobytes() for out in found(*PROGRAMS[0], 1024)}
    assert len(results) > 1


def test_additions_keep_the_order_of_the_program():
    def sums(x, places):
        y = np.zeros(3)
        for i in flow.prange(len(x)):
            y[places[i]] += x[i]
        return y

    x, places = _r.normal(size=500) * 10.0 ** _r.integers(-8, 8, 500), _r.integers(0, 3, 500)
    got = flow.compile(sums, target="cuda", deterministic=True)(x, places)
    assert got.tolist() == sums(x, places).tolist()


@pytest.mark.parametrize(("fn", "args"), share(PROGRAMS), ids=share(IDS))
def test_no_atomic_addition_is_left_in_machine_code(fn, args):
    gradient = flow.value_and_grad(fn, floats(args), target="cuda", deterministic=True)
    kernels = kernels_of(lambda: gradient(*args))
    assert any(k.name.startswith("add_in_order") for k in kernels)
    assert not any("atomic.add" in k.source for k in kernels)
    compiles(kernels)


def test_a_number_of_additions_that_only_the_run_tells_is_refused():
    def f(x, places):
        y = np.zeros(3)
        for i in flow.prange(len(x)):
            v = x[i]
            while v > 0.1:
                y[places[i]] += v
                v *= 0.5
        return y

    args = _r.random(5), np.array([0, 1, 2, 1, 0])
    with pytest.raises(UnsupportedError, match=r"how often a trip adds to 'y'(.|\n)*cpu") as error:
        flow.compile(f, target="cuda", deterministic=True)(*args)
    assert error.value.location.line == at(f, "+= v")
    near(flow.compile(f, target="cuda")(*args), f(*args))


def test_a_failure_adds_nothing():
    def f(x, places, y):
        for i in flow.prange(len(x)):
            y[places[i]] += x[i]

    args = np.ones(4), np.array([0, 1, 9, 1]), np.zeros(3)
    error, left = failing(flow.compile(f, target="cuda", deterministic=True), *args)
    assert isinstance(error, IndexError) and "index 9" in str(error)
    assert not left[2].any()


@pytest.mark.parametrize("target", ["cpu", "python", "loops"])
def test_other_targets_repeat_their_results_anyway(target):
    fn, args = PROGRAMS[0]
    gradient = flow.grad(fn, target=target, deterministic=True)
    assert gradient(*args).tobytes() == flow.grad(fn, target=target)(*args).tobytes()


def test_what_the_option_is():
    with pytest.raises(ArgumentTypeError, match="deterministic must be True or False, not 1"):
        flow.compile(histogram, deterministic=1)
    f = flow.compile(histogram, target="cuda", deterministic=True)
    flow.grad(f)(*PROGRAMS[0][1])  # its gradient has its settings
    g = flow.grad(f)
    g(*PROGRAMS[0][1])
    assert "atomic.add" not in g.source("cuda")
