"""Arguments to leaves and results back to structures: tuples, dicts, named tuples, dataclasses.

Dataclasses are rebuilt without calling `__init__`. Never copies an array.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.kinds import MARKS, type_of_value
from srcgrad.frontend.trace import Leaf
from srcgrad.frontend.values import Record, children, is_dataclass_instance, rebuild
from srcgrad.ir.types import Scalar, np_dtype


def leaves(value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    """The (path, leaf) pairs of an argument, in the order of the frontend."""
    if type_of_value(value) is not None:
        yield path, value
    elif is_dataclass_instance(value):
        for f in type(value).__dataclass_fields__:
            yield from leaves(getattr(value, f), (*path, f))
    elif (parts := children(value)) is not None:
        keys = list(value) if isinstance(value, dict) else range(len(parts))
        for k, p in zip(keys, parts, strict=True):
            yield from leaves(p, (*path, k))
    else:
        yield path, value


def template(value: Any, path: tuple, at: Callable[[tuple, Any], Any]) -> Any:
    """The structure of an argument with each leaf replaced by `at(path, leaf)`."""
    if type_of_value(value) is not None:
        return at(path, value)
    if isinstance(value, Record):
        return Record(value.cls, {f: template(v, (*path, f), at) for f, v in value.fields.items()})
    if is_dataclass_instance(value):
        names = type(value).__dataclass_fields__
        return Record(type(value), {f: template(getattr(value, f), (*path, f), at) for f in names})
    parts = children(value)
    if parts is None:
        return at(path, value)
    keys = list(value) if isinstance(value, dict) else range(len(parts))
    return rebuild(value, [template(p, (*path, k), at) for k, p in zip(keys, parts, strict=True)])


def mapped(value: Any, at: Callable[[Any], Any]) -> Any:
    """An argument with `at(leaf)` in place of each leaf; dataclasses are dataclasses again."""
    found: list[Any] = []

    def leaf(path: tuple, v: Any) -> Leaf:
        found.append(at(v))
        return Leaf(len(found) - 1)

    return filled(template(value, (), leaf), found)


def blank(value: Any) -> Any:
    """Something of the kind and shape of a leaf that holds on to no memory of the caller's."""
    if not isinstance(value, np.ndarray):
        return value
    if value.flags.c_contiguous:
        made = np.empty(value.shape, value.dtype)  # pages that nobody touches are never made
    else:
        made = np.empty((*value.shape, 2), value.dtype)[..., 0]
    return made.view(type(value)) if type(value) in MARKS else made


def filled(shape: Any, values: list[Any]) -> Any:
    """A template with its leaves filled in; records become their dataclasses."""
    match shape:
        case Leaf(k):
            return values[k]
        case Record():
            made = object.__new__(shape.cls)
            for f, v in shape.fields.items():
                object.__setattr__(made, f, filled(v, values))
            return made
    parts = children(shape)
    if parts is None:
        return shape
    made = [filled(p, values) for p in parts]
    return made if isinstance(shape, list) else rebuild(shape, made)


def placed(shape: Any, at: Callable[[int], Any]) -> Any:
    """A template with `at(k)` in the place of the k-th leaf."""
    if isinstance(shape, Leaf):
        return at(shape.k)
    parts = children(shape)
    return shape if parts is None else rebuild(shape, [placed(p, at) for p in parts])


def leaf_numbers(shape: Any) -> list[int]:
    """The numbers of the leaves of a template, in order."""
    if isinstance(shape, Leaf):
        return [shape.k]
    return [k for p in children(shape) or [] for k in leaf_numbers(p)]


def converter(type_: Any) -> Callable[[Any], Any] | None:
    """What turns a backend's result into the Python or NumPy value of its type."""
    if not isinstance(type_, Scalar):
        return None
    if type_.weak:
        return {"i": int, "f": float, "c": complex}[type_.dtype[0]]
    return bool if type_.dtype == "bool" else np_dtype(type_.dtype).type


def key_of(value: Any) -> Any:
    """What a leaf contributes to a signature."""
    if type(value) is np.ndarray or type(value) is np.memmap:
        return value.dtype, value.flags.c_contiguous, tuple(n == 1 for n in value.shape)
    if type(value) in MARKS:
        return (
            MARKS[type(value)],
            value.dtype,
            value.flags.c_contiguous,
            tuple(n == 1 for n in value.shape),
        )
    kind = type_of_value(value)
    if kind is not None:
        return kind
    if type(value) in BY_VALUE:
        return type(value), value
    if isinstance(value, set):
        return type(value), frozenset(value)
    return type(value), Same(value)


# what is equal is the same here; other objects may be equal and differ in what is read of them
BY_VALUE = (
    str, bytes, range, frozenset, type(None), type(Ellipsis), types.MethodType,
    types.BuiltinMethodType,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Same:
    """An object by its identity; it is kept, so that no other one gets its place in memory."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def form_of(value: Any) -> Any:
    """What a container contributes to a signature beside its leaves: kinds, keys and lengths."""
    if isinstance(value, np.ndarray | float | int | str):
        return None
    if is_dataclass_instance(value):
        names = type(value).__dataclass_fields__
        return type(value), *(form_of(getattr(value, f)) for f in names)
    parts = children(value)
    if parts is None:
        return None
    keys = tuple(value) if isinstance(value, dict) else None
    return type(value), keys, *map(form_of, parts)


def spelled(path: tuple) -> str:
    """`x`, `m.weight`, `xs[0]`: a path of an argument as it is written.

    >>> spelled(("model", "layers", 0, "weight"))
    'model.layers[0].weight'
    """
    text = str(path[0])
    for part in path[1:]:
        text += f".{part}" if isinstance(part, str) else f"[{part!r}]"
    return text


def too_wide(error: OverflowError, name: str, arguments: dict[str, Any]) -> Exception:
    """An error naming the argument that does not fit 64 bits; the given error if there is none."""
    for path, v in [pair for n, value in arguments.items() for pair in leaves(value, (n,))]:
        if type(v) is int and not -(2**63) <= v < 2**63:
            at = spelled(path)
            return ArgumentValueError(
                f"argument '{at}' of {name}() is {v}: compiled integers have 64 bits", None,
                f"pass a float: float({at})",
            )  # fmt: skip
    return error
