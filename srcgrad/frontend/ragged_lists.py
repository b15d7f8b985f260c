"""Lists that grow and hold arrays of several shapes.

The elements of all arrays lie one after another in a list of numbers, which only grows; the list
itself is columns of integers: where the elements of an item begin, and the length of each of its
axes. So items are inserted, taken out, sliced and sorted as numbers are. Which lists are such ones
is decided by `one_shape`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.ragged_arrays import flat_array, joined_items, stacked_items
from srcgrad.frontend.grown_lists import GrownTable, Ragged, items_of, length_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists_of_rows import (
    NONE_TO_STACK,
    refuse_others,
    size_of_row,
    stands_for_itself,
)
from srcgrad.frontend.requirements import Key, RestartTracing
from srcgrad.frontend.snapshots import LISTED
from srcgrad.frontend.values import GrownList, plain
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import INT, Scalar

NONE_TO_JOIN = "ValueError", "need at least one array to concatenate"
DIFFERENT = "ValueError", "all input arrays must have the same shape"  # as NumPy says
INHOMOGENEOUS = (
    "ValueError",
    "setting an array element with a sequence. The requested array has an inhomogeneous shape "
    "after 1 dimensions.",
)
UNEVEN = (
    "ValueError",
    "all the input array dimensions except for the concatenation axis must match exactly",
)


def new_ragged(it: Interpreter, key: Key, dtype: Scalar, rank: int) -> Ragged:
    """An empty list of arrays of a rank and a dtype."""
    names = [(*key, "place"), *((*key, "axis", k) for k in range(rank))]
    it.grown.update(dict.fromkeys(names, (INT, 0)))
    it.grown[(*key, "elements")] = dtype, 0
    elements = it.new_list((*key, "elements"))
    columns = tuple(map(it.new_list, names))
    return Ragged(None, None, dtype, key, columns=columns, elements=elements)


def append_array(it: Interpreter, owner: Ragged, item: Any, node: Node) -> None:
    if owner.shared:
        _reorder(it, owner)
    for column, v in zip(owner.columns, _put(it, owner, item, "what is appended", node),
                         strict=True):  # fmt: skip
        it.append_grown(column, v, node)


def set_array(it: Interpreter, owner: Ragged, at: list[Any], item: Any, node: Node) -> None:
    """Replaces the array at an index."""
    new = _put(it, owner, item, "what is put into a list", node)
    for column, v in zip(owner.columns, new, strict=True):
        it.set_grown(column, at, v, node)


def _put(it: Interpreter, owner: Ragged, item: Any, what: str, node: Node) -> list[Any]:
    """The place and the shape of an item, whose elements are put in."""
    refuse_others(it, item, owner.rank, owner.dtype.dtype, node)
    b, held, dims = it.b, owner.elements, item.type.dims
    copy = b.copy(item)
    stands_for_itself(it, copy, item, what, node, True)
    place = b.load(held.length, 0)
    after = b.add(place, size_of_row(it, dims))
    b.reserve(held.tape, after)
    b.assign(b.tape_view(held.tape, place, *dims), copy)
    it.set_length(held, after)
    return [plain(b.retyped(k, INT)) for k in (place, *dims)]


def array_at(it: Interpreter, v: Ragged, at: Any, node: Node) -> Any:
    """The array at a checked place."""
    place, *dims = (it.b.load(column.tape, at) for column in v.columns)
    copy = it.b.copy(it.b.tape_view(v.elements.tape, place, *map(it.b.dim, dims)))
    stands_for_itself(it, copy, Const(0, INT), LISTED, node, False)
    return copy


# ---- items in the order of their elements ----
def moving(it: Interpreter, v: GrownList) -> None:
    """Notes that items of a list, or of its columns, are taken out, replaced or reordered."""
    if isinstance(v, Ragged):
        _reorder(it, v)
    elif isinstance(v, GrownTable):
        for column in v.columns:
            moving(it, column)


def _reorder(it: Interpreter, v: Ragged) -> None:
    """Restarts with lists of this place whose elements may lie in another order than the items."""
    reordered = it.captures.required.reordered
    if v.key not in reordered:
        reordered.add(v.key)
        raise RestartTracing("the items of a list change their places")


def in_order(it: Interpreter, v: Ragged) -> bool:
    """Whether the elements are those of the items, one after another."""
    return not v.shared and v.key not in it.captures.required.reordered


# ---- all items as one array ----
def stacked_arrays(
    it: Interpreter, v: Ragged, node: Node, empty: tuple[str, str] = NONE_TO_STACK,
    different: tuple[str, str] = DIFFERENT,
) -> Var:  # fmt: skip
    """All items, which must have one shape, as one array whose first axis counts them."""
    it.fail_if(it.b.eq(length_of(it.b, v), 0), *empty)
    dims = _dims_but(it, v, None, different, node)
    if not in_order(it, v):
        return it.call(stacked_items, [v], {}, node)
    n = it.b.dim(length_of(it.b, v))
    return it.b.copy(it.b.tape_view(v.elements.tape, 0, n, *dims))


def joined_arrays(it: Interpreter, v: Ragged, axis: int, node: Node) -> Var:
    """All items one after another along an axis of theirs."""
    it.fail_if(it.b.eq(length_of(it.b, v), 0), *NONE_TO_JOIN)
    dims = _dims_but(it, v, axis, UNEVEN, node)
    lengths = items_of(it.b, v.columns[1 + axis])
    dims[axis] = it.b.dim(plain(it.call_numpy(np.sum, [lengths], {}, node)))
    if axis == 0 and in_order(it, v):
        return it.b.copy(it.b.tape_view(v.elements.tape, 0, *dims))
    whole = it.b.empty(*dims, dtype=v.dtype.dtype)
    return it.call(joined_items, [v, whole, axis], {}, node)


def flat_items(it: Interpreter, v: Ragged, node: Node) -> Var:
    """The elements of all items, one after another."""
    it.fail_if(it.b.eq(length_of(it.b, v), 0), *NONE_TO_JOIN)
    size: Any = 1
    for column in v.columns[1:]:
        size = it.b.mul(size, items_of(it.b, column))
    total = it.b.dim(plain(it.call_numpy(np.sum, [size], {}, node)))
    if in_order(it, v):
        return it.b.copy(it.b.tape_view(v.elements.tape, 0, total))
    return it.call(flat_array, [v, it.b.empty(total, dtype=v.dtype.dtype)], {}, node)


def _dims_but(
    it: Interpreter, v: Ragged, axis: int | None, different: tuple[str, str], node: Node
) -> list[Any]:
    """The shape of the first item, which all have but along an axis."""
    dims = []
    for k, column in enumerate(v.columns[1:]):
        lengths = items_of(it.b, column)
        first = it.b.load(lengths, 0)
        if k != axis:
            other = it.call_numpy(np.any, [it.b.ne(lengths, first)], {}, node)
            it.fail_if(other, *different)
        dims.append(it.b.dim(plain(it.b.retyped(first, INT))))
    return dims
