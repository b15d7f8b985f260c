"""scipy.signal: convolutions, correlations, recursive filters, trends."""

import numpy as np
from scipy import signal

from tests.cases.registry import case, mat, vec


@case(vec(5), vec(3, 1))
@case(vec(2), vec(4, 1))
def overlaps_of_vectors(a, v):
    s = np.sum(signal.convolve(a, v) ** 2) + np.sum(signal.correlate(a, v, "full") ** 3)
    s += np.sum(signal.fftconvolve(a, v, mode="valid") ** 2)
    same = signal.oaconvolve(a, v, "same") * signal.correlate(a, v, mode="same", method="direct")
    return same * a + s


@case(mat(3, 4), mat(2, 3, 1))
def overlaps_of_matrices(a, v):
    s = np.sum(signal.convolve2d(a, v) ** 2) + np.sum(signal.correlate(a, v, "valid") ** 2)
    return signal.convolve2d(a, v, "same", "fill", 0.0) * signal.correlate2d(a, v, mode="same") * s


@case(vec(2), vec(3, 1), vec(6, 2))
@case(vec(3), vec(1, 1), vec(2, 2))
def recursive_filter(b, a, x):
    return signal.lfilter(b, a, x) ** 2


@case(vec(2), mat(4, 2))
def recursive_filter_along_axes(b, x):
    return signal.lfilter(b, [1.0, -0.5], x, axis=0) * signal.lfilter([0.3], [2.0, x[0, 0]], x)


@case(mat(4, 3))
def without_trends(x):
    y = signal.detrend(x**2) * signal.detrend(x, type="constant")
    return y + signal.detrend(x**2, axis=0, type="linear")


@case(np.array([0.3, 1.4, -0.2, 0.9, 0.6, 2.2]), 5)
def medians_of_windows(x, size):
    return signal.medfilt(x) * x + signal.medfilt(x**2, size) + signal.medfilt(x, [1 + 2 * len(x)])


@case(np.array([[0.3, 1.4, -0.25, 0.9], [0.6, 2.2, 0.1, -1.3], [0.5, 0.7, 1.1, 0.2]]))
def medians_of_windows_of_matrices(x):
    return signal.medfilt(x, (3, 1)) * x + signal.medfilt(x**2)
