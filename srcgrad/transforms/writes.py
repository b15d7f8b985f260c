"""Writes the changes of a plain call back: to containers it was given, and to what it captures.

Never used under a transform: that leaves its arguments, and what it captures, as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.changed_captures import ContainerWrite, ListsWrite
from srcgrad.frontend.outside import NameWrite
from srcgrad.frontend.returned import OfClasses, Shared, Slot
from srcgrad.frontend.trace import Write
from srcgrad.frontend.values import is_number
from srcgrad.transforms.program import Program
from srcgrad.tree import Leaf, at_path, is_by_fields, mapped, nodes, outside
from srcgrad.tree import filled as filled_in

ABSENT = object()  # of a place: not on the path that was taken


def write_back(arguments: dict[str, Any], program: Program, values: list[Any]) -> Any:
    """Writes what a call has changed: containers among its arguments, names, captured containers.

    All that is written is made first, and so is the result, which is returned, of what the call has
    found.
    """
    if program.returned is None and not program.writes and not program.names:
        return filled_in(program.output, values)
    shared: dict[int, Any] = {}

    def made(like: Any, parts: Sequence[Any]) -> Any:
        value = outside(like, parts)
        return shared.setdefault(like.number, value) if isinstance(like, Shared) else value

    def filled(template: Any, some: bool = False) -> Any:
        def at(v: Any) -> Any:
            if type(v) is Leaf:
                return values[v.k]
            return v.find(arguments) if isinstance(v, Slot) else v

        value = mapped(template, at, made)
        if some:
            return ABSENT if value is None else value[0]
        return value

    def parts(w: Write) -> dict[Any, Any]:
        return {k: filled(v) for k, v in w.places.items()}

    given = [(at_path(arguments, w.path), parts(w), w.whole) for w in program.writes]
    names: list[tuple[NameWrite, Any]] = []
    captured, lists = [], []
    for w in program.names:
        if isinstance(w, ContainerWrite):
            places = {k: filled(p.value, p.some) for k, p in w.places.items()}
            captured.append((filled(w.at), places, w.whole, w.added))
        elif isinstance(w, ListsWrite):
            lists.append((filled(w.at), list(map(filled, w.lists)), w))
        else:
            names.append((w, filled(w.value, w.some)))
    plain = program.output if program.returned is None else program.returned
    result = filled(plain)
    for owner, places, whole in given:
        _fill(owner, places, whole)
    for owner, places, whole, added in captured:
        if added:
            owner.extend([v for v in places.values() if v is not ABSENT])
        else:
            _fill(owner, places, whole)
    for owner, held, w in lists:
        if w.added:
            owner.extend(*held)
        else:
            _take(owner, held, w.stay)
    for w, value in names:
        if value is not ABSENT:
            w.at.set(_put(w.at.get(ABSENT), value))
    return result


def _fill(owner: Any, places: dict[Any, Any], whole: bool) -> None:
    """Puts values into the places of a container, which loses all others if it is filled whole."""
    places = {k: _put(_held(owner, k), v) for k, v in places.items()}
    if isinstance(owner, list):
        if whole:
            owner.clear()
        for k, v in places.items():
            owner[k:k + 1] = [v]  # fmt: skip
        return
    if is_by_fields(owner):
        for name, v in places.items():  # its own `__setattr__` has been followed
            object.__setattr__(owner, name, v)
        return
    if whole:
        owner.clear()
    for k, v in places.items():
        if v is not ABSENT:
            owner[k] = v
        elif k in owner:
            del owner[k]


def _held(owner: Any, k: Any) -> Any:
    """The object in a place of a container."""
    if is_by_fields(owner):
        return getattr(owner, k, ABSENT)
    if isinstance(owner, list):
        return owner[k] if k < len(owner) else ABSENT
    return owner.get(k, ABSENT)


def _put(old: Any, new: Any) -> Any:
    """The object for a place: a number of a class that the path decides stays if it is equal."""
    return _chosen(old, new.value, False) if isinstance(new, OfClasses) else new


def _take(owner: Any, held: list[list[Any]], stay: bool) -> None:
    """Gives a container other items, members, or keys in this order and their values.

    Numbers that are equal to those in their places stay the same objects; others if they `stay`.
    """
    items = held[0]
    if isinstance(owner, set):
        owner.difference_update(owner - {*items})
        owner.update(items)
    elif isinstance(owner, dict):
        old = dict(owner)
        new = {k: _chosen(old.get(k, ABSENT), v, stay) for k, v in zip(*held, strict=True)}
        if list(old) != items:
            owner.clear()
        for k, v in new.items():
            owner[k] = v
    else:
        old = [*owner, *[ABSENT] * len(items)]
        new = [_chosen(before, v, stay) for before, v in zip(old, items, strict=False)]
        owner.clear()
        owner.extend(new)


def _chosen(old: Any, new: Any, stay: bool) -> Any:
    """The object for a place: the one that is there, or another one."""
    if not (is_number(old) and is_number(new)):
        return old if stay and old is not ABSENT and not is_number(new) else new
    return old if old == new and np.signbit(old.real) == np.signbit(new.real) else new


def refuse_shared(arguments: dict[str, Any], program: Program, name: str) -> None:
    """Refuses a changed container that is reached in two ways: code assumes there is none."""
    ids = [id(v) for a in arguments.values() for v in nodes(a)]
    changed = [id(at_path(arguments, path)) for path in program.changed]
    if any(ids.count(i) > 1 for i in changed):
        raise ArgumentValueError(
            f"two arguments of {name}() share a container that it changes", None, "pass copies"
        )
    outer = [(id(path.fetch()), changes) for path, changes in program.outer]
    if any(i in (ids if changes else changed) for i, changes in outer):
        raise ArgumentValueError(
            f"an argument of {name}() is a container that it captures and changes", None,
            "pass a copy",
        )  # fmt: skip
