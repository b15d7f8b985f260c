"""Lists of arrays of one shape that grow in run-time loops: their elements, one after another.

A list in Python holds the array itself, here it holds a copy. That is right as long as neither the
array nor an item that is read is stored to afterwards; `snapshots` refuses the rest.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.grown_lists import dims_of_rows, items_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.one_shape import mark_of
from srcgrad.frontend.snapshots import LISTED, Snapshot
from srcgrad.frontend.values import GrownList, describe, is_array
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import INT, Scalar


def are_rows(items: list[Any]) -> bool:
    """Whether items can be those of one growing list: arrays of one rank and dtype."""
    kinds = {(v.type.ndim, v.type.dtype) if is_array(v) else None for v in items}
    return len(kinds) == 1 and None not in kinds and all(v.type.dims for v in items)


def append_row(it: Interpreter, owner: GrownList, item: Any, node: Node) -> None:
    b = it.b
    n = b.load(owner.length, 0)
    after = b.add(n, 1)
    for k, d in enumerate(_dims(it, owner, item, node)):
        known = b.where(b.eq(n, 0), d, b.load(owner.shape, k))
        b.check_equal(known, d, message=mark_of(it, owner.key))
        b.store(owner.shape, k, b.cast(d, Scalar("i64")))
    b.reserve(owner.tape, b.mul(after, size_of_row(it, item.type.dims)))
    _put_row(it, owner, n, item, "what is appended", node)
    it.set_length(owner, after)


def set_row(it: Interpreter, owner: GrownList, place: Any, item: Any, node: Node) -> None:
    """Replaces the array at a checked place."""
    for k, d in enumerate(_dims(it, owner, item, node)):
        it.b.check_equal(it.b.load(owner.shape, k), d, message=mark_of(it, owner.key))
    _put_row(it, owner, place, item, "what is put into a list", node)


def _dims(it: Interpreter, owner: GrownList, item: Any, node: Node) -> Any:
    """The shape of an item, which must be an array of the rank and dtype of the others."""
    assert owner.shape is not None
    refuse_others(it, item, owner.shape.type.dims[0], owner.dtype.dtype, node)
    return item.type.dims


def refuse_others(it: Interpreter, item: Any, rank: int, dtype: str, node: Node) -> None:
    """Refuses an item that is no array of the rank and dtype of the others."""
    if not is_array(item) or (item.type.ndim, item.type.dtype) != (rank, dtype):
        it.refuse(
            node, f"{describe(item)} in a list of arrays of rank {rank} ({dtype}) that grows "
            "at run time", "append arrays of one rank and dtype",
        )  # fmt: skip


def _put_row(
    it: Interpreter, owner: GrownList, place: Any, item: Var, what: str, node: Node
) -> None:
    b = it.b
    copy = b.copy(item)
    stands_for_itself(it, copy, item, what, node, True)
    start = b.mul(place, size_of_row(it, item.type.dims))
    b.assign(b.tape_view(owner.tape, start, *item.type.dims), copy)


def row(it: Interpreter, v: GrownList, place: Any, node: Node) -> Any:
    """The array at a checked place."""
    dims = dims_of_rows(it.b, v)
    start = it.b.mul(place, size_of_row(it, dims))
    copy = it.b.copy(it.b.tape_view(v.tape, start, *dims))
    stands_for_itself(it, copy, Const(0, INT), LISTED, node, False)
    return copy


def stands_for_itself(
    it: Interpreter, copy: Any, source: Any, what: str, node: Node, kept: bool
) -> None:
    """Refuses later, if it shows, that a list holds a copy of an array."""
    place = it.frame.source.location(node)
    it.snapshots.append(Snapshot(copy, source, what, place, kept, "the array itself"))


NONE_TO_STACK = "ValueError", "need at least one array to stack"  # as NumPy says
NO_ITEMS = (  # refused as it runs: the rank of the array is known when compiling
    "NotImplementedError",
    "a list without items is made an array: of one axis, where arrays in it would give more",
)


def stacked_rows(
    it: Interpreter, v: GrownList, node: Node, error: tuple[str, str] = NONE_TO_STACK
) -> Var:
    """All items as one array, whose first axis counts them; the error is that of an empty list."""
    it.fail_if(it.b.eq(it.grown_length(v), 0), *error)
    return it.b.copy(items_of(it.b, v))


def size_of_row(it: Interpreter, dims: Any) -> Any:
    size: Any = 1
    for d in dims:
        size = it.b.mul(size, d)
    return size
