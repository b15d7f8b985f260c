"""Watches the members of modules, classes and objects that a program reads: a new one rebuilds it.

Never decides what a member means: that is for `classes`, `special_methods` and `captures`.
"""

from __future__ import annotations

import types
from typing import Any

from srcgrad.frontend.guards import Path, Step, attribute, member
from srcgrad.frontend.values import Record
from srcgrad.protocols import held

_LIBRARIES = ("numpy", "math", "scipy", "cmath", "sys", "functools", "operator")

# by the module of a library and a name: the value that a program has read there
_read: dict[tuple[int, str], tuple[dict[str, Any], str, Any]] = {}
_replaced = 0


def watch_member(captures: Any, owner: Any, name: str) -> None:
    """Guards a function, class or module that `owner` holds: replacing it rebuilds the program."""
    value = getattr(owner, name, None)
    if isinstance(value, types.MethodType):  # made at each access
        own = Step((name,), lambda v: getattr(getattr(v, name), "__func__", None))
        captures.watch(Path("method", owner, (own,)), name)
    elif getattr(owner, name, None) is value:
        step = attribute if isinstance(owner, types.ModuleType) else member
        captures.watch(Path("member", owner, (step(name),)), name)


def watch_inherited(captures: Any, owner: Any, name: str) -> None:
    """Guards the class of an instance, and a name in it: another value rebuilds the program."""
    if isinstance(owner, Record):
        watch_member(captures, owner.cls, name)
    elif not library(type(owner)):
        captures.watch(Path("inherited", owner, (Step((), type), member(name))), name)


def note_read(owner: Any, name: str, value: Any) -> None:
    """Notes a program's read of a library: compared when a program is built, not at calls."""
    if isinstance(owner, types.ModuleType):
        scope = vars(owner)
        _read[id(scope), name] = scope, name, value


def replacements() -> int:
    """The number of times a library's name that a program has read was found to be replaced."""
    global _replaced
    if not all([scope.get(name, value) is value for scope, name, value in [*_read.values()]]):
        _replaced += 1
        for key, (scope, name, value) in [*_read.items()]:
            _read[key] = scope, name, scope.get(name, value)
    return _replaced


def library(owner: Any) -> bool:
    """Whether the attributes of a module or class are those of a library: constants."""
    name = getattr(owner, "__name__" if isinstance(owner, types.ModuleType) else "__module__", "")
    return str(name).split(".")[0] in _LIBRARIES


def name_of(owner: Any) -> str:
    """The name of an object in messages."""
    return held(owner, "__name__") or type(owner).__name__
