"""Joins of arrays whose number is not known: the items of a list that grows, or of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.grown_lists import GrownTable, Ragged, array_of
from srcgrad.frontend.handlers.reductions import place_of_axis
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists_of_rows import stacked_rows
from srcgrad.frontend.ragged_lists import flat_items, joined_arrays, stacked_arrays
from srcgrad.frontend.values import GrownList, is_array
from srcgrad.ir.nodes import Var

NEW = -1  # instead of an axis: arrays of this rank get one first


def items_as_array(it: Interpreter, node: Node, xs: Any, what: str) -> Var | None:
    """The items along a first axis, if there are as many of them as only the run tells."""
    if is_array(xs) and xs.type.dims:
        return None if isinstance(xs.type.dims[0], int) else xs
    if isinstance(xs, Ragged):
        return stacked_arrays(it, xs, node)
    if not isinstance(xs, GrownList) or isinstance(xs, GrownTable):
        return None
    if not xs.of_numbers:
        return stacked_rows(it, xs, node)
    empty = it.b.eq(it.grown_length(xs), 0)
    it.fail_if(empty, "ValueError", f"need at least one array to {what}")
    return array_of(it, xs)


def end_to_end(it: Interpreter, node: Node, whole: Var, axis: Any) -> Any:
    """The items of an array, one after the other along an axis of theirs."""
    if whole.type.ndim == 1:
        it.fail("ValueError", "zero-dimensional arrays cannot be concatenated")
    k = place_of_axis(it, node, axis, whole.type.ndim - 1)
    moved = it.call_numpy(np.moveaxis, [whole, 0, k], {}, node)
    dims = list(moved.type.dims)
    dims[k : k + 2] = [it.b.dim(it.b.mul(dims[k], dims[k + 1]))]
    return it.b.reshape(it.b.copy(moved), *dims)


def side_by_side(
    it: Interpreter, node: Node, whole: Var, shapes: tuple[str, ...], axis: int
) -> Any:
    """The items joined after views with new axes, by rank: "n" is one of length 1."""
    rank = whole.type.ndim - 1
    if rank < len(shapes):
        whole = it.b.view(whole, spec=(":", *shapes[rank]))
    return end_to_end(it, node, whole, axis)


def ragged_joined(it: Interpreter, node: Node, xs: Any, axes: tuple[int, ...]) -> Var | None:
    """Arrays of several shapes, as they are, joined along an axis that their rank decides.

    `axes` are those of rank 1, 2 and so on; None of other sequences, and of ranks before these,
    whose arrays get axes.
    """
    if not isinstance(xs, Ragged) or xs.rank <= axes.count(NEW):
        return None
    return joined_arrays(it, xs, axes[min(xs.rank, len(axes)) - 1], node)


def concatenated(it: Interpreter, node: Node, xs: Ragged, axis: Any) -> Var:
    """`np.concatenate` of arrays of several shapes."""
    if axis is not None:
        return joined_arrays(it, xs, place_of_axis(it, node, axis, xs.rank), node)
    return flat_items(it, xs, node)
