"""Sorting, searching and sets, by the standard's signatures; equal elements keep their order."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from srcgrad.array_api.operands import promoted
from srcgrad.eager.functions import composed, selections, shapes
from srcgrad.eager.functions.pointwise import where as chosen
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.protocols import by_numpy
from srcgrad.eager.tensor import Tensor

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the first greatest element along a dim, or among all."""
    return TABLE["argmax"].function(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the first least element along a dim, or among all."""
    return TABLE["argmin"].function(x, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, a vector for each dim."""
    return tuple(by_numpy(np.nonzero, x.detach()))


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """`x1` where the condition holds, else `x2`.

    >>> from srcgrad import array_api as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    tensor([1, 0], dtype=srcgrad.int64)
    """
    return chosen(condition, *promoted(x1, x2))


def searchsorted(
    x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """The places in an ascending vector where elements keep it in order."""
    if sorter is not None:
        x1 = selections.index_select(x1, 0, sorter)
    one, other = (x.detach() if isinstance(x, Tensor) else x for x in promoted(x1, x2))
    return by_numpy(np.searchsorted, one, other, side=side)


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The indices that sort the elements along a dim."""
    return composed.argsort(x, axis, descending)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along a dim in order; the gradient goes to where they came from."""
    return composed.sort(x, axis, descending).values


# ---- sets ----
def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Whether each element is among others; or is not, if `invert`."""
    return TABLE["isin"].function(*promoted(x1, x2), invert=invert)


def _unique(x: Tensor) -> Any:
    """NumPy's distinct elements with indices, inverse and counts; each NaN is distinct."""
    _, indices, inverse, counts = by_numpy(
        np.unique, x.detach(), return_index=True, return_inverse=True, return_counts=True,
        equal_nan=False,
    )  # fmt: skip
    values = selections.index_select(shapes.reshape(x, -1), 0, indices)
    return UniqueAll(values, indices, shapes.reshape(inverse, x.shape), counts)


def unique_all(x: Tensor, /) -> Any:
    """The distinct elements, where each occurs first, which one each is, and their counts."""
    return _unique(x)


def unique_counts(x: Tensor, /) -> Any:
    """The distinct elements and their counts."""
    found = _unique(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> Any:
    """The distinct elements, and which of them each element is."""
    found = _unique(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct elements in order; the gradient goes to the first of equal ones."""
    return _unique(x).values
