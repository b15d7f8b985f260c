"""Triangles and diagonals of matrices: tril, triu, diagonal, diag."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import ranges
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import with_dims
from srcgrad.ir.types import Scalar


def _triangle(name: str, f: Any) -> None:
    def handler(it: Any, node: Any, x: Any, k: Any = 0) -> Any:
        (x,) = operands(it, node, (x,), name)
        rows, cols = ranges(it, *x.type.dims[-2:])
        inside = it.b("ge" if name == "tril" else "le", it.b("add", rows, k), cols)
        return it.emit(node, "where", inside, x, 0)

    implements(f)(handler)


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@implements(np.diagonal, method="diagonal")
def diagonal(it: Any, node: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    if x.type.ndim != 2 or (axis1, axis2) != (0, 1):
        it.refuse(node, "the diagonal of an array that is not a matrix is not supported")
    b = it.b
    k = it.static_int(offset, node, "the offset of a diagonal")
    n, m = x.type.dims
    down, right = max(-k, 0), max(k, 0)
    length = b("minimum", b("sub", n, down) if down else n, b("sub", m, right) if right else m)
    places = b("iota", b.dim(b("maximum", length, 0) if k else length))
    rows = b("add", places, down) if down else places
    cols = b("add", places, right) if right else places
    rows, cols = (b.cast(v, Scalar("i64")) for v in (rows, cols))
    out = b("gather", x, rows, cols, spec=("a", "a"))
    it.stands_for_view(out, x, "a diagonal", node)
    return out


@implements(np.diag)
def diag(it: Any, node: Any, x: Any, k: Any = 0) -> Any:
    (x,) = operands(it, node, (x,), "diag")
    if x.type.ndim == 2:
        return diagonal(it, node, x, k)
    b = it.b
    offset = it.static_int(k, node, "the offset of a diagonal")
    n = x.type.dims[0]
    size = b.dim(b("add", n, abs(offset)))
    rows, cols = ranges(it, size, size)
    if offset:
        # shift the vector to where its row begins
        pad = b("zeros", abs(offset), dtype=x.type.dtype)
        x = b("concatenate", *((x, pad) if offset > 0 else (pad, x)), axis=0)
        x = with_dims(it, x, (size,))
    column = b("view", x, spec=(":", "n"))
    return b("where", b("eq", b("add", rows, offset), cols), column, 0)
