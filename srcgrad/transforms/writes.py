"""Writes the changes of a plain call back: to containers it was given, and to what it captures.

Never used under a transform: that leaves its arguments, and what it captures, as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.changed_captures import ContainerWrite
from srcgrad.frontend.outside import NameWrite
from srcgrad.frontend.returned import Shared, Slot
from srcgrad.frontend.trace import Write
from srcgrad.transforms.program import Program
from srcgrad.tree import Leaf, at_path, is_dataclass_instance, mapped, nodes, outside

ABSENT = object()  # of a place: not on the path that was taken


def write_back(arguments: dict[str, Any], program: Program, values: list[Any]) -> None:
    """Writes what a call has changed: containers among its arguments, names, captured containers.

    All that is written is made first, of what the call has found.
    """

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
    captured = []
    for w in program.names:
        if isinstance(w, ContainerWrite):
            places = {k: filled(p.value, p.some) for k, p in w.places.items()}
            captured.append((filled(w.at), places, w.whole, w.added))
        else:
            names.append((w, filled(w.value, w.some)))
    for owner, places, whole in given:
        _fill(owner, places, whole)
    for owner, places, whole, added in captured:
        if added:
            owner.extend([v for v in places.values() if v is not ABSENT])
        else:
            _fill(owner, places, whole)
    for w, value in names:
        if value is not ABSENT:
            w.at.set(value)


def _fill(owner: Any, places: dict[Any, Any], whole: bool) -> None:
    """Puts values into the places of a container, which loses all others if it is filled whole."""
    if isinstance(owner, list):
        if whole:
            owner.clear()
        for k, v in places.items():
            owner[k:k + 1] = [v]  # fmt: skip
        return
    if is_dataclass_instance(owner):
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
