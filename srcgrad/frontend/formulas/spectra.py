"""Spectra of `scipy.signal` by Fourier transforms of segments, as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.frontend.formulas import filters, peaks  # noqa: F401 (registers them)
from srcgrad.frontend.formulas.registry import known, stands_for, unsupported
from srcgrad.frontend.formulas.scipy_signal import detrend as without_trend
from srcgrad.frontend.values import Known


def _signal(x: Any, axis: Any) -> Any:
    """The signal along the last axis, in the precision of its spectrum."""
    x = np.asarray(x)
    if isinstance(axis, tuple):
        raise TypeError("the axis of a spectrum is an integer, not a tuple")
    if x.size == 0:
        # SciPy returns empty arrays here, of stft of another rank: the run cannot decide that
        raise NotImplementedError("spectra of empty signals")
    kind = (np.ravel(x)[:1] + np.zeros(1, np.float32)).dtype
    return np.moveaxis(x.astype(kind), axis, -1)


def _followed_by_zeros(x: Any, n: Any) -> Any:
    return np.concatenate((x, np.zeros((*x.shape[:-1], n), x.dtype)), axis=-1)


def _window(window: Any, nperseg: Any, x: Any) -> Any:
    """The weights in a segment of a signal along the last axis, in its precision."""
    return _weights(window, nperseg, x.shape[-1]).astype(x.real.dtype)


def _weights(window: Any, nperseg: Any, n: Any) -> Any:
    if isinstance(window, str | tuple):
        size = int(known(256 if nperseg is None else nperseg))
        if size < 1:
            raise ValueError(f"Parameter nperseg={size} is not a positive integer!")
        return signal.get_window(window, size) if size <= n else signal.get_window(window, n)
    weights = np.asarray(window) * 1.0
    if weights.ndim != 1 or weights.shape[0] > n:
        raise ValueError("window is a vector that is not longer than the signal")
    if nperseg is not None and int(nperseg) != weights.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return weights


def _transforms(x: Any, weights: Any, step: Any, nfft: Any, trend: Any, onesided: Any) -> Any:
    """The transforms of the segments along the last axis: (..., segments, frequencies)."""
    size = weights.shape[0]
    count = (x.shape[-1] - size) // step + 1
    places = step * np.arange(count)[:, None] + np.arange(size)
    parts = x[..., places]
    if callable(trend):
        return unsupported("trends that a function removes", "'constant', 'linear' or False")
    if trend is not False and trend is not None:
        if np.iscomplexobj(parts):
            real, imag = (without_trend(v, -1, trend) for v in (parts.real, parts.imag))
            parts = real + 1j * imag
        else:
            parts = without_trend(parts, -1, trend)
    parts = parts * weights
    return np.fft.rfft(parts, nfft) if onesided else np.fft.fft(parts, nfft)


def _sizes(weights: Any, noverlap: Any, nfft: Any) -> tuple[Any, Any]:
    """The step from a segment to the next, and the length of a transform."""
    size = weights.shape[0]
    shared = size // 2 if noverlap is None else int(noverlap)
    if shared >= size:
        raise ValueError("noverlap must be less than nperseg.")
    length = size if nfft is None else int(nfft)
    if length < size:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    return size - shared, length


def _scale(weights: Any, fs: Any, scaling: Any) -> Any:
    if scaling == "density":
        return (1.0 / (fs * np.sum(weights * weights))).astype(weights.dtype)
    if scaling == "spectrum":
        return 1.0 / np.sum(weights) ** 2
    return unsupported(f"Unknown scaling: {scaling!r}", like=ValueError)


def _frequencies(length: Any, fs: Any, onesided: Any) -> Any:
    return np.fft.rfftfreq(length, 1.0 / fs) if onesided else np.fft.fftfreq(length, 1.0 / fs)


def _doubled(power: Any, length: Any) -> Any:
    """The power of both sides on one: all but that of 0 and of the highest even frequency."""
    k = np.arange(power.shape[-1])
    return power * np.where((k == 0) | (2 * k == length), 1.0, 2.0).astype(power.real.dtype)


def _averaged(power: Any, average: Any) -> Any:
    """The mean or the median over the segments, (..., segments, frequencies)."""
    if average == "mean":
        return np.mean(power, axis=-2)
    if average != "median":
        return unsupported(f"average must be 'median' or 'mean', got {average}", like=ValueError)
    n = power.shape[-2]
    odd = np.arange(1, (n - 1) // 2 + 1) * 2.0
    bias = 1.0 + np.sum(1.0 / (odd + 1.0) - 1.0 / odd)
    if np.iscomplexobj(power):
        middle = np.median(power.real, axis=-2) + 1j * np.median(power.imag, axis=-2)
    else:
        middle = np.median(power, axis=-2)
    return (middle / bias).astype(power.dtype)


@stands_for(signal.welch)
def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Known = "density", axis: Any = -1, average: Known = "mean",
) -> Any:  # fmt: skip
    """Frequencies, and the power at each: the average over segments.

    >>> welch(np.cos(np.pi * np.arange(64.0)), nperseg=8)[1].round(3)[-2:]
    array([2.667, 5.333])
    """
    x = _signal(x, axis)
    onesided = return_onesided and not np.iscomplexobj(x)
    weights = _window(window, nperseg, x)
    step, length = _sizes(weights, noverlap, nfft)
    made = _transforms(x, weights, step, length, detrend, onesided)
    power = (made.real**2 + made.imag**2) * _scale(weights, fs, scaling)
    if onesided:
        power = _doubled(power, length)
    power = _averaged(power, average)
    return _frequencies(length, fs, onesided), np.moveaxis(power, -1, axis).copy()


@stands_for(signal.csd)
def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Known = "density", axis: Any = -1,
    average: Known = "mean",
) -> Any:  # fmt: skip
    """Frequencies, and the cross power of two signals of one length at each.

    >>> csd(np.ones(8), np.ones(8), nperseg=8, detrend=False)[1].round(3)[:2]
    array([5.333+0.j, 2.667+0.j])
    """
    x, y = _signal(x, axis), _signal(y, axis)
    n = np.maximum(x.shape[-1], y.shape[-1])
    x, y = (_followed_by_zeros(v, n - v.shape[-1]) for v in (x, y))
    onesided = return_onesided and not np.iscomplexobj(x)
    if onesided and np.iscomplexobj(y):
        raise ValueError("the spectrum of a complex signal has two sides: return_onesided=False")
    weights = _window(window, nperseg, x + 0 * y)
    step, length = _sizes(weights, noverlap, nfft)
    first, second = (_transforms(v, weights, step, length, detrend, onesided) for v in (x, y))
    power = np.conj(first) * second * _scale(weights, fs, scaling)
    if onesided:
        power = _doubled(power, length)
    power = _averaged(power, average)
    return _frequencies(length, fs, onesided), np.moveaxis(power, -1, axis).copy()


@stands_for(signal.periodogram)
def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Known = "density", axis: Any = -1,
) -> Any:  # fmt: skip
    """Frequencies, and the power of the whole signal at each.

    >>> periodogram(np.array([1.0, -1.0, 1.0, -1.0]))[1].round(3)
    array([0., 0., 4.])
    """
    x = _signal(x, axis)
    if nfft is not None:
        x = x[..., :nfft]
        nfft = np.maximum(nfft, x.shape[-1])
    n = x.shape[-1]
    weights = signal.get_window(window, n) if isinstance(window, str | tuple) else window
    if np.shape(weights) != (n,):
        raise ValueError("the size of the window must be that of the signal")
    f, power = welch(x, fs, weights, n, 0, nfft, detrend, return_onesided, scaling, -1)
    return f, np.moveaxis(power, -1, axis).copy()


@stands_for(signal.coherence)
def coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Any = "constant", axis: Any = -1,
) -> Any:  # fmt: skip
    """Frequencies, and the share of one signal's power that another one explains at each.

    >>> coherence(np.arange(16.0) ** 2, np.arange(16.0) ** 2, nperseg=8)[1].round(3)[1:3]
    array([1., 1.])
    """
    given = (fs, window, nperseg, noverlap, nfft, detrend)
    f, of_x = welch(x, *given, axis=axis)
    of_y = welch(y, *given, axis=axis)[1]
    both = csd(x, y, *given, axis=axis)[1]
    return f, (both.real**2 + both.imag**2) / of_x / of_y


def _over_time(
    x: Any, fs: Any, weights: Any, noverlap: Any, nfft: Any, detrend: Any, onesided: Any, axis: Any
) -> tuple[Any, Any, Any, Any]:
    """Frequencies, times, transforms with these two axes in their places, and the length."""
    step, length = _sizes(weights, noverlap, nfft)
    made = _transforms(x, weights, step, length, detrend, onesided)
    times = (weights.shape[0] / 2 + step * np.arange(made.shape[-2])) / fs
    made = np.swapaxes(made, -1, -2)
    return _frequencies(length, fs, onesided), times, made, length


@stands_for(signal.spectrogram)
def spectrogram(
    x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Known = "density", axis: Any = -1, mode: Any = "psd",
) -> Any:  # fmt: skip
    """Frequencies, times, and the power of each segment at each frequency.

    >>> spectrogram(np.ones(8), nperseg=4, detrend=False)[2].shape
    (3, 2)
    """
    if mode not in ("psd", "complex", "magnitude"):
        return unsupported(f"spectrogram with mode={mode!r}", "np.angle of mode='complex'")
    x = _signal(x, axis)
    onesided = return_onesided and not np.iscomplexobj(x)
    weights = _window(window, nperseg, x)
    shared = weights.shape[0] // 8 if noverlap is None else noverlap
    f, times, made, length = _over_time(x, fs, weights, shared, nfft, detrend, onesided, axis)
    scale = _scale(weights, fs, scaling)
    if mode == "complex":
        out = made * np.sqrt(scale)
    elif mode == "magnitude":
        out = np.abs(made) * np.sqrt(scale)
    else:
        out = (made.real**2 + made.imag**2) * scale
        if onesided:
            out = np.swapaxes(_doubled(np.swapaxes(out, -1, -2), length), -1, -2)
    return f, times, _placed(out, axis)


def _placed(made: Any, axis: Any) -> Any:
    """The frequencies, before the last axis, at the place where the samples were."""
    return np.moveaxis(made, -2, axis - 1 if axis < 0 else axis).copy()


@stands_for(signal.stft)
def stft(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None,
    nfft: Any = None, detrend: Any = False, return_onesided: Any = True, boundary: Any = "zeros",
    padded: Any = True, axis: Any = -1, scaling: Known = "spectrum",
) -> Any:  # fmt: skip
    """Frequencies, times, and the transforms of all segments.

    >>> stft(np.ones(8), nperseg=4)[2].shape
    (3, 5)
    """
    if boundary not in ("zeros", None):
        return unsupported(f"stft with boundary={boundary!r}", "pad the signal, and boundary=None")
    if scaling not in ("spectrum", "psd"):
        return unsupported(f"stft with scaling={scaling!r}", "'spectrum' or 'psd'", ValueError)
    x = _signal(x, axis)
    onesided = return_onesided and not np.iscomplexobj(x)
    weights = _window(window, nperseg, x)
    size, lead = weights.shape[0], x.shape[:-1]
    step, _ = _sizes(weights, noverlap, nfft)
    if boundary is not None:
        beyond = np.zeros((*lead, size // 2), x.dtype)
        x = np.concatenate((beyond, x, beyond), axis=-1)
    if padded:
        x = _followed_by_zeros(x, (-(x.shape[-1] - size) % step) % size)
    f, times, made, _ = _over_time(x, fs, weights, noverlap, nfft, detrend, onesided, axis)
    scale = _scale(weights, fs, "density" if scaling == "psd" else scaling)
    if boundary is not None:
        times = times - size / 2 / fs
    return f, times, _placed(made * np.sqrt(scale), axis)
