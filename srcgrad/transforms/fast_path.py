"""The fast path from a call to compiled code: one generated function per signature.

It tests the kinds of positional arguments and the guards, calls the kernel and builds the result;
anything else it leaves to the general path by returning MISS. Never compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import numpy as np

from srcgrad.frontend.values import is_number
from srcgrad.transforms.lengths import Lengths
from srcgrad.transforms.signature import length
from srcgrad.tree import Leaf

MISS = object()
MOST_FAST = 4  # signatures with a fast path of their own


class Writer:
    """Collects the lines of the function and the objects that they mention."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {"MISS": MISS, "ndarray": np.ndarray}
        self.lines: list[str] = []

    def name(self, value: Any) -> str:
        name = f"v{len(self.scope)}"
        self.scope[name] = value
        return name

    def made(self) -> Callable:
        """The generated function; its globals do not hold it, so that it is freed when unused."""
        exec(compile("\n".join(self.lines), "<srcgrad fast path>", "exec"), self.scope)
        return self.scope.pop("fast")

    def unless(self, condition: str) -> None:
        self.lines.append(f"    if not ({condition}): return MISS")


def fast_path(
    entry: Any, arguments: dict[str, Any], names: tuple[str, ...], static: Set[tuple]
) -> Callable | None:
    """The function for calls like this one; None where an argument is a container.

    `static`: the (path, axis) pairs whose lengths are part of the signature.
    """
    if entry.stored or entry.tensors or list(arguments) != list(names):
        return None
    w = Writer()
    inputs = opened(w, entry, arguments, names, test)
    if inputs is None:
        return None
    for k, (n, value) in enumerate(arguments.items()):
        asked = ((axis, length(value, axis)) for path, axis in static if path == (n,))
        test_lengths(w, f"a{k}", sorted((axis, m) for axis, m in asked if m is not None))
    for k, fetch in enumerate(entry.hidden):
        w.lines.append(f"    h{k} = {w.name(fetch)}()")
        value = fetch()
        if not test(w, f"h{k}", value):
            return None
        if entry.shapes:
            test_lengths(w, f"h{k}", list(enumerate(np.shape(value))))
        inputs.append(f"h{k}")
    compare_lengths(w, entry.program.lengths, names)
    w.lines.append(f"    r = {w.name(entry.run)}({', '.join(inputs)})")
    result = _result(w, entry.program.output, entry.converters)
    if result is None:
        return None
    w.lines.append(f"    return {result}")
    return w.made()


def opened(
    w: Writer, entry: Any, arguments: dict[str, Any], names: tuple[str, ...], test_of: Callable
) -> list[str] | None:
    """Writes the head, the tests of arguments and the guards; the names of the program's inputs."""
    params = [f"a{k}" for k in range(len(names))]
    w.lines.append(f"def fast({', '.join(params)}):")
    for p, value in zip(params, arguments.values(), strict=True):
        if not test_of(w, p, value):
            return None
    places = {(n,): p for n, p in zip(names, params, strict=True)}
    if any(path not in places for path in entry.program.inputs):
        return None
    for guard in entry.program.guards:
        w.unless(_guard(w, guard))
    return [places[path] for path in entry.program.inputs]


def test_lengths(w: Writer, p: str, lengths: Sequence[tuple[int, int]]) -> None:
    """Writes the test of lengths that are part of the signature: pairs of axis and length."""
    if lengths:
        w.unless(" and ".join([f"{shape_name(p)}[{axis}] == {n}" for axis, n in lengths]))


def compare_lengths(w: Writer, lengths: Lengths | None, names: tuple[str, ...]) -> None:
    """Writes the test of equal lengths, after those of all kinds."""

    def shape_of(what: Any) -> str:
        return shape_name(f"h{what}" if isinstance(what, int) else f"a{names.index(what[0])}")

    if lengths is not None:
        w.unless(lengths.text(shape_of))


def shape_name(p: str) -> str:
    """The variable that holds the shape of an argument or captured value, or of its array."""
    return f"s_{p.partition('.')[0]}"


def test(w: Writer, p: str, value: Any) -> bool:
    """The kind of one argument; False if it is not a plain number or array."""
    if type(value) is np.ndarray:
        w.unless(f"type({p}) is ndarray and {p}.dtype is {w.name(value.dtype)}")
        ones = [n == 1 for n in value.shape]
        shape = shape_name(p)
        w.lines.append(f"    {shape} = {p}.shape")
        test = f"len({shape}) == {len(ones)}"
        for k, one in enumerate(ones):
            test += f" and {shape}[{k}] {'==' if one else '!='} 1"
        w.unless(test)
        contiguous = f"{p}.flags.c_contiguous"
        w.unless(contiguous if value.flags.c_contiguous else f"not {contiguous}")
        return True
    if is_number(value):
        w.unless(f"type({p}) is {w.name(type(value))}")
        return True
    return False


def _guard(w: Writer, guard: Any) -> str:
    quick = f"{w.name(guard.fetch)}() is {w.name(guard.value)}"
    if guard.scope is not None:
        quick = f"{w.name(guard.scope)}.get({guard.key[-1]!r}) is {w.name(guard.value)}"
    if guard.owner is not None:
        quick = f"{w.name(guard.owner)}.{guard.key[-1]} is {w.name(guard.value)}"
    return f"{quick} or {w.name(guard)}.holds()"


def _result(w: Writer, shape: Any, converters: list) -> str | None:
    """The result from the tuple `r` of a backend."""
    if isinstance(shape, Leaf):
        convert = converters[shape.k]
        if convert is None:
            return f"r[{shape.k}]"
        return f"{w.name(convert)}(r[{shape.k}])"
    return tuple_of(shape, lambda p: _result(w, p, converters))


def tuple_of(shape: Any, part: Callable[[Any], str | None]) -> str | None:
    if type(shape) is tuple:
        parts = [part(p) for p in shape]
        return None if any(p is None for p in parts) else f"({''.join(f'{p}, ' for p in parts)})"
    return "None" if shape is None else None
