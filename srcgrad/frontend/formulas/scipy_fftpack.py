"""`scipy.fftpack`: calls the transforms of numpy.fft and scipy.fft with its own arguments.

`rfft` and `irfft` are missing: they pack real and imaginary parts into one real array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft as of_scipy
from scipy import fftpack

from srcgrad.frontend.formulas.registry import stands_for


@stands_for(fftpack.fft)
def fft(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
    """The discrete Fourier transform.

    >>> fft([1.0, 2.0]).tolist()
    [(3+0j), (-1+0j)]
    """
    return np.fft.fft(x, n, axis)


@stands_for(fftpack.ifft)
def ifft(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
    """The inverse of the discrete Fourier transform.

    >>> ifft([3.0, -1.0]).tolist()
    [(1+0j), (2+0j)]
    """
    return np.fft.ifft(x, n, axis)


@stands_for(fftpack.fft2)
def fft2(x: Any, shape: Any = None, axes: Any = (-2, -1), overwrite_x: Any = False) -> Any:
    """The discrete Fourier transform over two axes.

    >>> fft2([[1.0, 2.0]]).real.tolist()
    [[3.0, -1.0]]
    """
    return of_scipy.fftn(x, shape, axes)


@stands_for(fftpack.ifft2)
def ifft2(x: Any, shape: Any = None, axes: Any = (-2, -1), overwrite_x: Any = False) -> Any:
    """The inverse of `fft2`.

    >>> ifft2([[3.0, -1.0]]).real.tolist()
    [[1.0, 2.0]]
    """
    return of_scipy.ifftn(x, shape, axes)


@stands_for(fftpack.fftn)
def fftn(x: Any, shape: Any = None, axes: Any = None, overwrite_x: Any = False) -> Any:
    """The discrete Fourier transform over several axes.

    >>> fftn([[1.0, 2.0]]).real.tolist()
    [[3.0, -1.0]]
    """
    return of_scipy.fftn(x, shape, axes)


@stands_for(fftpack.ifftn)
def ifftn(x: Any, shape: Any = None, axes: Any = None, overwrite_x: Any = False) -> Any:
    """The inverse of `fftn`.

    >>> ifftn([[3.0, -1.0]]).real.tolist()
    [[1.0, 2.0]]
    """
    return of_scipy.ifftn(x, shape, axes)


@stands_for(fftpack.dct)
def dct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False
) -> Any:
    """The discrete cosine transform.

    >>> dct([1.0, 2.0]).round(8).tolist()
    [6.0, -1.41421356]
    """
    return of_scipy.dct(x, type, n, axis, norm)


@stands_for(fftpack.idct)
def idct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False
) -> Any:
    """The inverse of `dct`, times 2 n without a norm: the transform of the inverse type.

    >>> idct([6.0, -1.41421356]).round(6).tolist()
    [4.0, 8.0]
    """
    return of_scipy.dct(x, {2: 3, 3: 2}.get(type, type), n, axis, norm)


@stands_for(fftpack.dctn)
def dctn(
    x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False,
) -> Any:  # fmt: skip
    """The discrete cosine transform over several axes.

    >>> dctn([[1.0, 2.0]]).round(7).tolist()
    [[12.0, -2.8284271]]
    """
    return of_scipy.dctn(x, type, _for_all(x, shape, axes), axes, norm)


@stands_for(fftpack.idctn)
def idctn(
    x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False,
) -> Any:  # fmt: skip
    """The inverse of `dctn`, times 2 n for each axis without a norm.

    >>> idctn([[12.0, -2.8284271]]).round(5).tolist()
    [[8.0, 16.0]]
    """
    lengths = _for_all(x, shape, axes)
    return of_scipy.dctn(x, {2: 3, 3: 2}.get(type, type), lengths, axes, norm)


def _for_all(x: Any, shape: Any, axes: Any) -> Any:
    """The lengths that are given, one for each axis where no axes are."""
    count = len(shape) if isinstance(shape, tuple | list) else 1
    if shape is not None and axes is None and count != np.ndim(x):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return shape
