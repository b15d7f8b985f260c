"""Filters of `scipy.signal` in sections, and at several rates, as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal
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
