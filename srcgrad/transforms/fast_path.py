"""A thin way from a call to compiled code: one generated function per signature.

It tests the kinds of positional arguments and the guards, calls the kernel and builds the result;
anything else it leaves to the general way by returning MISS. Never compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.inplace import touched
from srcgrad.frontend.trace import Leaf
from srcgrad.frontend.values import is_number
from srcgrad.transforms.weights import none_active

MISS = object()
MOST_FAST = 4  # signatures with a fast path of their own


class _Writer:
    """Collects the lines of the function and the objects that they mention."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {"MISS": MISS, "ndarray": np.ndarray}
        self.lines: list[str] = []

    def name(self, value: Any) -> str:
        name = f"v{len(self.scope)}"
        self.scope[name] = value
        return name

    def unless(self, condition: str) -> None:
        self.lines.append(f"    if not ({condition}): return MISS")


def fast_path(entry: Any, arguments: dict[str, Any], names: tuple[str, ...]) -> Callable | None:
    """The function for calls like this one; None where an argument is a container or static."""
    if entry.stored or entry.shapes or entry.tensors or list(arguments) != list(names):
        return None
    w = _Writer()
    inputs = _opened(w, entry, arguments, names, _test)
    if inputs is None:
        return None
    for k, fetch in enumerate(entry.hidden):
        w.lines.append(f"    h{k} = {w.name(fetch)}()")
        if not _test(w, f"h{k}", fetch()):
            return None
        inputs.append(f"h{k}")
    w.lines.append(f"    r = {w.name(entry.run)}({', '.join(inputs)})")
    result = _result(w, entry.program.output, entry.converters)
    if result is None:
        return None
    w.lines.append(f"    return {result}")
    exec(compile("\n".join(w.lines), "<srcgrad fast path>", "exec"), w.scope)
    return w.scope["fast"]


def _opened(
    w: _Writer, entry: Any, arguments: dict[str, Any], names: tuple[str, ...], test: Callable
) -> list[str] | None:
    """Writes the head, the tests of arguments and the guards; the names of the program's inputs."""
    params = [f"a{k}" for k in range(len(names))]
    w.lines.append(f"def fast({', '.join(params)}):")
    for p, value in zip(params, arguments.values(), strict=True):
        if not test(w, p, value):
            return None
    places = {(n,): p for n, p in zip(names, params, strict=True)}
    if any(path not in places for path in entry.program.inputs):
        return None
    for guard in entry.program.guards:
        w.unless(_guard(w, guard))
    return [places[path] for path in entry.program.inputs]


def tensor_path(
    entry: Any, arguments: dict[str, Any], names: tuple[str, ...], by: tuple, trained: tuple
) -> Callable | None:
    """The same for calls with tensors; `by` runs the kernel, finishes results, may say no.

    A step stores to the Parameters `trained`.
    """
    if entry.shapes:
        return None
    w = _Writer()
    inputs = _opened(w, entry, arguments, names, _test_tensor)
    if inputs is None:
        return None
    if by[2] is not None:
        w.unless(f"{w.name(by[2])}()")
    for k, hidden in enumerate(entry.program.hidden):
        fetch = hidden.fetch if trained and hidden.parameter is not None else hidden.tensor
        fetch = fetch or hidden.fetch
        if hidden.parameter is not None and hidden.tensor is None:
            w.unless(f"{w.name(none_active)}()")
        w.lines.append(f"    h{k} = {w.name(fetch)}()")
        if not _test_tensor(w, f"h{k}", fetch()):
            return None
        inputs.append(f"h{k}")
    run, kernel = w.name(entry.run), w.name(entry.kernel)
    w.lines.append(f"    x = ({''.join(f'{i}, ' for i in inputs)})")
    if entry.stored:
        w.unless(f"{w.name(entry.apart)}(x)")
    w.lines.append(f"    r = {w.name(by[0])}({kernel}, x, {run})")
    if trained:
        w.lines.append(f"    {w.name(touched)}({w.name(trained)})")
    result = _template(
        entry.program.output, f"{w.name(by[1])}({w.name(entry)}, x, {{0}}, r[{{0}}])"
    )
    if result is None:
        return None
    w.lines.append(f"    return {result}")
    exec(compile("\n".join(w.lines), "<srcgrad fast path>", "exec"), w.scope)
    return w.scope["fast"]


def _test_tensor(w: _Writer, p: str, value: Any) -> bool:
    """The kind of one argument, which may be a tensor; False if it is not a plain one."""
    if not hasattr(type(value), "srcgrad_value"):
        return _test(w, p, value)
    w.unless(f"type({p}) is {w.name(type(value))}")
    return _test(w, f"{p}._a", value._a)


def _test(w: _Writer, p: str, value: Any) -> bool:
    """The kind of one argument; False if it is not a plain number or array."""
    if type(value) is np.ndarray:
        w.unless(f"type({p}) is ndarray and {p}.dtype is {w.name(value.dtype)}")
        ones = [n == 1 for n in value.shape]
        shape = f"{p}.shape"
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


def _guard(w: _Writer, guard: Any) -> str:
    quick = f"{w.name(guard.fetch)}() is {w.name(guard.value)}"
    if guard.scope is not None:
        quick = f"{w.name(guard.scope)}.get({guard.key[-1]!r}) is {w.name(guard.value)}"
    if guard.owner is not None:
        quick = f"{w.name(guard.owner)}.{guard.key[-1]} is {w.name(guard.value)}"
    return f"{quick} or {w.name(guard)}.holds()"


def _result(w: _Writer, shape: Any, converters: list) -> str | None:
    """The result from the tuple `r` of a backend."""
    if isinstance(shape, Leaf):
        convert = converters[shape.k]
        if convert is None:
            return f"r[{shape.k}]"
        return f"{w.name(convert)}(r[{shape.k}])"
    return _tuple(shape, lambda p: _result(w, p, converters))


def _template(shape: Any, leaf: str) -> str | None:
    """The result by a text with the number of each leaf in it."""
    if isinstance(shape, Leaf):
        return leaf.format(shape.k)
    return _tuple(shape, lambda p: _template(p, leaf))


def _tuple(shape: Any, part: Callable[[Any], str | None]) -> str | None:
    if type(shape) is tuple:
        parts = [part(p) for p in shape]
        return None if any(p is None for p in parts) else f"({''.join(f'{p}, ' for p in parts)})"
    return "None" if shape is None else None
