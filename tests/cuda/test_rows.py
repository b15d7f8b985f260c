"""Trips that are blocks on the simulated device: right in every order of their threads."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda import shapes
from srcgrad.backends.cuda.selection import using
from tests.cuda import row_programs as rows
from tests.cuda.checks import ORDERS, Watched, named, near
from tests.cuda.device_programs import Program
from tests.cuda.row_programs import ADDING, ROWS
from tests.tools.structures import flatten
from tests.tools.turns import share


def gradient(program: Program, order="forward"):
    """Value and gradient, and the kernels that blocks ran."""
    wrt = tuple(program.positions)
    with using(device := Watched(order)):
        out = flow.value_and_grad(program.fn, wrt, target="cuda")(*program.args)
    return out, by_blocks(device)


def expected(program: Program):
    return flow.value_and_grad(flow.compile(program.fn), tuple(program.positions))(*program.args)


def by_blocks(device: Watched) -> list:
    return [launch for launch in device.launched if launch[0].endswith("_blocks")]


@pytest.mark.parametrize(
    ("program", "order"), share([*product([*ROWS, *ADDING], ORDERS)]), ids=named
)
def test_gradients(program: Program, order):
    got, blocks = gradient(program, order)
    near(got, expected(program))
    assert blocks


@pytest.mark.parametrize("program", ROWS, ids=lambda p: p.fn.__name__)
def test_results_do_not_depend_on_the_order_of_threads(program: Program):
    assert len({flatten(gradient(program, order)[0]).tobytes() for order in ORDERS}) == 1


@pytest.mark.parametrize("program", [*ROWS, *ADDING], ids=lambda p: p.fn.__name__)
def test_few_blocks_run_many_rows(program: Program, monkeypatch):
    monkeypatch.setattr(shapes, "BLOCKS", 2)
    got, blocks = gradient(program)
    near(got, expected(program))
    assert {count for _, count, _ in blocks} == {2}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("fn", [rows.relaxed, rows.until])
def test_loops_around_the_loops_of_a_row(fn, order):
    x = np.random.default_rng(2).normal(size=(5, 70))
    with using(device := Watched(order)):
        got = flow.compile(fn, target="cuda")(x)
    near(got, flow.compile(fn)(x))
    assert by_blocks(device)


SIZES = [(0, 40), (3, 0), (3, 1), (3, 2), (4, 33), (3, 257)]


FUNCTIONS = (rows.softmax, rows.layer_norm, rows.stored, rows.spectra)


@pytest.mark.parametrize(
    ("fn", "lengths", "forced"), share([*product(FUNCTIONS, SIZES, [False, True])])
)
def test_sizes(fn, lengths, forced, monkeypatch):
    n, m = lengths
    x = np.random.default_rng(3).normal(size=(n, m))
    if m == 0 and fn in (rows.softmax, rows.layer_norm):
        return  # NumPy has no maximum and no mean of nothing
    args = (x, x.sum(0), x.sum(0) + 1.0) if fn is rows.layer_norm else (x,)
    program = Program(fn, (x + 0j,) if fn is rows.spectra else args)
    if forced:
        monkeypatch.setattr(shapes, "LONG", 0)
    got, blocks = gradient(program)
    near(got, expected(program))
    threads = {count for _, _, count in blocks}
    assert threads <= {32, 64, 256}
    if n and m > 32:
        assert threads == {64 if m == 33 else 256}


@pytest.mark.parametrize("program", [*ROWS, *ADDING], ids=lambda p: p.fn.__name__)
def test_single_precision(program: Program):
    to = {"f": np.float32, "c": np.complex64}
    narrow = [a.astype(to.get(a.dtype.kind, a.dtype)) for a in map(np.asarray, program.args)]
    single = Program(program.fn, tuple(narrow))
    got, blocks = gradient(single)
    want = expected(single)
    assert blocks
    for a, b in zip([got[0], *got[1]], [want[0], *want[1]], strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * np.max(np.abs(b)))


def test_nan_wins():
    def extrema(x):
        y = np.zeros((len(x), 40))
        for i in range(len(x)):
            low, high = np.min(x[i]), np.max(x[i])
            for j in range(40):
                y[i, j] = high - low
        return y

    x = np.random.default_rng(4).normal(size=(3, 50))
    x[1, 37] = np.nan
    with using(device := Watched()):
        got = flow.compile(extrema, target="cuda")(x)
    assert by_blocks(device) and np.array_equal(got, extrema(x), equal_nan=True)
    assert np.isnan(got).any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("fn", [rows.relaxed, rows.stored])
def test_without_its_barriers_a_row_depends_on_the_order(fn):
    """What the barriers of a trip are for; those of the trees stay."""

    class Hasty(Watched):
        def load(self, kernels, keep=True):
            return super().load([replace(k, source=hasty(k.source)) for k in kernels], keep)

    def hasty(source):
        before, name, trip = source.partition("_blocks")
        return before + name + trip.replace("cuda.syncthreads()", "pass")

    x = np.random.default_rng(5).normal(size=(2, 80))
    results = []
    for device in [kind(order) for kind in (Watched, Hasty) for order in ORDERS]:
        with using(device):
            results.append(flatten(flow.compile(fn, target="cuda")(x)).tobytes())
    assert len(set(results[:3])) == 1 and len(set(results[3:])) > 1
