"""Writes the changes of a plain call back: to containers it was given, and to names outside.

Never used under a transform: that leaves its arguments as they were.
"""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.trace import Given, Write
from srcgrad.transforms.program import Program
from srcgrad.tree import at_path, filled, is_dataclass_instance, nodes


def write_back(arguments: dict[str, Any], program: Program, values: list[Any]) -> None:
    """Writes what a call has changed: the containers among its arguments, then names outside."""
    _fill(arguments, program.writes, values)
    for each in program.names:
        value = filled(each.value, values)
        if not each.some:
            each.at.set(value)
        elif value is not None:
            each.at.set(value[0])


def _fill(arguments: dict[str, Any], writes: tuple[Write, ...], values: list[Any]) -> None:
    done = []
    for w in writes:
        places = {
            k: at_path(arguments, v.path) if isinstance(v, Given) else filled(v, values)
            for k, v in w.places.items()
        }
        done.append((at_path(arguments, w.path), places, w.whole))
    for owner, places, whole in done:
        if is_dataclass_instance(owner):
            for name, v in places.items():
                setattr(owner, name, v)
        elif whole and isinstance(owner, list):
            owner[:] = places.values()
        else:
            if whole:
                owner.clear()
            for k, v in places.items():
                owner[k] = v


def refuse_shared(arguments: dict[str, Any], changed: frozenset, name: str) -> None:
    """Refuses a changed container that is reached in two ways: code assumes there is none."""
    ids = [id(v) for a in arguments.values() for v in nodes(a)]
    if any(ids.count(id(at_path(arguments, path))) > 1 for path in changed):
        raise ArgumentValueError(
            f"two arguments of {name}() share a container that it changes", None, "pass copies"
        )
