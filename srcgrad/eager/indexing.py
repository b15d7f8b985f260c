"""Reading by index: ints, slices, None, the ellipsis, bools, lists, arrays and tensors.

Basic indices give views. Beside arrays, integers, slices and new dims are taken first, as in
PyTorch: `x[0, :, i]` is `x[0][:, i]`. Indices that PyTorch refuses (negative steps, floats,
strings) are refused here with its class of error. Stores are in `inplace`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import devices
from srcgrad.eager.apply import apply, viewed
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError, TensorIndexError, TensorTypeError
from srcgrad.primitives import indexing


def numpy_index(t: Tensor, index: Any) -> Any:
    """The index as NumPy takes it, checked."""
    if isinstance(index, tuple):
        return tuple(_beside(t, _item(i)) for i in index)
    return _beside(t, _item(index))


def _beside(t: Tensor, index: Any) -> Any:
    """An index whose array is on the device of the tensor."""
    if type(index) is np.ndarray and type(t._a) is not np.ndarray:
        return devices.moved(index, t.device)
    return index


def _item(i: Any) -> Any:
    match i:
        case bool() | int() | None:
            return i
        case slice():
            parts = [None if p is None else int(p) for p in (i.start, i.stop, i.step)]
            if parts[2] is not None and parts[2] <= 0:
                raise ArgumentValueError("step must be greater than zero")
            return slice(*parts)
        case Tensor():
            return _array(i._a)
        case np.ndarray() | np.integer() | np.bool_():
            return _array(np.asarray(i))
        case list() | range():
            a = np.asarray([x._a if isinstance(x, Tensor) else x for x in i])
            return _array(a if a.size else a.astype(np.int64))
        case str():
            raise TensorTypeError("an index cannot be a str")
    if i is Ellipsis:
        return i
    raise TensorIndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(i).__name__})"
    )


def _array(a: np.ndarray) -> Any:
    if a.dtype.kind not in "iub":
        raise TensorIndexError("tensors used as indices must be long, int, byte or bool tensors")
    if not a.ndim and a.dtype.kind != "b":
        return int(a)
    return a.copy() if a.ndim else bool(a)


def basic_part(index: Any) -> tuple[Any, Any]:
    """For integers beside arrays: the index to apply first, and the one to apply to its result.

    None and the index itself where one step of NumPy's is the same.
    """
    items = index if isinstance(index, tuple) else ()
    if not any(type(i) is int for i in items) or not any(map(_is_advanced, items)):
        return None, index
    first, second = [], []
    for i in items:
        if _is_advanced(i):
            first += [slice(None)] * _axes_of(i)
            second.append(i)
        else:
            first.append(i)
            if type(i) is not int:
                second.append(... if i is Ellipsis else slice(None))
    return tuple(first), tuple(second)


def _is_advanced(i: Any) -> bool:
    return isinstance(i, bool) or devices.is_array(i)


def _axes_of(i: Any) -> int:
    """The number of dims that a bool or an array indexes."""
    if isinstance(i, bool):
        return 0
    return i.ndim if i.dtype.kind == "b" else 1


def getitem(self: Tensor, index: Any) -> Tensor:
    """The elements at an index; a view for ints, slices, None and the ellipsis."""
    first, index = basic_part(numpy_index(self, index))
    if first is not None:
        self = getitem(self, first)
    try:
        if indexing.is_basic(index):
            # an ellipsis keeps the result of all ints a view
            items = index if isinstance(index, tuple) else (index,)
            if Ellipsis not in items:
                index = (*items, ...)
            return viewed(indexing.pick, self, (), {"index": index})
        return apply(indexing.pick, (self,), {"index": index})
    except IndexError as error:
        raise TensorIndexError(_reworded(str(error), self)) from None


def _reworded(text: str, t: Tensor) -> str:
    if "too many indices" in text:
        return f"too many indices for tensor of dimension {t._a.ndim}"
    return text.replace("axis", "dimension")
