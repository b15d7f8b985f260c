"""The fast path of calls with tensors: one generated function per signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from srcgrad.bridge.kernel import kernel_of
from srcgrad.eager.inplace import touched
from srcgrad.frontend.guards import Hidden, Path, Writer
from srcgrad.transforms.fast_path import FastPath
from srcgrad.transforms.value_tests import Kind
from srcgrad.transforms.weights import none_active


def tensor_path(
    entry: Any, arguments: dict[str, Any], names: tuple[str, ...], by: tuple, trained: tuple
) -> Callable | None:
    """The function for calls with tensors like this one; None where the general path is needed.

    `by`: the functions that run the kernel, finish a result, and may decline.

    A step stores to the Parameters `trained`.
    """
    if any([g.test.shape is not None for g in entry.inputs]) or list(arguments) != list(names):
        return None
    w = FastPath(names)
    if not all([_write(v, w, w.at[n,]) for n, v in arguments.items()]):
        return None
    if by[2] is not None:
        w.unless(f"{w.name(by[2])}()")
    hidden = entry.program.hidden
    if any([h.parameter is not None and h.tensor is None for h in hidden]):
        w.unless(f"{w.name(none_active)}()")
    places = [_place(h, trained) for h in hidden]
    inputs = w.read(entry, [(p, partial(_write, p.fetch())) for p in places])
    if inputs is None:
        return None
    run, kernel = w.name(entry.run), w.name(kernel_of(entry))
    w.lines.append(f"x = ({''.join(f'{i}, ' for i in inputs)})")
    if entry.stored:
        entry.apart.write(w, "x")
    w.lines.append(f"r = {w.name(by[0])}({kernel}, x, {run})")
    if trained:
        w.lines.append(f"{w.name(touched)}({w.name(trained)})")
    done = f"{w.name(by[1])}({w.name(entry)}, x, "
    return w.made(entry.program.output, lambda k: f"{done}{k}, r[{k}])")


def _place(h: Hidden, trained: tuple) -> Path:
    """The place of a captured tensor, or of its value where nothing is recorded."""
    stored = trained and h.parameter is not None
    return h.path if stored or h.tensor is None else h.tensor


def _write(value: Any, w: Writer, p: str) -> bool:
    """Writes the test of the kind of a value, which may be a tensor; False if it has no text."""
    if not hasattr(type(value), "srcgrad_value"):
        return Kind.of(value).write(w, p)
    w.unless(f"type({p}) is {w.name(type(value))}")
    return Kind.of(value._a).write(w, f"{p}._a")
