"""`prange`: a promise that is used where nothing is proved, and refused where it is not kept."""

import numba
import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu import threads
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import loops_in_chunks, pipeline
from srcgrad.primitives import REGISTRY
from tests.checks.comparing import close


@pytest.fixture(autouse=True)
def little_is_enough(monkeypatch):
    monkeypatch.setattr(loops_in_chunks, "ENOUGH", 1)


def arguments():
    rng = np.random.default_rng(0)
    return rng.uniform(size=300), rng.permutation(300)


def scattered(x, places):
    y = np.zeros(len(x))
    for i in flow.prange(len(x)):
        y[places[i]] = np.sin(x[i])
    return np.sum(y * y * y)


def gathered(x, places):
    s = 0.0
    for i in numba.prange(len(places)):
        s += x[places[i]] ** 2
    return s


def stepped(x, places):
    y = np.zeros(len(x))
    for i in flow.prange(len(x) - 1, 1, -3):
        y[places[i]] = x[i] * x[i - 1]
    return np.sum(y)


@pytest.mark.parametrize("fn", [scattered, gathered, stepped])
def test_a_promise_is_used(fn):
    x, places = arguments()
    want = flow.value_and_grad(fn)(x, places)
    run = flow.value_and_grad(fn, parallel=True)
    with threads.at_most(3):
        close(run(x, places), want, 1e-12, "gradient")
    assert promised(run) and all(kept(run, s) for s in promised(run))
    close(fn(x, places), want[0], 1e-12, "plain Python")


def recurrent(w, row):
    h, u, k = w * 0.1, 1.0, 0
    while k < len(row) and u > 0.5:
        h = np.tanh(w * h + row[k] * u)
        if h[0] > 0.3:
            u *= 0.98 + 0.01 * np.cos(h[1])
        k += 1
    return np.sum(h * h) * u


def clipped(x, w):
    out = np.zeros(len(w))
    for i in flow.prange(x.shape[0]):
        value, g = flow.value_and_grad(recurrent)(w, x[i])
        out += g * min(1.0, 0.5 / (0.1 + value))
    return np.sum(out * w)


def test_a_gradient_in_a_trip_keeps_what_it_saves_to_itself():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(200, 20)), rng.normal(size=3)
    run = flow.compile(clipped, parallel=True)
    found = []
    for count in (1, 2, 3):
        with threads.at_most(count):
            found.append(run(x, w))
    assert found[0] == found[1] == found[2]
    close(found[0], flow.compile(clipped)(x, w), 1e-12, "value")
    assert promised(run) and all(kept(run, s) for s in promised(run))


def promised(run):
    (entry,) = [e for found in run._entries.values() for e in found]
    return [s for s in walk(entry.program.function.body) if isinstance(s, For) and s.promised]


def kept(run, loop):
    """Whether a loop of the program is one that runs in chunks: named by its line."""
    (entry,) = [e for found in run._entries.values() for e in found]
    lowered = pipeline.run(entry.program.function, pipeline.lowering(in_chunks=True))
    return any(
        isinstance(s, For) and s.independent and s.loc == loop.loc for s in walk(lowered.body)
    )


# ---- promises that are not kept ----
def running(x):
    s = 1.0
    for i in flow.prange(len(x)):
        s = s * x[i] + 1
    return s


def neighbours(x):
    y = x.copy()
    for i in flow.prange(1, len(x)):
        y[i] = y[i - 1] * 2
    return np.sum(y)


def one_element(x):
    y = x.copy()
    for i in flow.prange(len(x)):
        y[0] = x[i]
    return np.sum(y)


def the_last_one(x):
    last = 0.0
    for i in numba.prange(len(x)):
        last = x[i]
    return last


def rows(x):
    y = np.zeros((len(x), 3))
    for i in flow.prange(2, len(x)):
        for k in range(3):
            y[i, k] = y[i - 2, k] + x[i]
    return np.sum(y)


REFUSED = {
    running: "each trip needs 's'", neighbours: "one element of 'y'",
    one_element: "one element of 'y'", the_last_one: "each trip needs 'last'",
    rows: "one element of 'y'",
}  # fmt: skip


@pytest.mark.parametrize("fn", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [flow.compile, flow.grad])
def test_a_promise_that_is_not_kept(fn, make):
    x = np.linspace(0.1, 0.9, 5)
    assert np.all(np.isfinite(make(fn)(x)))  # without threads it is a range
    with pytest.raises(UnsupportedError, match=REFUSED[fn]) as caught:
        make(fn, parallel=True)(x)
    assert "trips depend on one another" in str(caught.value) and "write range" in str(caught.value)


def kept_rows(x):
    y = np.zeros((len(x), 10))
    for i in flow.prange(len(x)):
        for k in range(i, 10):
            y[i, k] = x[i]
        if i == 0:
            y[0, 0] = 2.0
    return np.sum(y)


def folded(x):
    most, least, s = -1.0, 3.0, 0.5
    for i in flow.prange(len(x)):
        most = max(most, x[i])
        least = min(least, x[i])
        s -= x[i] if x[i] > 0.3 else 0.2
        for k in range(3):
            if x[k] > 0.8:
                break
            s += x[k] * x[i]
    return most * least + s


@pytest.mark.parametrize("fn", [kept_rows, folded])
def test_a_promise_that_may_be_kept_is_not_refused(fn):
    x = np.linspace(0.1, 0.9, 5)
    close(flow.compile(fn, parallel=True)(x), fn(x), 1e-12, "value")
    close(flow.grad(fn, parallel=True)(x), flow.grad(fn)(x), 1e-12, "gradient")


def grown(v):
    total = 0.0
    for k in flow.prange(len(v)):
        a = np.abs(v[k]) + 0.1
        while a < 4.0:
            a = a * 1.5 + 0.1 * a * a
        total += a * a
    return total


def ragged(v):
    total = 0.0
    for k in flow.prange(len(v)):
        a = v[k]
        for _ in range(int(4.0 * a) + 1):
            a = np.sin(a) * a + 0.5
        total += a
    return total


@pytest.mark.parametrize("fn", [grown, ragged])
def test_what_a_gradient_in_a_loop_saves_breaks_no_promise(fn):
    """The tapes of a spliced gradient are counted from trip to trip: the user wrote no counter."""
    slope = flow.grad(fn)

    def outer(rows):
        total = 0.0
        for i in range(len(rows)):
            total = total * 0.5 + np.sum(slope(rows[i]) ** 2)
        return total

    rows = np.linspace(0.1, 0.9, 12).reshape(3, 4)
    close(flow.compile(outer, parallel=True)(rows), outer(rows), 1e-12, "value")
    close(flow.grad(outer, parallel=True)(rows), flow.grad(outer)(rows), 1e-11, "gradient")


def test_the_text_has_the_promise():
    text = "def f(n: int):\n    for i in promised(range(0, n)):\n        show(i)\n    return ()\n"
    f = parse(text, REGISTRY)
    assert to_text(f) == text


def test_prange_is_range():
    assert flow.prange(3) == range(3) and flow.prange(5, 1, -2) == range(5, 1, -2)
