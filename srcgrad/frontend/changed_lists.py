"""Changes within lists that grow at run time: items taken out, put in between, or reordered.

The items after the place move by one block copy of each column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.comprehensions import list_of, run_text
from srcgrad.frontend.formulas.flat_places import places_left
from srcgrad.frontend.growing import append_grown, changing_grown, columns_of, grown_place
from srcgrad.frontend.grown_lists import dims_of_rows, items_of
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists_of_rows import size_of_row
from srcgrad.frontend.slices import span
from srcgrad.frontend.values import GrownList, Slice, is_unit, plain
from srcgrad.ir.nodes import Var

REPLACING = """\
def replace(owner, items, start, stop):
    rest = owner[stop:]
    del owner[start:]
    for v in items:
        owner.append(v)
    for v in rest:
        owner.append(v)
"""
STORING = """\
def store(owner, items, start, step, count):
    if len(items) != count:
        raise ValueError(
            f"attempt to assign sequence of size {len(items)} to extended slice of size {count}"
        )
    for k, v in enumerate(items):
        owner[start + k * step] = v
"""


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
    n = it.grown_length(v)
    start, count, step = span(it, k, n, node)
    if is_unit(k.step):
        close(it, v, start, it.b.add(start, count))
        return
    kept = [it.call(places_left, [n, start, step, count], {}, node)]
    taken = [(c, subscript(it, items_of(it.b, c), kept, node)) for c in columns_of(v)]
    it.set_length(v, it.b.sub(n, count))
    for column, rows in taken:
        it.b.assign(items_of(it.b, column), rows)


def put_slice(it: Interpreter, v: GrownList, part: Slice, items: Any, node: Node) -> None:
    """`v[i:j] = items` and `v[i:j:k] = items`."""
    changing_grown(it, v, node)
    new = list_of(it, items, node)
    start, count, step = span(it, part, it.grown_length(v), node)
    if is_unit(part.step):
        run_text(it, REPLACING, [v, new, start, plain(it.b.add(start, count))], node)
    else:
        run_text(it, STORING, [v, new, start, step, count], node)


def insert(it: Interpreter, v: GrownList, k: Any, item: Any, node: Node) -> None:
    """Puts an item in front of another one; an index beyond an end is that end."""
    b = it.b
    changing_grown(it, v, node)
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
