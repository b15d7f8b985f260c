"""Reads and replaces the elements of an array that a NumPy index names.

The index is static: ints, slices, None, arrays of ints or bools, as NumPy takes them. An element
named twice is read twice, and its adjoints add. The eager tape's views and index stores use these.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from srcgrad.primitives.libraries import array_of, copied, is_array, near, on_device, zeros
from srcgrad.primitives.registry import linear
from srcgrad.primitives.rules import select
from srcgrad.primitives.rules import shape as shape_of

Item = np.ndarray | slice | list[Any] | int | None
Index = Item | tuple[Item, ...]


def is_basic(index: Index) -> bool:
    """Whether an index is made of ints, slices, None and the ellipsis only: names no place twice.

    >>> is_basic((0, slice(1, 3))), is_basic(([0, 0],))
    (True, False)
    """
    items = index if isinstance(index, tuple) else (index,)
    return all(
        i is None or i is Ellipsis or isinstance(i, slice)
        or (isinstance(i, int | np.integer) and not isinstance(i, bool))
        for i in items
    )  # fmt: skip


def _near(x: Any, index: Any) -> Any:
    """The index with its arrays in the memory of `x`."""
    if type(x) is np.ndarray:
        return index
    if isinstance(index, tuple):
        return tuple([near(x, i) for i in cast(Any, index)])
    return near(x, index)


def _put(x: Any, index: Index, shape: tuple[Any, ...]) -> Any:
    x = array_of(x)
    if (
        len(shape) == 1 and type(index) is np.ndarray and type(x) is np.ndarray
        and index.dtype.kind in "iu" and index.size and x.dtype.kind == "f"
    ):  # fmt: skip
        # add.at takes three times as long
        places = np.where(index < 0, index + shape[0], index).ravel()
        return np.bincount(places, np.broadcast_to(x, index.shape).ravel(), shape[0]).astype(
            x.dtype
        )
    out = zeros(x, shape)
    if is_basic(index) or _names_no_place_twice(index, shape):
        out[_near(x, index)] = x
    else:
        places: Any = _near(x, index)
        np.add.at(out, places, x)
    return out


def _names_no_place_twice(index: Index, shape: tuple[Any, ...]) -> bool:
    """Whether a vector among slices, or a mask, names each place once: checked if cheap."""
    items = index if isinstance(index, tuple) else (index,)
    arrays = [i for i in items if not isinstance(i, slice)]
    if len(arrays) != 1 or not isinstance(arrays[0], np.ndarray):
        return False
    a = arrays[0]
    if a.dtype.kind == "b":
        return True
    n = shape[next(k for k, i in enumerate(items) if i is a)]
    places = np.where(a < 0, a + n, a)
    return a.ndim == 1 and (not a.size or bool(np.bincount(places).max() <= 1))


def _patch(x: Any, v: Any, index: Any) -> Any:
    out = copied(x)
    out[_near(x, index)] = near(x, v)
    return out


def _erase(x: Any, index: Any) -> Any:
    out = copied(x)
    out[_near(x, index)] = 0
    return out


def _written(g: Any, shape: tuple[Any, ...], index: Any) -> Any:
    """`g` without the elements that the same store overwrote later."""
    if is_basic(index):
        return g
    items = cast(Any, index if isinstance(index, tuple) else (index,))
    named = max([i for i in items if is_array(i)], key=on_device, default=None)
    index = _near(named, index)
    order = near(named, np.zeros(shape, np.int64))
    writer = near(named, np.arange(1, int(np.prod(shape_of(g))) + 1).reshape(shape_of(g)))
    order[index] = writer
    return select(np.equal(order[index], writer), g, 0.0)


pick = linear(
    "pick",
    lambda x, index: x[_near(x, index)],
    lambda g, y, x, index: put(g, index=index, shape=shape_of(x)),
)
# zeros of a shape, with `x` added at the places that the index names
put = linear("put", _put, lambda g, y, x, index, shape: pick(g, index=index))
# `x` with `v` at those places; where one is named twice, the last write wins
patch = linear(
    "patch",
    _patch,
    lambda g, y, x, v, index: erase(g, index=index),
    lambda g, y, x, v, index: _written(pick(g, index=index), shape_of(x), index),
)
erase = linear("erase", _erase, lambda g, y, x, index: erase(g, index=index))


def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    made = np.diagonal(x, offset, axis1, axis2)
    made.setflags(write=x.flags.writeable)
    return made


def _from_diagonal(x: Any, shape: tuple[Any, ...], offset: int, axis1: int, axis2: int) -> Any:
    out = np.zeros_like(x, shape=shape)
    _diagonal(out, offset, axis1, axis2)[...] = x
    return out


# the diagonal of two axes as the last one, a view; and zeros of a shape with that diagonal
diagonal = linear(
    "diagonal",
    _diagonal,
    lambda g, y, x, offset, axis1, axis2: from_diagonal(
        g, shape=shape_of(x), offset=offset, axis1=axis1, axis2=axis2
    ),
)
from_diagonal = linear(
    "from_diagonal",
    _from_diagonal,
    lambda g, y, x, shape, offset, axis1, axis2: diagonal(
        g, offset=offset, axis1=axis1, axis2=axis2
    ),
)
