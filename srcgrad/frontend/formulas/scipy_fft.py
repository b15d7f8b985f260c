"""Cosine transforms of `scipy.fft` as NumPy programs, computed by Fourier transforms.

Types 2 and 3 invert one another: the inverse of one is the other with the opposite norm.

J. Makhoul, "A fast cosine transform in one and two dimensions" (1980).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from srcgrad.frontend.formulas.registry import floating, known, place, stand_for, unsupported

OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


stand_for({
    fft.dct: lambda x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
        orthogonalize=None: _along(x, type, n, axis, norm, orthogonalize),
    fft.idct: lambda x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
        orthogonalize=None: _along(x, _inverse(type), n, axis, _opposite(norm), orthogonalize),
    fft.dctn: lambda x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
        orthogonalize=None: _over(x, type, s, axes, norm, orthogonalize),
    fft.idctn: lambda x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
        orthogonalize=None: _over(x, _inverse(type), s, axes, _opposite(norm), orthogonalize),
})  # fmt: skip


def _inverse(type: Any) -> Any:
    return {2: 3, 3: 2}.get(known(type), type)


def _opposite(norm: Any) -> Any:
    return OPPOSITE.get(norm, norm)


def _over(x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any) -> Any:
    x = floating(x).copy()
    lengths = s if s is None or isinstance(s, tuple | list) else (s,)
    if axes is not None:
        axes = axes if isinstance(axes, tuple | list) else (axes,)
    elif lengths is None:
        axes = range(x.ndim)
    elif len(lengths) > x.ndim:
        raise ValueError("shape requires more axes than are present")
    else:
        axes = range(x.ndim - len(lengths), x.ndim)
    if lengths is not None and len(lengths) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    places = [place(axis, x.ndim) for axis in axes]
    if len(set(places)) != len(places):
        return unsupported("all axes must be unique")
    for k, axis in enumerate(places):
        n = None if lengths is None or lengths[k] == -1 else lengths[k]
        x = _along(x, type, n, axis, norm, orthogonalize)
    return x


def _along(x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:
    x = floating(x)
    if x.dtype.kind == "c":
        return unsupported("cosine transforms of complex numbers are not supported")
    if norm not in OPPOSITE:
        return unsupported(
            f"Invalid norm value {norm!r}, should be 'backward', 'ortho' or 'forward'"
        )
    if orthogonalize is not None and orthogonalize != (norm == "ortho"):
        return unsupported(
            "orthogonalize must be True for the norm 'ortho' and False for others",
            "leave it out, and scale the first element yourself",
        )
    type = known(type)
    if type not in (2, 3):
        return unsupported("cosine transforms are supported for types 2 and 3 only")
    axis = place(axis, x.ndim)
    x = _resized(np.moveaxis(x, axis, -1), n)
    y = _type_2(x, norm) if type == 2 else _type_3(x, norm)
    return np.moveaxis(y, -1, axis).copy()


def _resized(x: Any, n: Any) -> Any:
    """`x` with length n along the last axis: its end cut off, or zeros appended."""
    if n is None:
        n = x.shape[-1]
    if n < 1:
        raise ValueError("invalid number of data points specified")
    resized = np.zeros((*x.shape[:-1], n), x.dtype)
    m = np.minimum(n, x.shape[-1])
    resized[..., :m] = x[..., :m]
    return resized


def _twiddles(n: Any, dtype: Any) -> tuple[Any, Any]:
    """Cosine and sine of pi k / (2 n), which turn a Fourier transform into a cosine transform."""
    angles = np.arange(n) * (np.pi / (2 * n))
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)


def _weights(n: Any, norm: Any, dtype: Any) -> Any:
    """The factors by which a norm scales the elements of type 2."""
    if norm == "ortho":
        weights = np.full(n, np.sqrt(0.5 / n))
        weights[0] = np.sqrt(0.25 / n)
    else:
        weights = np.full(n, 0.5 / n if norm == "forward" else 1.0)
    return weights.astype(dtype)


def _type_2(x: Any, norm: Any) -> Any:
    """2 sum_j x_j cos(pi k (2 j + 1) / (2 n)), scaled by the norm.

    It is the Fourier transform of the elements at even indices, followed by those at odd indices
    in reverse, turned by `_twiddles`.
    """
    n = x.shape[-1]
    z = np.fft.fft(np.concatenate([x[..., ::2], np.flip(x[..., 1::2], -1)], axis=-1))
    cos, sin = _twiddles(n, x.dtype)
    return 2.0 * (z.real * cos + z.imag * sin) * _weights(n, norm, x.dtype)


def _type_3(y: Any, norm: Any) -> Any:
    """The inverse of type 2 with the opposite norm: undoes its steps, last first."""
    n = y.shape[-1]
    cos, sin = _twiddles(n, y.dtype)
    y = y / _weights(n, _opposite(norm), y.dtype)
    back = np.concatenate([np.zeros_like(y[..., :1]), np.flip(y[..., 1:], -1)], axis=-1)
    z = 0.5 * (cos * y + sin * back) + 0.5j * (sin * y - cos * back)
    v = np.fft.ifft(z).real
    half = (n + 1) // 2
    x = np.zeros_like(y)
    x[..., ::2] = v[..., :half]
    x[..., 1::2] = np.flip(v[..., half:], -1)
    return x
