"""Captured queues, changed sets, and dicts whose keys the run decides: programs over lists.

What is captured is copied to the lists of an instance of a class of formulas; what these hold at
the end is put into the caller's object.
"""

from __future__ import annotations

import collections
from typing import Any

from srcgrad.frontend.captured_lists import list_in
from srcgrad.frontend.formulas.containers import Deque
from srcgrad.frontend.formulas.members import Members
from srcgrad.frontend.guards import Path, Step, attribute
from srcgrad.frontend.instances_as_keys import watch_keys
from srcgrad.frontend.requirements import key_of_captured
from srcgrad.frontend.tracked_dicts import TABLES, Table
from srcgrad.frontend.values import Record

MEMBERS = Step(("members",), lambda v: sorted(v, key=repr))
KNOWN = Step(("known",), list)
HELD = Step(("held",), lambda v: list(v.values()))
LISTS = {Deque: ("items",), Members: ("items",)}


def lists_of(made: Any) -> tuple[Any, ...]:
    """The lists that hold what is in a captured container, if it is a program over these."""
    if not isinstance(made, Record):
        return ()
    names = ("known", "held") if issubclass(made.cls, Table) else LISTS.get(made.cls, ())
    return tuple(made.fields[n] for n in names)


def place_of_list_in(outer: Any, n: int) -> Path:
    """The place of the n-th of these lists in the caller's container."""
    if outer.made.cls is Deque:
        return outer.path
    steps = (MEMBERS,) if outer.made.cls is Members else (KNOWN, HELD)
    return outer.path.then(steps[n])


def queue_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Record:
    captures.watch(path.then(attribute("maxlen")), name)
    items = list_in(captures, it, path, value, name, node, key_of_captured(path.key, "items"))
    return Record(Deque, {"items": items, "maxlen": value.maxlen})


def set_of(captures: Any, it: Any, path: Path, value: set, name: str, node: Any) -> Record:
    key = key_of_captured(path.key, "items")
    if key in it.grown:
        inner, members = path.then(MEMBERS), sorted(value, key=repr)
        return Record(Members, {"items": list_in(captures, it, inner, members, name, node, key)})
    watch_keys(captures, path, value, name)
    return Record(Members, {"items": it.list_of_key(sorted(value, key=repr), key, node)})


def table_of(captures: Any, it: Any, path: Path, value: dict, name: str, node: Any) -> Record:
    """A captured dict whose keys the run decides."""
    lists = {}
    for part, step, items in (("known", KNOWN, list(value)), ("held", HELD, [*value.values()])):
        key = key_of_captured(path.key, part)
        lists[part] = list_in(captures, it, path.then(step), items, name, node, key)
    if isinstance(value, collections.defaultdict):
        lists["factory"] = value.default_factory
    return Record(TABLES.get(type(value), Table), lists)
