"""Captured sets, views of dicts, structured arrays and instances: guarded by what is in them."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.guards import ITEMS, STATIC, Equal, Guard, Path, Step, attribute
from srcgrad.frontend.instances import given, made
from srcgrad.frontend.structured import inside
from srcgrad.frontend.values import View
from srcgrad.tree import children, field_ranks, rebuilt

VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}


def has_items(value: Any) -> bool:
    return isinstance(value, set) or type(value) in VIEWS


def items_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    if isinstance(value, set):
        captures.watch(path.then(ITEMS), name)
        return set(value)
    owner = captures.take(it, path.then(attribute("mapping")), name, node)
    return View(owner, VIEWS[type(value)])


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
