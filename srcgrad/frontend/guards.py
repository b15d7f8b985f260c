"""Guards: what must hold of a call for a specialization to run, each a test of the value at a path.

A guard is checked, is written into the fast path as text, and explains why a program is built
again. Never decides which captured values become inputs: see `captures`.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from srcgrad.ir.nodes import Var
from srcgrad.protocols import held
from srcgrad.records import record
from srcgrad.tree import static_of

Reason: TypeAlias = tuple[str, str]  # why, and the way out
ONCE = "make it once, outside of the loop"
OUTSIDE = f"{ONCE}, and pass what changes as an argument"
UNREADABLE = (LookupError, AttributeError, ValueError, TypeError)  # of a path that ends early
GONE = object()  # the value at such a path


# ---- text ----
class Writer:
    """Collects the lines of a generated function and the objects that they mention."""

    def __init__(self, **scope: Any) -> None:
        self.scope: dict[str, Any] = scope
        self.lines: list[str] = []

    def name(self, value: Any) -> str:
        name = f"v{len(self.scope)}"
        self.scope[name] = value
        return name

    def unless(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return MISS")


# ---- paths ----
@record(eq=False)
class Step:
    """One step from a value to another: its part of the key, a function, the end of a text."""

    key: tuple[Any, ...]
    read: Callable[[Any], Any]
    suffix: str = ""


@record(eq=False)
class Path:
    """The place of a captured value: an object, and the steps from there."""

    kind: str
    holder: Any
    steps: tuple[Step, ...] = ()
    within: tuple[Any, ...] = ()  # the start of the key, for what an inlined program captures

    @property
    def key(self) -> tuple[Any, ...]:
        """Tells captured values apart; names are not unique."""
        return (*self.within, self.kind, id(self.holder), *[k for s in self.steps for k in s.key])

    @property
    def fetch(self) -> Callable[[], Any]:
        """A function that reads the value; without a call in Python where one step leads there."""
        if len(self.steps) == 1:
            return partial(self.steps[0].read, self.holder)
        return partial(walked, self.holder, [s.read for s in self.steps])

    def then(self, *steps: Step) -> Path:
        return Path(self.kind, self.holder, (*self.steps, *steps), self.within)

    def text(self, w: Writer) -> str:
        """An expression of the value."""
        p = w.name(self.holder)
        for s in self.steps:
            p = p + s.suffix if s.suffix else f"{w.name(s.read)}({p})"
        return p


def walked(value: Any, reads: Iterable[Callable[[Any], Any]]) -> Any:
    for read in reads:
        value = read(value)
    return value


def attribute(name: str) -> Step:
    if name.isidentifier() and not keyword.iskeyword(name):
        return Step((name,), attrgetter(name), f".{name}")
    return Step((name,), lambda v: getattr(v, name))


def member(name: str) -> Step:
    """Reads an attribute that may be missing: it is None then."""
    return Step((name,), lambda v: getattr(v, name, None))


def item(k: Any) -> Step:
    return Step(("item", k), itemgetter(k), f"[{k!r}]" if type(k) in (int, str) else "")


def item_there(k: Any) -> Step:
    """Reads an item of a dict that makes the missing ones: a look at it makes none."""
    return Step(("item", k), partial(_there, k))


def _there(k: Any, v: Any) -> Any:
    if k not in v:
        raise KeyError(k)
    return v[k]


CONTENTS = Step((), attrgetter("cell_contents"), ".cell_contents")
# texts that change when a container has other places, and a set other items
DICTS = dict | MappingProxyType
CONTAINERS = list | tuple | DICTS
KEYS = Step(("keys",), lambda v: repr(list(v)) if isinstance(v, DICTS) else f"{len(v)} items")
LENGTH = Step(("length",), len)
ITEMS = Step(("items",), lambda v: repr(sorted(map(repr, v))))
CLASS = Step(("class",), type)
STATIC = Step(("class",), lambda v: (type(v), static_of(v)))
VALUE = attribute("srcgrad_value")
AS_ARRAY = Step(("array",), lambda v: v.view(np.ndarray))


# ---- tests ----
class Test(Protocol):
    """A test of a value: made, written for an expression, explained where it does not pass.

    `write` returns False if the test has no text: the general path must make it.
    """

    def passes(self, now: Any) -> bool: ...

    def write(self, w: Writer, p: str) -> bool: ...

    def why(self, name: str, now: Any) -> Reason: ...


@record()
class Unchanged:
    """Tests that a captured value is the same object, or a number or string of the same text."""

    value: Any

    def passes(self, now: Any) -> bool:
        if now is self.value:
            return True
        same = type(now) is type(self.value) and isinstance(now, int | float | str)
        return same and repr(now) == repr(self.value)  # tells -0.0 from 0.0, and nan is nan

    def write(self, w: Writer, p: str) -> bool:
        w.unless(f"(t := {p}) is {w.name(self.value)} or {w.name(self.passes)}(t)")
        return True

    def why(self, name: str, now: Any) -> Reason:
        return f"the captured '{name}' was {short(self.value)}", OUTSIDE


@record()
class OfClass(Unchanged):
    """Tests that a captured container has the class of another; its parts are captured as well."""

    def passes(self, now: Any) -> bool:
        return type(now) is type(self.value)

    def why(self, name: str, now: Any) -> Reason:
        return f"the captured '{name}' was {short(self.value)}", OUTSIDE


@record()
class SameObjects(Unchanged):
    """Tests which of several captured containers are one object: `value` is their pattern."""

    def passes(self, now: Any) -> bool:
        return now == self.value

    def why(self, name: str, now: Any) -> Reason:
        return "other names than before lead to one captured container", OUTSIDE


def same_objects(paths: tuple[Path, ...]) -> Guard[Unchanged]:
    """The guard of which containers are one object, by their places."""
    pattern = Step(("objects",), lambda paths: numbered([id(p.fetch()) for p in paths]))
    path = Path("objects", paths, (pattern,))
    return Guard(path, SameObjects(path.fetch()))


def numbered(ids: Iterable[int]) -> tuple[int, ...]:
    """Each id by the number of its first occurrence."""
    numbers: dict[int, int] = {}
    return tuple([numbers.setdefault(i, len(numbers)) for i in ids])


@record()
class Equal(Unchanged):
    """Tests that a captured value is equal to the one that was read."""

    def passes(self, now: Any) -> bool:
        return now == self.value


T = TypeVar("T", bound=Test)


@record()
class Guard(Generic[T]):
    """A captured value that must pass a test for the specialization to be valid."""

    path: Path
    test: T
    name: str = ""

    @cached_property
    def fetch(self) -> Callable[[], Any]:
        return self.path.fetch

    def holds(self) -> bool:
        try:
            return self.test.passes(self.fetch())
        except UNREADABLE:
            return False

    def now(self) -> Any:
        """The present value."""
        try:
            return self.fetch()
        except UNREADABLE:
            return GONE

    def why(self) -> Reason:
        """The reason why it does not hold."""
        return self.test.why(self.shown, self.now())

    @property
    def shown(self) -> str:
        return self.name or str(self.path.key[-1])


@record(frozen=True)
class Hidden:
    """A captured value that is an input of the compiled function."""

    name: str
    path: Path
    var: Var
    tensor: Path | None = None  # of the tensor whose array it is
    parameter: Any = None  # the Parameter that it is


def is_changing(value: Any) -> bool:
    """Whether a captured value becomes an input when it changes: it is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def short(value: Any) -> str:
    """A value in the text of a reason."""
    if isinstance(value, int | float | complex | str | bool | None):
        text = repr(value)
        return text if len(text) < 40 else text[:36] + "..."
    name = held(value, "__name__")  # all that ufuncs have before NumPy 2.2
    return held(value, "__qualname__") or name or f"of type {type(value).__name__}"
