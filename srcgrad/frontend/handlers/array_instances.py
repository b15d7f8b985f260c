"""Handlers of what programs over the array of an instance call."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend import array_instances as instances
from srcgrad.frontend.base_members import is_of_base
from srcgrad.frontend.derived_instances import array_of, arrays_in
from srcgrad.frontend.formulas import array_classes
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Known, Record, Slice, is_array, is_integer
from srcgrad.frontend.watches import watch_method


@implements(array_classes.of_its_class)
def of_its_class(it: Interpreter, node: Node, self: Any, made: Any) -> Any:
    return instances.made(it, self.cls, made, self, node) if is_array(made) else made


@implements(array_classes.like_instance)
def like_instance(it: Interpreter, node: Node, self: Any, array: Any) -> Any:
    same = isinstance(array, Record) and array.cls is self.cls
    return array if same else instances.made(it, self.cls, array_of(array), self, node)


@implements(array_classes.elements)
def elements(it: Interpreter, node: Node, v: Any) -> Any:
    return arrays_in(v)


@implements(array_classes.selects_view)
def selects_view(it: Interpreter, node: Node, self: Any, key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    rank = array_of(self).type.ndim
    numbers = [is_integer(k) for k in parts]
    if all(numbers) and len(parts) == rank:
        return False
    views = zip(parts, numbers, strict=True)
    return all(n or k is None or k is Ellipsis or isinstance(k, Slice) for k, n in views)


@implements(array_classes.defines)
def defines(it: Interpreter, node: Node, self: Any, name: Known) -> bool:
    watch_method(it.captures, self, name)
    return not is_of_base(self.cls, name)
