"""The dtypes of tensors, their promotion, and `Size`.

Promotion is PyTorch's: of the operands' categories (bool, integer, float, complex) the highest
decides, and within it tensors with dims come before 0-d tensors, and those before Python numbers.
Works on NumPy arrays and numbers, never on tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import devices
from srcgrad.errors import TensorTypeError

OfNumPy = np.dtype[Any]
_BY_NUMPY: dict[OfNumPy, dtype] = {}


class dtype:
    """The element type of a tensor: `flow.float32`, `flow.int64`, …; compared by identity.

    >>> import srcgrad as flow
    >>> flow.tensor([1.0]).dtype is flow.float32
    True
    >>> flow.float64.is_floating_point
    True
    """

    __slots__ = ("name", "np")
    __module__ = "srcgrad"
    name: str
    np: OfNumPy

    def __init__(self, name: str):
        self.name, self.np = name, np.dtype(name)
        _BY_NUMPY[self.np] = self

    @property
    def dtype(self) -> OfNumPy:
        """NumPy's dtype: lets `np.zeros(2, dtype=flow.float32)` work."""
        return self.np

    @property
    def is_floating_point(self) -> bool:
        return self.np.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.np.kind == "c"

    @property
    def itemsize(self) -> int:
        return self.np.itemsize

    def __repr__(self) -> str:
        return f"srcgrad.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return to_dtype, (self.name,)


float16, float32, float64 = dtype("float16"), dtype("float32"), dtype("float64")
int8, int16, int32, int64 = dtype("int8"), dtype("int16"), dtype("int32"), dtype("int64")
uint8, uint16, uint32, uint64 = (dtype(f"uint{n}") for n in (8, 16, 32, 64))
bool_ = dtype("bool")
complex64, complex128 = dtype("complex64"), dtype("complex128")

_PYTHON = {float: float32, int: int64, bool: bool_, complex: complex64}
_default = float32


def get_default_dtype() -> dtype:
    """The dtype that Python floats become: float32 unless it was set.

    >>> import srcgrad as flow
    >>> flow.get_default_dtype()
    srcgrad.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Sets the dtype that Python floats become; TypeError if it is not a floating dtype.

    >>> import srcgrad as flow
    >>> flow.set_default_dtype(flow.float64)
    >>> flow.tensor(1.0).dtype
    srcgrad.float64
    >>> flow.set_default_dtype(flow.float32)
    """
    global _default
    d = to_dtype(d)
    if not d.is_floating_point:
        raise TensorTypeError(f"only floating-point types are supported as the default, got {d}")
    _default = _PYTHON[float] = d


def of(array: Any) -> dtype:
    """The dtype object of a NumPy array."""
    try:
        return _BY_NUMPY[array.dtype]
    except KeyError:
        raise TensorTypeError(
            f"can't convert np.ndarray of type {array.dtype}; the supported types are: "
            + ", ".join(d.name for d in _BY_NUMPY.values())
        ) from None


def of_np(d: np.dtype) -> dtype:
    """The dtype object of one of NumPy's dtypes that tensors may have."""
    return _BY_NUMPY[d]


def to_dtype(d: Any) -> dtype:
    """The dtype for a user's spelling: srcgrad's own, NumPy's, a Python type or a name."""
    if isinstance(d, dtype):
        return d
    if d in _PYTHON:
        return _PYTHON[d]
    try:
        return _BY_NUMPY[np.dtype(d)]
    except (TypeError, KeyError):
        raise TensorTypeError(f"dtype must be a srcgrad.dtype, not {d!r}") from None


def promoted(operands: Any) -> np.dtype:
    """The dtype in which an elementwise operation on arrays and Python numbers is computed."""
    ranks: list[np.dtype | None] = [None, None, None]  # numbers, 0-d arrays, arrays with dims
    for x in operands:
        if isinstance(x, np.ndarray) or devices.on_device(x):
            rank, d = (2 if x.ndim else 1), x.dtype
        else:
            rank, d = 0, _PYTHON[type(x)].np
        before = ranks[rank]
        ranks[rank] = d if before is None else _wider(before, d)
    joined = _joined(ranks[2], _joined(ranks[1], ranks[0]))
    assert joined is not None
    return joined


def _wider(a: np.dtype, b: np.dtype) -> np.dtype:
    """The wider of two; NumPy would widen float32 with int64 to float64, tensors do not."""
    if a.kind in "fc" and b.kind in "biu":
        return a
    return b if b.kind in "fc" and a.kind in "biu" else np.promote_types(a, b)


def _joined(first: np.dtype | None, second: np.dtype | None) -> np.dtype | None:
    """`first` unless `second` is of a higher category."""
    if first is None or second is None:
        return second if first is None else first
    if first.kind == "f" and second.kind == "c":
        return np.promote_types(first, np.complex64)
    if first.kind == "b" or (first.kind in "iu" and second.kind in "fc"):
        return np.promote_types(first, second) if first.kind == "b" else second
    return first


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints.

    >>> import srcgrad as flow
    >>> flow.ones(2, 3).shape
    srcgrad.Size([2, 3])
    """

    __slots__ = ()
    __module__ = "srcgrad"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        n = 1
        for d in self:
            n *= d
        return n

    def __repr__(self) -> str:
        return f"srcgrad.Size([{', '.join(map(str, self))}])"
