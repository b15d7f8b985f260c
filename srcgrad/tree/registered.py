"""User-defined classes registered as structures, and the contract of their two functions.

`flatten(value)` gives the children and the static part, `unflatten(static, children)` makes the
value again. Mistakes of either are refused, with their place in the user's source.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import field, fields, is_dataclass
from types import FunctionType
from typing import Any

from srcgrad.errors import ArgumentTypeError, Location
from srcgrad.records import record

PAIR = "return (children, static): a tuple of what is differentiated or an input, and the rest"
HASHABLE = "make it of numbers, strings, None and tuples: tuple(sorted(d.items())) for a dict"
AS_GIVEN = (
    "let it keep what it is given, without a check or a conversion, which belong to __init__: "
    "made = object.__new__({}), then set the attributes"
)
LEAVES = "children are numbers, arrays, None and structures of them: put it into the static part"


@record(frozen=True, eq=False)
class Registered:
    """A class with the functions that take its instances apart and make them."""

    cls: type[Any]
    flatten: Callable[[Any], Any]
    unflatten: Callable[[Any, tuple[Any, ...]], Any]
    # attributes that compiled code treats as known, which `flatten` may leave out
    watched: set[str] = field(default_factory=set)

    holds_parts = True  # whether an instance has the very children that it was made of

    @property
    def name(self) -> str:
        return self.cls.__name__

    def opened(self, value: Any) -> tuple[list[Any], Any]:
        """The children of an instance and its static part."""
        children, static = self.pair(self.flatten(value))
        if not is_hashable(static):
            raise self.unhashable(f"a {type(static).__name__}")
        return children, static

    def state(self, value: Any) -> frozenset[Any]:
        """The values that an instance has for the watched attributes."""
        own = getattr(value, "__dict__", {})
        return frozenset((name, _state(own[name])) for name in self.watched & own.keys())

    def watch(self, names: Any) -> None:
        """Watches attributes, and class attributes that an instance may override."""
        data = (n for c in self.cls.__mro__ for n, v in vars(c).items() if not _is_member(n, v))
        self.watched.update(names, data)

    def pair(self, made: Any, kind: str = "") -> tuple[list[Any], Any]:
        """The result of `flatten` as (children, static); refused if it is not such a pair."""
        if not isinstance(made, tuple | list) or len(made) != 2:
            many = f"{len(made)} values" if isinstance(made, tuple | list) else f"no pair{kind}"
            raise self.error(f"flatten of {self.name} returns {many}", self.flatten, PAIR)
        if not isinstance(made[0], tuple | list):
            what = f"flatten of {self.name} returns children that are neither a tuple nor a list"
            raise self.error(what, self.flatten, PAIR)
        return list(made[0]), made[1]

    def unhashable(self, what: str) -> Exception:
        """The error for a static part that cannot be compared: programs are looked up by it."""
        return self.error(
            f"flatten of {self.name} returns a static part that is not hashable ({what})",
            self.flatten, HASHABLE,
        )  # fmt: skip

    def made(self, static: Any, children: Sequence[Any]) -> Any:
        """The instance of a static part and children."""
        try:
            value = self.unflatten(static, tuple(children))
        except Exception as e:
            raise self.failed(f"fails: {type(e).__name__}: {e}") from e
        if type(value) is not self.cls:
            raise self.failed(f"returns {type(value).__name__}")
        return value

    def failed(self, what: str) -> Exception:
        """The error for an `unflatten` that does not make the instance."""
        reason = f"unflatten of {self.name} {what}"
        return self.error(reason, self.unflatten, AS_GIVEN.format(self.name))

    def error(self, reason: str, function: Any, way_out: str) -> Exception:
        """An error at one of the two functions."""
        return ArgumentTypeError(reason, _place(function), way_out)


@record(frozen=True, eq=False)
class Opened:
    """An instance of a registered class by its parts: in templates, and in compiled code."""

    registered: Registered
    static: Any
    children: tuple[Any, ...]
    lacks: frozenset[str] = frozenset()  # attributes of the instance that `unflatten` does not make

    def __repr__(self) -> str:
        static = "" if self.static is None else f"[{self.static!r}]"
        return f"{self.registered.name}{static}({', '.join(map(repr, self.children))})"


def _state(v: Any) -> Any:
    known = isinstance(v, bool | int | float | complex | str | tuple | list | dict | None)
    return type(v), repr(v) if known else v if isinstance(v, type | FunctionType) else None


def _is_member(name: str, v: Any) -> bool:
    return name.startswith("__") or hasattr(type(v), "__get__")


def _place(function: Any) -> Location | None:
    """The location where a function begins; None if it has no source."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip()
    indent = len(text) - len(text.lstrip())
    return Location(code.co_filename, code.co_firstlineno, indent, len(text), function.__name__)


def static_key(v: Any) -> Any:
    """The key of a static part in look-ups: it tells 1 from 1.0 and True, and 0.0 from -0.0.

    >>> static_key((1, "relu")) == static_key((True, "relu")), static_key(0.0) == static_key(-0.0)
    (False, False)
    """
    if isinstance(v, float | complex):
        return type(v), repr(v)  # nan is nan
    if isinstance(v, tuple):
        return type(v), *map(static_key, v)
    if isinstance(v, frozenset):
        return type(v), frozenset(map(static_key, v))
    if is_dataclass(v) and not isinstance(v, type):
        return type(v), *(static_key(getattr(v, f.name)) for f in fields(v))
    return type(v), v


def is_hashable(static: Any) -> bool:
    """Whether a static part can be looked up."""
    try:
        hash((static, static_key(static)))
    except TypeError:
        return False
    return True
