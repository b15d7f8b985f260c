"""A stand-in for CuPy: arrays that NumPy's functions take, and that never become NumPy's unasked.

As CuPy's do, they refuse `np.asarray`, and operations in which a NumPy array takes part. Their
elements are in main memory, so that what a tensor computes on a device can be compared without one.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

# what CuPy has not; see its comparison table
MISSING = frozenset((np.ix_, np.emath))


def _inner(value: Any) -> Any:
    """The value with NumPy's arrays instead of ours; TypeError for those that are NumPy's."""
    if isinstance(value, Array):
        return value.inner
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, tuple | list):
        return type(value)(map(_inner, value))
    return value


def _outer(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return Array(np.asarray(value))
    return tuple(map(_outer, value)) if isinstance(value, tuple | list) else value


def _index(index: Any) -> Any:
    """An index, whose arrays may be NumPy's: CuPy copies them."""
    if isinstance(index, tuple):
        return tuple(map(_index, index))
    return index.inner if isinstance(index, Array) else index


class Array(np.lib.mixins.NDArrayOperatorsMixin):
    """An array on the only device."""

    __array_priority__ = 100
    __cuda_array_interface__ = property(lambda self: self.inner.__array_interface__)
    device = SimpleNamespace(id=0)

    def __init__(self, inner: np.ndarray):
        self.inner = inner

    def __array_namespace__(self) -> Any:
        return SimpleNamespace(from_dlpack=Array)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        others = [a for a in inputs if not isinstance(a, Array | np.ndarray)]
        if getattr(np, ufunc.__name__, None) is not ufunc or any(
            hasattr(a, "__array_ufunc__") and not isinstance(a, np.generic) for a in others
        ):
            return NotImplemented
        out = kwargs.get("out", ())
        made = getattr(ufunc, method)(
            *map(_inner, inputs), **{k: _inner(v) for k, v in kwargs.items()}
        )
        return out[0] if out else _outer(made)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        if function in MISSING:
            return NotImplemented
        if function is np.asarray:  # asked for by `like`
            return asarray(*args, **kwargs)
        made = function(*_inner(args), **{k: _inner(v) for k, v in kwargs.items()})
        return _outer(made)

    def __getitem__(self, index: Any) -> Any:
        return _view(self.inner, _index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.inner[_index(index)] = _inner(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        found = getattr(self.inner, name)
        if not callable(found):
            return _outer(found) if isinstance(found, np.ndarray) else found

        def method(*args: Any, **kwargs: Any) -> Any:
            return _outer(found(*_inner(args), **{k: _inner(v) for k, v in kwargs.items()}))

        return found if name in ("item", "tolist") else method

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self.inner)

    def __int__(self) -> int:
        return int(self.inner)

    def __float__(self) -> float:
        return float(self.inner)

    def __index__(self) -> int:
        return self.inner.__index__()


def _view(a: np.ndarray, index: Any) -> Array:
    """Elements of an array; one element is an array without dims that shows the same memory."""
    found = a[index]
    if not isinstance(found, np.ndarray):
        items = index if isinstance(index, tuple) else (index,)
        found = a[(*items, ...)] if Ellipsis not in items else np.asarray(found)
    return Array(found)


def asarray(a: Any, dtype: Any = None) -> Array:
    """A copy on the device."""
    return (
        a
        if isinstance(a, Array) and dtype is None
        else Array(np.array(getattr(a, "inner", a), dtype))
    )


def asnumpy(a: Array) -> np.ndarray:
    """A copy in main memory."""
    return a.inner.copy()


def made(function: Any) -> Any:
    """A function of NumPy's that makes arrays, on the device."""
    return lambda *args, **kwargs: Array(function(*args, **kwargs))


class Functions:
    """A module of SciPy's functions on the device."""

    def __init__(self, module: Any):
        self.module = module

    def __getattr__(self, name: str) -> Any:
        f = getattr(self.module, name)
        return lambda *args, **kwargs: _outer(f(*map(_inner, args), **kwargs))


def library() -> SimpleNamespace:
    """The library of one device."""
    runtime = SimpleNamespace(getDevice=lambda: 0, getDeviceCount=lambda: 1)
    return SimpleNamespace(
        asarray=asarray, asnumpy=asnumpy, ones=made(np.ones), zeros=made(np.zeros),
        full=made(np.full),
        cuda=SimpleNamespace(runtime=runtime, Device=lambda index: nullcontext()),
    )  # fmt: skip
