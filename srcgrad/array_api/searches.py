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
    """The place of the first greatest element along a dim, or among all.

    >>> from srcgrad import array_api as xp
    >>> xp.argmax(xp.asarray([1.0, 3.0, 3.0]))
    tensor(1, dtype=srcgrad.int64)
    """
    return TABLE["argmax"].function(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the first least element along a dim, or among all.

    >>> from srcgrad import array_api as xp
    >>> xp.argmin(xp.asarray([[2.0, 1.0], [0.0, 5.0]]), axis=1)
    tensor([1, 0], dtype=srcgrad.int64)
    """
    return TABLE["argmin"].function(x, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, a vector for each dim.

    >>> from srcgrad import array_api as xp
    >>> xp.nonzero(xp.asarray([[0, 3], [4, 0]]))
    (tensor([0, 1], dtype=srcgrad.int64), tensor([1, 0], dtype=srcgrad.int64))
    """
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
    """The places in an ascending vector where elements keep it in order.

    >>> from srcgrad import array_api as xp
    >>> xp.searchsorted(xp.asarray([1.0, 2.0, 2.0, 4.0]), xp.asarray([2.0, 3.0]), side="right")
    tensor([3, 3], dtype=srcgrad.int64)
    """
    if sorter is not None:
        x1 = selections.index_select(x1, 0, sorter)
    one, other = (x.detach() if isinstance(x, Tensor) else x for x in promoted(x1, x2))
    return by_numpy(np.searchsorted, one, other, side=side)


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The indices that sort the elements along a dim.

    >>> from srcgrad import array_api as xp
    >>> xp.argsort(xp.asarray([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1], dtype=srcgrad.int64)
    """
    return composed.argsort(x, axis, descending)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along a dim in order; the gradient goes to where they came from.

    >>> from srcgrad import array_api as xp
    >>> xp.sort(xp.asarray([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.], dtype=srcgrad.float32)
    """
    return composed.sort(x, axis, descending).values


# ---- sets ----
def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Whether each element is among others; or is not, if `invert`.

    >>> from srcgrad import array_api as xp
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    tensor([ True, False,  True], dtype=srcgrad.bool)
    """
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
    """The distinct elements, where each occurs first, which one each is, and their counts.

    >>> from srcgrad import array_api as xp
    >>> xp.unique_all(xp.asarray([5, 3, 5])).indices
    tensor([1, 0], dtype=srcgrad.int64)
    """
    return _unique(x)


def unique_counts(x: Tensor, /) -> Any:
    """The distinct elements and their counts.

    >>> from srcgrad import array_api as xp
    >>> xp.unique_counts(xp.asarray([5, 3, 5])).counts
    tensor([1, 2], dtype=srcgrad.int64)
    """
    found = _unique(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> Any:
    """The distinct elements, and which of them each element is.

    >>> from srcgrad import array_api as xp
    >>> xp.unique_inverse(xp.asarray([5, 3, 5])).inverse_indices
    tensor([1, 0, 1], dtype=srcgrad.int64)
    """
    found = _unique(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct elements in order; the gradient goes to the first of equal ones.

    >>> from srcgrad import array_api as xp
    >>> xp.unique_values(xp.asarray([5, 3, 5]))
    tensor([3, 5], dtype=srcgrad.int64)
    """
    return _unique(x).values
