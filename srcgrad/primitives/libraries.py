"""Arrays of NumPy and of CuPy: CuPy's work with NumPy's functions, but never become NumPy's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def on_device(a: Any) -> bool:
    """Whether a value is an array like CuPy's, which NumPy's functions take; PyTorch's are not."""
    cls = a.__class__
    return hasattr(cls, "__cuda_array_interface__") and hasattr(cls, "__array_ufunc__")


def near(x: Any, a: Any) -> Any:
    """An array of NumPy's in the memory of `x`: itself, or a copy on its device."""
    if not on_device(x) or on_device(a) or not hasattr(a, "__array_interface__"):
        return a
    copied: Any = np.asarray(a, like=x)
    return copied


def copied(x: Any) -> Any:
    """A contiguous copy."""
    return x.copy() if on_device(x) else np.array(x, order="C")


def zeros(x: Any, shape: Any) -> Any:
    """Zeros of a shape in the memory and dtype of `x`."""
    return np.zeros(shape, x.dtype) if type(x) is np.ndarray else np.zeros_like(x, shape=shape)


def special_of(*args: Any) -> Any:
    """SciPy's special functions, or CuPy's if an argument is an array on a device."""
    return import_module("cupyx.scipy.special" if any(map(on_device, args)) else "scipy.special")


def linalg_of(*args: Any) -> Any:
    """SciPy's linear algebra, or CuPy's part of it if an argument is an array on a device."""
    return import_module("cupyx.scipy.linalg" if any(map(on_device, args)) else "scipy.linalg")


def is_array(a: Any) -> bool:
    """Whether a value is an array of either library."""
    return isinstance(a, np.ndarray) or on_device(a)


def array_of(y: Any, dtype: Any = None) -> Any:
    """A value that is an array, or a number as NumPy's array; converted if a dtype is given."""
    if type(y) is not np.ndarray and on_device(y):
        return y if dtype is None else y.astype(dtype, copy=False)
    return np.asarray(y, dtype)
