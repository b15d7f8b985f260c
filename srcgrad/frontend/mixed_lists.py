"""Lists that grow and whose items have several kinds: numbers, arrays, structures, known values.

The items of each kind lie in a list of their own, which only grows. The list itself is two columns
of numbers: which kind an item has, and its place among those of its kind. So items are inserted,
taken out, sliced and sorted as numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from srcgrad import tree
from srcgrad.frontend.grown_lists import Kinds, Known, Mixed
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import CONSTANT, CONSTANTS
from srcgrad.frontend.requirements import Key, RestartTracing
from srcgrad.frontend.tables import (
    is_apart,
    is_other,
    is_text,
    kinds_of_list,
    may_mix,
    parts_of,
    texts_of,
)
from srcgrad.frontend.values import GrownList, MaybeNone, Several
from srcgrad.ir.types import INT

Put = Callable[[int, Any], None]  # takes the number of a kind and a place


def new_mixed(it: Interpreter, key: Key, kinds: Kinds) -> Mixed:
    """An empty list of items of these kinds."""
    names = [(*key, name) for name in ("kinds", "places")]
    it.grown.update(dict.fromkeys(names, (INT, 0)))
    columns = tuple(map(it.new_list, names))
    parts = tuple(
        it.new_list((*key, "part", k)) if v is None else v for k, v in enumerate(kinds.values)
    )
    return Mixed(None, None, INT, key, columns=columns, parts=parts)


def mix(it: Interpreter, owner: GrownList) -> NoReturn:
    """Restarts with a list whose items may have other kinds as well."""
    key = owner.key
    own = {k: v for k, v in it.grown.items() if k[: len(key)] == key}
    for k in own:
        del it.grown[k]
    it.grown.update({(*key, "part", 0, *k[len(key) :]): v for k, v in own.items()})
    require_kinds(it, key, Kinds((None,)))


def require_kinds(it: Interpreter, key: Key, kinds: Kinds) -> NoReturn:
    """Restarts with a list of these kinds of items."""
    it.grown[key] = kinds, 0
    raise RestartTracing("the items of a list have several kinds")


def append_mixed(it: Interpreter, owner: Mixed, item: Any, node: Node) -> None:
    def put(kind: int, place: Any) -> None:
        for column, v in zip(owner.columns, (kind, place), strict=True):
            it.append_grown(column, v, node)

    _stored(it, owner, item, node, put)


def set_mixed(it: Interpreter, owner: Mixed, at: list[Any], item: Any, node: Node) -> None:
    def put(kind: int, place: Any) -> None:
        for column, v in zip(owner.columns, (kind, place), strict=True):
            it.set_grown(column, at, v, node)

    _stored(it, owner, item, node, put)


def _stored(it: Interpreter, owner: Mixed, item: Any, node: Node, put: Put) -> None:
    """Lets `put` know the kind and the place of an item that it has kept."""
    if isinstance(item, MaybeNone | Several) and not texts_of(item):
        one, other = (lambda v=v: _stored(it, owner, v, node, put) for v in parts_of(item))
        it.branch(item.flag, one, other, node, live_rest=True)
        return
    kinds = it.grown[owner.key][0]
    for k, part in enumerate(owner.parts):
        if isinstance(part, Known) and part.value is item:
            put(k, 0)
            return
        if isinstance(part, GrownList) and not (is_other(part, item) or is_apart(it, part, item)):
            it.append_grown(part, item, node)
            put(k, it.b.sub(it.grown_length(part), 1))
            return
    if len(owner.parts) == CONSTANTS or not may_mix(item):
        it.refuse(
            node, "the items of a list that grows at run time have too many kinds, or others than "
            "numbers, arrays, texts and structures of these", "append items of fewer kinds",
        )  # fmt: skip
    new = Known(item) if isinstance(item, CONSTANT) and not is_text(item) else None
    if new is None:
        it.grown.update(kinds_of_list((*owner.key, "part", len(kinds.values)), item))
    require_kinds(it, owner.key, Kinds((*kinds.values, new)))


def mixed_item(it: Interpreter, v: Mixed, at: Any, node: Node) -> Any:
    """The item at a checked place: of one of the kinds."""
    kind, place = (it.grown_load(column, at, node) for column in v.columns)
    if not v.parts:  # nothing is appended before this
        return kind

    def part(k: int) -> Any:
        held = v.parts[k]
        here = lambda: held.value if isinstance(held, Known) else it.grown_load(held, place, node)
        if k == len(v.parts) - 1:
            return here()
        is_kind = it.b.eq(kind, k)
        return it.branch(is_kind, here, lambda: part(k + 1), node, live_rest=True, several=True)

    made = part(0)
    todo = [made]
    while todo:
        v = todo.pop()
        todo += parts_of(v) if isinstance(v, MaybeNone | Several) else ()
        it.frozen.update({id(n): n for n in tree.nodes(v)})
    return made
