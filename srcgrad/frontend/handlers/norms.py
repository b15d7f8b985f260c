"""Norms of vectors and matrices by their definitions; matrix norms of order 2 by singular values.

At zero a norm has derivative 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas import matrices as formulas
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import (
    axes_of,
    floats,
    keep,
    largest_of,
    reduce,
    root,
    squared_size,
    sum_,
)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.powers import to_power
from srcgrad.frontend.values import describe, is_integer, is_number, is_scalar, ndim, plain
from srcgrad.ir.types import Scalar, real_dtype

ENTRYWISE = (None, "fro")
# orders of vector norms with formulas of their own; floats have no derivative there
OF_INTEGERS = (0, 1, 2)
OF_FLOATS = (math.inf, -math.inf, 0)


@implements(np.linalg.norm)
def norm(
    it: Interpreter, node: Node, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    (x,) = operands(it, node, (x,), "norm")
    x = floats(it, x)
    axes = axes_of(it, node, x, axis)  # sorted, while the order matters for matrices
    if len(axes) not in (1, 2) and (axis is not None or ord is not None):
        it.refuse(node, "Improper number of dimensions to norm.", like=ValueError)
    if ord is None:
        return _euclidean(it, node, x, axis, keepdims)
    if len(axes) == 1:
        return _vector_norm(it, node, x, ord, axis, keepdims)
    ord = it.static_number(ord, node, "the order of a norm of matrices")
    rows, columns = axes if axis is None else (int(k) % x.type.ndim for k in axis)
    return _matrix_norm(it, node, x, ord, (rows, columns), keepdims)


@implements(np.linalg.vector_norm)
def vector_norm(
    it: Interpreter, node: Node, x: Any, *, axis: Any = None, keepdims: Any = False, ord: Any = 2
) -> Any:
    (x,) = operands(it, node, (x,), "vector_norm")
    if ndim(x) == 0 and axis not in (None, ()):  # `reduce` takes the axis 0 of a number
        it.wrong(node, f"axis {axis} is out of bounds for a number", np.exceptions.AxisError)
    return _vector_norm(it, node, floats(it, x), ord, axis, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(
    it: Interpreter, node: Node, x: Any, *, keepdims: Any = False, ord: Any = "fro"
) -> Any:
    return norm(it, node, x, ord, (-2, -1), keepdims)


def _vector_norm(it: Interpreter, node: Node, x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The norm over all axes at once; a run-time float `ord` branches on its special values."""
    if isinstance(ord, str):
        return it.refuse(node, f"Invalid norm order '{ord}' for vectors", like=ValueError)
    if not is_scalar(ord):
        return it.refuse(node, f"Invalid norm order for vectors: {describe(ord)}", like=ValueError)
    if is_number(ord):
        return _of_order(it, node, x, ord, axis, keepdims)
    special = OF_INTEGERS if is_integer(ord) else OF_FLOATS

    def otherwise(k: int) -> Any:
        if k == len(special):
            return _general(it, node, x, ord, axis, keepdims)
        return it.branch(
            plain(it.b.eq(ord, special[k])),
            lambda: _of_order(it, node, x, special[k], axis, keepdims),
            lambda: otherwise(k + 1),
            node,
            live_rest=True,
        )

    return otherwise(0)


def _of_order(it: Interpreter, node: Node, x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    b = it.b
    if ord == 2:
        return _euclidean(it, node, x, axis, keepdims)
    size = b.abs(x)
    if ord == math.inf:
        return _largest(it, node, size, axis, keepdims)
    if ord == -math.inf:
        return reduce(it, node, "min", size, axis, keepdims)
    if ord == 0:
        count = b.cast(b.ne(x, 0), Scalar(real_dtype(x.type.dtype)))
        return sum_(it, node, count, axis, keepdims=keepdims)
    if ord == 1:
        return reduce(it, node, "sum", size, axis, keepdims)
    return _general(it, node, x, ord, axis, keepdims)


def _general(it: Interpreter, node: Node, x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """(Σ |x|^p)^(1/p); its derivative where the sum is 0 is defined as 0."""
    b = it.b
    total = reduce(it, node, "sum", to_power(it, b.abs(x), ord, node), axis, keepdims)
    zero, inverse = b.eq(total, 0.0), plain(b.div(1.0, ord))
    there = b.stop_gradient(to_power(it, total, inverse, node))
    return plain(b.where(zero, there, to_power(it, b.where(zero, 1.0, total), inverse, node)))


def _matrix_norm(
    it: Interpreter, node: Node, x: Any, ord: Any, axes: tuple[int, int], keepdims: Any
) -> Any:
    """The norm of matrices; `axes` are that of the rows and that of the columns."""
    if ord in ENTRYWISE:
        return _euclidean(it, node, x, axes, keepdims)
    if ord in (2, -2, "nuc"):
        return it.call(formulas.spectral_norm, [x, ord, axes, bool(keepdims)], {}, node)
    if ord not in (1, -1, math.inf, -math.inf):
        it.refuse(node, f"Invalid norm order {ord!r} for matrices", like=ValueError)
    first, then = axes if abs(ord) == 1 else axes[::-1]
    sums = reduce(it, node, "sum", it.b.abs(x), first, False)
    then -= 1 if then > first else 0
    if ord > 0:
        best = _largest(it, node, sums, then, False)
    else:
        best = reduce(it, node, "min", sums, then, False)
    return keep(it, x, best, tuple(sorted(axes)), keepdims)


def _largest(it: Interpreter, node: Node, x: Any, axis: Any, keepdims: Any) -> Any:
    if formulas.EMPTY_HAS_A_NORM:
        return largest_of(it, node, x, axis, keepdims)
    return reduce(it, node, "max", x, axis, keepdims)


def _euclidean(it: Interpreter, node: Node, x: Any, axis: Any, keepdims: Any) -> Any:
    return root(it, reduce(it, node, "sum", squared_size(it, x), axis, keepdims))
