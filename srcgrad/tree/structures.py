"""Structures as trees: takes them apart into leaves, and rebuilds them from other leaves.

A *kind* defines how values of one class come apart: tuples, named tuples, lists, dicts and
dataclasses are known here, the owners of other classes register theirs. Anything else is a leaf,
None included. A *template* is a structure with a `Leaf` in place of each leaf. A *path* is the keys
from the top to a leaf. Never copies a leaf, and makes dataclasses without calling `__init__`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from srcgrad.protocols import class_states
from srcgrad.records import record
from srcgrad.tree import array_classes
from srcgrad.tree.array_classes import VALUE, ArrayParts, assembled, is_array_class
from srcgrad.tree.kinds import Kind, Made
from srcgrad.tree.registered import Opened, Registered


@record(frozen=True)
class Leaf:
    """A place in a template: the k-th leaf."""

    k: int


def _fields(value: Any) -> list[str]:
    return [f.name for f in fields(value)]


def _field_values(value: Any) -> list[Any]:
    return [getattr(value, f.name) for f in fields(value)]


def instance(cls: type[Any], fields: dict[str, Any]) -> Any:
    """An object of a class by its attributes, without calling `__init__`."""
    if VALUE in fields:
        return assembled(cls, fields)
    made = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _places(value: Any) -> Sequence[Any]:
    return range(len(_items(value)))


def _items(value: Any) -> list[Any]:
    """The items of a list or a tuple, whatever a derived class claims them to be."""
    return [*list.__iter__(value)] if isinstance(value, list) else [*tuple.__iter__(value)]


_TUPLE = Kind(_items, lambda like, parts: tuple(parts), _places)
_NAMED_TUPLE = Kind(_items, lambda like, parts: type(like)(*parts), _places)
_LIST = Kind(_items, lambda like, parts: list(parts), _places)
_DICT = Kind(
    lambda value: list(dict.values(value)),
    lambda like, parts: dict(zip(dict.keys(like), parts, strict=True)),
    lambda value: list(dict.keys(value)),
    lambda value: tuple(dict.keys(value)),
)
_DATACLASS = Kind(
    _field_values,
    lambda like, parts: instance(type(like), dict(zip(_fields(like), parts, strict=True))),
    _fields,
)

# modules with classes that are structures, and those that register them, imported when one is met
LATE = {
    "scipy.sparse.": "srcgrad.tree.scipy_sparse",
    "numpy.random.": "srcgrad.tree.generators_of_numpy",
    "random.": "srcgrad.tree.generators_of_python",
}
_KINDS: dict[type[Any], Kind | None] = {Leaf: None, ArrayParts: array_classes.PARTS}
_LEAVES: list[type[Any]] = [np.ndarray, np.generic, bool, int, float, complex]


def add_kind(cls: type[Any], kind: Kind) -> None:
    """Lets the values of a class be structures; not those of classes derived from it."""
    _KINDS[cls] = kind
    _kind_of.cache_clear()


def add_leaves(*classes: type[Any]) -> None:
    """Lets the values of classes be leaves, even if they are dataclasses or derived from tuples."""
    _LEAVES.extend(classes)
    _kind_of.cache_clear()


@functools.lru_cache(maxsize=1024)
def _kind_of(cls: type[Any]) -> Kind | None:
    if cls in _KINDS:
        return _KINDS[cls]
    if is_array_class(cls):
        return array_classes.KIND
    if issubclass(cls, tuple(_LEAVES)):
        return None
    if class_states(cls, "__dataclass_fields__"):
        return _DATACLASS
    late = next((m for m in LATE if f"{cls.__module__}.".startswith(m)), None)
    if late is not None:
        importlib.import_module(LATE.pop(late))
        return _KINDS.get(cls)
    if issubclass(cls, tuple):
        return _NAMED_TUPLE if hasattr(cls, "_fields") else _TUPLE
    return _LIST if issubclass(cls, list) else _DICT if issubclass(cls, dict) else None


def _kind(value: Any) -> Kind | None:
    kind = _kind_of(type(value))
    return None if kind and kind.holds and not kind.holds(value) else kind


def is_known(cls: type[Any]) -> bool:
    """Whether the role of a class's values is fixed: structures, leaves, static values."""
    return cls in _KINDS or issubclass(cls, (*_LEAVES, tuple, list, dict, set, frozenset, str))


def registered_as(cls: type[Any]) -> Registered | None:
    """The registration of a user's class; None for any other class."""
    kind = _kind_of(cls)
    return None if kind is None else kind.registered


def static_of(value: Any) -> Any:
    """The static facts about a structure for a signature, apart from its class and its parts."""
    kind = _kind(value)
    return None if kind is None else (kind.static(value), len(kind.parts(value)))


def head(value: Any) -> Any:
    """The facts that distinguish instances of registered classes, apart from their children."""
    kind = _kind(value)
    return None if kind is None else (kind.static(value)[:2], len(kind.parts(value)))


# ---- one level ----
def children(value: Any) -> list[Any] | None:
    """The parts of a structure; None for a leaf.

    >>> children({"a": 1, "b": (2, 3)})
    [1, (2, 3)]
    """
    kind = _kind(value)
    return None if kind is None else list(kind.parts(value))


def keys(value: Any) -> list[Any]:
    """The keys of the parts of a structure in paths: fields, keys or positions."""
    kind = _kind(value)
    return [] if kind is None else list(kind.keys(value))


def rebuilt(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like another one, with other parts."""
    kind = _kind(like)
    assert kind is not None, like
    return kind.rebuilt(like, parts)


def is_leaf(value: Any) -> bool:
    """Whether a value has no parts."""
    return _kind(value) is None


def is_by_fields(value: Any) -> bool:
    """Whether a value is taken apart by the fields of its dataclass, or is an array with some."""
    return _kind(value) in (_DATACLASS, array_classes.KIND)


def counterparts(value: Any, like: Any) -> list[Any] | None:
    """The parts of a value in the order of those of another structure; None if it has others.

    A list may replace a tuple, and the keys of a dict may have any order. Fields that a structured
    array does not have are None.

    >>> counterparts({"b": 2, "a": 1}, {"a": 0, "b": 0}), counterparts([1], (0, 0))
    ([1, 2], None)
    """
    if isinstance(like, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(like)
    elif isinstance(like, dict):
        if isinstance(value, dict) and value.keys() == like.keys():
            return [value[k] for k in like]
        same = False
    elif isinstance(like, Opened) or registered_as(type(like)) is not None:
        same = head(value) == head(like)
    elif (kind := _kind(like)) is not None and kind.partial:
        own = _kind(value)
        held = dict(zip(keys(value), children(value) or (), strict=True))
        same = own is not None and own.partial and held.keys() <= set(keys(like))
        return [held.get(k) for k in keys(like)] if same else None
    elif type(value) is np.ndarray and _kind(like) is array_classes.KIND:
        return [value, *[None] * len(vars(like))]
    else:
        same = type(value) is type(like) and keys(value) == keys(like)
    return children(value) if same else None


# ---- all levels ----
def leaves(value: Any) -> list[Any]:
    """The leaves of a structure, in order.

    >>> leaves((1, {"a": 2, "b": [3, None]}))
    [1, 2, 3, None]
    """
    return [leaf for _, leaf in paths(value)]


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The (path, leaf) pairs of a structure that is itself at `path`, in order.

    >>> list(paths({"a": 2, "b": [3]}, ("x",)))
    [(('x', 'a'), 2), (('x', 'b', 0), 3)]
    """
    kind = _kind(value)
    if kind is None:
        yield path, value
        return
    parts = kind.parts(value)
    found = range(len(parts)) if kind.registered else kind.keys(value)
    for key, part in zip(found, parts, strict=True):
        if _kind(part) is None:  # no generator for each leaf
            yield (*path, key), part
        else:
            yield from paths(part, (*path, key))


def nodes(value: Any) -> Iterator[Any]:
    """The structures in a structure, itself included."""
    parts = children(value)
    if parts is not None:
        yield value
        for part in parts:
            yield from nodes(part)


def mapped(value: Any, at: Callable[[Any], Any], made: Made = rebuilt) -> Any:
    """The structure with `at(leaf)` in place of each leaf.

    `made(like, parts)` makes each structure, like the one that it is given, from its parts.

    >>> mapped((1, {"a": 2}), lambda v: v + 1)
    (2, {'a': 3})
    """
    kind = _kind(value)
    if kind is None:
        return at(value)
    return made(value, [mapped(part, at, made) for part in kind.parts(value)])


def mapped_by_path(
    value: Any,
    path: tuple[Any, ...],
    at: Callable[[tuple[Any, ...], Any], Any],
    made: Made = rebuilt,
) -> Any:
    """The structure, itself at `path`, with `at(path, leaf)` in place of each leaf."""
    where = paths(value, path)
    return mapped(value, lambda leaf: at(*next(where)), made)


def unflattened(like: Any, new: Iterable[Any]) -> Any:
    """A structure like another one, with other leaves, which are given in order.

    >>> unflattened((1, {"a": 2}), [3, 4])
    (3, {'a': 4})
    """
    following = iter(new)
    return mapped(like, lambda leaf: next(following))


def copied(value: Any) -> Any:
    """A new structure with the same leaves."""
    return mapped(value, lambda leaf: leaf)


def matched(
    like: Any,
    given: Any,
    refuse: Callable[[tuple[Any, ...], Any, Any], None],
    path: tuple[Any, ...] = (),
) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """The counterpart of each leaf: (path, leaf, given). One None replaces all below it.

    `refuse(path, given, like)` raises where the structures differ.
    """
    if given is None:
        yield from ((p, leaf, None) for p, leaf in paths(like, path))
    elif is_leaf(like):
        yield path, like, given
    else:
        theirs = counterparts(given, like)
        if theirs is None:
            refuse(path, given, like)
            return
        for key, part, other in zip(keys(like), children(like) or (), theirs, strict=True):
            yield from matched(part, other, refuse, (*path, key))


# ---- templates ----
def opened(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like another one, with parts that its class need not accept."""
    kind = _kind(like)
    assert kind is not None, like
    return (kind.opened or kind.rebuilt)(like, parts)


def outside(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like one of the compiler's, with other parts, in the caller's form."""
    kind = _kind(like)
    assert kind is not None, like
    return (kind.outside or kind.rebuilt)(like, parts)


def filled(template: Any, values: Sequence[Any]) -> Any:
    """A template with its leaves filled in, in the caller's form.

    >>> filled((Leaf(1), {"a": Leaf(0), "b": None}), [5.0, 6.0])
    (6.0, {'a': 5.0, 'b': None})
    """
    return mapped(template, lambda v: values[v.k] if type(v) is Leaf else v, outside)


def placed(template: Any, at: Callable[[int], Any], made: Made = rebuilt) -> Any:
    """A template with `at(k)` in place of the k-th leaf."""
    return mapped(template, lambda v: at(v.k) if type(v) is Leaf else v, made)


def leaf_numbers(template: Any) -> list[int]:
    """The numbers of the leaves of a template, in order."""
    return [v.k for v in leaves(template) if type(v) is Leaf]


def form_of(value: Any) -> Any:
    """The form of a structure without its leaves: classes, keys and lengths; None for a leaf."""
    kind = _kind(value)
    if kind is None:
        return None
    return type(value), kind.static(value), *map(form_of, kind.parts(value))


# ---- paths ----
def part(value: Any, key: Any) -> Any:
    """The part of a structure by its key: a field for a name, unless it is a dict."""
    parts: Any = children(value)
    if isinstance(value, Opened) or registered_as(type(value)) is not None:
        return parts[key]
    named = isinstance(key, str) and not isinstance(value, dict)
    return dict(zip(keys(value), parts or (), strict=True))[key] if named else value[key]


def at_path(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path of a structure."""
    return functools.reduce(part, path, value)


def spelled(path: tuple[Any, ...]) -> str:
    """`x`, `m.weight`, `xs[0]`: a path of an argument as it is written.

    >>> spelled(("model", "layers", 0, "weight"))
    'model.layers[0].weight'
    """
    text = str(path[0])
    for key in path[1:]:
        if key == VALUE:  # the array of an argument is the argument
            continue
        text += f".{key}" if isinstance(key, str) else f"[{key!r}]"
    return text
