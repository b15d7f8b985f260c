"""`sorted`: lists in the order of numbers, or of tuples of numbers.

Where the order is known only at run time it is an array of places, with which the columns of the
items (their numbers and arrays, place by place) are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcgrad import tree
from srcgrad.frontend.comprehensions import list_of
from srcgrad.frontend.growing import relisted
from srcgrad.frontend.grown_lists import GrownTable, Mixed, Ragged, items_of, with_columns
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import CONSTANTS
from srcgrad.frontend.lists_of_rows import are_rows
from srcgrad.frontend.tables import Coded, code_of, freeze, is_column, is_tabular, text_of, texts_of
from srcgrad.frontend.tracked_dicts import is_constant
from srcgrad.frontend.values import GrownList, Record, Slice, describe, is_array, is_scalar
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, same_dim
from srcgrad.tree import Leaf

Take = Callable[[Any], Any]  # an array with its items in the order of the keys


@implements(sorted)
def sorted_(it: Interpreter, node: Node, x: Any, key: Any = None, reverse: Any = False) -> Any:
    items = sorted(x) if isinstance(x, set | frozenset) else list_of(it, x, node)
    if not isinstance(reverse, bool):
        it.refuse(node, f"sorted() with reverse={describe(reverse)}", "use True or False")
    if isinstance(items, GrownList):
        # at a place of its own, so that its list is not one with the items
        at = next((k.value for k in getattr(node, "keywords", ()) if k.arg == "key"), node)
        keys = items if key is None else list_of(it, it.call(map, [key, items], {}, at), at)
        return _grown(it, node, items, _order(it, node, keys, reverse))
    keys = items if key is None else [it.call(key, [v], {}, node) for v in items]
    if len(keys) < 2:
        return it.tracked_list(items, node)
    keys = _known_beginnings(keys)
    instances = all(isinstance(k, Record) for k in keys)
    if not instances and not all(map(is_constant, keys)):
        return _taken(it, node, items, _order(it, node, keys, reverse))
    known = [_Ordered(it, node, k) for k in keys] if instances else keys
    try:
        order = sorted(range(len(items)), key=known.__getitem__, reverse=reverse)
    except TypeError as e:
        it.refuse(node, str(e), like=TypeError)
    return it.tracked_list([items[k] for k in order], node)


class _Ordered:
    """An instance in the order of its `__lt__`, which must be known when compiling."""

    def __init__(self, it: Interpreter, node: Node, v: Any):
        self.it, self.node, self.v = it, node, v

    def __lt__(self, other: _Ordered) -> bool:
        it, node = self.it, self.node
        less = it.truth(it.compare(gast.Lt(), self.v, other.v, node), node)
        if not isinstance(less, bool):
            it.refuse(
                node, "sorted() of instances in an order that only the run tells",
                "give a key that is a number: key=lambda item: item.value",
            )  # fmt: skip
        return less


# ---- the order ----
def _known_beginnings(keys: list[Any]) -> list[Any]:
    """The first parts of tuples or lists, where these are known and differ; else the keys.

    They decide the order of `sorted(d.items())`: Python does not compare the parts after them.
    """
    if {list if isinstance(k, list) else type(k) for k in keys} not in ({tuple}, {list}):
        return keys
    for n in range(1, 1 + min(map(len, keys))):
        heads = [tuple(k[:n]) for k in keys]
        if not all(map(is_constant, heads)) or any(v != v for head in heads for v in head):
            return keys
        if len(set(heads)) == len(heads):
            return heads
    return keys


def _order(it: Interpreter, node: Node, keys: Any, reverse: bool) -> Take:
    """Takes the items of an array in the order of the keys: stable, in reverse too."""
    vectors = _vectors(it, node, keys)
    turned = lambda v: subscript(it, v, [Slice(None, None, -1)], node) if reverse else v
    order = None
    for v in map(turned, reversed(vectors)):
        given = v if order is None else subscript(it, v, [order], node)
        sort = it.call_numpy(np.argsort, [given], {"kind": "stable"}, node)
        order = sort if order is None else subscript(it, order, [sort], node)
    return lambda values: subscript(it, turned(values), [turned(order)], node)


def _vectors(it: Interpreter, node: Node, keys: Any) -> list[Any]:
    """Arrays of numbers, of which the first decides; where it has equal ones, the next."""
    array = lambda held: it.call_numpy(np.array, [held], {}, node)
    if isinstance(keys, GrownList) and keys.of_numbers:
        return [array(keys)]
    table = keys if isinstance(keys, GrownTable) and not isinstance(keys, Ragged) else None
    if table is not None and (found := _vectors_of_table(it, table, node)) is not None:
        return found
    if isinstance(keys, list) and all(map(is_scalar, keys)):
        return [array(keys)]
    if isinstance(keys, list) and is_tabular(keys) and _is_tuple(keys[0]):
        columns = [c for c in zip(*map(tree.leaves, keys), strict=True) if is_column(c[0])]
        if all(map(is_scalar, (v for c in columns for v in c))):
            return [array(list(c)) for c in columns]
    arrays = isinstance(keys, GrownList) and table is None
    it.refuse(
        node, "sorted() of run-time values that are neither numbers nor tuples of numbers",
        "give a key that is one: key=lambda item: item[0]", ValueError if arrays else None,
    )  # fmt: skip


def _is_tuple(v: Any) -> bool:
    """Whether items like this one are compared number by number, in the order of the leaves."""
    return all(type(n) is tuple for n in tree.nodes(v)) and not any(
        isinstance(leaf, str | Coded) for leaf in tree.leaves(v)
    )


def _vectors_of_table(it: Interpreter, keys: GrownTable, node: Node) -> list[Any] | None:
    """The numbers of items, and the ranks of their texts; None where items are not such tuples."""
    found, nodes = [], list(tree.nodes(keys.template))
    for leaf in tree.leaves(keys.template):
        if isinstance(leaf, str):  # the same in each item
            continue
        column = keys.columns[leaf.k] if isinstance(leaf, Leaf | Coded) else None
        if not isinstance(column, GrownList) or not column.of_numbers:
            return None
        values = items_of(it.b, column)
        if isinstance(leaf, Coded):
            if not all(type(v) is str for v in leaf.values):
                return None
            ranks = [sorted(leaf.values).index(v) for v in leaf.values]
            array = it.call_numpy(np.array, [ranks], {}, node)
            values = it.call_numpy(np.take, [array, values], {}, node)
        found.append(values)
    alike = all(type(n) is tuple for n in nodes) and not isinstance(keys, Mixed)
    return found if alike and found else None


# ---- the items ----
def _grown(it: Interpreter, node: Node, items: GrownList, take: Take) -> GrownList:
    """A new growing list in this order."""
    if isinstance(items, GrownTable):
        return with_columns(items, tuple(_grown(it, node, c, take) for c in items.columns))
    return relisted(it, items, take(items_of(it.b, items)))


def _taken(it: Interpreter, node: Node, items: list[Any], take: Take) -> Any:
    """A new list of a known length in this order."""
    if all(map(is_scalar, items)):
        return _as_they_were(it, list_of(it, take(_column(it, node, items)), node), items)
    if not is_tabular(items, texts=True):
        if are_rows(items):
            it.grow_if_it_can(items, False)
        it.refuse(
            node, "sorted() of items whose structures, or arrays in them, are not alike",
            "use np.argsort of the keys",
        )  # fmt: skip
    columns = [
        _sorted_column(it, node, c, take) for c in zip(*map(tree.leaves, items), strict=True)
    ]
    made = [tree.unflattened(items[0], list(c)) for c in zip(*columns, strict=True)]
    for item in (*items, *made):
        freeze(it, item)
    return it.tracked_list(made, node)


def _sorted_column(it: Interpreter, node: Node, held: tuple[Any, ...], take: Take) -> list[Any]:
    """The parts in one place of all items: numbers, arrays, or one of some texts."""
    if is_column(held[0]):
        array = take(_column(it, node, list(held)))
        return _as_they_were(it, [subscript(it, array, [k], node) for k in range(len(held))], held)
    values = tuple(dict.fromkeys(t for v in held for t in texts_of(v)))
    if len(values) < 2:
        return list(held)
    if len(values) > CONSTANTS:
        it.refuse(
            node, f"sorted() of items with {len(values)} texts or other known values in one place",
            "use np.argsort of the keys",
        )  # fmt: skip
    codes = it.call_numpy(np.array, [[code_of(it, values, v) for v in held]], {}, node)
    taken = take(codes)
    return [text_of(it, values, subscript(it, taken, [k], node)) for k in range(len(held))]


def _column(it: Interpreter, node: Node, held: list[Any]) -> Any:
    """An array of numbers, or a stack of arrays of one shape."""
    if is_array(held[0]):
        _check_lengths(it, node, held)
        return it.call_numpy(np.stack, [held], {}, node)
    return it.call_numpy(np.array, [held], {}, node)


def _check_lengths(it: Interpreter, node: Node, held: list[Any]) -> None:
    """Refuses arrays of different lengths: when compiling, or when the run finds them."""
    reason = "sorted() of items with arrays that have different lengths"
    first = held[0].type.dims
    for d, e in (pair for v in held[1:] for pair in zip(first, v.type.dims, strict=True)):
        if not same_dim(d, e):
            it.refuse_where(it.b.ne(d, e), node, reason, "use np.argsort of the keys")


def _as_they_were(it: Interpreter, made: Any, items: Any) -> Any:
    """Items of an array as Python's numbers, if those put into it were."""
    types = [atom(v).type for v in items]
    if isinstance(made, GrownList) or not all(isinstance(t, Scalar) and t.weak for t in types):
        return made
    made[:] = [it.b.retyped(v, Scalar(v.type.dtype, weak=True)) for v in made]
    if len({t.dtype for t in types}) > 1:
        it.captures.classes.mixed.update(v for v in made if isinstance(v, Var))
    return made
