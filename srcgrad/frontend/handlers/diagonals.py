"""Triangles and diagonals of matrices: tril, triu, diagonal, trace, diag."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import ranges
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axis_of
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.handlers.shapes import moveaxis, transpose, with_dims
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.snapshots import DIAGONAL
from srcgrad.frontend.values import is_array, is_number, plain
from srcgrad.ir.types import Scalar

C_INT = 2**31 - 1


def _triangle(name: str, f: Any) -> None:
    def handler(it: Interpreter, node: Node, x: Any, k: Any = 0) -> Any:
        (x,) = operands(it, node, (x,), name)
        if not is_array(x) or not x.type.dims:
            it.refuse(node, f"{name} takes an array with axes", like=TypeError)
        rows, cols = ranges(it, x.type.dims[-2:][0], x.type.dims[-1])  # a vector is every row
        compared = it.b.ge if name == "tril" else it.b.le
        if is_number(plain(k)) and abs(plain(k)) <= C_INT:
            inside = compared(it.b.add(rows, k), cols)
        else:  # a sum with any integer could wrap around
            inside = compared(k, it.b.sub(cols, rows))
        return it.emit(node, "where", inside, x, it.b.cast(0, Scalar(x.type.dtype)))

    implements(f)(handler)


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@implements(np.diagonal, method="diagonal")
def diagonal(
    it: Interpreter, node: Node, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1
) -> Any:
    """The diagonal of two axes, as the last one of the result."""
    (x,) = operands(it, node, (x,), "a diagonal")
    if not is_array(x) or x.type.ndim < 2:
        it.refuse(node, "a diagonal takes an array of at least two axes", like=ValueError)
    pair = [axis_of(it, node, x, axis) for axis in (axis1, axis2)]
    if pair[0] == pair[1]:
        it.refuse(node, "axis1 and axis2 cannot be the same", like=ValueError)
    b = it.b
    k = it.static_int(offset, node, "the offset of a diagonal")
    if not -C_INT - 1 <= k <= C_INT:
        it.wrong(node, "Python int too large to convert to C int", OverflowError)
    n, m = (x.type.dims[axis] for axis in pair)
    down, right = max(-k, 0), max(k, 0)
    length = b.minimum(b.sub(n, down) if down else n, b.sub(m, right) if right else m)
    places = b.iota(b.dim(b.maximum(length, 0) if k else length))
    rows = b.add(places, down) if down else places
    cols = b.add(places, right) if right else places
    rows, cols = (b.cast(v, Scalar("i64")) for v in (rows, cols))
    others = [axis for axis in range(x.type.ndim) if axis not in pair]
    order = [*pair, *others]
    first = x if order == sorted(order) else transpose(it, node, x, order)
    out = b.gather(first, rows, cols, spec=("a", "a", *(":" for _ in others)))
    out = moveaxis(it, node, out, 0, -1) if others else out
    it.stands_for_view(out, x, DIAGONAL, node)
    return out


@method("array", "trace")
def trace(it: Interpreter, node: Node, /, x: Any, *args: Any, **kwargs: Any) -> Any:
    return it.call_numpy(np.trace, [x, *args], kwargs, node)


@implements(np.diag)
def diag(it: Interpreter, node: Node, x: Any, k: Any = 0) -> Any:
    (x,) = operands(it, node, (x,), "diag")
    if not is_array(x) or x.type.ndim not in (1, 2):
        it.refuse(node, "diag takes a vector or a matrix", like=ValueError)
    if x.type.ndim == 2:
        return diagonal(it, node, x, k)
    b = it.b
    offset = it.static_int(k, node, "the offset of a diagonal")
    n = x.type.dims[0]
    size = b.dim(b.add(n, abs(offset)))
    rows, cols = ranges(it, size, size)
    if offset:
        # shift the vector to where its row begins
        pad = b.zeros(abs(offset), dtype=x.type.dtype)
        x = b.concatenate(*((x, pad) if offset > 0 else (pad, x)), axis=0)
        x = with_dims(it, x, (size,))
    column = b.view(x, spec=(":", "n"))
    zero = b.cast(0, Scalar(x.type.dtype))
    return b.where(b.eq(b.add(rows, offset), cols), column, zero)
