"""Converts numbers, nested sequences, arrays and tensors to an array with a tensor's dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes
from srcgrad.errors import ArgumentValueError, TensorError, TensorTypeError


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor: below `Tensor`, an attribute that only tensors have decides."""
    return hasattr(type(value), "srcgrad_value")


def array_of_data(data: Any, dtype: Any) -> np.ndarray:
    target = None if dtype is None else dtypes.to_dtype(dtype).np
    if is_tensor(data):
        a: Any = data._a
    elif isinstance(data, np.generic) or devices.is_array(data):
        a = devices.array_of(data)
        dtypes.of(a)
    elif data is None:
        raise TensorError("Could not infer dtype of NoneType")
    else:
        _check_lengths(data, 0)
        a = np.asarray(_plain(data))
        if a.dtype.kind == "O" and all(isinstance(x, int) for x in a.flat):
            raise ArgumentValueError("Overflow when unpacking long: an integer needs 64 bits")
        if a.dtype.kind in "iu" and target is not None and target.kind in "iu" and a.size:
            info = np.iinfo(target)
            if a.min() < info.min or a.max() > info.max:
                raise TensorError(f"value cannot be converted to type {target} without overflow")
        if a.dtype.kind not in "biufc":
            raise TensorTypeError(f"new(): invalid data type '{type(data).__name__}'")
        if target is None:
            target = _inferred(data, a)
    with np.errstate(over="ignore"):
        return a if target is None or a.dtype == target else a.astype(target)


def _plain(data: Any) -> Any:
    if isinstance(data, list | tuple | range):
        return [_plain(x) for x in data]
    return devices.moved(data._a, devices.CPU) if is_tensor(data) else data


def _check_lengths(data: Any, depth: int) -> int | None:
    """Raises for ragged sequences as PyTorch does."""
    if isinstance(data, str):
        raise TensorTypeError("new(): invalid data type 'str'")
    if not isinstance(data, list | tuple | range):
        return None
    lengths = [_check_lengths(x, depth + 1) for x in data]
    for n in lengths:
        if n != lengths[0]:
            raise ArgumentValueError(
                f"expected sequence of length {lengths[0]} at dim {depth + 1} (got {n})"
            )
    return len(data)


def _inferred(data: Any, a: np.ndarray) -> np.dtype:
    """The dtype of Python data: that of its leaves; the default for floats and for no data."""
    if isinstance(data, list | tuple) and data and a.size:
        leaf = data
        while isinstance(leaf, list | tuple) and leaf:
            leaf = leaf[0]
        if is_tensor(leaf) or isinstance(leaf, np.generic) or devices.is_array(leaf):
            return a.dtype
    if not a.size or a.dtype.kind == "f":
        return dtypes.get_default_dtype().np
    return np.dtype(np.complex64) if a.dtype.kind == "c" else a.dtype
