"""Lists whose length only the run tells, among the results of a program: the arrays of their items.

A list of numbers or arrays is one array; one of structures is an array for each number, array and
text in them. The lists are made of these arrays after the call, in the caller's form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from srcgrad import tree
from srcgrad.errors import Location, UnsupportedError
from srcgrad.frontend.grown_lists import GrownTable, Known, Mixed, Ragged, items_of
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.kinds import of_arrays
from srcgrad.frontend.requirements import Key, RestartTracing
from srcgrad.frontend.returned_containers import ContainerOfRun
from srcgrad.frontend.tables import Coded
from srcgrad.frontend.values import GrownList, Record
from srcgrad.ir.nodes import Atom
from srcgrad.records import record
from srcgrad.tree import Leaf

OF_THE_RUN = "a list whose length is known only at run time"


@record(frozen=True)
class ListOfRun:
    """A list among the results, by the arrays of its items, which are its columns.

    The k-th column holds what `item` has in place of its k-th leaf, in a list of its own where that
    has several kinds; of a list of numbers or arrays `item` is that leaf. `pythons` tells whether
    the numbers of a column are Python's.
    """

    item: Any
    columns: tuple[Any, ...]
    pythons: tuple[bool, ...]


def _made(like: ListOfRun, parts: Sequence[Any]) -> list[Any] | None:
    """The list of the items; None where no part of them has a value, as tangents of integers."""
    if all(p is None for p in parts):
        return None
    pairs = zip(parts, like.pythons, strict=True)
    columns = [itertools.repeat(None) if p is None else _items(p, own) for p, own in pairs]
    return [_filled(like.item, row) for row in zip(*columns, strict=False)]


def _items(column: Any, pythons: bool) -> list[Any]:
    """The items of a column; arrays share no memory."""
    if isinstance(column, list):
        return column
    if column.ndim > 1:
        return [row.copy() for row in column]
    return column.tolist() if pythons else list(column)


def _filled(item: Any, row: Sequence[Any]) -> Any:
    """An item, by what its columns hold for it; a text is held by its number."""

    def part(v: Any) -> Any:
        if isinstance(v, Coded):
            return None if row[v.k] is None else v.values[row[v.k]]
        return row[v.k] if isinstance(v, Leaf) else v

    return tree.mapped(item, part, tree.outside)


tree.add_kind(ListOfRun, tree.Kind(
    lambda v: v.columns,
    lambda like, parts: ListOfRun(like.item, tuple(parts), like.pythons),
    lambda v: range(len(v.columns)),
    outside=_made,
))  # fmt: skip


@record(frozen=True)
class MixedOfRun:
    """A list of items of several kinds among the results: of each its kind, and its place there."""

    kinds: Any
    places: Any
    parts: tuple[Any, ...]  # of each kind the list of its items, which is one item if it is known


def _mixed_like(like: MixedOfRun, parts: Sequence[Any]) -> MixedOfRun:
    """A list of other items; numbers of kinds and places, which have no tangent, stay."""
    kinds, places = (
        old if new is None or new.columns == (None,) else new
        for old, new in zip((like.kinds, like.places), parts[:2], strict=True)
    )
    return MixedOfRun(kinds, places, tuple(parts[2:]))


def _mixed(like: MixedOfRun, parts: Sequence[Any]) -> list[Any]:
    kinds, places, *items = parts
    pairs = zip(kinds, places, strict=True)
    return [None if items[k] is None else items[k][p] for k, p in pairs]


tree.add_kind(MixedOfRun, tree.Kind(
    lambda v: [v.kinds, v.places, *v.parts],
    _mixed_like,
    lambda v: ["kinds", "places", *range(len(v.parts))],
    outside=_mixed,
))  # fmt: skip


@record(frozen=True)
class RaggedOfRun:
    """A list of arrays of several shapes: their elements, where each begins, and its lengths."""

    places: Any
    elements: Any
    lengths: tuple[Any, ...]  # along each axis


def _ragged_like(like: RaggedOfRun, parts: Sequence[Any]) -> RaggedOfRun:
    """A list of other elements; places and lengths, which have no tangent, stay."""
    places, elements, *lengths = parts
    old = (like.places, *like.lengths)
    kept = [o if new is None else new for o, new in zip(old, (places, *lengths), strict=True)]
    return RaggedOfRun(kept[0], elements, tuple(kept[1:]))


def _ragged(like: RaggedOfRun, parts: Sequence[Any]) -> list[Any] | None:
    """The arrays, which share no memory; None where they have no tangent."""
    places, elements, *lengths = parts
    if elements is None:
        return None
    shapes = zip(*(n.tolist() for n in lengths), strict=True)
    rows = zip(places.tolist(), shapes, strict=True)
    return [elements[k : k + math.prod(dims)].reshape(dims).copy() for k, dims in rows]


tree.add_kind(RaggedOfRun, tree.Kind(
    lambda v: [v.places, v.elements, *v.lengths],
    _ragged_like,
    lambda v: ["places", "elements", *range(len(v.lengths))],
    outside=_ragged,
))  # fmt: skip


def list_of_run(
    it: Interpreter, v: GrownList, atoms: list[Atom], at: Location, plain: Callable[[Any], Any]
) -> ListOfRun | MixedOfRun | RaggedOfRun:
    """The template of a list that grew at run time, whose arrays go to `atoms`.

    `plain` makes the caller's form of an item's template, or refuses it. Of tensors it is refused:
    its items would be copies without a history.
    """
    if not of_arrays(it):
        said = f"{OF_THE_RUN} cannot be returned by a function of tensors"
        raise UnsupportedError(said, at, "return flow.stack(items)")
    if isinstance(v, Mixed):
        kinds, places = (list_of_run(it, c, atoms, at, plain) for c in v.columns)
        parts = [
            [plain(part.value)]
            if isinstance(part, Known)
            else list_of_run(it, part, atoms, at, plain)
            for part in v.parts
        ]
        return MixedOfRun(kinds, places, tuple(parts))
    if isinstance(v, Ragged):
        first = len(atoms)
        atoms += [it.b.copy(items_of(it.b, c)) for c in (*v.columns, v.elements)]
        places, *lengths, elements = map(Leaf, range(first, len(atoms)))
        return RaggedOfRun(places, elements, tuple(lengths))
    if isinstance(v, GrownTable):
        for each in tree.nodes(v.template):
            r = tree.registered_as(each.cls) if isinstance(each, Record) else None
            if r is not None:
                raise UnsupportedError(
                    f"{OF_THE_RUN} and whose items hold instances of {r.name}, a registered class, "
                    "cannot be returned", at, "return a list of tuples of what they hold",
                )  # fmt: skip
        item = plain(v.template)
        parts = [list_of_run(it, c, atoms, at, plain) for c in v.columns]
        columns = tuple(p.columns[0] if isinstance(p, ListOfRun) else p for p in parts)
        pythons = tuple(isinstance(p, ListOfRun) and p.pythons[0] for p in parts)
        return ListOfRun(item, columns, pythons)
    if v.key in it.captures.required.as_arrays and not v.numpys:
        raise UnsupportedError(
            f"{OF_THE_RUN}, of numbers of Python's and of narrower ones of NumPy's, cannot be "
            "returned", at, "append numbers of one kind: float(...)",
        )  # fmt: skip
    if v.key in it.captures.joined:
        _keep_apart(it, v.key, at)
    atoms.append(it.b.copy(items_of(it.b, v)))
    return ListOfRun(Leaf(0), (Leaf(len(atoms) - 1),), (v.of_numbers and v.dtype.weak,))


def _keep_apart(it: Interpreter, key: Key, at: Location) -> NoReturn:
    """Restarts with the integers and the floats of a list apart; refused where that cannot be."""
    error = UnsupportedError(
        f"{OF_THE_RUN}, of integers and floats, cannot be returned or stored outside", at,
        "append numbers of one kind: float(...)",
    )  # fmt: skip
    required = it.captures.required
    if key in required.apart:
        raise error
    required.apart.add(key)
    required.refused = required.refused or error
    raise RestartTracing("a list has integers and floats")


def holds_lists(template: Any) -> bool:
    """Whether lists whose length only the run tells, or containers of these, are in a template."""
    kinds = ListOfRun | MixedOfRun | RaggedOfRun | ContainerOfRun
    return any(isinstance(n, kinds) for n in tree.nodes(template))
