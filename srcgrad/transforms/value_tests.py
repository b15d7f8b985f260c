"""Tests of the arguments and captured inputs of a call: their kinds, values and lengths.

Each is made from the values of the call that a program is built for. The signature of a call is the
digest of those of its arguments; they are also written into the fast path, and explain a rebuild.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.frontend.guards import GONE, ONCE, OUTSIDE, Reason, Test, Writer, short
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.values import NUMBERS
from srcgrad.records import record
from srcgrad.transforms.signature import Same, key_of, length
from srcgrad.tree import spelled


def tests_of(
    given: Iterable[tuple[tuple, Any]], required: Requirements
) -> Iterator[tuple[tuple, str, Test]]:
    """The tests of arguments like these: the path of each, its name in a text, and the test."""
    for path, value in given:
        name = f"'{spelled(path)}'"
        yield path, name, Kind.of(value)
        known: bool = isinstance(value, NUMBERS)
        if path in required.static_leaves and known:
            yield path, name, Known(value)
        axes = sorted(k for at, k in required.static_dims if at == path)
        if any(length(value, k) is not None for k in axes):
            yield path, name, Shape(value.shape, tuple(k for k in axes if k < len(value.shape)))


@record()
class Kind:
    """Tests what the key of a value tells: type, dtype, rank, layout, the axes of length 1."""

    key: Any
    type: type

    @classmethod
    def of(cls, value: Any) -> Kind:
        return cls(key_of(value), type(value))

    def passes(self, now: Any) -> bool:
        return key_of(now) == self.key

    def write(self, w: Writer, p: str) -> bool:
        if self.type is np.ndarray:
            dtype, contiguous, ones = self.key
            kind = w.name(dtype)  # an unpickled array has an equal one
            w.unless(f"type({p}) is ndarray and ({p}.dtype is {kind} or {p}.dtype == {kind})")
            shape = shape_name(p)
            w.lines.append(f"{shape} = {p}.shape")
            single = [f" and {shape}[{k}] {'==' if one else '!='} 1" for k, one in enumerate(ones)]
            w.unless(f"len({shape}) == {len(ones)}{''.join(single)}")
            w.unless(f"{'' if contiguous else 'not '}{p}.flags.c_contiguous")
            return True
        if issubclass(self.type, NUMBERS):
            w.unless(f"type({p}) is {w.name(self.type)}")
            return True
        return False

    def why(self, name: str, now: Any) -> Reason:
        same = type(now) is self.type
        was = self.key[-1] if same and isinstance(self.key, tuple) else None
        if isinstance(was, Same):
            return f"{name} is another object", f"{ONCE}, and pass that one"
        shown = (short(now), short(was)) if type(was) is type(now) else (
            f"of type {type(now).__name__}", f"of type {self.type.__name__}"
        )  # fmt: skip
        return _difference(name, self.key, key_of(now)) or (
            f"{name} is {shown[0]} and was {shown[1]}",
            "pass the same kind of value each time",
        )


@record()
class Known:
    """Tests that a value is equal to the one that was known when compiling."""

    value: Any

    def passes(self, now: Any) -> bool:
        return now == self.value

    def write(self, w: Writer, p: str) -> bool:
        return False

    def why(self, name: str, now: Any) -> Reason:
        return (
            f"{name}, which must be known when compiling, is {now!r} and was {self.value!r}",
            "give it few different values, or compute outside what asks for its value",
        )


@record()
class Shape:
    """Tests that some axes of an array have the lengths that were known when compiling."""

    shape: tuple[int, ...]
    axes: tuple[int, ...]

    def passes(self, now: Any) -> bool:
        return all([length(now, k) == self.shape[k] for k in self.axes])

    def write(self, w: Writer, p: str) -> bool:
        if self.axes:
            equal = [f"{shape_name(p)}[{k}] == {self.shape[k]}" for k in self.axes]
            w.unless(" and ".join(equal))
        return True

    def why(self, name: str, now: Any) -> Reason:
        return (
            f"the shape of {name}, which must be known when compiling, is {now.shape} and "
            f"was {self.shape}",
            "pass arrays of one shape, or compute outside what asks for a length",
        )


@record()
class InputKind(Kind):
    """Tests the kind of a captured input, and its shape where programs depend on it."""

    shape: tuple[int, ...] | None = None

    def passes(self, now: Any) -> bool:
        return key_of(now) == self.key and (self.shape is None or now.shape == self.shape)

    def write(self, w: Writer, p: str) -> bool:
        shape = self.shape or ()
        return Kind.write(self, w, p) and Shape(shape, tuple(range(len(shape)))).write(w, p)

    def why(self, name: str, now: Any) -> Reason:
        if now is GONE:
            return f"the captured '{name}' is gone", OUTSIDE
        key = key_of(now)
        if key == self.key:
            return f"the captured '{name}' has the shape {now.shape} and had {self.shape}", OUTSIDE
        found = _difference(f"'{name}'", self.key, key)
        return (f"the captured {found[0]}" if found else f"'{name}' is of another kind"), OUTSIDE


def shape_name(p: str) -> str:
    """The variable that holds the shape of an argument or captured value, or of its array."""
    return f"s_{p.partition('.')[0]}"


def _difference(name: str, old: Any, new: Any) -> Reason | None:
    """The difference between the keys of two arrays."""
    if not (_of_array(old) and _of_array(new)):
        return None
    (was, whole, ones), (now, wholly, other) = old[-3:], new[-3:]
    if was != now:
        return (
            f"{name} has the dtype {now} and had {was}",
            f"convert it: {name[1:-1]}.astype(np.{was})",
        )
    if len(ones) != len(other):
        return f"{name} has rank {len(other)} and had {len(ones)}", "give it one rank: np.reshape"
    if whole != wholly:
        words = "is" if wholly else "is not", "was" if whole else "was not"
        return (
            f"{name} {words[0]} contiguous in C order and {words[1]} before",
            f"pass np.ascontiguousarray({name[1:-1]})",
        )
    return f"{name} has length 1 along other axes than before", "pass longer ones"


def _of_array(key: Any) -> bool:
    return isinstance(key, tuple) and len(key) >= 3 and isinstance(key[-3], np.dtype)
