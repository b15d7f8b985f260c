"""Functions of `scipy.signal` as NumPy programs: convolutions, linear filters, trends."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.frontend.formulas.registry import floating, place, stands_for, unsupported


# ---- convolutions ----
@stands_for(signal.convolve)
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """The sums of products of one array and the other, reversed and shifted, for all methods.

    >>> convolve(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([1., 3., 2.])
    """
    _check_method(method)
    return _overlaps(np.asarray(in1), np.asarray(in2), mode)


@stands_for(signal.fftconvolve, signal.oaconvolve)
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    """The convolution in floating point, for all dtypes.

    >>> fftconvolve([1, 2], [1, 1])
    array([1., 3., 2.])
    """
    if axes is not None:
        return unsupported("convolutions along some axes are not supported", "leave axes out")
    a, v = floating(in1), floating(in2)
    if a.ndim != 1 or v.ndim != 1:
        if a.size == 0 or v.size == 0:
            raise NotImplementedError("SciPy's fftconvolve of empty matrices is a vector")
        return _overlaps(a, v, mode)
    n, m = a.shape[0], v.shape[0]
    if n * m == 0:
        return a[:0] + v[:0]
    full = _by_transforms(a, v)
    if mode == "full":
        return full
    if mode == "same":
        return full[(m - 1) // 2 : (m - 1) // 2 + n].copy()
    if mode != "valid":
        return unsupported(
            f"the mode {mode!r} is not supported", "use 'full', 'same' or 'valid'", ValueError
        )
    return full[np.minimum(n, m) - 1 : np.maximum(n, m)].copy()


def _by_transforms(a: Any, v: Any) -> Any:
    """Every overlap of two vectors: transforms of a fast length turn it into a product."""
    n = a.shape[0] + v.shape[0] - 1
    size = 1
    while size < n:
        size *= 2
    if np.iscomplexobj(a) or np.iscomplexobj(v):
        return np.fft.ifft(np.fft.fft(a, size) * np.fft.fft(v, size))[:n].copy()
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(v, size), size)[:n].copy()


@stands_for(signal.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """The sums of products of one array and the other, shifted and conjugate.

    >>> correlate(np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    array([1., 2., 0.])
    """
    _check_method(method)
    return _overlaps(np.asarray(in1), np.conj(np.flip(np.asarray(in2))), mode)


def _check_method(method: Any) -> None:
    if method not in ("auto", "direct", "fft"):
        unsupported("Acceptable method flags are 'auto', 'direct', or 'fft'", like=ValueError)


def _overlaps(a: Any, v: Any, mode: Any) -> Any:
    if a.ndim != v.ndim or a.ndim not in (1, 2):
        return unsupported("convolutions take two vectors or two matrices")
    if mode not in ("full", "same", "valid"):
        return unsupported(
            f"the mode {mode!r} is not supported", "use 'full', 'same' or 'valid'", ValueError
        )
    if a.ndim == 1:
        n, m = a.shape[0], v.shape[0]
        if mode == "same":
            first = (m - 1) // 2
            return np.convolve(a, v)[first : first + n].copy()
        return np.convolve(a, v, mode)
    if mode == "valid" and (a.size == 0 or v.size == 0):
        raise NotImplementedError("the valid part of a convolution of empty matrices")
    return _part_of(_full(a, v), a, v, mode)


def _full(a: Any, v: Any) -> Any:
    """Every overlap of two matrices: one is added, shifted and scaled, per element of the other."""
    (n, m), (p, q) = a.shape, v.shape
    out = np.zeros((n + p - 1, m + q - 1), (a[:1, :1] * v[:1, :1]).dtype)
    for i in range(p):
        for j in range(q):
            out[i : i + n, j : j + m] += v[i, j] * a
    return out


def _part_of(full: Any, a: Any, v: Any, mode: Any) -> Any:
    """The part of all overlaps that a mode selects; "same" is centred with respect to `a`."""
    (n, m), (p, q) = a.shape, v.shape
    if mode == "full":
        return full
    if mode == "same":
        i, j = (p - 1) // 2, (q - 1) // 2
        return full[i : i + n, j : j + m].copy()
    if (n < p or m < q) and (p < n or q < m):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )
    rows, columns = np.minimum(n, p), np.minimum(m, q)
    return full[rows - 1 : np.maximum(n, p), columns - 1 : np.maximum(m, q)].copy()


@stands_for(signal.convolve2d)
def convolve2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    """A convolution of matrices with zeros around them.

    >>> convolve2d(np.ones((1, 2)), np.ones((1, 2)))
    array([[1., 2., 1.]])
    """
    a, v = _matrices(in1, in2, boundary, fillvalue)
    return _overlaps(a, v, mode)


@stands_for(signal.correlate2d)
def correlate2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    """A correlation of matrices with zeros around them.

    >>> correlate2d(np.ones((1, 2)), np.ones((1, 2)))
    array([[1., 2., 1.]])
    """
    a, v = _matrices(in1, in2, boundary, fillvalue)
    return _centred(a, v) if mode == "same" else correlate(a, v, mode)


def _centred(a: Any, v: Any) -> Any:
    """Correlations of matrices have their own middle where the second has an even length."""
    (n, m), (p, q) = a.shape, v.shape
    full = correlate(a, v)
    return full[p // 2 : p // 2 + n, q // 2 : q // 2 + m].copy()


def _matrices(in1: Any, in2: Any, boundary: Any, fillvalue: Any) -> tuple[Any, Any]:
    a, v = np.asarray(in1), np.asarray(in2)
    if a.ndim != 2 or v.ndim != 2:
        unsupported("convolve2d and correlate2d take matrices")
    if boundary not in ("fill", "pad") or not _is_zero(fillvalue):
        unsupported("boundaries other than zeros are not supported", "use np.pad, and 'valid'")
    return a, v


def _is_zero(v: Any) -> bool:
    return isinstance(v, int | float) and v == 0


# ---- filters ----
@stands_for(signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """a_0 y_i = b_0 x_i + b_1 x_(i-1) + ... - a_1 y_(i-1) - ..., along an axis.

    The state `zi` is that of the transposed direct form II: what it adds to the next outputs.

    >>> lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x)
    kind = (b[:1] + a[:1] + np.ravel(x)[:1]).dtype
    if zi is not None:
        kind = (np.zeros(1, kind) + np.ravel(np.asarray(zi))[:1]).dtype
    if b.size == 0 or a.size == 0:
        raise ValueError("the coefficients of lfilter are not empty")
    if b.ndim != 1 or a.ndim != 1 or kind.kind not in "fc":
        return unsupported("lfilter takes vectors of coefficients, and floats")
    axis = place(axis, x.ndim)
    if a[0] == 0:
        raise ValueError("the coefficient a[0] of lfilter is 0")
    b, a = (b / a[0]).astype(kind), (a / a[0]).astype(kind)
    lanes = np.moveaxis(x.astype(kind), axis, 0)
    n, m = lanes.shape[0], a.shape[0]
    y = np.zeros_like(lanes)
    for k in range(np.minimum(b.shape[0], n)):
        y[k:] += b[k] * lanes[: n - k]
    state = None
    if zi is not None:
        state = _state(b, a, zi, lanes, axis)
        first = np.minimum(n, state.shape[0])
        y[:first] += state[:first]
    if m > 1:
        for i in range(1, n):
            back = a[1] * y[i - 1]
            for k in range(2, np.minimum(m, i + 1)):
                back = back + a[k] * y[i - k]
            y[i] -= back
    out = np.moveaxis(y, 0, axis).copy()
    if zi is None:
        return out
    return out, np.moveaxis(_left(b, a, state, lanes, y), 0, axis).copy()


def _state(b: Any, a: Any, zi: Any, lanes: Any, axis: Any) -> Any:
    """The state before the first input, one row per delay."""
    zi = np.asarray(zi)
    size = np.maximum(b.shape[0], a.shape[0]) - 1
    if zi.ndim != lanes.ndim:
        raise ValueError("the state has as many dimensions as the signal")
    rows = np.moveaxis(zi, axis, 0)
    if rows.shape[0] != size:
        raise ValueError("the state has one number per delay")
    return np.zeros((size, *lanes.shape[1:]), lanes.dtype) + rows


def _left(b: Any, a: Any, state: Any, x: Any, y: Any) -> Any:
    """The state after the last input."""
    left = np.zeros_like(state)
    n, size = x.shape[0], state.shape[0]
    for k in range(size):
        if k + n < size:
            left[k] += state[k + n]
        for j in range(k + 1, np.minimum(size, k + n) + 1):
            if j < b.shape[0]:
                left[k] += b[j] * x[n + k - j]
            if j < a.shape[0]:
                left[k] -= a[j] * y[n + k - j]
    return left


@stands_for(signal.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state in which a filter answers a constant 1 with its constant response.

    >>> lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if b.ndim != 1 or a.ndim != 1:
        raise ValueError("the coefficients of lfilter_zi are vectors")
    if a[0] == 0:
        raise ValueError("the coefficient a[0] of lfilter_zi is 0")
    b, a = b / a[0], a / a[0]
    if np.sum(a) == 0:
        raise ValueError("the filter has a pole at z = 1")
    n = np.maximum(b.shape[0], a.shape[0])
    b = np.concatenate((b, np.zeros(n - b.shape[0], b.dtype)))
    a = np.concatenate((a, np.zeros(n - a.shape[0], a.dtype)))
    rest = b - np.sum(b) / np.sum(a) * a
    return np.flip(np.cumsum(np.flip(rest)))[1:].copy()


@stands_for(signal.detrend)
def detrend(
    data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False
) -> Any:
    """Subtracts the mean, or the straight line of least squares, along an axis.

    >>> np.abs(detrend(np.array([1.0, 3.0, 5.0]))).round(12).tolist()
    [0.0, 0.0, 0.0]
    """
    x = floating(data)
    axis = place(axis, x.ndim)
    if x.size == 0 and type in ("linear", "l"):
        raise ValueError("a trend of nothing")
    if type in ("constant", "c"):
        return x - np.mean(x, axis=axis, keepdims=True)
    if type not in ("linear", "l"):
        return unsupported("Trend type must be 'linear' or 'constant'")
    if not _is_zero(bp):
        return unsupported("detrend with break points is not supported", "treat each part alone")
    x = np.moveaxis(x, axis, -1)
    x = x - np.mean(x, axis=-1, keepdims=True)
    n = x.shape[-1]
    t = np.arange(n) - 0.5 * (n - 1)
    t = (t / np.sqrt(np.maximum(np.sum(t * t), 0.5))).astype(x.dtype)
    return np.moveaxis(x - np.sum(x * t, axis=-1, keepdims=True) * t, -1, axis).copy()


# ---- medians ----
@stands_for(signal.medfilt)
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The median of the window around each place; outside are zeros.

    >>> medfilt(np.array([1.0, 5.0, 2.0, 3.0]))
    array([1., 2., 3., 2.])
    """
    x = np.atleast_1d(np.asarray(volume))
    if x.dtype.kind not in "iuf":
        raise ValueError(f"dtype={x.dtype} is not supported by medfilt")
    size: Any = 3 if kernel_size is None else kernel_size
    sizes = [size] * x.ndim if np.ndim(size) == 0 else [size[k] for k in range(x.ndim)]
    count = 1
    for k in sizes:
        if k % 2 != 1:
            raise ValueError("Each element of kernel_size should be odd.")
        count = count * k
    # one place more than there is along each axis: an axis without places has a window, too
    inside = np.pad(x, [(k // 2, k // 2 + 1) for k in sizes])
    windows = np.lib.stride_tricks.sliding_window_view(inside, tuple(sizes))
    windows = windows[tuple([slice(n) for n in x.shape])]
    return np.sort(windows.reshape((*x.shape, count)), axis=-1)[..., count // 2]
