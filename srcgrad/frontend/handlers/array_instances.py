"""Handlers of what programs over the array of an instance call."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend import array_instances as instances
from srcgrad.frontend.formulas import array_classes
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array


@implements(array_classes.of_its_class)
def of_its_class(it: Interpreter, node: Node, self: Any, made: Any) -> Any:
    return instances.made(it, self.cls, made, self, node) if is_array(made) else made


@implements(array_classes.elements)
def elements(it: Interpreter, node: Node, v: Any) -> Any:
    return instances.arrays_in(v)
