"""What a plain call changes in the containers it was given, written back to them.

Never used under a transform: that leaves its arguments as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.trace import Given, Write
from srcgrad.frontend.values import children, is_dataclass_instance
from srcgrad.tree import filled


def write_back(arguments: dict[str, Any], writes: tuple[Write, ...], values: list[Any]) -> None:
    """Give the containers among the arguments what the function left in them."""
    done = []
    for w in writes:
        places = {
            k: _at(arguments, v.path) if isinstance(v, Given) else filled(v, values)
            for k, v in w.places.items()
        }
        done.append((_at(arguments, w.path), places, w.whole))
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
    """A container that is changed must not be reached in two ways: code is made without that."""
    ids = [id(v) for n, a in arguments.items() for v in _containers(a, (n,))]
    if any(ids.count(id(_at(arguments, path))) > 1 for path in changed):
        raise ArgumentValueError(
            f"two arguments of {name}() share a container that it changes", None, "pass copies"
        )


def _containers(value: Any, path: tuple) -> Iterator[Any]:
    if type_of_value(value) is not None:
        return
    if is_dataclass_instance(value):
        parts = [getattr(value, f) for f in type(value).__dataclass_fields__]
    else:
        parts = children(value) or []
    if parts or isinstance(value, list | dict):
        yield value
    for p in parts:
        yield from _containers(p, path)


def _at(arguments: dict[str, Any], path: tuple) -> Any:
    value: Any = arguments
    for k in path:
        value = getattr(value, k) if is_dataclass_instance(value) else value[k]
    return value
