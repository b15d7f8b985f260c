"""`__new__` of list, tuple, int and float for classes that derive from them, and what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.base_members import HOLDING, base_of
from srcgrad.frontend.classes import empty_instance
from srcgrad.frontend.formulas import list_classes
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.unfollowed_classes import refuse_special
from srcgrad.frontend.values import Record, describe


@implements(list_classes.held)
def held(it: Interpreter, node: Node, v: Any) -> Any:
    return v.fields.get(HELD, v) if isinstance(v, Record) else v


def _new(base: type) -> Callable[..., Any]:
    def new(it: Interpreter, node: Node, cls: Any, /, *args: Any, **named: Any) -> Any:
        if cls is base:
            return it.call(base, list(args), named, node)
        if not isinstance(cls, type) or base_of(cls) is not base:
            name = base.__name__
            said = f"{name}.__new__() of {describe(cls)} is not supported"
            it.refuse(node, said, "call the class")
        refuse_special(it, cls, node)
        return empty_instance(it, cls, node, args)

    return new


for _base in HOLDING:
    implements(_base.__new__)(_new(_base))
