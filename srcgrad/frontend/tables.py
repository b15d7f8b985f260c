"""Lists of structures that grow in run-time loops: a growing list for each of their leaves.

Items are tuples, lists, dicts and objects of one structure. A list in Python holds the item itself,
here it holds its leaves: an item that was appended, or is read, is frozen.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from srcgrad import tree
from srcgrad.frontend.formulas.long_tuples import LongTuple
from srcgrad.frontend.grown_lists import GrownTable, Kinds, Mixed, Ragged, array_of
from srcgrad.frontend.heap import is_mutable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import CONSTANT, CONSTANTS, join_specs, spec_of
from srcgrad.frontend.lists_of_rows import NO_ITEMS, are_rows, stacked_rows
from srcgrad.frontend.ragged_lists import stacked_arrays
from srcgrad.frontend.requirements import Key, RestartTracing
from srcgrad.frontend.values import (
    Abstract,
    GrownList,
    MaybeNone,
    Record,
    Several,
    Slice,
    TrackedList,
    describe,
    is_array,
    is_scalar,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar
from srcgrad.tree import Leaf

NUMBER = Scalar("i64")  # of a text


class Coded:
    """A place in a template: one of some texts, whose numbers the k-th column holds."""

    def __init__(self, k: int, values: tuple):
        self.k, self.values = k, values


ONE_STRUCTURE = "append items of one structure: numbers, and arrays of one rank, in the same places"


def is_tabular(items: list[Any], texts: bool = False) -> bool:
    """Whether items can be those of one growing list: structures alike, of numbers and arrays.

    `texts`: texts and other known values in them may differ.
    """
    some = bool(items) and all(_is_structure(v, texts) for v in items)
    return some and all(_alike(items[0], v, texts) for v in items[1:])


def may_grow(items: list[Any], texts: bool = False) -> bool:
    """Whether a list of these items may grow at run time: they are of one kind."""
    return all(is_scalar(v) for v in items) or are_rows(items) or is_tabular(items, texts)


def _is_structure(v: Any, texts: bool = True) -> bool:
    if texts and is_text(v):
        return True
    if tree.children(v) is None or any(_is_exception(n) for n in tree.nodes(v)):
        return False
    leaves = tree.leaves(v)
    varying = [x for x in leaves if is_column(x)]
    return bool(varying) and not any(
        (isinstance(x, Abstract | np.ndarray) and not (texts and texts_of(x)))
        or (is_array(x) and not x.type.dims)
        for x in leaves
    )


def _is_exception(v: Any) -> bool:
    return isinstance(v, Record) and issubclass(v.cls, BaseException)


def is_column(leaf: Any) -> bool:
    """Whether a leaf may differ from item to item: a number, an array, one of several kinds."""
    return is_scalar(leaf) or isinstance(leaf, Var) or _is_of_kinds(leaf)


def _is_of_kinds(v: Any) -> bool:
    return isinstance(v, MaybeNone | Several) and not texts_of(v)


def may_mix(v: Any) -> bool:
    """Whether a value may be an item beside items of other kinds."""
    if isinstance(v, MaybeNone | Several):
        return all(map(may_mix, parts_of(v)))
    if tree.children(v) is not None:
        return not any(map(_is_exception, tree.nodes(v))) and all(map(may_mix, tree.leaves(v)))
    if is_array(v):
        return bool(v.type.dims)
    return is_scalar(v) or isinstance(v, CONSTANT)


def is_other(owner: GrownList, item: Any) -> bool:
    """Whether an item is of another kind than those of a list."""
    if isinstance(owner, Mixed):
        return not may_mix(item)
    if isinstance(owner, Ragged):
        kind = owner.rank, owner.dtype.dtype
        return not are_rows([item]) or (item.type.ndim, item.type.dtype) != kind
    if isinstance(owner, GrownTable) and isinstance(owner.template, Coded):
        return not is_text(item)
    if isinstance(owner, GrownTable):
        return tree.structure(item) != tree.structure(owner.template)
    if owner.of_numbers:
        return not is_scalar(item)
    rank = owner.shape.type.dims[0] if owner.shape is not None else 0
    return not are_rows([item]) or (item.type.ndim, item.type.dtype) != (rank, owner.dtype.dtype)


def is_apart(it: Interpreter, owner: GrownList, item: Any) -> bool:
    """Whether a number is of another kind than those of a list that keeps integers apart."""
    if owner.key is None or isinstance(owner, GrownTable) or not owner.of_numbers:
        return False
    apart = any(owner.key[: len(k)] == k for k in it.captures.required.apart)
    return apart and is_scalar(item) and atom(item).type.dtype[0] != owner.dtype.dtype[0]


def mixes(it: Interpreter, key: Key, items: Sequence[Any]) -> bool:
    """Whether a list has items of several kinds, of which these are some.

    That is so when all else is refused: see `trace`.
    """
    required = it.captures.required
    if key is None or not items or not all(map(may_mix, items)):
        return False
    top = next((k for k in required.mixed if key[: len(k)] == k), None)
    if top is None:
        required.mixable.add(key)
    return top is not None


def parts_of(v: MaybeNone | Several) -> tuple[Any, Any]:
    """The value where the flag holds, and where it does not."""
    return (v.value, None) if isinstance(v, MaybeNone) else (v.one, v.other)


def _alike(a: Any, c: Any, texts: bool) -> bool:
    if tree.structure(a) != tree.structure(c):
        return False
    pairs = zip(tree.leaves(a), tree.leaves(c), strict=True)
    return all((texts and texts_of(x) and texts_of(y)) or _of_one_column(x, y) for x, y in pairs)


def is_text(v: Any) -> bool:
    """Whether an item is itself one of some texts."""
    return bool(texts_of(v)) and all(isinstance(t, str | enum.Enum) for t in texts_of(v))


def texts_of(v: Any) -> tuple[Any, ...]:
    """The known values, as texts are, of which a value is one; none for any other value."""
    if isinstance(v, Several):
        one, other = texts_of(v.one), texts_of(v.other)
        return (*one, *other) if one and other else ()
    return (v,) if isinstance(v, CONSTANT) else ()


def _of_one_column(x: Any, y: Any) -> bool:
    if is_scalar(x) or is_scalar(y):
        return is_scalar(x) and is_scalar(y)
    if is_array(x) and is_array(y):
        return (x.type.ndim, x.type.dtype) == (y.type.ndim, y.type.dtype)
    return join_specs(spec_of(x, False, {}), spec_of(y, False, {})) is not None


def template_of(item: Any) -> Any:
    """An item with a `Leaf` for each number and array."""
    leaves = tree.leaves(item)
    columns, after = itertools.count(), itertools.count(sum(map(is_column, leaves)))

    def leaf(v: Any) -> Any:
        if is_column(v):
            return Leaf(next(columns))
        if isinstance(v, Several) or v is item:
            return Coded(next(after), tuple(dict.fromkeys(texts_of(v))))
        return v

    made = tree.mapped(item, leaf)
    for n in tree.nodes(made):
        if isinstance(n, TrackedList):
            n.key = None
    return made


def kinds_of_list(key: Key, item: Any) -> dict[Key, Any]:
    """The kinds of a list of items like this one, and of the lists that it is made of."""
    if is_column(item):
        return {key: _kind_of_column(item)}
    if not (tree.children(item) is not None or is_text(item)):
        return {key: (Kinds(), 0)}
    leaves = tree.leaves(item)
    found = [_kind_of_column(v) for v in leaves if is_column(v)]
    found += [
        (NUMBER, 0) for v in leaves if not is_column(v) and (isinstance(v, Several) or v is item)
    ]
    return {key: (template_of(item), 0), **{(*key, k): kind for k, kind in enumerate(found)}}


def _kind_of_column(v: Any) -> tuple[Scalar | Kinds, int]:
    if _is_of_kinds(v):
        return Kinds(), 0
    return (Scalar(v.type.dtype), v.type.ndim) if is_array(v) else (atom(v).type, 0)


def append_item(
    it: Interpreter, owner: GrownTable, item: Any, node: Node
) -> list[tuple[GrownList, Any]]:
    """The columns, each with what is appended to it."""
    found = _by_column(it, owner, item)
    if found is None:
        it.refuse(
            node, f"{describe(item)} in a list that grows at run time, whose items are others",
            ONE_STRUCTURE,
        )  # fmt: skip
    freeze(it, item)
    inside = {id(n): n for n in tree.nodes(item) if is_mutable(n)}
    it.listed.update(inside)
    known = it.captures.items_of.setdefault(owner.key, {})
    it.captures.twice |= known.keys() & inside.keys()
    known.update(inside)
    return [(column, found.get(k, 0)) for k, column in enumerate(owner.columns)]


def _by_column(it: Interpreter, owner: GrownTable, item: Any) -> dict[int, Any] | None:
    """The parts of an item by the number of their column; None if it is not like the others."""
    if tree.structure(item) != tree.structure(owner.template):
        return None
    found: dict[int, Any] = {}
    pairs = zip(tree.leaves(item), tree.leaves(owner.template), strict=True)
    for place, (v, t) in enumerate(pairs):
        if isinstance(t, Leaf):
            found[t.k] = v
        elif is_column(v):
            if not mixes(it, owner.key, [v]):
                return None
            _take_kinds(it, owner, place, t)
        elif isinstance(t, Coded) or isinstance(v, Several) or not _of_one_column(v, t):
            known, given = t.values if isinstance(t, Coded) else texts_of(t), texts_of(v)
            values = tuple(dict.fromkeys((*known, *given)))
            if not known or not given or len(values) > CONSTANTS:
                return None
            if not isinstance(t, Coded) or values != known:
                k = t.k if isinstance(t, Coded) else columns_in(owner.template)
                _take_text(it, owner, place, Coded(k, values))
            found[t.k] = code_of(it, values, v)
    return found


def code_of(it: Interpreter, values: tuple, v: Any) -> Any:
    """The number of a text among the known ones."""
    if isinstance(v, Several):
        return plain(it.b.where(v.flag, code_of(it, values, v.one), code_of(it, values, v.other)))
    return values.index(v)


def _take_text(it: Interpreter, owner: GrownTable, place: int, coded: Coded) -> NoReturn:
    """Restarts with a list whose items have one of these texts in a place."""
    leaves = tree.leaves(owner.template)
    leaves[place] = coded
    it.grown[owner.key] = tree.unflattened(owner.template, leaves), 0
    it.grown[(*owner.key, coded.k)] = NUMBER, 0
    raise RestartTracing("an item of a list has another text than the others")


def _take_kinds(it: Interpreter, owner: GrownTable, place: int, t: Any) -> NoReturn:
    """Restarts with a list whose items have other things than known values in a place as well."""
    leaves = tree.leaves(owner.template)
    k = t.k if isinstance(t, Coded) else columns_in(owner.template)
    leaves[place] = Leaf(k)
    it.grown[owner.key] = tree.unflattened(owner.template, leaves), 0
    it.grown[(*owner.key, k)] = Kinds(), 0
    raise RestartTracing("an item of a list has another kind in a place than the others")


def columns_in(template: Any) -> int:
    """The number of the columns that hold parts of the items."""
    return sum(isinstance(v, Leaf | Coded) for v in tree.leaves(template))


def form(template: Any) -> Any:
    """The structure of a template, and which of its leaves are columns."""
    return tree.structure(template), [isinstance(v, Leaf) for v in tree.leaves(template)]


def item_of(it: Interpreter, owner: GrownTable, values: list[Any]) -> Any:
    """An item with these values in its columns."""

    def part(t: Any) -> Any:
        if isinstance(t, Coded):
            return text_of(it, t.values, values[t.k])
        return values[t.k] if isinstance(t, Leaf) else t

    made = tree.mapped(owner.template, part)
    freeze(it, made)
    return made


def text_of(it: Interpreter, values: tuple, number: Any) -> Any:
    """One of the known texts by its number."""
    made = values[-1]
    for j, v in enumerate(values[-2::-1], 2):
        made = Several(it.b.eq(number, len(values) - j), v, made)
    return made


def freeze(it: Interpreter, item: Any) -> None:
    """Lets changes of an item be refused: they would not be seen by the list, or by the item."""
    it.frozen.update({id(n): n for n in tree.nodes(item)})


def table_as_array(it: Interpreter, owner: GrownTable, node: Node) -> Any:
    """All items as one array, as NumPy makes one of a list of tuples or lists."""

    def part(t: Any) -> Any:
        if isinstance(t, Leaf):
            column = owner.columns[t.k]
            refuse_mixed(it, column, node)
            if isinstance(column, Ragged):
                return stacked_arrays(it, column, node)
            return array_of(it, column) if column.of_numbers else stacked_rows(it, column, node)
        if not isinstance(t, list | tuple):
            t = t.values[0] if isinstance(t, Coded) else t
            way_out = "make it of numbers: [v.x for v in items]"
            it.refuse(node, f"an array of {describe(t)}", way_out)
        return it.call_numpy(np.stack, [[part(v) for v in t]], {"axis": 1}, node)

    refuse_mixed(it, owner, node)
    empty = it.b.eq(it.grown_length(owner), 0)
    it.fail_if(empty, *NO_ITEMS)
    return part(owner.template)


def refuse_mixed(it: Interpreter, v: GrownList, node: Node) -> None:
    """Refuses an array of items of several kinds, which NumPy makes one of objects, or refuses."""
    if isinstance(v, Mixed):
        way_out = "make a list of those that are numbers: [v for v in items if v is not None]"
        it.refuse(node, "an array of items of several kinds", way_out)


def unzipped(it: Interpreter, owner: GrownTable, node: Node) -> list[Record]:
    """The columns as `zip(*items)` gives them, one after another: tuples."""
    if not isinstance(owner.template, list | tuple):
        it.refuse(node, f"zip(*items) of {describe(owner.template)}", "take its parts one by one")
    empty = it.b.eq(it.grown_length(owner), 0)
    it.refuse_where(empty, node, "zip(*items) of a list without items", "test its length before")
    out = [_column(it, owner, t) for t in owner.template]
    it.frozen.update({id(v): v for v in out})
    return [Record(LongTuple, {"items": v}) for v in out]


def _column(it: Interpreter, owner: GrownTable, t: Any) -> GrownList:
    """A new list of the parts of all items in one place."""
    whole, place = Slice(None, None, None), it.frame.source.tree
    kept = [v.k for v in tree.leaves(t) if isinstance(v, Leaf | Coded)] or [0]
    made = tuple(it.grown_slice(owner.columns[k], whole, place) for k in kept)
    if isinstance(t, Leaf):
        return made[0]

    def part(v: Any) -> Any:
        if isinstance(v, Coded):
            return Coded(kept.index(v.k), v.values)
        return Leaf(kept.index(v.k)) if isinstance(v, Leaf) else v

    template = tree.mapped(t, part)
    return GrownTable(None, None, INT, template=template, columns=made)
