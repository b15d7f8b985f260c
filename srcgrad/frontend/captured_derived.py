"""Captured instances of the user's classes that derive from dict, list, tuple, int or float.

What one holds is read by the built-in class's own methods, whatever its class defines. It stays
what it is, except for a list whose class gives no operation of list's another meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.base_members import HOLDING, base_of, holds_one
from srcgrad.frontend.captured_items import container_of, keep_instance, known_instance
from srcgrad.frontend.derived import redefined
from srcgrad.frontend.dict_instances import OWN_NAMES, is_followed, items_like, keys_of, own_names
from srcgrad.frontend.formulas.dict_classes import ITEMS
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.guards import Guard, OfClass, Path, Step, attribute
from srcgrad.frontend.instances_as_keys import watch_keys
from srcgrad.frontend.values import Record, TrackedList


def has_members(cls: type) -> bool:
    """Whether a class that derives from one of these adds to what the built-in class has.

    >>> has_members(type("Vector", (list,), {})), has_members(type("V", (list,), {"n": 2}))
    (False, True)
    """
    if is_followed(cls):
        return True
    own = (c for c in cls.__mro__ if c not in (*HOLDING, object))
    return holds_one(cls) and any(
        not n.startswith("__") or callable(v) for c in own for n, v in vars(c).items()
    )


def plainly(value: Any) -> Any:
    """The dict, list, tuple or number that an instance holds, as one of its built-in class."""
    if isinstance(value, dict):
        return {k: dict.__getitem__(value, k) for k in keys_of(value)}
    if isinstance(value, list):
        return list.__getitem__(value, slice(None))
    if isinstance(value, tuple):
        return tuple.__getitem__(value, slice(None))
    return float.__pos__(value) if isinstance(value, float) else int.__pos__(value)


PLAINLY = Step(("plainly",), plainly)


def derived_of(captures: Any, it: Any, path: Path, value: Any, name: str, node: Any) -> Any:
    """The stand-in of a captured instance."""
    if (known := known_instance(captures, path, value)) is not None:
        return known
    captures.guards.setdefault(path.key, Guard(path, OfClass(value), name))
    captures.watch(path.then(OWN_NAMES), name)
    cls = type(value)
    held: Any
    take = lambda step, name: captures.take(it, path.then(step), name, node)
    where = ITEMS if isinstance(value, dict) else HELD
    if isinstance(value, dict):
        held = items_like(cls, _parts(captures, path, value, name, take))
    elif not isinstance(value, list | tuple):
        held = take(PLAINLY, name)
    elif isinstance(value, list) and not redefined(cls):
        held = container_of(captures, it, path, value, name, node)
    else:
        parts = list(_parts(captures, path, value, name, take).values())
        held = TrackedList(parts) if isinstance(value, list) else tuple(parts)
    linked = getattr(value, "__dict__", None) is value  # its items are its attributes
    own = {n: held[n] if linked else take(attribute(n), n) for n in own_names(value)}
    if not isinstance(value, list) or redefined(cls):
        captures.immutable[id(held)] = held
    out = Record(cls, {where: held, **own})
    return keep_instance(captures, path, value, out)


def _parts(
    captures: Any, path: Path, value: Any, name: str, take: Callable[[Step, str], Any]
) -> dict[Any, Any]:
    """The items of a container by their places."""
    held = plainly(value)
    watch_keys(captures, path.then(PLAINLY), held, name)
    get = (base_of(type(value)) or dict).__getitem__
    item = lambda k: Step(("item", k), lambda v: get(v, k))
    return {k: take(item(k), name) for k in (held if isinstance(held, dict) else range(len(held)))}
