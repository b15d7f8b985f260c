"""Types of the arguments and results of tensor functions, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from srcgrad.eager.devices import device
from srcgrad.eager.dtypes import dtype
from srcgrad.eager.tensor import Tensor


class SupportsArray(Protocol):
    """An object that NumPy makes an array of."""

    def __array__(self) -> Array: ...


Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Number: TypeAlias = "int | float | complex | np.number[Any] | np.bool_"
Operand: TypeAlias = "Tensor | Array | Number"
Data: TypeAlias = "Number | list[Any] | tuple[Any, ...] | range | SupportsArray"
Tensors: TypeAlias = "Sequence[Tensor]"
Dims: TypeAlias = "int | Sequence[int] | None"
Lengths: TypeAlias = "int | Sequence[int]"
DType: TypeAlias = "dtype | np.dtype[Any] | type[Any] | str"
Device: TypeAlias = "device | str | int"
OneIndex: TypeAlias = (
    "int | slice | EllipsisType | list[Any] | range | SupportsArray | np.integer[Any] | None"
)
Index: TypeAlias = "OneIndex | tuple[OneIndex, ...]"


class ValuesIndices(NamedTuple):
    """Values, and the places where they were."""

    values: Tensor
    indices: Tensor


class MinMax(NamedTuple):
    """The least and the greatest element."""

    min: Tensor
    max: Tensor


class SignLogDet(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


class Eigh(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class Svd(NamedTuple):
    """Left singular vectors, singular values, right singular vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class Qr(NamedTuple):
    """An orthonormal factor, and an upper triangular one."""

    Q: Tensor
    R: Tensor
