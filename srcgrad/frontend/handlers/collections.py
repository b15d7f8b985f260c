"""Classes of `collections` and `types` that are made of their parts, and `globals`."""

from __future__ import annotations

import collections
import functools
import types
from operator import itemgetter
from typing import Any

from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import UNBOUND, Abstract, Record
from srcgrad.records import record


@implements(types.SimpleNamespace)
def namespace(it: Interpreter, node: Node, **fields: Any) -> Record:
    return Record(types.SimpleNamespace, fields)


@implements(collections.namedtuple)
def namedtuple(it: Interpreter, node: Node, name: Any, fields: Any, **options: Any) -> type:
    given = fields if isinstance(fields, str) else tuple(it.static_items(fields, node))
    try:
        return _class_of(name, given, tuple(options.items()))
    except (TypeError, ValueError) as e:
        it.fails(e, node)


@functools.lru_cache(maxsize=256)
def _class_of(name: str, fields: Any, options: tuple) -> type:
    return collections.namedtuple(name, fields, **dict(options))


@record()
class ModuleNames(Abstract):
    """The names of a module, as `globals()` gives them."""

    scope: dict[str, Any]


@implements(globals)
def module_names(it: Interpreter, node: Node) -> ModuleNames:
    function: Any = it.frame.source.function
    return ModuleNames(function.__globals__)


@method(ModuleNames.__name__, "__getitem__")
def module_name(it: Interpreter, node: Node, owner: ModuleNames, name: Any) -> Any:
    if it.static_key(name, node) not in owner.scope:
        it.fail("KeyError", repr(name))
    names = it.outside.get(("global", id(owner.scope)), {})
    if names.get(name, UNBOUND) is not UNBOUND:
        return names[name]
    found = Step((name,), itemgetter(name), f"[{name!r}]")
    return it.captures.take(it, Path("global", owner.scope, (found,)), name, node)
