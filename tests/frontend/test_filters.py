"""Filters with a state, and forward and backward, against SciPy and differences."""

import numpy as np
import pytest
from scipy import signal

import srcgrad as flow

X = np.random.default_rng(5).standard_normal(24)
LONG, SHORT = np.array([1.0, 0.3, 0.2, 0.5]), np.array([2.0, 0.3])


def with_state(b, a, x, z):
    y, left = signal.lfilter(b, a, x, zi=z)
    return np.sum(y * np.arange(x.size)) + np.sum(left * np.arange(1, 1 + left.size))


def along_rows(b, a, x, z):
    y, left = signal.lfilter(b, a, x, axis=0, zi=z)
    return np.sum(y[:, 0] ** 2 - y[:, 1]) + np.sum(left * np.arange(1.0, 4.0)[:, None])


def both_ways(b, a, x):
    return np.sum(signal.filtfilt(b, a, x) * np.arange(x.size))


def both_ways_of_rows(b, a, x):
    y = signal.filtfilt(b, a, x, axis=0, padtype="even", padlen=2)
    return np.sum(y * np.arange(x.shape[0])[:, None] * y)


def steady(b, a):
    return np.sum(signal.lfilter_zi(b, a) * np.arange(1, 4))


CALLS = [
    (with_state, (LONG, SHORT, X[:6], X[:3])),
    (with_state, (SHORT, LONG, X[:6], X[:3])),
    (with_state, (LONG, SHORT, X[:2], X[:3])),
    (with_state, (SHORT[:1], SHORT[:1], X[:2], X[:0])),
    (along_rows, (SHORT, LONG, X[:8].reshape(4, 2), X[:3].reshape(3, 1))),
    (both_ways, (LONG[:3], SHORT, X)),
    (both_ways_of_rows, (LONG[:3], SHORT, X.reshape(12, 2))),
    (steady, (LONG, SHORT)),
    (steady, (SHORT, LONG)),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "given"), CALLS)
def test_a_filter(f, given, target):
    rng = np.random.default_rng(1)
    direction = tuple(rng.standard_normal(x.shape) for x in given)
    places = tuple(range(len(given)))
    value, gradient = flow.value_and_grad(f, grad_position=places, target=target)(*given)
    assert value == pytest.approx(f(*given), rel=1e-12)

    def at(h):
        return f(*(x + h * d for x, d in zip(given, direction, strict=True)))

    slope = sum(np.sum(g * d) for g, d in zip(gradient, direction, strict=True))
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6)
    assert flow.jvp(f, given, direction)[1] == pytest.approx(slope, rel=1e-10)


def test_what_scipy_refuses():
    f = flow.compile(with_state, target="python")
    for z in (X[:2], X[:3].reshape(1, 3)):
        for g in (f, with_state):
            with pytest.raises(ValueError):
                g(LONG, SHORT, X[:6], z)
    with pytest.raises(ValueError):
        flow.compile(both_ways, target="python")(LONG, SHORT, X[:5])
