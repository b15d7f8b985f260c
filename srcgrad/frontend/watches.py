"""Watches the members of modules, classes and objects that a program reads: a new one rebuilds it.

So does a method that a class did not have. Never decides what a member means: see `classes`,
`special_methods` and `captures`.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.guards import CLASS, Path, Step, attribute, member
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


def watch_method(captures: Any, v: Any, name: str) -> None:
    """Guards what the class of an instance has under the name of a method: one, or none."""
    cls = v.cls if isinstance(v, Record) else type(v)
    if made_by_statement(cls) and not ours(cls):
        first = () if isinstance(v, Record) else (Step((), type),)
        found = Step((name, "method"), _reader(cls, name))
        holder = cls if isinstance(v, Record) else v
        captures.watch(Path("inherited", holder, (*first, found)), name)


def watch_presence(captures: Any, owner: Any, name: str) -> None:
    """Guards whether an object has an attribute: it may get it, or lose it."""
    captures.watch(Path("has", owner, (Step((name,), lambda v: hasattr(v, name)),)), name)


def watch_super(captures: Any, cls: type, after: int, name: str) -> None:
    """Guards which class is the first to have a name after the one at a place of the order."""
    home = Step(("super", after, name), lambda cls: _home(cls, name, after + 1))
    captures.watch(Path("inherited", cls, (home,)), name)


def watch_class(captures: Any, v: Any) -> None:
    """Guards the class of a captured instance, which may be set."""
    if not isinstance(v, type) and made_by_statement(type(v)) and not ours(type(v)):
        captures.watch(Path("inherited", v, (CLASS,)), type(v).__name__)


def watch_derived(captures: Any, cls: type, base: type) -> None:
    """Guards whether a class derives from another one: it may be registered there later."""
    if made_by_statement(cls) and not ours(cls) and cls is not base:
        kept = weakref.ref(base)
        derives = Step(("derives", id(base)), lambda cls: issubclass(cls, kept() or ()))
        captures.watch(Path("inherited", cls, (derives,)), cls.__name__)


def _home(cls: type, name: str, first: int = 0) -> type | None:
    """The first class in the order, from a place on, that has a name."""
    return next((c for c in cls.__mro__[first:] if name in vars(c)), None)


def _own_member(cls: type, name: str) -> Any:
    """The member that a class, or a base made by a statement, has under a name; else None."""
    home = _home(cls, name)
    return vars(home)[name] if home is not None and made_by_statement(home) else None


def _reader(cls: type, name: str) -> Callable[[type], Any]:
    """Reads the own member of a class: by one access to an attribute, if that is the same twice.

    It costs a tenth, at each call. What is of a base in C (of `object`) is read as None.
    """
    home, value = _home(cls, name), getattr(cls, name, None)
    of_metaclass = home is None and hasattr(type(cls), name)
    if of_metaclass or getattr(cls, name, None) is not value:
        return lambda cls: _own_member(cls, name)
    foreign = None if _own_member(cls, name) is not None else value

    def read(cls: type) -> Any:
        found = getattr(cls, name, None)
        return None if found is foreign else found

    return read


def ours(cls: type) -> bool:
    """Whether a class is a library's or srcgrad's: its members stay as they are."""
    return library(cls) or cls.__module__.partition(".")[0] == "srcgrad"


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
