"""Lists of structures that grow in run-time loops: a growing list for each of their leaves.

Items are tuples, lists, dicts and objects of one structure. A list in Python holds the item itself,
here it holds its leaves: an item that was appended, or is read, is frozen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import tree
from srcgrad.frontend.grown_lists import GrownTable, items_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import join_specs, spec_of
from srcgrad.frontend.values import (
    Abstract,
    GrownList,
    Record,
    Slice,
    TrackedList,
    describe,
    is_array,
    is_scalar,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar
from srcgrad.tree import Leaf

ONE_STRUCTURE = "append items of one structure: numbers, and arrays of one rank, in the same places"


def is_tabular(items: list[Any]) -> bool:
    """Whether items can be those of one growing list: structures alike, of numbers and arrays."""
    some = bool(items) and all(_is_structure(v) for v in items)
    return some and all(_alike(items[0], v) for v in items[1:])


def _is_structure(v: Any) -> bool:
    if tree.children(v) is None or any(_is_exception(n) for n in tree.nodes(v)):
        return False
    leaves = tree.leaves(v)
    varying = [x for x in leaves if is_column(x)]
    return bool(varying) and not any(
        isinstance(x, Abstract | np.ndarray) or (is_array(x) and not x.type.dims) for x in leaves
    )


def _is_exception(v: Any) -> bool:
    return isinstance(v, Record) and issubclass(v.cls, BaseException)


def is_column(leaf: Any) -> bool:
    """Whether a leaf may differ from item to item: a number or an array."""
    return is_scalar(leaf) or isinstance(leaf, Var)


def _alike(a: Any, c: Any) -> bool:
    if tree.structure(a) != tree.structure(c):
        return False
    pairs = zip(tree.leaves(a), tree.leaves(c), strict=True)
    return all(_of_one_column(x, y) for x, y in pairs)


def _of_one_column(x: Any, y: Any) -> bool:
    if is_scalar(x) or is_scalar(y):
        return is_scalar(x) and is_scalar(y)
    if is_array(x) and is_array(y):
        return (x.type.ndim, x.type.dtype) == (y.type.ndim, y.type.dtype)
    return join_specs(spec_of(x, False, {}), spec_of(y, False, {})) is not None


def template_of(item: Any) -> Any:
    """An item with a `Leaf` for each number and array."""
    count = 0

    def leaf(v: Any) -> Any:
        nonlocal count
        if not is_column(v):
            return v
        count += 1
        return Leaf(count - 1)

    made = tree.mapped(item, leaf)
    for n in tree.nodes(made):
        if isinstance(n, TrackedList):
            n.key = None
    return made


def columns_of(item: Any) -> list[tuple[Scalar, int]]:
    """The dtype and rank of each column of a list whose items are like this one."""
    leaves = [v for v in tree.leaves(item) if is_column(v)]
    return [
        (Scalar(v.type.dtype), v.type.ndim) if is_array(v) else (atom(v).type, 0) for v in leaves
    ]


def append_item(
    it: Interpreter, owner: GrownTable, item: Any, node: Node
) -> list[tuple[GrownList, Any]]:
    """The columns, each with what is appended to it."""
    fits = _is_structure(item) and form(template_of(item)) == form(owner.template)
    given = tree.leaves(item) if fits else []
    fixed = zip(given, tree.leaves(owner.template), strict=True) if fits else ()
    if not fits or not all(isinstance(t, Leaf) or _of_one_column(v, t) for v, t in fixed):
        it.refuse(
            node, f"{describe(item)} in a list that grows at run time, whose items are others",
            ONE_STRUCTURE,
        )  # fmt: skip
    freeze(it, item)
    it.listed.update({id(n): n for n in tree.nodes(item)})
    return list(zip(owner.columns, [v for v in given if is_column(v)], strict=True))


def form(template: Any) -> Any:
    """The structure of a template, and which of its leaves are columns."""
    return tree.structure(template), [isinstance(v, Leaf) for v in tree.leaves(template)]


def item_of(it: Interpreter, owner: GrownTable, values: list[Any]) -> Any:
    """An item with these values in its columns."""
    made = tree.mapped(owner.template, lambda v: values[v.k] if isinstance(v, Leaf) else v)
    freeze(it, made)
    return made


def freeze(it: Interpreter, item: Any) -> None:
    """Lets changes of an item be refused: they would not be seen by the list, or by the item."""
    it.frozen.update({id(n): n for n in tree.nodes(item)})


def table_as_array(it: Interpreter, owner: GrownTable, node: Node) -> Any:
    """All items as one array, as NumPy makes one of a list of tuples or lists."""

    def part(t: Any) -> Any:
        if isinstance(t, Leaf):
            return it.b.copy(items_of(it.b, owner.columns[t.k]))
        if not isinstance(t, list | tuple):
            way_out = "make it of numbers: [v.x for v in items]"
            it.refuse(node, f"an array of {describe(t)}", way_out)
        return it.call_numpy(np.stack, [[part(v) for v in t]], {"axis": 1}, node)

    empty = it.b.eq(it.grown_length(owner), 0)
    it.fail_if(empty, "ValueError", "need at least one array to stack")
    return part(owner.template)


def unzipped(it: Interpreter, owner: GrownTable, node: Node) -> list[Any]:
    """The columns as `zip(*items)` gives them, one after another."""
    if not isinstance(owner.template, list | tuple):
        it.refuse(node, f"zip(*items) of {describe(owner.template)}", "take its parts one by one")
    empty = it.b.eq(it.grown_length(owner), 0)
    it.refuse_where(empty, node, "zip(*items) of a list without items", "test its length before")
    out = [_column(it, owner, t) for t in owner.template]
    it.frozen.update({id(v): v for v in out})
    return out


def _column(it: Interpreter, owner: GrownTable, t: Any) -> GrownList:
    """A new list of the parts of all items in one place."""
    whole, place = Slice(None, None, None), it.frame.source.tree
    kept = [v.k for v in tree.leaves(t) if isinstance(v, Leaf)]
    made = tuple(it.grown_slice(owner.columns[k], whole, place) for k in kept)
    if isinstance(t, Leaf):
        return made[0]
    template = tree.mapped(t, lambda v: Leaf(kept.index(v.k)) if isinstance(v, Leaf) else v)
    return GrownTable(None, None, INT, template=template, columns=made)
