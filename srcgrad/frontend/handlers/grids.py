"""What is written with brackets: np.mgrid, np.ogrid, np.r_, np.c_, np.s_."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import arange, linspace
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.joins import joined
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import Slice, is_array
from srcgrad.ir.types import Scalar, join_scalars


def _line(it: Any, node: Any, part: Any) -> Any:
    """The numbers that a slice stands for; a step of 5j asks for five, both ends included."""
    if isinstance(part, slice):
        part = Slice(part.start, part.stop, part.step)
    if not isinstance(part, Slice) or part.upper is None:
        it.refuse(node, "a grid is made of slices with an end")
    start = 0 if part.lower is None else part.lower
    if isinstance(part.step, complex):
        return linspace(it, node, start, part.upper, int(abs(part.step)))
    return arange(it, node, start, part.upper, 1 if part.step is None else part.step)


def _lines(it: Any, node: Any, items: tuple) -> list[Any]:
    """One line per axis, in their common dtype."""
    lines = [_line(it, node, part) for part in items]
    kind = Scalar(lines[0].type.dtype)
    for line in lines[1:]:
        kind = join_scalars(kind, Scalar(line.type.dtype))
    lines = [it.b.cast(line, kind) for line in lines]
    n = len(lines)
    specs = [tuple(":" if a == k else "n" for a in range(n)) for k in range(n)]
    return [it.b("view", line, spec=s) for line, s in zip(lines, specs, strict=True)]


@implements(np.mgrid)
def mgrid(it: Any, node: Any, *items: Any) -> Any:
    lines = _lines(it, node, items)
    if len(lines) == 1:
        return lines[0]
    dims = [line.type.dims[k] for k, line in enumerate(lines)]
    sheets = [it.b("broadcast_to", line, *dims) for line in lines]
    return it.call_numpy(np.stack, [sheets], {}, node)


@implements(np.ogrid)
def ogrid(it: Any, node: Any, *items: Any) -> Any:
    lines = _lines(it, node, items)
    return tuple(lines) if len(lines) > 1 else lines[0]


@implements(np.r_)
def rows(it: Any, node: Any, *items: Any) -> Any:
    """Slices, numbers and vectors one after the other."""
    return joined(it, node, _parts(it, node, items, "r_"), 0)


@implements(np.c_)
def columns(it: Any, node: Any, *items: Any) -> Any:
    """The same side by side: vectors are columns."""
    parts = []
    for x in _parts(it, node, items, "c_"):
        parts.append(it.b("view", x, spec=(":", "n")) if x.type.ndim == 1 else x)
    return joined(it, node, parts, parts[0].type.ndim - 1)


def _parts(it: Any, node: Any, items: tuple, what: str) -> list[Any]:
    if any(isinstance(part, str) for part in items):
        it.refuse(node, f"np.{what} with a string is not supported", "use np.concatenate")
    made = []
    for part in items:
        if isinstance(part, Slice | slice):
            made.append(_line(it, node, part))
            continue
        (x,) = operands(it, node, (part,), f"np.{what}")
        made.append(x if is_array(x) and x.type.dims else it.b("broadcast_to", it.strong(x), 1))
    return made


@implements(np.s_, np.index_exp)
def index(it: Any, node: Any, *items: Any) -> Any:
    return items[0] if len(items) == 1 else items
