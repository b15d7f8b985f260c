"""Methods of dicts. The results of `keys`, `values` and `items` show later changes of the dict."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.heap import note_change
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists import reshaping, set_item
from srcgrad.frontend.values import Iterated, View, written

_MISSING = object()


@method("dict", "keys")
def keys(it: Interpreter, node: Node, owner: Any) -> Any:
    return View(owner, "keys")


@method("dict", "values")
def values(it: Interpreter, node: Node, owner: Any) -> Any:
    return View(owner, "values")


@method("dict", "items")
def items(it: Interpreter, node: Node, owner: Any) -> Any:
    return View(owner, "items")


@method("dict", "get")
def get(it: Interpreter, node: Node, owner: Any, key: Any, default: Any = None) -> Any:
    return owner.get(it.static_key(key, node), default)


@method("dict", "copy")
def copy_dict(it: Interpreter, node: Node, owner: Any) -> Any:
    return dict(owner)


@method("dict", "update")
def update(it: Interpreter, node: Node, owner: Any, other: Any = (), **kwargs: Any) -> None:
    if isinstance(other, Iterated):  # pairs before one that raises are in the dict by then
        note_change(it, owner)
    for key, value in it.call(dict, [other], kwargs, node).items():
        set_item(it, owner, [key], value, node)


@method("dict", "setdefault")
def setdefault(it: Interpreter, node: Node, owner: Any, key: Any, default: Any = None) -> Any:
    key = it.static_key(key, node)
    if key not in owner:
        set_item(it, owner, [key], default, node)
    return owner[key]


@method("dict", "pop")
def pop_key(it: Interpreter, node: Node, owner: Any, key: Any, default: Any = _MISSING) -> Any:
    key = it.static_key(key, node)
    if key not in owner:
        if default is _MISSING:
            it.wrong(node, f"the dict has no key {written(key)}", KeyError)
        return default
    reshaping(it, owner, node)
    return owner.pop(key)


@method("dict", "clear")
def clear_dict(it: Interpreter, node: Node, owner: Any) -> None:
    reshaping(it, owner, node)
    owner.clear()


@method("dict", "popitem")
def popitem(it: Interpreter, node: Node, owner: Any) -> Any:
    if not owner:
        it.fail("KeyError", "'popitem(): dictionary is empty'")
    reshaping(it, owner, node)
    return owner.popitem()


@implements(dict.fromkeys)
def fromkeys(it: Interpreter, node: Node, keys: Any, value: Any = None) -> Any:
    return {it.static_key(k, node): value for k in it.static_items(keys, node)}
