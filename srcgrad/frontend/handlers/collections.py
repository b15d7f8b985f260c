"""Classes of `collections` and `types` that are made of their parts, and `globals`."""

from __future__ import annotations

import collections
import functools
import types
from operator import itemgetter
from typing import Any

from srcgrad.frontend.comprehensions import list_of
from srcgrad.frontend.control_flow import python_bool
from srcgrad.frontend.dict_values import make_anew
from srcgrad.frontend.formulas import heaps  # noqa: F401 (registers them)
from srcgrad.frontend.formulas.containers import Deque
from srcgrad.frontend.formulas.groups import Group, own_number, taken_over
from srcgrad.frontend.formulas.longer_lists import count_before, item_from_the_end, read_whole
from srcgrad.frontend.formulas.members import FrozenMembers, Members, hashable, members
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.instances_as_keys import refuse_other_hash
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import type_name
from srcgrad.frontend.values import (
    UNBOUND,
    Abstract,
    GrownList,
    MaybeUnbound,
    Record,
    Unbound,
    is_array,
    is_integer,
    is_scalar,
    plain,
)
from srcgrad.records import record

MOST_BEFORE = 8  # items from the end that may be among those before


@implements(types.SimpleNamespace)
def namespace(it: Interpreter, node: Node, /, **fields: Any) -> Record:
    return Record(types.SimpleNamespace, fields)


@implements(collections.namedtuple)
def namedtuple(it: Interpreter, node: Node, /, name: Any, fields: Any, **options: Any) -> type:
    given = fields if isinstance(fields, str) else tuple(it.static_items(fields, node))
    try:
        return _class_of(name, given, tuple(options.items()))
    except (TypeError, ValueError) as e:
        it.fails(e, node)


@functools.lru_cache(maxsize=256)
def _class_of(name: str, fields: Any, options: tuple) -> type:
    return collections.namedtuple(name, fields, **dict(options))


@implements(members)
def members_(it: Interpreter, node: Node, items: Any) -> Any:
    if isinstance(items, set | frozenset):
        return it.tracked_list(sorted(items, key=repr), node)
    return list_of(it, items, node)


@implements(taken_over)
def taken_over_(it: Interpreter, node: Node, items: Any) -> Any:
    it.frozen[id(items)] = items
    return items


@implements(own_number)
def own_number_(it: Interpreter, node: Node, groups: Any, items: Any) -> Any:
    if not isinstance(items, Record) or items.cls is not Group:
        return None
    if items.fields["groups"] is not groups:
        it.refuse(node, "a list that grows in one dict is put into another", "copy it: list(...)")
    return items.fields["number"]


@implements(hashable)
def hashable_(it: Interpreter, node: Node, key: Any) -> None:
    container = isinstance(key, Record) and key.cls in INSTANCES
    if container or isinstance(key, list | dict | set | GrownList) or is_array(key):
        said = f"unhashable type: '{type_name(key)}'"
        it.wrong(node, said, TypeError)
    refuse_other_hash(it, key, node)


def _set_method(name: str, does: str) -> None:
    def handler(it: Interpreter, node: Node, owner: Any, *args: Any) -> Any:
        make_anew(it, owner)
        said = f"a set that is not made here is {does}"
        it.refuse(node, said, "copy it first: set(...)", runs=True)

    method("set", name)(handler)


for _name, _f in {**vars(FrozenMembers), **vars(Members)}.items():
    if callable(_f) and not _name.startswith("_") and hasattr(set, _name):
        _set_method(_name, "read by a method" if hasattr(frozenset, _name) else "changed")


@implements(collections.deque)
def deque(it: Interpreter, node: Node, iterable: Any = (), maxlen: Any = None) -> Record:
    if maxlen is None:
        return Record(Deque, {"items": list_of(it, iterable, node), "maxlen": None})
    if not is_integer(maxlen):
        it.refuse(node, "an integer is required", "maxlen= is one, or None", like=TypeError)
    negative = plain(it.b.lt(maxlen, 0))
    it.fail_if(negative, "ValueError", "maxlen must be non-negative")
    made = Record(Deque, {"items": it.tracked_list([], node), "maxlen": maxlen})
    it.call(Deque.extend, [made, iterable], {}, node)
    return made


@implements(read_whole)
def read_whole_(it: Interpreter, node: Node, longer: Any) -> Any:
    return it.captures.tails[id(longer)].whole()


@implements(count_before)
def count_before_(it: Interpreter, node: Node, longer: Any) -> Any:
    return it.captures.tails[id(longer)].length()


@implements(item_from_the_end)
def item_from_the_end_(it: Interpreter, node: Node, longer: Any, k: Any) -> Any:
    """An item by a known index: a new one, or one that was there before if these are fewer."""
    tail, new = it.captures.tails[id(longer)], longer.fields["new"]
    if type(k) is not int or not -MOST_BEFORE <= k < 0:
        tail.whole()
    n = it.grown_length(new)

    def found(count: int) -> Any:
        if count == -k:
            return it.grown_load(new, it.b.add(n, k), node)
        item = tail.earlier(-k - count)
        if not is_scalar(item):
            tail.whole()
        here = plain(it.b.eq(n, count))
        return it.branch(here, lambda: item, lambda: found(count + 1), node, live_rest=True)

    return found(0)


@record()
class ModuleNames(Abstract):
    """The names of a module, as `globals()` gives them."""

    scope: dict[str, Any]


@implements(globals)
def module_names(it: Interpreter, node: Node) -> ModuleNames:
    function: Any = it.frame.source.function
    return ModuleNames(function.__globals__)


@method(ModuleNames.__name__, "__contains__")
def has_name(it: Interpreter, node: Node, owner: ModuleNames, name: Any) -> Any:
    now = _stored_to(it, owner).get(it.static_key(name, node), UNBOUND)
    if isinstance(now, MaybeUnbound):
        return python_bool(it, now.flag)
    if now is not UNBOUND:
        return not isinstance(now, Unbound)
    there = Step((name,), lambda scope: name in scope)
    it.captures.watch(Path("has", owner.scope, (there,)), name)
    return name in owner.scope


def _stored_to(it: Interpreter, owner: ModuleNames) -> dict[str, Any]:
    """The names of the module that are stored to, by their values now."""
    return it.outside.get(("global", id(owner.scope)), {})


@method(ModuleNames.__name__, "__getitem__")
def module_name(it: Interpreter, node: Node, owner: ModuleNames, name: Any) -> Any:
    names = _stored_to(it, owner)
    if names.get(it.static_key(name, node), UNBOUND) is not UNBOUND:
        return names[name]
    if name not in owner.scope:
        it.fail("KeyError", repr(name))
    found = Step((name,), itemgetter(name), f"[{name!r}]")
    return it.captures.take(it, Path("global", owner.scope, (found,)), name, node)
