"""firls() in compiled code: values, and what it does not answer."""

from typing import Any

import numpy as np
import pytest
from scipy import signal

import srcgrad as flow
from srcgrad.errors import UnsupportedError

BANDS, GAINS = np.array([0.0, 0.3, 0.4, 1.0]), np.array([1.0, 0.9, 0.1, 0.2])


def designed(bands, gains):
    return signal.firls(15, bands, gains)


def at_a_rate(bands, gains):
    return signal.firls(9, bands, gains, weight=[1, 2], fs=2.5)


BOTH = {
    "float64": (BANDS, GAINS),
    "float32": (BANDS.astype(np.float32), GAINS.astype(np.float32)),
    "integers": (np.array([0, 1]), np.array([1, 0])),
    "lists": (BANDS.tolist(), GAINS.tolist()),
    "pairs": ([(0, 0.3), (0.4, 1)], [(1, 1), (0, 0)]),
}


@pytest.mark.parametrize("kind", BOTH)
def test_values_are_scipys(kind: str):
    for f in (designed, at_a_rate)[: 1 if kind == "integers" else 2]:
        found, expected = flow.compile(f, target="python")(*BOTH[kind]), f(*BOTH[kind])
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(
            found, expected, rtol=1e-5 if kind == "float32" else 1e-9, atol=1e-9
        )


WRONG = [
    (lambda b, d: signal.firls(4, b, d), "numtaps must be odd"),
    (lambda b, d: signal.firls(5, b[1:], d), "frequency pairs"),
    (lambda b, d: signal.firls(5, b, d[1:]), "one entry per frequency"),
    (lambda b, d: signal.firls(5, b - 1, d), "between 0 and 1"),
    (lambda b, d: signal.firls(5, b[::-1], d), "monotonically nondecreasing"),
    (lambda b, d: signal.firls(5, [0, 0.5, 0.4, 1], d), "overlap"),
    (lambda b, d: signal.firls(5, b, -d), "desired must be non-negative"),
    (lambda b, d: signal.firls(5, b, d, weight=[1.0]), "weight must be the same size"),
    (lambda b, d: signal.firls(5, b, d, weight=[1.0, -1.0]), "weight must be non-negative"),
    (lambda b, d: signal.firls(5, b, d, fs=-1.0), "nyq must be positive"),
]


@pytest.mark.parametrize(("f", "text"), WRONG)
def test_errors_are_scipys(f: Any, text: str):
    with pytest.raises(ValueError, match=text):
        f(BANDS, GAINS)
    with pytest.raises(ValueError, match=text):
        flow.compile(f, target="python")(BANDS, GAINS)


def test_a_filter_that_the_bands_do_not_determine_is_refused():
    for narrow in (
        lambda b, d: signal.firls(101, 0.1 * b, d),
        lambda b, d: signal.firls(3, b[:0], d[:0]),
    ):
        with pytest.raises(UnsupportedError, match="do not determine the filter"):
            flow.compile(narrow, target="python")(BANDS, GAINS)
