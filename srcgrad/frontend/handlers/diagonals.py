"""Triangles and diagonals of matrices: tril, triu, diagonal, diag, trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import ranges
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axes_of
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import transpose, with_dims
from srcgrad.frontend.values import is_array
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
    (x,) = operands(it, node, (x,), "diagonal")
    if not is_array(x) or x.type.ndim < 2:
        it.refuse(node, "diag requires an array of at least two dimensions")
    i, j = axes_of(it, node, x, axis1)[0], axes_of(it, node, x, axis2)[0]
    if i == j:
        it.refuse(node, "axis1 and axis2 cannot be the same")
    b, source = it.b, x
    others = [k for k in range(x.type.ndim) if k not in (i, j)]
    x = transpose(it, node, x, [*others, i, j])
    k = it.static_int(offset, node, "the offset of a diagonal")
    n, m = x.type.dims[-2:]
    down, right = max(-k, 0), max(k, 0)
    length = b("minimum", b("sub", n, down) if down else n, b("sub", m, right) if right else m)
    places = b("iota", b.dim(b("maximum", length, 0) if k else length))
    rows = b("add", places, down) if down else places
    cols = b("add", places, right) if right else places
    rows, cols = (b.cast(v, Scalar("i64")) for v in (rows, cols))
    out = b("gather", x, rows, cols, spec=(*(":" for _ in others), "a", "a"))
    it.stands_for_view(out, source, "a diagonal", node)
    return out


@implements(np.trace, method="trace")
def trace(
    it: Any, node: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None,
    out: Any = None,
) -> Any:  # fmt: skip
    places = diagonal(it, node, x, offset, axis1, axis2)
    return it.call_numpy(np.sum, [places, -1, dtype, out], {}, node)


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
