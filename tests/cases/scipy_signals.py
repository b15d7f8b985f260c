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


SECTIONS = signal.butter(4, 0.3, output="sos")
LONG = np.sin(np.arange(30.0) * 0.7) + 0.1 * np.arange(30.0)


@case(LONG)
@case(np.stack((LONG, LONG**2), axis=1))
def filters_in_sections(x):
    y = signal.sosfilt(SECTIONS, x, axis=0)
    return y * signal.sosfiltfilt(SECTIONS, x, axis=0) + signal.sosfilt(SECTIONS, x)


@case(LONG, 0.3)
def states_of_sections(x, k):
    sections = signal.butter(2, 0.2 + 0.1 * k, output="sos")
    y, left = signal.sosfilt(sections, x, zi=signal.sosfilt_zi(sections) * x[0])
    return np.sum(y**2) + np.sum(left**3)


@case(LONG, 0.3)
def designed_filters(x, k):
    b, a = signal.iirnotch(0.3, 5.0 + k)
    y = signal.lfilter(b, a, x) + signal.filtfilt(*signal.butter(2, 0.2 + 0.1 * k), x)
    return y + signal.lfilter(*signal.butter(1, 2.0 + k, "high", fs=20.0), x)


@case(LONG)
def other_rates(x):
    y = np.sum(signal.decimate(x, 3)) + np.sum(signal.decimate(x, 3, ftype="fir") ** 2)
    y += np.sum(signal.decimate(x, 2, 4, "iir", -1, False) ** 3)
    y += np.sum(signal.resample_poly(x, 3, 2) ** 2) + np.sum(signal.resample_poly(x, 2, 4) ** 3)
    return y + np.sum(signal.upfirdn(x[:4], x, 3, 2) ** 2)


@case(np.stack((LONG, LONG**2), axis=1))
def other_rates_along_an_axis(x):
    y = signal.upfirdn([1.0, 2.0, 1.0], x, 2, 3, axis=0) ** 2
    return np.sum(y) + signal.decimate(x, 2, 3, "fir", 0, False) * signal.decimate(x, 2, axis=0)


@case(LONG)
def spectra(x):
    f, p = signal.welch(x, 2.0, nperseg=8)
    _, q = signal.welch(x, window=x[:6] ** 2 + 1.0, detrend=False, average="median")
    _, r = signal.periodogram(x, 10.0, "hann", 32, "linear", scaling="spectrum")
    _, s = signal.periodogram(x, nfft=11, return_onesided=False)
    return np.sum(p**2) + np.sum(q**2) + np.sum(r**2) * f[1] + np.sum(s**2)


@case(LONG, LONG[::-1] ** 2)
def cross_spectra(x, y):
    _, p = signal.csd(x, y, nperseg=8, nfft=9)
    _, q = signal.csd(x + 1j * y, y[:20], nperseg=8, average="median")
    return (
        np.sum(np.abs(p) ** 2)
        + np.sum(np.abs(q) ** 2)
        + np.sum(signal.coherence(x, y, nperseg=8)[1][1:] ** 2)
    )


@case(np.stack((LONG, LONG**2), axis=1))
def spectra_along_an_axis(x):
    _, p = signal.welch(x, 2.0, "hann", 5, 3, 8, "linear", True, "spectrum", 0)
    f, t, s = signal.spectrogram(x, 3.0, nperseg=7, axis=0)
    _, _, m = signal.spectrogram(x, nperseg=6, axis=-2, mode="magnitude", detrend="linear")
    return np.sum(p**2) + np.sum(s * t) * f[1] + np.sum(m**3)


@case(LONG)
def spectra_over_time(x):
    f, t, s = signal.stft(x, 3.0, nperseg=7, noverlap=2)
    _, u, z = signal.stft(x.reshape(15, 2), nperseg=4, boundary=None, padded=False, axis=0,
                          scaling="psd", detrend="constant")  # fmt: skip
    return np.sum(np.abs(s) ** 2 * t) * f[1] + np.sum(np.abs(z) ** 2 * u)


@case(np.array([0.3, 1.2, 0.7, 0.9, 2.5, 0.1, 0.4, 0.2]))
def heights_of_peaks(x):
    (peaks,) = signal.argrelextrema(x, np.greater)
    valleys = signal.argrelmin(x, order=2, mode="wrap")[0]
    rows, columns = signal.argrelmax(np.outer(x, x), axis=1)
    return np.sum(x[peaks] ** 2) - np.sum(x[valleys] ** 3) + np.sum(x[rows] * x[columns])


SIGNAL = np.array([0.3, 1.2, 0.7, 0.9, 0.8, 2.4, 0.1, 0.4, 0.2, 0.6, 0.65, 0.45])


@case(SIGNAL)
def peaks_with_properties(x):
    peaks, found = signal.find_peaks(x, height=0.35, threshold=0.01)
    total = np.sum(x[peaks] ** 2) + np.sum(found["peak_heights"] * found["left_thresholds"])
    apart, _ = signal.find_peaks(x, distance=3)
    high, stated = signal.find_peaks(x, prominence=(0.08, 3.0), wlen=7)
    total += np.sum(stated["prominences"] ** 2) + np.sum(stated["left_bases"] * x[high])
    wide, sides = signal.find_peaks(np.round(x), plateau_size=(1, 3))
    return total * np.sum(x[apart]) + np.sum(sides["right_edges"] * x[wide])
