"""Dataclasses whose methods are made when they are first needed, for a package that defines many.

    @record(frozen=True)
    class Point:
        x: float
        y: float = 0.0

`dataclass` writes and compiles up to seven methods for each class. The compiler has more
than a hundred such classes, and a program makes instances of half of them: that was 40 of the 89 ms
of its import, and is 4 now. `record` gives a class the same fields, constructor, comparison, hash
and text, except that the constructor is compiled at the first instance and has no annotations, a
frozen record also refuses attributes that are not fields, every field is a parameter, and `hash`
goes with `eq`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field,))
def record(*, frozen: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]:
    """A class decorator that makes a dataclass; `frozen` and `eq` mean the same as there."""

    def made(cls: type[T]) -> type[T]:
        # without a text of its own `dataclass` would write one from the signature
        cls.__doc__ = cls.__doc__ or cls.__name__
        dataclass(init=False, repr=False, eq=False)(cls)
        methods: dict[str, Any] = {"__init__": _initialiser(cls, frozen), "__repr__": _text}
        if eq:
            methods |= _comparison(cls, frozen)
        if frozen:
            methods |= {"__setattr__": _no_assignment, "__delattr__": _no_deletion}
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        return cls

    return made


# ---- construction ----
def _initialiser(cls: Any, frozen: bool) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        cls.__init__ = _compiled(cls, frozen)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _compiled(cls: Any, frozen: bool) -> Any:
    """The constructor that `dataclass` would have written."""
    given = fields(cls)
    positional = [_parameter(f) for f in given if not f.kw_only]
    named = [_parameter(f) for f in given if f.kw_only]
    parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    # half the time of `object.__setattr__`, which looks for the class that may be set
    store = "_of_self_[{0!r}] = {1}" if frozen else "self.{0} = {1}"
    lines = ["_of_self_ = self.__dict__"] if frozen else []
    lines += [store.format(f.name, _value(f)) for f in given]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "".join(f"\n    {line}" for line in lines or ["pass"])
    scope: dict[str, Any] = {"MISSING": MISSING}
    for f in given:
        scope |= {f"default_{f.name}": f.default, f"make_{f.name}": f.default_factory}
    exec(f"def __init__({parameters}):{body}\n", scope)
    scope["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return scope["__init__"]


def _parameter(f: Field) -> str:
    if f.default_factory is not MISSING:
        return f"{f.name}=MISSING"
    return f.name if f.default is MISSING else f"{f.name}=default_{f.name}"


def _value(f: Field) -> str:
    if f.default_factory is MISSING:
        return f.name
    return f"make_{f.name}() if {f.name} is MISSING else {f.name}"


# ---- methods of instances ----
def _comparison(cls: Any, frozen: bool) -> dict[str, Any]:
    names = [f.name for f in fields(cls) if f.compare]
    read: Callable[[Any], Any] = attrgetter(*names) if names else _nothing
    # for a single name it returns no tuple, which compares its elements by identity first
    values = read if len(names) != 1 else lambda x: (read(x),)

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _nothing(_: Any) -> tuple[()]:
    return ()


def _text(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _no_assignment(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deletion(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
