"""Captured containers: guarded by what is in them.

One object has one stand-in, by whatever names it is reached.
"""

from __future__ import annotations

import collections
import types
from dataclasses import fields
from typing import Any

from srcgrad.frontend.array_instances import check_class
from srcgrad.frontend.captured_constants import CONSTANTS, is_constant
from srcgrad.frontend.captured_lists import changed_list
from srcgrad.frontend.captured_tables import lists_of, queue_of, set_of, table_of
from srcgrad.frontend.dict_instances import OWN_NAMES
from srcgrad.frontend.dict_values import TrackedDict, TrackedSet, as_tracked
from srcgrad.frontend.guards import (
    AS_ARRAY,
    CLASS,
    STATIC,
    Equal,
    Guard,
    Path,
    Step,
    attribute,
    item_there,
)
from srcgrad.frontend.guards import item as item_at
from srcgrad.frontend.handlers.registry import followed_as
from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.instances import given, made
from srcgrad.frontend.instances_as_keys import watch_keys
from srcgrad.frontend.outer import Outer
from srcgrad.frontend.structured import inside
from srcgrad.frontend.values import Record, TrackedList, View
from srcgrad.tree import VALUE, children, field_ranks, is_array_class, rebuilt

VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}


def has_items(value: Any) -> bool:
    return isinstance(value, set) or type(value) in VIEWS


def items_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    if isinstance(value, set):
        watch_keys(captures, path, value, name)
        return set(value)
    owner = captures.take(it, path.then(attribute("mapping")), name, node)
    return View(owner, VIEWS[type(value)])


def program_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    """A captured queue, or a set: of known members if it is not changed."""
    if (known := _known(captures, path, value)) is not None:
        return known
    if isinstance(value, collections.deque):
        out = queue_of(captures, it, path, value, name, node)
    elif id(value) in captures.changed:
        out = set_of(captures, it, path, value, name, node)
    else:
        watch_keys(captures, path, value, name)
        out = TrackedSet(value)
    return _made(captures, path, name, value, out)


def fields_of(captures: Any, it: Any, path: Path, name: str, value: Any, node: Any) -> Any:
    """A captured structured array, or a record: its fields are captured."""
    held = path.then(STATIC)
    captures.guards[held.key] = Guard(held, Equal(held.fetch()), name)
    parts = []
    for k, axes in enumerate(field_ranks(value.dtype)):
        field = path.then(Step(("field", k), lambda v, k=k: (children(v) or [])[k]))
        captures.of_fields["hidden", *field.key] = axes
        parts.append(captures.take(it, field, name, node))
    return inside(value, parts)


def instance_of(captures: Any, it: Any, path: Path, name: str, value: Any, node: Any) -> Any:
    """A captured instance of a registered class: its children are captured."""
    key = path.key
    if key in captures.containers:
        return captures.containers[key]
    opened = given(value)

    def part(k: int) -> Any:
        child = Step(("child", k), lambda v: (children(v) or [])[k])
        return captures.take(it, path.then(child), f"{name}_{k}", node)

    parts = [part(k) for k in range(len(opened.children))]
    with it.b.block() as block:
        out = made(it, rebuilt(opened, parts), node)
    it.heads[0][1].extend(block)
    held = path.then(STATIC)
    captures.guards[held.key] = Guard(held, Equal(held.fetch()), name)
    captures.containers[key] = out
    return out


def container_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    """A captured list, tuple or dict: its items are captured."""

    step = item_there if hasattr(type(value), "__missing__") else item_at

    def part(k: Any) -> Any:
        return captures.take(it, path.then(step(k)), name, node)

    if (known := _known(captures, path, value)) is not None:
        return known
    if (changed := _changed(captures, it, path, value, name, node)) is not None:
        return _made(captures, path, name, value, changed)
    if is_constant(captures, path, value):
        guard = path.then(CONSTANTS)
        captures.guards[guard.key] = Guard(guard, Equal(guard.fetch()), name)
        return _constants(captures, path, value, name)
    watch_keys(captures, path, value, name)
    if isinstance(value, tuple):
        parts = [part(k) for k in range(len(value))]
        made = type(value)(*parts) if hasattr(type(value), "_fields") else tuple(parts)
        return _made(captures, path, name, value, made) if parts else made
    if not isinstance(value, list):
        items = {k: part(k) for k in value}
        made = as_tracked(value, TrackedDict(items) if id(value) in captures.changed else items)
    else:
        made = TrackedList([part(k) for k in range(len(value))])
    return _made(captures, path, name, value, made)


def _changed(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    """The stand-in of a list that is changed, or of a dict whose keys the run decides."""
    if id(value) not in captures.changed:
        return None
    if isinstance(value, list):
        return changed_list(captures, it, path, value, name, node)
    if path.key in captures.required.at_run_time:
        return table_of(captures, it, path, value, name, node)
    return None


def _constants(captures: Any, path: Path, value: Any, name: str) -> Any:
    """The stand-in of a sequence of constants, without a look at each."""
    if not isinstance(value, list | tuple):
        return value
    if (known := _known(captures, path, value)) is not None:
        return known
    parts = [_constants(captures, path.then(item_at(k)), v, name) for k, v in enumerate(value)]
    made = TrackedList(parts) if isinstance(value, list) else tuple(parts)
    return _made(captures, path, name, value, made) if parts or isinstance(value, list) else made


def record_of(captures: Any, it: Any, path: Path, name: str, value: Any, node: Any) -> Any:
    """A captured dataclass, or an object that is followed by its parts."""
    if (known := _known(captures, path, value)) is not None:
        return known
    captures.watch(path.then(CLASS), name)
    if is_array_class(type(value)):
        check_class(it, type(value), node)
        captures.watch(path.then(OWN_NAMES), name)
        there = [(VALUE, AS_ARRAY), *((n, attribute(n)) for n in vars(value))]
        made = {
            f: captures.take(it, path.then(step), f if f != VALUE else name, node)
            for f, step in there
        }
        return _made(captures, path, name, value, Record(type(value), made))
    cls, parts = followed_as(value) or (type(value), {f.name: f.name for f in fields(value)})
    there = [(f, attribute(n)) for f, n in parts.items() if hasattr(value, n)]
    made = {f: captures.take(it, path.then(step), f, node) for f, step in there}
    return _made(captures, path, name, value, Record(cls, made))


def _known(captures: Any, path: Path, value: Any) -> Any:
    """The stand-in of a container that was reached before; None if it was not."""
    key = _key(path, value)
    if key != path.key:
        captures.reached[path.key] = path
    return captures.containers.get(key)


def known_instance(captures: Any, path: Path, value: Any) -> Any:
    """The stand-in of an instance of a derived class that was reached before, or None."""
    captures.reached[path.key] = path
    return captures.containers.get(("instance", id(value)))


def keep_instance(captures: Any, path: Path, value: Any, made: Record) -> Record:
    """Registers the stand-in of an instance of a derived class, which stays as it is."""
    captures.containers["instance", id(value)] = made
    captures.immutable[id(made)] = made
    captures.instances.add(id(made))
    captures.inlined.append(value)  # its id stays its own
    return made


def _key(path: Path, value: Any) -> tuple[Any, ...]:
    """The key of a container: the object, or the place of what may be made anew at each access."""
    if isinstance(value, types.MappingProxyType) or followed_as(value) is not None:
        return path.key
    return "object", id(value)


def _made(captures: Any, path: Path, name: str, value: Any, made: Any) -> Any:
    """Registers the stand-in of a container: compiled code changes those alone that are known."""
    captures.containers[_key(path, value)] = made
    captures.inlined.append(value)  # its id stays its own
    if _key(path, value) != path.key:
        lists = lists_of(made)
        outer = captures.outer[id(made)] = Outer(
            path, name, value, made, contents(made) if is_mutable(made) else {},
            tuple(map(contents, lists)),
        )  # fmt: skip
        captures.inner.update({id(v): outer for v in lists})
        if id(value) not in captures.changed:
            captures.immutable.update({id(v): v for v in lists})
    if is_mutable(made) and id(value) not in captures.changed:
        captures.immutable[id(made)] = made
    return made
