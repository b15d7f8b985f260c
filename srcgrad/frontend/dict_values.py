"""Dicts and sets with the places where compiled code makes them."""

from __future__ import annotations

import collections
from typing import Any

from srcgrad import tree
from srcgrad.frontend.heap import change_outer
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.requirements import RestartTracing, place_of_list
from srcgrad.frontend.values import MaybeUnbound

OPTIONAL = "a dict has keys that are set on some paths only"
UNORDERED = "the order of the keys of a dict depends on the path"


class TrackedDict(dict):
    """A dict of known keys that a compiled function makes.

    `cls` is the class that it has in Python, `factory` makes the values of missing keys. Where
    it is `unordered` the path decides the order of its keys, which is read nowhere.
    """

    def __init__(
        self, items: Any = (), key: Any = None, cls: type = dict, factory: Any = None,
        unordered: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(items)
        self.key, self.cls, self.factory, self.unordered = key, cls, factory, unordered

    def like(self, items: Any) -> TrackedDict:
        """Another dict of the same class, of other items."""
        return TrackedDict(items, self.key, self.cls, self.factory, self.unordered)


def as_tracked(value: Any, items: dict) -> dict:
    """A dict of other items, of the class of a dict of the caller's if that is of `collections`."""
    cls = type(value)
    if cls not in (collections.defaultdict, collections.OrderedDict, collections.Counter):
        return items
    return TrackedDict(items, None, cls, getattr(value, "default_factory", None))


class TrackedSet(set):
    """A set or frozenset of known members that a compiled function makes."""

    def __init__(self, items: Any = (), key: Any = None, cls: type = set) -> None:
        super().__init__(items)
        self.key, self.cls = key, cls

    def __hash__(self) -> int:  # a static value, by its identity
        return id(self)


def refuse_whole(it: Interpreter, x: Any, node: Any) -> None:
    """Refuses what reads all of a dict where the path decides which keys it has, or their order."""
    if not isinstance(x, TrackedDict):
        return
    for v in x.values():
        if not isinstance(v, MaybeUnbound):
            continue
        it.decide(v, node)
        it.refuse(node, OPTIONAL, "read it by its keys, or in a 'for' over it")
    if x.unordered:
        it.refuse(node, UNORDERED, "read it by its keys, or set these in one order on every path")


def make_unordered(it: Interpreter, owner: TrackedDict) -> None:
    """Restarts tracing with a dict without an order; returns if this function does not make it."""
    required = it.captures.required.unordered
    ordered = owner.cls is collections.OrderedDict
    if not ordered and owner.key is not None and owner.key not in required:
        required.add(owner.key)
        raise RestartTracing("the order of the keys of a dict depends on the path")


def make_anew(it: Interpreter, owner: Any) -> None:
    """Restarts with a dict or set whose keys the run decides; returns if it cannot be one."""
    if isinstance(owner, dict | set) and (outer := it.captures.outer.get(id(owner))) is not None:
        if change_outer(it, owner):
            it.captures.restart_if_found()
        known = it.captures.required.at_run_time
        if isinstance(owner, TrackedDict) and outer.path.key not in known:
            known.add(outer.path.key)
            raise RestartTracing("the keys of a captured dict are those of the run")
        return
    if isinstance(owner, TrackedDict | TrackedSet) and owner.key is not None:
        required = it.captures.required.at_run_time
        if owner.key not in required:
            required.add(owner.key)
            raise RestartTracing("the keys of a dict are those of the run")


def make_groups(it: Interpreter, key: Any) -> None:
    """Restarts with the values of a dict, a list by its key, as lists that grow."""
    if key is None or key[-1] != "values":
        return
    if (place := place_of_list(key)) not in it.captures.required.of_lists:
        it.captures.required.of_lists.add(place)
        raise RestartTracing("the values of a dict are lists that grow")


TrackedDict.__name__, TrackedSet.__name__ = "dict", "set"  # in messages
tree.add_kind(TrackedDict, tree.Kind(
    lambda v: list(v.values()),
    lambda like, parts: like.like(zip(like, parts, strict=True)),
    list,
    lambda v: (v.cls, *v),
    outside=lambda like, parts: dict(zip(like, parts, strict=True)),
))  # fmt: skip
