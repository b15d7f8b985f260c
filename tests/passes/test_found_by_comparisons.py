"""Loops that find an extremum by comparisons run in chunks, with what they keep beside it."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.passes import loops_in_chunks as module
from tests.checks.comparing import close
from tests.fuzz.chunks import chunked, same_in_every_order
from tests.fuzz.source import loaded

TEMPLATE = """
import numpy as np
import srcgrad as flow


def f(x, low):
    k, w, total, y = -1, 0.0, 0.0, np.zeros(len(x))
    for i in {trips}:
        {body}
    return low, k, w, total + y[0]
"""
TRIPS = ["flow.prange(len(x))", "flow.prange(len(x) - 1, 2, -1)"]
FOUND = [
    "if x[i] {sign} low:\n    low = x[i]\n    k = i",
    "if low {turned} x[i]:\n    low, k = x[i], i",
    "v = x[i] * x[i] - 1.0\nif v {sign} low:\n    low, k, w = v, 2 * i, x[i] + 1.0",
    "if i > 3:\n    if x[i] {sign} low:\n        low, k = x[i], i",
    "total += x[i]\nif x[i] {sign} low:\n    low = x[i]\n    k = i",
    "low = x[i] if x[i] {sign} low else low",
]
# what a trip needs of the one before it
NEEDED = [
    "if x[i] {sign}= low:\n    low = x[i]\n    k = i",
    "if x[i] {sign} low:\n    low = x[i]\n    k += i",
    "if x[i] {sign} low:\n    low = x[i] + 0.1\n    k = i",
    "if x[i] {sign} low:\n    low = x[i]\nelse:\n    k = i",
    "w = low\nif x[i] {sign} low:\n    low = x[i]",
    "if not x[i] {turned}= low:\n    low = x[i]\n    k = i",
    "if x[i] {sign} low:\n    low = x[i]\n    w += 1.0",
    "total += 1.0 if x[i] {sign} low else 0.0\nif x[i] {sign} low:\n    low = x[i]",
    "if x[i] {sign} low:\n    low = x[i]\n    y[i] = 1.0",
]
SIGNS = [("<", ">"), (">", "<")]


def program(body, sign, trips=TRIPS[0]):
    body = body.format(sign=sign[0], turned=sign[1]).replace("\n", "\n        ")
    return loaded(TEMPLATE.format(trips=trips, body=body), "found")


def samples():
    rng = np.random.default_rng(3)
    for size, low in ((5, 0.0), (90, 0.5), (90, np.inf), (70, -np.inf), (20, np.nan)):
        x = rng.integers(-4, 5, size) / 4.0
        x[rng.integers(0, size, size // 4)] = rng.choice([np.nan, np.inf, -0.0, 1.0])
        yield x, low


@pytest.mark.parametrize("trips", TRIPS)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("body", FOUND)
def test_the_first_of_the_best_is_found(body, sign, trips):
    with chunked(8, 4) as orders, program(body, sign, trips) as namespace:
        run = flow.compile(namespace["f"], target="loops", parallel=True, cache=False)
        for x, low in samples():
            got = same_in_every_order(orders, lambda x=x, low=low: run(x, low))
            close(got, namespace["f"](x, low), 1e-12, "results")
            assert [*map(float, got)][:2] == pytest.approx(
                [*map(float, namespace["f"](x, low))][:2], 0, 0, True
            )
        assert orders.ran


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("body", NEEDED)
def test_what_needs_the_trip_before_is_refused(body, sign):
    with program(body, sign) as namespace:
        run = flow.compile(namespace["f"], target="loops", parallel=True, cache=False)
        with pytest.raises(UnsupportedError, match=r"needs '\w+' of the one before it"):
            run(np.ones(3), 0.5)


def test_on_threads_with_a_gradient(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 1)

    def nearest(x, c):
        low, k = np.inf, 0
        for i in flow.prange(len(x)):
            d = (x[i] - c) ** 2
            if d < low:
                low, k = d, i
        return low * x[k]

    x = np.sin(np.arange(500.0))
    got = flow.value_and_grad(nearest, (0, 1), parallel=True)(x, 0.3)
    close(got, flow.value_and_grad(nearest, (0, 1), target="python")(x, 0.3), 1e-12, "gradient")
