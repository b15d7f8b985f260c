"""Instances of the user's classes that derive from dict: a record, with its items in a dict."""

from __future__ import annotations

import collections
import inspect
from typing import Any

from srcgrad.frontend.formulas.dict_classes import ITEMS, OfDict
from srcgrad.frontend.guards import Step
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def is_followed(cls: type) -> bool:
    """Whether a class derives from dict by Python's statements alone.

    >>> is_followed(type("Bunch", (dict,), {})), is_followed(collections.Counter)
    (True, False)
    """
    return cls is not dict and issubclass(cls, dict) and not issubclass(cls, _OTHERS)


def own_names(value: dict[Any, Any]) -> list[str]:
    """The names of the attributes that an instance has itself."""
    return [n for n in getattr(value, "__dict__", {}) if isinstance(n, str)]


LINKED = "_attributes_are_items_of_this_dict"


def link(it: Interpreter, owner: Record, value: Any, node: Node) -> None:
    """`self.__dict__ = self`: the items of an instance are its attributes from now on."""
    if value is not owner or ITEMS not in owner.fields:
        it.refuse(
            node, "an assignment to the __dict__ of an instance is not supported",
            "change the dict that it has: self.__dict__.update(...)",
        )  # fmt: skip
    if owner.fields.keys() - {ITEMS, LINKED}:
        it.refuse(
            node, "an instance with attributes gets its items for __dict__",
            "set the attributes afterwards",
        )  # fmt: skip
    owner.fields[LINKED] = True


def linked_items(it: Interpreter, owner: Record, node: Node) -> dict[Any, Any] | None:
    """The items of an instance that are its attributes as well; None if they are not."""
    if LINKED not in owner.fields:
        return None
    items = owner.fields[ITEMS]
    if owner.fields[LINKED] is not True or not isinstance(items, dict):
        it.refuse(
            node, "the attributes are the items of a dict whose keys only the run tells",
            "read and store items: self[name]",
        )  # fmt: skip
    return items


def own_of_dict(cls: type, name: str, default: Any = None) -> Any:
    """The program for one of dict's own members, for instances of a class that derives from it."""
    with_missing = name == "__getitem__" and hasattr(cls, "__missing__")
    return vars(OfDict).get("found_or_missing" if with_missing else name, default)


def of_class(f: Any, cls: type) -> Any:
    """The program for a member of dict's own that is called with an instance first; else None."""
    name = getattr(f, "__name__", "")
    ours = is_followed(cls) and f is getattr(dict, name, None)
    return own_of_dict(cls, name) if ours else None


def member_of(cls: type, name: str) -> Any:
    """The member of a class that Python finds first; for one of dict's own, the program for it.

    >>> member_of(type("Bunch", (dict,), {}), "keys") is OfDict.keys
    True
    """
    for c in cls.__mro__:
        if c is dict and cls is not dict and name in vars(dict):
            return own_of_dict(cls, name)
        if name in vars(c):
            return vars(c)[name]
    return None


def static_member(cls: type, name: str) -> Any:
    """The same, or what the class of the class has under that name; None without one."""
    derived = cls is not dict and issubclass(cls, dict)
    return member_of(cls, name) if derived else inspect.getattr_static(cls, name, None)


def items_of_dict(v: Any) -> Any:
    """The items of an instance where Python's C code reads them itself; other values unchanged."""
    derived = isinstance(v, Record) and ITEMS in v.fields
    return v.fields[ITEMS] if derived and member_of(v.cls, "__iter__") is OfDict.__iter__ else v


OWN_NAMES = Step(("own names",), lambda v: repr(own_names(v)))
_OTHERS = (collections.OrderedDict, collections.defaultdict, collections.Counter)
