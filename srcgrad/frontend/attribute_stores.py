"""Stores to attributes and `del` of them: of instances, functions and classes."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from srcgrad.frontend.attribute_methods import is_frozen, is_set_by_class, is_stored, own_method
from srcgrad.frontend.base_members import is_of_base, own_of_base, static_member
from srcgrad.frontend.dict_instances import link, linked_items
from srcgrad.frontend.heap import changing, note_change
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.numba_objects import in_its_type, is_jitclass
from srcgrad.frontend.outside import Outside, is_plain_instance, is_stored_outside, stored_names
from srcgrad.frontend.values import Record, describe, is_value
from srcgrad.frontend.versions import error_text
from srcgrad.frontend.watches import watch_method
from srcgrad.tree import VALUE


def set_attribute(it: Interpreter, owner: Any, name: str, value: Any, node: Node) -> bool:
    """Whether an attribute could be stored to: of an instance, a function, a class."""
    if isinstance(owner, Record):
        changing(it, owner, node)
        set_field(it, owner, name, value, node)
        return True
    if is_stored_outside(owner, name):
        if not isinstance(owner, type | types.FunctionType):
            watch_method(it.captures, owner, "__setattr__")
        names = stored_names(it, Outside("attribute", owner, name), node)
        note_change(it, names)
        names[name] = value
        return True
    return is_plain_instance(owner) and is_set_by_class(it, owner, type(owner), name, value, node)


def set_field(
    it: Interpreter, owner: Record, name: str, value: Any, node: Node, frozen: bool = True
) -> None:
    if frozen and is_stored(it, owner, name, value, node):
        return
    if is_set_by_class(it, owner, owner.cls, name, value, node):
        return
    if frozen and is_frozen(owner.cls):
        it.refuse(
            node,
            f"cannot assign to field '{name}': {owner.cls.__name__} is frozen",
            like=AttributeError,
        )
    if VALUE in owner.fields and is_of_base(owner.cls, name):
        it.refuse(node, f"a store to '{name}' of {describe(owner)} is not supported")
    if not owner.cls.__dictoffset__ and not hasattr(owner.cls, name):  # __slots__
        blank = type(owner.cls.__name__, (), {"__slots__": ()})()
        it.wrong(node, error_text(setattr, blank, name, None), AttributeError)
    if name == "__dict__":
        link(it, owner, value, node)
        return
    if linked_items(it, owner, node) is not None:
        it.call(own_of_base(owner.cls, "__setitem__"), [owner, name, value], {}, node)
        return
    if is_jitclass(owner.cls):
        value = in_its_type(it, owner.cls, name, value, node)
    if name not in owner.fields:
        it.shaped_at[id(owner)] = it.b.loc
    owner.fields[name] = value


def delete_field(it: Interpreter, owner: Any, name: str, node: Node) -> None:
    """`del owner.name`."""
    if not isinstance(owner, Record):
        like = AttributeError if is_value(owner) else None
        reason = f"'del' of an attribute of {describe(owner)} is not supported"
        it.refuse(node, reason, like=like, runs=like is None)
    watch_method(it.captures, owner, "__delattr__")
    if (method := own_method(owner.cls, "__delattr__")) is not None and not is_frozen(owner.cls):
        it.call(method, [owner, name], {}, node)
        return
    found = static_member(owner.cls, name)
    if (remove := own_method(type(found), "__delete__")) is not None:
        it.call(remove, [found, owner], {}, node)
        return
    if dataclasses.is_dataclass(owner.cls):
        it.refuse(node, "'del' of a field of a dataclass is not supported", "set it to None")
    items = linked_items(it, owner, node)
    if name not in (owner.fields if items is None else items):
        it.wrong(node, f"{owner.cls.__name__} has no attribute '{name}'", AttributeError)
    if items is not None:
        it.call(own_of_base(owner.cls, "__delitem__"), [owner, name], {}, node)
        return
    changing(it, owner, node)
    it.shaped_at[id(owner)] = it.b.loc
    del owner.fields[name]
