"""The numbers of a structure in one flat array of floats, so that one message has them all.

Complex numbers are two floats. Half precision travels as single precision, and single precision
beside double as double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentTypeError, ReturnTypeError
from srcgrad.records import record
from srcgrad.tree import Leaf, filled, mapped, opened, paths, spelled

SINGLE = np.dtype(np.float32)
DOUBLE = np.dtype(np.float64)


@record(frozen=True)
class Number:
    """A leaf of a result: where it is, and how it is made again from its numbers."""

    path: str
    form: str  # "array", "scalar", "number" or "tensor"
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """The number of floats."""
        return int(np.prod(self.shape, dtype=int)) * (2 if np.dtype(self.dtype).kind == "c" else 1)

    def made(self, a: np.ndarray) -> Any:
        """The leaf with these numbers, in memory of its own."""
        own = a.astype(self.dtype)
        match self.form:
            case "number":
                return own.item()
            case "scalar":
                return own[()]
            case "tensor":
                return make(own)
        return own


def taken_apart(
    result: Any, name: str, kinds: str = "fc"
) -> tuple[Any, tuple[Number, ...], list[np.ndarray]]:
    """A template of a result, its numbers' forms, and their arrays; None stays where it is.

    `kinds`: the kinds of dtypes that are allowed, by NumPy's letters.
    """
    forms: list[Number] = []
    arrays: list[np.ndarray] = []
    where = iter([spelled(path) for path, _ in paths(result, (name,))])

    def place(leaf: Any) -> Any:
        path = next(where)
        if leaf is None:
            return None
        a, form = _array(leaf, path, kinds)
        forms.append(Number(path, form, a.shape, a.dtype.name))
        arrays.append(a)
        return Leaf(len(arrays) - 1)

    template = mapped(result, place, opened)
    return template, tuple(forms), arrays


def _array(leaf: Any, path: str, kinds: str) -> tuple[np.ndarray, str]:
    match leaf:
        case Tensor():
            a, form = leaf._a, "tensor"
        case np.ndarray():
            a, form = leaf, "array"
        case np.generic():
            a, form = np.asarray(leaf), "scalar"
        case bool() | int() | float() | complex():
            a, form = np.asarray(leaf), "number"
        case _:
            raise ArgumentTypeError(
                f"{path} is of type {type(leaf).__name__}, which is no array or number"
            )
    if not isinstance(a, np.ndarray):
        raise ArgumentTypeError(
            f"{path} is in the memory of a device, and MPI is given memory of the host", None,
            'compile with target="cpu"',
        )  # fmt: skip
    if a.dtype.kind not in kinds or _bytes_of_part(a.dtype) > DOUBLE.itemsize:
        raise ReturnTypeError(
            f"{path} is of {a.dtype}: only floats and complex numbers are added up over the ranks",
            None, "return float(...)",
        )  # fmt: skip
    return a, form


def _bytes_of_part(dtype: np.dtype[Any]) -> int:
    """The bytes of a number, or of one part of a complex one."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


class Flat:
    """Rows of floats, with a view of each row for each number of a result; the last is a flag."""

    def __init__(self, numbers: tuple[Number, ...], rows: int):
        self.numbers = numbers
        single = all(_bytes_of_part(np.dtype(n.dtype)) <= SINGLE.itemsize for n in numbers)
        self.size: int = sum(n.size for n in numbers)
        self.rows: np.ndarray = np.zeros((rows, self.size + 1), SINGLE if single else DOUBLE)

    def put(self, row: int, arrays: list[np.ndarray], weight: float) -> None:
        """Stores the arrays times a weight into a row, and a flag of zero."""
        self.rows[row, -1] = 0.0
        for view, a in zip(self._views(self.rows[row]), arrays, strict=True):
            np.multiply(a, weight, out=view, dtype=view.dtype)

    def result(self, row: np.ndarray, template: Any) -> Any:
        """The structure with the numbers of a row."""
        made = [n.made(v) for n, v in zip(self.numbers, self._views(row), strict=True)]
        return filled(template, made)

    def _views(self, row: np.ndarray) -> list[np.ndarray]:
        views, at = [], 0
        for n in self.numbers:
            piece = row[at : at + n.size]
            if np.dtype(n.dtype).kind == "c":
                piece = piece.view(np.result_type(row.dtype, np.complex64))
            views.append(piece.reshape(n.shape))
            at += n.size
        return views
