"""Instances of the user's classes that derive from dict: a record, with its items in a dict."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from srcgrad.frontend.base_members import HOLDING, base_of, member_of, own_of_base
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.formulas.dict_classes import ITEMS, OfDict
from srcgrad.frontend.guards import Step
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def is_followed(cls: type) -> bool:
    """Whether a class derives from dict by Python's statements alone.

    >>> is_followed(type("Bunch", (dict,), {})), is_followed(collections.Counter)
    (True, False)
    """
    if cls in _PLAIN or not issubclass(cls, dict) or issubclass(cls, _OTHERS):
        return False
    # the C code of OrderedDict calls what such a class defines anew
    ordered = issubclass(cls, collections.OrderedDict)
    own = lambda n: getattr(cls, n, None) is not getattr(base_of(cls), n, None)
    return not ordered or not any(map(own, _ASKED))


def items_like(cls: type, items: Any) -> TrackedDict:
    """The items of a captured instance."""
    return TrackedDict(items, None, base_of(cls) or dict)


def keys_of(value: dict[Any, Any]) -> Any:
    """The keys in their order, by the class that keeps it."""
    return (base_of(type(value)) or dict).keys(value)


def own_names(value: Any) -> list[str]:
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


def of_class(f: Any, cls: type) -> Any:
    """The program for a member of its base's own that is called with an instance; else None."""
    name = getattr(f, "__name__", "")
    base = base_of(cls)
    followed = is_followed(cls) or base is np.ndarray or base in HOLDING
    ours = followed and any(f is getattr(c, name, None) for c in (*_PLAIN, np.ndarray, *HOLDING))
    return own_of_base(cls, name) if ours else None


def items_of_dict(v: Any) -> Any:
    """The items of an instance where Python's C code reads them itself; other values unchanged."""
    derived = isinstance(v, Record) and ITEMS in v.fields
    return v.fields[ITEMS] if derived and member_of(v.cls, "__iter__") is OfDict.__iter__ else v


OWN_NAMES = Step(("own names",), lambda v: repr(own_names(v)))
_PLAIN = (dict, collections.OrderedDict)
_OTHERS = (collections.defaultdict, collections.Counter)
_ASKED = (
    "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__missing__", "keys",
    "__eq__",
)  # fmt: skip
