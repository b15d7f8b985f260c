"""The inverse of a short-time Fourier transform of `scipy.signal`, by weighted overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.frontend.formulas.registry import known, place, stands_for, unsupported


@stands_for(signal.istft)
def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1,
    freq_axis: Any = -2, scaling: Any = "spectrum",
) -> tuple:  # fmt: skip
    """The times and values of a signal, by the transforms of its segments.

    >>> x = np.arange(8.0)
    >>> z = signal.stft(x, nperseg=4)[2]
    >>> istft(z, nperseg=4)[1].round(12).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """
    z = np.asarray(Zxx) + 0j
    if z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    over, through = place(known(time_axis), z.ndim), place(known(freq_axis), z.ndim)
    if over == through:
        raise ValueError("Must specify differing time and frequency axes!")
    z = np.moveaxis(z, (through, over), (-2, -1))
    count = z.shape[-1]
    default = 2 * (z.shape[-2] - 1) if input_onesided else z.shape[-2]
    size = default if nperseg is None else int(nperseg)
    if size < 1:
        raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        odd = input_onesided and size == default + 1
        nfft = size if odd else default
    elif (nfft := int(nfft)) < size:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    overlap = size // 2 if noverlap is None else int(noverlap)
    if overlap >= size:
        raise ValueError("noverlap must be less than nperseg.")
    step = size - overlap
    if isinstance(window, str | tuple):
        weights = signal.get_window(window, size)
    else:
        weights = np.asarray(window)
        if weights.ndim != 1 or weights.shape[0] != size:
            raise ValueError(f"window must have length of {size}")
    parts = np.fft.irfft(z, n=nfft, axis=-2) if input_onesided else np.fft.ifft(z, n=nfft, axis=-2)
    parts = parts[..., :size, :]
    if scaling == "spectrum":
        parts = parts * np.sum(weights)
    elif scaling == "psd":
        parts = parts * np.sqrt(fs * np.sum(weights**2))
    else:
        return unsupported(
            f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!", like=ValueError
        )
    length = size + (count - 1) * step
    x, norm = np.zeros((*z.shape[:-2], length), parts.dtype), np.zeros(length)
    for k in range(count):
        x[..., k * step : k * step + size] += parts[..., k] * weights
        norm[k * step : k * step + size] += weights**2
    if boundary:
        x, norm = x[..., size // 2 : -(size // 2)], norm[size // 2 : -(size // 2)]
    x = x / np.where(norm > 1e-10, norm, 1.0)
    if x.ndim > 1:
        x = np.moveaxis(x, -1, over - 1 if through < over else over)
    return np.arange(x.shape[0]) / fs, x  # SciPy's times are those of the first axis
