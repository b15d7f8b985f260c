"""Which nests are run by blocks, and the errors of rows: of any thread, at the user's line."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda import shapes
from srcgrad.backends.cuda.selection import using
from srcgrad.passes import without
from tests.cuda import row_programs as rows
from tests.cuda.checks import ORDERS, Watched, at
from tests.cuda.device_programs import bodies, option
from tests.cuda.test_device_arguments import Elsewhere

_r = np.random.default_rng(6)


def blocks_of(fn, *args, **options) -> list[tuple[int, int]]:
    """Blocks and their threads, of the launches whose trips are blocks."""
    with using(device := Watched()):
        flow.compile(fn, target="cuda", **options)(*args)
    return [rest for name, *rest in device.launched if name.endswith("_blocks")]


def products(a, b):
    """Neighbouring trips read neighbouring elements, neighbouring trips of a trip's loop do not."""
    n, m = len(a), b.shape[1]
    c = np.zeros((n, m))
    for i in flow.prange(n):
        for j in range(m):
            s = 0.0
            for k in range(len(b)):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@pytest.mark.parametrize(("columns", "threads"), [(32, 32), (33, 64), (130, 256), (999, 256)])
def test_a_block_has_as_many_threads_as_a_row_needs(columns, threads):
    x = _r.normal(size=(7, columns))
    assert blocks_of(rows.layer_norm, x, x[0], x[1])[0] == [7, threads]


def test_lengths_that_change_from_row_to_row_count_half_way():
    with without("join_loops"):  # its rows alone, without the sum of all
        assert blocks_of(rows.triangle, _r.normal(size=(160, 160)))[0] == [160, 128]


def many_steps(x):
    """A long loop in each trip that no threads share, beside one that they could share."""
    n, m = x.shape
    y = np.zeros((n, m))
    for i in flow.prange(n):
        s = 0.0
        for j in range(m):
            s = 0.5 * s + x[i, j]
        for j in range(m):
            y[i, j] = s * x[i, j]
    return y


def vectors(x):
    """Short loops in each trip."""
    y = np.zeros((len(x), 40))
    for i in flow.prange(len(x)):
        s = 0.0
        for j in range(3):
            s += x[i, j]
        for j in range(3):
            y[i, j] = s
    return y


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (option, (_r.normal(size=(150, 40)), 1.0, 0.2)),
        (rows.best, (_r.normal(size=(4, 40)),)),
        (rows.stored, (_r.normal(size=(4, 31)),)),
        (many_steps, (_r.normal(size=(4, 40)),)),
        (vectors, (_r.normal(size=(4, 40)),)),
    ],
)
def test_one_thread_per_trip(fn, args):
    assert not blocks_of(fn, *args)


def scaled(x):
    n, m = x.shape
    y = np.zeros((n, m))
    for i in flow.prange(n):
        s = 0.0
        for j in range(m):
            s += x[i, j]
        for j in range(m):
            y[i, j] = s * x[i, j]
    return y


def test_with_fastmath_off_a_thread_adds_in_order():
    x = _r.normal(size=(4, 40))
    assert blocks_of(scaled, x) and not blocks_of(scaled, x, fastmath=False)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (products, (_r.normal(size=(3, 50)), _r.normal(size=(50, 4)))),
        (bodies, (_r.normal(size=(40, 2)), _r.normal(size=40))),
    ],
)
def test_many_trips_that_read_side_by_side_stay_threads(fn, args, monkeypatch):
    assert blocks_of(fn, *args)
    monkeypatch.setattr(shapes, "FEW", 3)
    assert not blocks_of(fn, *args)
    x = _r.normal(size=(4, 40))
    assert blocks_of(rows.layer_norm, x, x[0], x[1])


def test_arrays_of_rows_have_a_bound(monkeypatch):
    """An array of a trip is its block's; one of a trip of a shared loop is a thread's."""

    def walks(x):
        n, m = x.shape
        y = np.zeros((n, m))
        for i in flow.prange(n):
            row, few = np.zeros(m), np.zeros(5)
            for j in range(m):
                seen, last = np.zeros(40), np.zeros(3)
                for k in range(1, 40):
                    seen[k] = np.sin(seen[k - 1]) + x[i, j]
                    last[k % 3] = seen[k]
                row[j] = last[0] * seen[20]
                few[int(x[i, j] * 100.0) % 5] += row[j] * last[1]
            total = np.sum(row) * few[2]
            for j in range(m):
                y[i, j] = row[j] / total
        return y

    x = _r.random((6, 50)) * 0.1
    want = flow.compile(walks)(x)
    for order in ORDERS:
        monkeypatch.setattr(shapes, "ROOM", 3 * 8 * (64 * 40 + 50))
        with using(device := Watched(order)):
            got = flow.compile(walks, target="cuda")(x)
        assert np.allclose(got, want, rtol=1e-12) and device.launched[0][1:] == (3, 64)


# ---- errors ----
def failing(where: str):
    x = np.rint(_r.normal(size=(5, 70)) * 4.0)  # the sums of its squares are exact
    places = _r.integers(0, 70, (5, 70))
    if where == "index":
        places[3, 66] = 70
    if where == "raise of a row":
        x[2] *= 1000.0
    if where == "raise of an element":
        x[4, 69] = -99.5
    return x, places, 1e5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("index", "places[i, j]"),
        ("raise of a row", 'raise ValueError(f"row'),
        ("raise of an element", 'raise ValueError(f"{x'),
    ],
)
def test_a_check_that_fails_in_one_row(where, line, order):
    args, errors = failing(where), []
    for target in ("cuda", "cpu"):
        with using(device := Watched(order)), pytest.raises(Exception) as found:
            flow.value_and_grad(rows.normalised, target=target)(*args)
        errors.append(found.value)
        assert target == "cpu" or device.launched[0][0].endswith("_blocks")
    mine, reference = errors
    assert type(mine) is type(reference) and str(mine) == str(reference)
    assert mine.location.line == at(rows.normalised, line)


@pytest.mark.parametrize("order", ORDERS)
def test_a_row_stores_nothing_after_its_failure(order):
    def f(x, places, y):
        n, m = x.shape
        for i in flow.prange(n):
            s = 0.0
            for j in range(m):
                s += x[i, places[i, j]]
            y[i, 0] = s
            for j in range(1, m):
                y[i, j] = s * x[i, j]

    x, places, _ = failing("index")
    memory = np.zeros(x.shape)
    y = Elsewhere(memory)
    with using(device := Watched(order)), pytest.raises(IndexError):
        flow.compile(f, target="cuda")(x, places, y)
    assert device.launched[0][0].endswith("_blocks")
    assert not memory[3].any()
