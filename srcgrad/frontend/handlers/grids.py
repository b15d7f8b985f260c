"""Grids written with brackets: np.mgrid, np.ogrid."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.index_arrays import as_slice
from srcgrad.frontend.handlers.index_tricks import ranged
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.ir.types import Scalar, join_scalars


def _line(it: Interpreter, node: Node, part: Any) -> Any:
    part = as_slice(part)
    if part is None or part.upper is None:
        it.refuse(node, "a grid is made of slices with an end")
    return ranged(it, node, part)


def _lines(it: Interpreter, node: Node, items: tuple) -> list[Any]:
    """One line per axis, in their common dtype."""
    lines = [_line(it, node, part) for part in items]
    kind = Scalar(lines[0].type.dtype)
    for line in lines[1:]:
        kind = join_scalars(kind, Scalar(line.type.dtype))
    lines = [it.b.cast(line, kind) for line in lines]
    n = len(lines)
    specs = [tuple(":" if a == k else "n" for a in range(n)) for k in range(n)]
    return [it.b.view(line, spec=s) for line, s in zip(lines, specs, strict=True)]


@implements(np.mgrid)
def mgrid(it: Interpreter, node: Node, *items: Any) -> Any:
    lines = _lines(it, node, items)
    if len(lines) == 1:
        return lines[0]
    dims = [line.type.dims[k] for k, line in enumerate(lines)]
    sheets = [it.b.broadcast_to(line, *dims) for line in lines]
    return it.call_numpy(np.stack, [sheets], {}, node)


@implements(np.ogrid)
def ogrid(it: Interpreter, node: Node, *items: Any) -> Any:
    lines = _lines(it, node, items)
    return tuple(lines) if len(lines) > 1 else lines[0]
