"""Changes within lists that grow at run time: items taken out, put in between, or reordered.

The items after the place move by one block copy of each column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.growing import append_grown, changing_grown, columns_of, grown_place
from srcgrad.frontend.grown_lists import dims_of_rows, items_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.ragged_lists import size_of_row
from srcgrad.frontend.slices import span
from srcgrad.frontend.values import GrownList, Slice, is_unit, plain
from srcgrad.ir.nodes import Var


def _sizes(it: Interpreter, v: GrownList) -> Iterator[tuple[GrownList, Any]]:
    """Each column and the number of elements that an item has in it."""
    for column in columns_of(v):
        yield column, size_of_row(it, dims_of_rows(it.b, column))


def pop_at(it: Interpreter, v: GrownList, k: Any, node: Node) -> Any:
    """Removes and returns the item at an index."""
    changing_grown(it, v, node)
    n = it.grown_length(v)
    it.fail_if(plain(it.b.eq(n, 0)), "IndexError", "pop from empty list")
    place = _place(it, v, k, node, "pop index out of range")
    item = it.grown_load(v, place, node)
    close(it, v, place, it.b.add(place, 1))
    return item


def _place(it: Interpreter, v: GrownList, k: Any, node: Node, said: str) -> Any:
    """The place of an index, which must be one of an item."""
    b, n = it.b, it.grown_length(v)
    place = plain(b.where(b.lt(k, 0), b.add(n, k), k))
    outside = plain(b.logical_or(b.lt(place, 0), b.ge(place, n)))
    it.fail_if(outside, "IndexError", said)
    return grown_place(it, v, place, node)


def close(it: Interpreter, v: GrownList, first: Any, stop: Any) -> None:
    """Takes out the items from `first` to before `stop`; the later ones move up."""
    b, n = it.b, it.grown_length(v)
    later = b.sub(n, stop)
    for column, size in _sizes(it, v):
        count = b.dim(b.mul(later, size))
        rest = b.copy(b.tape_view(column.tape, b.mul(stop, size), count))
        b.assign(b.tape_view(column.tape, b.mul(first, size), count), rest)
    it.set_length(v, b.sub(n, b.sub(stop, first)))


def delete(it: Interpreter, v: GrownList, k: Any, node: Node) -> None:
    """`del v[k]`, of an item or a slice."""
    changing_grown(it, v, node)
    if not isinstance(k, Slice):
        place = _place(it, v, k, node, "list assignment index out of range")
        close(it, v, place, it.b.add(place, 1))
        return
    if not is_unit(k.step):
        it.refuse(node, "'del' of a slice with a step of a list that grows", "build a new list")
    start, count, _ = span(it, k, it.grown_length(v), node)
    close(it, v, start, it.b.add(start, count))


def insert(it: Interpreter, v: GrownList, k: Any, item: Any, node: Node) -> None:
    """Puts an item in front of another one; an index beyond an end is that end."""
    b = it.b
    append_grown(it, v, item, node)
    n = plain(b.sub(it.grown_length(v), 1))
    place = plain(b.where(b.lt(k, 0), b.add(n, k), k))
    place = plain(b.minimum(b.maximum(place, 0), n))
    for column, size in _sizes(it, v):
        count = b.dim(b.mul(b.sub(n, place), size))
        new = b.copy(b.tape_view(column.tape, b.mul(n, size), b.dim(size)))
        rest = b.copy(b.tape_view(column.tape, b.mul(place, size), count))
        b.assign(b.tape_view(column.tape, b.mul(b.add(place, 1), size), count), rest)
        b.assign(b.tape_view(column.tape, b.mul(place, size), b.dim(size)), new)


def refill(it: Interpreter, v: GrownList, new: GrownList, node: Node) -> None:
    """Replaces the items by as many others of the same kinds."""
    changing_grown(it, v, node)
    for mine, other in zip(columns_of(v), columns_of(new), strict=True):
        taken: Var = it.b.copy(items_of(it.b, other))
        it.b.assign(items_of(it.b, mine), taken)
