"""Captured sets, and captured views of dicts: guarded by what is in them."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.guards import ITEMS, Path, attribute
from srcgrad.frontend.values import View

VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}


def has_items(value: Any) -> bool:
    return isinstance(value, set) or type(value) in VIEWS


def items_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    if isinstance(value, set):
        captures.watch(path.then(ITEMS), name)
        return set(value)
    owner = captures.take(it, path.then(attribute("mapping")), name, node)
    return View(owner, VIEWS[type(value)])
