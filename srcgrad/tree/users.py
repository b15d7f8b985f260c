"""User-defined classes as structures: registers them, and tries their two functions.

An instance that `unflatten` makes must hold the very children it was given, wherever it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.protocols import class_states
from srcgrad.tree.registered import Opened, Registered, static_key
from srcgrad.tree.structures import Kind, Made, add_kind, form_of, is_known, leaves, registered_as


def add_registered(
    cls: type[Any],
    flatten: Callable[..., Any],
    unflatten: Callable[..., Any],
    kind: type[Registered] = Registered,
    rebuilt: Made | None = None,
) -> None:
    """Lets instances of a user's class be structures; refuses a class that already is known."""
    if not isinstance(cls, type):
        raise ArgumentTypeError(f"register() takes a class, not {cls!r}")
    name = cls.__name__
    if registered_as(cls) is not None:
        raise ArgumentValueError(
            f"{name} is registered already", None, "register a class once, where it is defined"
        )
    if is_known(cls) or class_states(cls, "srcgrad_value") or cls is object:
        raise ArgumentTypeError(
            f"{name} cannot be registered: srcgrad knows what its instances are", None,
            "register a class that holds one",
        )  # fmt: skip
    for f, what in ((flatten, "flatten"), (unflatten, "unflatten")):
        if not callable(f):
            raise ArgumentTypeError(f"{what} of {name} is no function: {f!r}")
    r = kind(cls, flatten, unflatten)
    add_kind(cls, Kind(
        lambda value: r.opened(value)[0],
        rebuilt or (lambda like, parts: _instance(r, r.opened(like)[1], parts)),
        lambda value: range(len(r.opened(value)[0])),
        lambda value: (cls, static_key(r.opened(value)[1]), r.state(value)),
        opened=lambda like, parts: Opened(r, r.opened(like)[1], tuple(parts)),
        registered=r,
    ))  # fmt: skip


def _instance(r: Registered, static: Any, parts: Sequence[Any]) -> Any:
    """An instance that `unflatten` made; refused if it does not hold the very parts."""
    made = r.made(static, parts)
    if not r.holds_parts:
        return made
    children, again = r.opened(made)
    if len(children) != len(parts):
        raise r.failed(f"makes an instance of {len(children)} children from {len(parts)}")
    if static_key(again) != static_key(static):
        raise r.failed("makes an instance with another static part")
    pairs = zip(leaves(children), leaves(list(parts)), strict=False)
    if form_of(tuple(children)) != form_of(tuple(parts)) or any(a is not b for a, b in pairs):
        raise r.failed("converts or copies its children")
    return made


def verified(r: Registered, value: Any) -> Opened:
    """The parts of an instance, after its two functions have been tried on it."""
    (parts, static), (again, other) = r.opened(value), r.opened(value)
    if form_of(parts) != form_of(again) or static_key(static) != static_key(other):
        raise r.error(
            f"flatten of {r.name} takes one instance apart in two ways", r.flatten,
            "let it return the same children and static part each time",
        )  # fmt: skip
    for a, b in zip(leaves(parts), leaves(again), strict=True):
        if isinstance(a, np.ndarray) and a.size and not np.may_share_memory(a, b):
            raise r.error(
                f"flatten of {r.name} returns new arrays each time", r.flatten,
                "return the arrays that the instance holds",
            )  # fmt: skip
    made = _instance(r, static, parts)
    return Opened(r, static, tuple(parts), frozenset(_lacking(value, made)))


def _lacking(value: Any, made: Any) -> Iterator[str]:
    """The attributes in which an instance differs from one that `unflatten` made."""
    own, others = (getattr(v, "__dict__", {}) for v in (value, made))
    for name in {**own, **others}:
        if name not in own or name not in others or not _same(own[name], others[name]):
            yield name


def _same(a: Any, b: Any) -> bool:
    if form_of(a) != form_of(b):
        return False
    return all(map(_same_leaf, leaves(a), leaves(b)))


def _same_leaf(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return a is b or (type(a) is type(b) and isinstance(a, _PLAIN) and repr(a) == repr(b))


_PLAIN = (bool, int, float, complex, str, np.generic)


add_kind(Opened, Kind(
    lambda value: value.children,
    lambda like, parts: replace(like, children=tuple(parts)),
    lambda value: range(len(value.children)),
    lambda value: (value.registered.cls, static_key(value.static)),
    lambda like, parts: _instance(like.registered, like.static, parts),
))  # fmt: skip
