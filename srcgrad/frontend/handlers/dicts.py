"""Methods of dicts. The results of `keys`, `values` and `items` show later changes of the dict."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.comprehensions import run_text
from srcgrad.frontend.dict_instances import items_of_dict
from srcgrad.frontend.dict_values import TrackedDict, make_anew, refuse_whole
from srcgrad.frontend.formulas.dicts_of_the_run import count, most_common
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.heap import note_change
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import items_in_turn, iterated
from srcgrad.frontend.lists import reshaping
from srcgrad.frontend.tracked_dicts import (
    is_of_the_run,
    item,
    known_key,
    put,
    store,
    take_out,
    tracked_dict,
)
from srcgrad.frontend.unpacking import items_of_mapping
from srcgrad.frontend.values import GrownList, Iterated, Known, Range, Record, View
from srcgrad.ir.nodes import Var

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
    return item(it, owner, key, node, default)


@method("dict", "copy")
def copy_dict(it: Interpreter, node: Node, owner: Any) -> Any:
    cls, factory = (owner.cls, owner.factory) if isinstance(owner, TrackedDict) else (dict, None)
    return _made(it, node, cls, owner, {}, factory)


@method("dict", "update")
def update(it: Interpreter, node: Node, owner: Any, other: Any = (), /, **kwargs: Any) -> None:
    if isinstance(other, Iterated):  # pairs before one that raises are in the dict by then
        note_change(it, owner)
    if isinstance(owner, TrackedDict) and owner.cls is collections.Counter:
        it.call(count, [owner, other], {}, node)
        other = ()
    if isinstance(other, Record) and other.cls in INSTANCES:
        make_anew(it, owner)
    if _is_long(it, other := _collected(it, other), node):
        run_text(it, FILLED, [owner, other], node)
        other = ()
    for key, value in _pairs(it, node, other):
        put(it, owner, key, value, node)
    for key, value in kwargs.items():
        put(it, owner, key, value, node)


@method("dict", "setdefault")
def setdefault(it: Interpreter, node: Node, owner: Any, key: Any, default: Any = None) -> Any:
    key = known_key(it, owner, key, node)
    if is_of_the_run(key):
        make_anew(it, owner)
    key = it.static_key(key, node)
    if key not in owner:
        put(it, owner, key, default, node)
    return owner[key]


@method("dict", "pop")
def pop_key(it: Interpreter, node: Node, owner: Any, key: Any, default: Any = _MISSING) -> Any:
    key = known_key(it, owner, key, node)
    if not is_of_the_run(key) and key not in owner and default is not _MISSING:
        return default
    return take_out(it, owner, key, node)


@method("dict", "clear")
def clear_dict(it: Interpreter, node: Node, owner: Any) -> None:
    reshaping(it, owner, node)
    owner.clear()


@method("dict", "popitem")
def popitem(it: Interpreter, node: Node, owner: Any, last: Known = _MISSING) -> Any:
    cls = owner.cls if isinstance(owner, TrackedDict) else type(owner)
    if last is not _MISSING and not issubclass(cls, collections.OrderedDict):
        it.wrong(node, f"{cls.__name__}.popitem() takes no arguments", TypeError)
    if not owner:
        it.fail("KeyError", "'popitem(): dictionary is empty'")
    refuse_whole(it, owner, node)
    reshaping(it, owner, node)
    key = list(owner)[-1 if last else 0]
    return key, owner.pop(key)


@method("dict", "move_to_end")
def move_to_end(it: Interpreter, node: Node, owner: Any, key: Any, last: Known = True) -> None:
    refuse_whole(it, owner, node)
    value = take_out(it, owner, key, node)
    key = it.static_key(key, node)
    held = [] if last else list(owner.items())
    for k, _ in held:
        owner.pop(k)
    owner[key] = value
    owner.update(held)


@method("dict", "most_common")
def most_common_(it: Interpreter, node: Node, owner: Any, n: Any = None) -> Any:
    return it.call(most_common, [owner, n], {}, node)


@method("dict", "subtract")
def subtract(it: Interpreter, node: Node, owner: Any, items: Any) -> None:
    it.call(count, [owner, items, -1], {}, node)


@method("dict", "total")
def total(it: Interpreter, node: Node, owner: Any) -> Any:
    return it.call(sum, [View(owner, "values")], {}, node)


@implements(dict.fromkeys)
def fromkeys(it: Interpreter, node: Node, keys: Any, value: Any = None) -> Any:
    out = tracked_dict(it, node)
    if _is_long(it, keys := _collected(it, keys), node):
        run_text(it, OF_KEYS, [out, keys, value], node)
        return out
    for key in it.static_items(keys, node):
        store(it, out, key, value, node)
    return out


@implements(collections.OrderedDict.fromkeys)
def ordered_from_keys(it: Interpreter, node: Node, iterable: Any, value: Any = None) -> Any:
    return ordered(it, node, [(key, value) for key in it.static_items(iterable, node)])


@implements(dict)
def dict_(it: Interpreter, node: Node, x: Any = (), /, **kwargs: Any) -> Any:
    return _made(it, node, dict, x, kwargs)


@implements(collections.OrderedDict)
def ordered(it: Interpreter, node: Node, x: Any = (), /, **kwargs: Any) -> Any:
    return _made(it, node, collections.OrderedDict, x, kwargs)


@implements(collections.defaultdict)
def defaults(
    it: Interpreter, node: Node, default_factory: Any = None, x: Any = (), /, **kwargs: Any
) -> Any:
    return _made(it, node, collections.defaultdict, x, kwargs, default_factory)


@implements(collections.Counter)
def counter(it: Interpreter, node: Node, x: Any = (), /, **kwargs: Any) -> Any:
    out = _made(it, node, collections.Counter, (), {})
    it.call(count, [out, x], {}, node)
    it.call(count, [out, kwargs], {}, node)
    return out


def _made(it: Interpreter, node: Node, cls: type, x: Any, kwargs: dict, factory: Any = None) -> Any:
    out = tracked_dict(it, node, cls, factory)
    if isinstance(x, Record) and x.cls in INSTANCES:
        it.call(it.attribute(out, "update", node), [x], {}, node)
        x = ()
    if _is_long(it, x := _collected(it, x), node):
        run_text(it, FILLED, [out, x], node)
        x = ()
    for key, value in [*_pairs(it, node, x), *kwargs.items()]:
        store(it, out, key, value, node)
    return out


FILLED = """\
def fill(made, pairs):
    for key, value in pairs:
        made[key] = value
"""
OF_KEYS = """\
def fill(made, keys, value):
    for key in keys:
        made[key] = value
"""


def _collected(it: Interpreter, x: Any) -> Any:
    return it.collected(x) if isinstance(x, Iterated) else x


def _is_long(it: Interpreter, x: Any, node: Node) -> bool:
    """Whether only the run tells how many items there are: a loop takes them."""
    if not isinstance(x, Iterated | GrownList | Range) or (isinstance(x, Iterated) and x.spent):
        return False
    n = (x if isinstance(x, Iterated) else iterated(it, x, node)).length
    return isinstance(n, Var) and not it.captures.is_of_sizes(it, n)


def _pairs(it: Interpreter, node: Node, x: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and values of a dict, a mapping in Python, or a sequence of pairs."""
    x = items_of_dict(x)
    if isinstance(x, dict):
        refuse_whole(it, x, node)
        yield from [*x.items()]
        return
    if not (isinstance(x, Record) and x.cls in INSTANCES):
        pairs = items_of_mapping(it, x, node)
        if pairs is not NotImplemented:
            yield from pairs
            return
    for pair in items_in_turn(it, x, node):
        key, value = pair if isinstance(pair, tuple) else it.static_items(pair, node)
        yield key, value
