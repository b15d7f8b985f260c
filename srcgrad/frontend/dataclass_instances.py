"""Instances of dataclasses, whose `__init__` has no source: their fields are filled here."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import has_source
from srcgrad.frontend.values import Record
from srcgrad.frontend.watches import watch_member


def is_generated_init(cls: type) -> bool:
    """Whether `__init__` of a class is the one that `dataclass` wrote."""
    return hasattr(cls, "__dataclass_fields__") and not has_source(cls.__init__)


class Init:
    """`__init__` of a dataclass, called for an instance of a class derived from it."""

    def __init__(self, cls: type, instance: Record):
        self.cls, self.instance = cls, instance

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> None:
        """Called by the frontend where a compiled function calls this one."""
        fill_dataclass(it, self.cls, self.instance, args, kwargs, node)


def fill_dataclass(
    it: Interpreter, cls: type, record: Record, args: list[Any], kwargs: dict[str, Any], node: Node
) -> None:
    try:
        bound = inspect.signature(cls).bind(*args, **kwargs)
    except TypeError as e:
        it.refuse(node, f"{cls.__name__}(): {e}", like=TypeError)
    given = bound.arguments
    for f in dataclasses.fields(cls):
        if f.name in given:
            record.fields[f.name] = given[f.name]
        elif f.default_factory is not dataclasses.MISSING:
            before, it.parts = it.parts, (*it.parts, f.name)
            try:
                record.fields[f.name] = it.call(f.default_factory, [], {}, node)
            finally:
                it.parts = before
        elif f.default is not dataclasses.MISSING:
            path = Path("field", cls, (Step((f.name,), lambda _, f=f: f.default),))
            record.fields[f.name] = it.captures.take(it, path, f.name, node)
    if hasattr(cls, "__post_init__"):
        bound.apply_defaults()
        only_init = [v for n, v in bound.arguments.items() if _is_init_only(cls, n)]
        watch_member(it.captures, cls, "__post_init__")
        it.call(cls.__post_init__, [record, *only_init], {}, node)


def _is_init_only(cls: Any, name: str) -> bool:
    """Whether an argument of a dataclass is not a field: it goes to `__post_init__`."""
    return all(f.name != name for f in dataclasses.fields(cls))
