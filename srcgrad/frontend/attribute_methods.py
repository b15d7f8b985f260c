"""How classes of the user's define attributes: `__getattr__`, `__setattr__`, setters."""

from __future__ import annotations

import inspect
import types
from typing import Any

from srcgrad.frontend.base_members import own_of_base, static_member
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import UNBOUND, Record
from srcgrad.frontend.watches import watch_inherited, watch_member, watch_method


def own_method(cls: type, name: str) -> types.FunctionType | None:
    """The method that a class, or one of its bases, defines in Python; or a dict's by that name."""
    found = next((vars(c)[name] for c in cls.__mro__[:-1] if name in vars(c)), None)
    if found is not None and found is vars(dict).get(getattr(found, "__name__", "")):
        found = own_of_base(cls, found.__name__)
    return found if isinstance(found, types.FunctionType) else None


def has_member(cls: type, name: str) -> bool:
    """Whether instances have an attribute of their class: one of its metaclass is not theirs."""
    return any(name in vars(base) for base in cls.__mro__)


def is_inherited(cls: type, name: str) -> bool:
    """Whether instances have an attribute that they need not set: of their class, but no slot."""
    slot = isinstance(static_member(cls, name), types.MemberDescriptorType)
    return has_member(cls, name) and not slot


def is_frozen(cls: Any) -> bool:
    """Whether a class is a frozen dataclass, whose `__setattr__` only raises."""
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and params.frozen


def watches(cls: type) -> bool:
    """Whether a class has a `__setattr__` of its own."""
    return not is_frozen(cls) and own_method(cls, "__setattr__") is not None


def missing(it: Interpreter, owner: Record, name: str, node: Node) -> Any:
    """The value of `__getattr__` for an attribute that is not there; UNBOUND without the method."""
    method = own_method(owner.cls, "__getattr__")
    watch_method(it.captures, owner, "__getattr__")
    return UNBOUND if method is None else it.call(method, [owner, name], {}, node)


def is_stored(it: Interpreter, owner: Record, name: str, value: Any, node: Node) -> bool:
    """Whether `__setattr__` of the class has stored an attribute."""
    watch_method(it.captures, owner, "__setattr__")
    if not watches(owner.cls):
        return False
    it.call(own_method(owner.cls, "__setattr__"), [owner, name, value], {}, node)
    return True


def is_set_by_class(
    it: Interpreter, owner: Any, cls: type, name: str, value: Any, node: Node
) -> bool:
    """Whether a property or a descriptor of an instance's class has stored an attribute."""
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property):
        if found.fset is None:
            reason = f"property '{name}' of {cls.__name__} has no setter"
            it.refuse(node, reason, like=AttributeError)
        watch_inherited(it.captures, owner, name)
        it.call(found.fset, [owner, value], {}, node)
        return True
    if (store := own_method(type(found), "__set__")) is None:
        return False
    watch_member(it.captures, cls, name)
    watch_member(it.captures, type(found), "__set__")
    it.call(store, [found, owner, value], {}, node)
    return True
