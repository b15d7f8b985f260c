"""Dtypes of the standard, their limits and promotion, and what a namespace tells of itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes
from srcgrad.eager.dtypes import dtype as Dtype
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError, TensorTypeError
from srcgrad.records import record

DTYPES: dict[str, Dtype] = {
    name: dtypes.to_dtype(name) for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float32", "float64", "complex64", "complex128",
    )
}  # fmt: skip
KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
    "real floating": "f", "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


@record(frozen=True)
class FloatLimits:
    """The limits of a floating dtype; of a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Dtype


@record(frozen=True)
class IntegerLimits:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Dtype


def _dtype_of(x: Any) -> Dtype:
    return x.dtype if isinstance(x, Tensor) else dtypes.to_dtype(x)


def finfo(type: Any, /) -> FloatLimits:
    """The limits of a floating dtype, or of a tensor's.

    >>> from srcgrad import array_api as xp
    >>> xp.finfo(xp.float32).eps == 2.0**-23
    True
    """
    found = np.finfo(_dtype_of(type).np)
    numbers = (float(found.eps), float(found.max), float(found.min), float(found.smallest_normal))
    return FloatLimits(int(found.bits), *numbers, dtypes.of_np(found.dtype))


def iinfo(type: Any, /) -> IntegerLimits:
    """The limits of an integer dtype, or of a tensor's.

    >>> from srcgrad import array_api as xp
    >>> xp.iinfo(xp.uint8).max
    255
    """
    found = np.iinfo(_dtype_of(type).np)
    return IntegerLimits(int(found.bits), int(found.max), int(found.min), _dtype_of(type))


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is another one, of a kind, or any of a tuple of these.

    >>> from srcgrad import array_api as xp
    >>> xp.isdtype(xp.int8, "integral"), xp.isdtype(xp.int8, (xp.int16, "real floating"))
    (True, False)
    """
    return any([_is_one(dtype, k) for k in (kind if isinstance(kind, tuple) else (kind,))])


def _is_one(dtype: Any, kind: Any) -> bool:
    if not isinstance(kind, str):
        return dtypes.to_dtype(dtype) is dtypes.to_dtype(kind)
    if kind not in KINDS:
        raise ArgumentValueError(f"there is no kind {kind!r}: one of {', '.join(KINDS)}")
    return dtypes.to_dtype(dtype).np.kind in KINDS[kind]


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a dtype, or a tensor's, promotes to another without loss.

    >>> from srcgrad import array_api as xp
    >>> xp.can_cast(xp.int32, xp.float64), xp.can_cast(xp.float64, xp.int32)
    (True, False)
    """
    return bool(np.can_cast(_dtype_of(from_).np, _dtype_of(to).np, "safe"))


def result_type(*arrays_and_dtypes: Any) -> Dtype:
    """The dtype that tensors, dtypes and numbers promote to.

    >>> from srcgrad import array_api as xp
    >>> xp.result_type(xp.float32, xp.float64, 1.0), xp.result_type(xp.int8, 300)
    (srcgrad.float64, srcgrad.int8)
    """
    numbers = [x for x in arrays_and_dtypes if isinstance(x, bool | int | float | complex)]
    others = [_dtype_of(x).np for x in arrays_and_dtypes if not any(x is n for n in numbers)]
    if not others:
        raise ArgumentValueError("result_type() takes a tensor or a dtype at least")
    weak = [type(n)(0) for n in numbers]  # the values of numbers do not count
    return dtypes.of_np(np.result_type(*others, *weak))


def astype(
    x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None
) -> Tensor:  # fmt: skip
    """The tensor in another dtype; a copy also where it has that dtype, unless `copy` is False.

    >>> from srcgrad import array_api as xp
    >>> xp.astype(xp.asarray([1.7, -1.7]), xp.int32)
    tensor([ 1, -1], dtype=srcgrad.int32)
    """
    target = dtypes.to_dtype(dtype).np
    if x._a.dtype.kind == "c" and target.kind != "c":
        raise TensorTypeError(f"complex numbers have no value in {dtype}: take xp.real(x)")
    made = TABLE["clone"].function(x) if copy and x._a.dtype == target else cast(x, dtype)
    return made if device is None else made.to(device)


# ---- the namespace's description of itself ----
class Info:
    """The namespace's description of itself: capabilities, dtypes by kind, defaults, devices."""

    def capabilities(self) -> dict[str, Any]:
        """The optional parts of the standard: masks as indices, shapes that data decide."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> devices.device:
        """The device of tensors that name none."""
        return devices.get_default_device()

    def devices(self) -> tuple[devices.device, ...]:
        """The devices in use: the CPU, and the default one where that is another."""
        return tuple(dict.fromkeys((devices.CPU, devices.get_default_device())))

    def default_dtypes(self, *, device: Any = None) -> dict[str, Dtype]:
        """The dtypes of numbers that name none."""
        real = dtypes.get_default_dtype()
        double = real is dtypes.float64
        return {
            "real floating": real,
            "complex floating": dtypes.complex128 if double else dtypes.complex64,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Dtype]:
        """The dtypes by their names, all or of a kind."""
        return {n: d for n, d in DTYPES.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> Info:
    """The namespace's description of itself.

    >>> from srcgrad import array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    srcgrad.int64
    """
    return Info()
