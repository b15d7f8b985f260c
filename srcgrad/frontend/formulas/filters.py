"""Filters of `scipy.signal`: sections, several rates, least squares, as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, signal
from scipy.signal import _upfirdn

from srcgrad.frontend.formulas.registry import floating, known, place, stands_for, unsupported
from srcgrad.frontend.formulas.scipy_signal import lfilter


@stands_for(signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """A filter of second order after the other, along an axis; `zi` are their states.

    >>> sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    sos, x = np.atleast_2d(sos), np.asarray(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if np.any(sos[:, 3] != 1):
        raise ValueError("sos[:, 3] should be all ones")
    axis = place(axis, x.ndim)
    if x.shape[axis] == 0:
        raise ValueError("sosfilt of an empty signal")
    kind = (sos[0, :1] + np.ravel(x)[:1]).dtype
    if zi is not None:
        kind = (np.zeros(1, kind) + np.ravel(np.asarray(zi))[:1]).dtype
    if kind.kind not in "fc":
        # SciPy raises this class for integers
        return unsupported("sosfilt takes floats", like=NotImplementedError)
    sos, y = sos.astype(kind), x.astype(kind)
    if zi is None:
        for k in range(sos.shape[0]):
            y = lfilter(sos[k, :3], sos[k, 3:], y, axis)
        return y
    state = np.asarray(zi).astype(kind)
    if state.ndim != x.ndim + 1 or state.shape[0] != sos.shape[0]:
        raise ValueError("Invalid zi shape: zi has a state of each section")
    for k in range(x.ndim):
        if state.shape[k + 1] != (2 if k == axis else x.shape[k]):
            raise ValueError("Invalid zi shape: a state has two numbers per signal")
    left = np.zeros_like(state)
    for k in range(sos.shape[0]):
        y, after = lfilter(sos[k, :3], sos[k, 3:], y, axis, state[k])
        left[k] = after
    return y, left


@stands_for(signal.upfirdn)
def upfirdn(
    h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1, mode: Any = "constant",
    cval: Any = 0,
) -> Any:  # fmt: skip
    """Zeros between the samples, a filter, and each sample of so many.

    >>> upfirdn([1.0, 1.0], np.array([1.0, 2.0]), 2)
    array([1., 1., 2., 2.])
    """
    if mode != "constant" or not (isinstance(cval, int | float) and cval == 0):
        unsupported("upfirdn with samples beyond the ends", "pad the signal")
    h, x = np.asarray(h), np.asarray(x)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    axis = place(axis, x.ndim)
    lanes = np.moveaxis(x, axis, 0)
    size = np.maximum((lanes.shape[0] - 1) * up + h.shape[0], 0)
    many = np.maximum((lanes.shape[0] - 1) * up + 1, 0)
    kind = (h[:1] * np.ravel(x)[:1] + np.zeros(1, np.float32)).dtype
    spread = np.zeros((many, *lanes.shape[1:]), kind)
    spread[::up] = lanes
    out = np.zeros((size, *lanes.shape[1:]), kind)
    for k in range(h.shape[0]):
        out[k : k + many] += h[k] * spread
    return np.moveaxis(out[::down], 0, axis).copy()


@stands_for(_upfirdn._output_len)
def output_length(len_h: Any, in_len: Any, up: Any, down: Any) -> Any:
    """The number of samples that `upfirdn` returns.

    >>> output_length(2, 2, 2, 1)
    4
    """
    return ((in_len - 1) * up + len_h - 1) // down + 1


@stands_for(signal.decimate)
def decimate(
    x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True
) -> Any:
    """Each sample of q, after a filter of Chebyshev's or a Hamming window.

    >>> decimate(np.ones(40), 4).round(1)[3:7]
    array([1., 1., 1., 1.])
    """
    x, q = floating(x), known(q)
    if ftype == "iir":
        sos = signal.cheby1(8 if n is None else known(n), 0.05, 0.8 / q, output="sos")
        sos = sos.astype(x.real.dtype)
        y = signal.sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis)
    elif ftype == "fir":
        h = signal.firwin((20 * q if n is None else known(n)) + 1, 1.0 / q, window="hamming")
        h = h.astype(x.real.dtype)
        if zero_phase:
            return signal.resample_poly(x, 1, q, axis, h)
        count = (x.shape[axis] + q - 1) // q
        return np.moveaxis(np.moveaxis(upfirdn(h, x, 1, q, axis), axis, 0)[:count], 0, axis).copy()
    else:
        return unsupported("decimate by a filter of one's own", "call sosfiltfilt and slice")
    return np.moveaxis(np.moveaxis(y, axis, 0)[::q], 0, axis).copy()


@stands_for(signal.firls)
def firls(numtaps: Any, bands: Any, desired: Any, *, weight: Any = None, fs: Any = None) -> Any:
    """The symmetric filter whose gain is closest to lines over bands of frequencies.

    By the normal equations of I. Selesnick, "Linear-phase FIR filter design by least squares".

    >>> firls(3, [0.0, 0.5, 0.5, 1.0], [1.0, 1.0, 1.0, 1.0]).round(12).tolist()
    [0.0, 1.0, 0.0]
    """
    taps = known(numtaps)
    if taps % 2 == 0 or taps < 1:
        raise ValueError("numtaps must be odd and >= 1")
    half = taps // 2
    bands, gains, w = _checked(bands, desired, weight, 1.0 if fs is None else 0.5 * fs)
    n = np.arange(taps)[:, None, None]
    q = np.dot(np.diff(np.sinc(bands * n) * bands, axis=2)[:, :, 0], w)
    products = linalg.toeplitz(q[: half + 1]) + linalg.hankel(q[: half + 1], q[half:])
    n = n[: half + 1]
    slope = np.diff(gains, axis=1) / np.diff(bands, axis=1)
    start = gains[:, :1] - bands[:, :1] * slope
    b = bands * (slope * bands + start) * np.sinc(bands * n)
    constant = b[:1] - slope * bands * bands / 2.0
    others = b[1:] + slope * np.cos(n[1:] * np.pi * bands) / (np.pi * n[1:]) ** 2
    b = np.dot(np.diff(np.concatenate((constant, others)), axis=2)[:, :, 0], w)
    # only the run tells; SciPy gives the solution of smallest norm
    if len(w) == 0 or not np.linalg.cond(products, 1) * np.finfo(np.float64).eps < 1.0:
        raise NotImplementedError("firls of bands that do not determine the filter")
    a = np.linalg.solve(products, b)
    return np.concatenate((a[:0:-1], 2.0 * a[:1], a[1:]))


def _checked(bands: Any, desired: Any, weight: Any, nyquist: Any) -> tuple:
    """Bands as parts of Nyquist's frequency, gains at their ends, and a weight for each."""
    if nyquist <= 0.0:
        raise ValueError("nyq must be positive")
    bands, gains = np.ravel(floating(bands)) / nyquist, np.ravel(floating(desired))
    if len(bands) % 2 != 0:
        raise ValueError("bands must contain frequency pairs.")
    if np.any((bands < 0.0) | (bands > 1.0)):
        raise ValueError("bands must be between 0 and 1 relative to Nyquist")
    if len(bands) != len(gains):
        raise ValueError("desired must have one entry per frequency")
    bands, gains = bands.reshape((-1, 2)), gains.reshape((-1, 2))
    if np.any(np.diff(bands) <= 0.0) or np.any(np.diff(bands[:, 0]) < 0.0):
        raise ValueError("bands must be monotonically nondecreasing and have width > 0.")
    if np.any(bands[:-1, 1] > bands[1:, 0]):
        raise ValueError("bands must not overlap.")
    if np.any(gains < 0.0):
        raise ValueError("desired must be non-negative.")
    w = np.ones(len(gains)) if weight is None else np.ravel(floating(weight))
    if len(w) != len(gains):
        raise ValueError("weight must be the same size as the number of band pairs")
    if np.any(w < 0.0):
        raise ValueError("weight must be non-negative.")
    return bands, gains, w
