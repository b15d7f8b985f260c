"""Matrix products: matmul, dot, outer, tensordot."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands, to_out
from srcgrad.frontend.handlers.reductions import place_of_axis, sum_
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel, reshaped, transpose
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_value, ndim, plain
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, is_complex, join_scalars, np_dtype, same_dims


def pair(it: Interpreter, node: Node, a: Any, c: Any, what: str) -> tuple[Any, Any]:
    a, c = operands(it, node, (a, c), what)
    # both are converted to arrays first: a Python number is float64 or int64
    kinds = [Scalar(atom(v).type.dtype) for v in (a, c)]
    if all(k.dtype == "bool" for k in kinds):
        it.refuse(node, f"{what} of booleans is not supported", "use .astype(int)")
    kind = join_scalars(*kinds)
    return it.b.cast(a, kind), it.b.cast(c, kind)


def meet(it: Interpreter, node: Node, m: Any, n: Any) -> None:
    """Checks that the summed axes of a product have one length."""
    if m is n:
        return
    if not isinstance(m, Var) and not isinstance(n, Var):
        if m != n:
            it.refuse(
                node,
                f"shapes not aligned: {m} (dim of the left) != {n} (dim of the right)",
                like=ValueError,
            )
        return
    it.b.check_equal(
        m,
        n,
        message="shapes not aligned: {} (dim of the left) != {} (dim of the right)",
    )


@implements(np.matmul)
def matmul(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    if (is_value(a) and not ndim(a)) or (is_value(c) and not ndim(c)):
        it.wrong(node, "matmul does not take numbers", ValueError, "use * instead")
    return product(it, node, *pair(it, node, a, c, "matmul"))


@implements(np.dot, method="dot")
def dot(it: Interpreter, node: Node, a: Any, c: Any, out: Any = None) -> Any:
    a, c = pair(it, node, a, c, "dot")
    if not ndim(a) or not ndim(c):
        return to_out(it, node, it.emit(node, "mul", a, c), out)
    if a.type.ndim > 2 or c.type.ndim > 2:
        return to_out(
            it, node, tensordot(it, node, a, c, ([-1], [-2 if c.type.ndim > 1 else 0])), out
        )
    return to_out(it, node, product(it, node, a, c), out)


def product(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    """The matrix product of vectors, matrices and stacks of matrices."""
    b = it.b
    if a.type.dtype[0] in "iub":
        return _product_of_integers(it, node, a, c)
    match a.type.ndim, c.type.ndim:
        case 1, 1:
            meet(it, node, a.type.dims[0], c.type.dims[0])
            return b.vecdot(a, c)
        case 2, 1:
            meet(it, node, a.type.dims[1], c.type.dims[0])
            return b.matvec(a, c)
        case 1, 2:
            meet(it, node, a.type.dims[0], c.type.dims[0])
            return b.matvec(b.transpose(c, perm=(1, 0)), a)
        case 2, 2:
            meet(it, node, a.type.dims[1], c.type.dims[0])
            return b.matmul(a, c)
    return _stacked_product(it, node, a, c)


def _stacked_product(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    """Stacks of matrices; times one matrix or vector, as one product of all rows."""
    b = it.b
    if a.type.ndim == 1:
        row = b.view(a, spec=("n", ":"))
        y = _stacked_product(it, node, row, c)
        return b.view(y, 0, spec=(*(":",) * (y.type.ndim - 2), "i", ":"))
    if c.type.ndim <= 2:
        *rows, n = a.type.dims
        x = a if a.type.layout == "C" else b.copy(a)
        y = product(it, node, b.reshape(x, b.size(rows), n), c)
        return b.reshape(y, *rows, *c.type.dims[1:])
    meet(it, node, a.type.dims[-1], c.type.dims[-2])
    lead = b.broadcast([a.type.dims[:-2], c.type.dims[:-2]])
    if not same_dims(a.type.dims[:-2], lead):
        a = b.broadcast_to(a, *lead, *a.type.dims[-2:])
    if not same_dims(c.type.dims[:-2], lead):
        c = b.broadcast_to(c, *lead, *c.type.dims[-2:])
    return b.matmul(a, c)


def _product_of_integers(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    """The product of integers, which BLAS does not have: multiplies and sums."""
    b = it.b
    meet(it, node, a.type.dims[-1], c.type.dims[-2 if c.type.ndim > 1 else 0])
    left = b.view(a, spec=(":",) * a.type.ndim + ("n",)) if c.type.ndim > 1 else a
    right = (
        b.view(c, spec=(":",) * (c.type.ndim - 2) + ("n", ":", ":"))
        if (c.type.ndim > 1 and a.type.ndim > 1)
        else c
    )
    kind = np_dtype(a.type.dtype)  # np.sum would widen it
    axis = -2 if c.type.ndim > 1 else -1
    return sum_(it, node, b.mul(left, right), axis=axis, dtype=kind)


@implements(np.vdot)
def vdot(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = pair(it, node, a, c, "vdot")
    a = it.call_numpy(np.conj, [a], {}, node) if is_complex(atom(a).type.dtype) else a
    return product(it, node, ravel(it, node, a), ravel(it, node, c))


@implements(np.inner)
def inner(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = pair(it, node, a, c, "inner")
    if not ndim(a) or not ndim(c):
        return it.emit(node, "mul", a, c)
    return tensordot(it, node, a, c, ([-1], [-1]))


@implements(np.outer)
def outer(it: Interpreter, node: Node, a: Any, c: Any, out: Any = None) -> Any:
    a, c = pair(it, node, a, c, "outer")
    a, c = (ravel(it, node, v) if is_array(v) else it.b.broadcast_to(v, 1) for v in (a, c))
    column, row = it.b.view(a, spec=(":", "n")), it.b.view(c, spec=("n", ":"))
    return to_out(it, node, it.emit(node, "mul", column, row), out)


@implements(np.tensordot)
def tensordot(it: Interpreter, node: Node, a: Any, c: Any, axes: Any = 2) -> Any:
    a, c = pair(it, node, a, c, "tensordot")
    if not ndim(a) or not ndim(c):
        if axes != 0:
            it.refuse(
                node, "tensordot of a number sums over no axes", "pass axes=0", like=IndexError
            )
        return it.emit(node, "mul", a, c)
    if not isinstance(axes, tuple | list):
        n = it.static_int(axes, node, "axes")
        left, right = list(range(a.type.ndim - n, a.type.ndim)), list(range(n))
    else:
        left, right = (list(x) if isinstance(x, tuple | list) else [x] for x in axes)
    left = [place_of_axis(it, node, k, a.type.ndim) for k in left]
    right = [place_of_axis(it, node, k, c.type.ndim) for k in right]
    for i, j in zip(left, right, strict=True):
        meet(it, node, a.type.dims[i], c.type.dims[j])
    return contracted(it, node, a, c, left, right)


def contracted(
    it: Interpreter, node: Node, a: Any, c: Any, left: list[int], right: list[int],
    along: tuple[list[int], list[int]] = ([], []),
) -> Any:  # fmt: skip
    """Sums over pairs of axes, as one product of matrices; of stacks of them `along` other pairs.

    The axes of the result: those along which it went, the others of `a`, the others of `c`.
    """
    b = it.b
    free_a = [k for k in range(a.type.ndim) if k not in (*left, *along[0])]
    free_c = [k for k in range(c.type.ndim) if k not in (*right, *along[1])]
    lead_a = [a.type.dims[k] for k in along[0]]
    lead_c = [c.type.dims[k] for k in along[1]]
    inner_size = b.size([a.type.dims[k] for k in left])
    rows = [a.type.dims[k] for k in free_a]
    cols = [c.type.dims[k] for k in free_c]
    x = _matrices(it, node, a, [*along[0], *free_a, *left], [*lead_a, b.size(rows), inner_size])
    y = _matrices(it, node, c, [*along[1], *right, *free_c], [*lead_c, inner_size, b.size(cols)])
    z = product(it, node, x, y)
    return plain(reshaped(it, node, z, [*z.type.dims[:-2], *rows, *cols]))


def _matrices(it: Interpreter, node: Node, x: Any, order: list[int], dims: list[Any]) -> Any:
    """An array with its axes in this order and these lengths, itself if it has them."""
    if order != sorted(order):
        x = transpose(it, node, x, order)
    return x if same_dims(x.type.dims, tuple(dims)) else reshaped(it, node, x, dims)


@implements(np.linalg.outer)
def outer_of_vectors(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = pair(it, node, a, c, "outer")
    if not (is_array(a) and is_array(c) and a.type.ndim == c.type.ndim == 1):
        it.refuse(node, "np.linalg.outer takes two vectors", "use np.outer", like=ValueError)
    return outer(it, node, a, c)


implements(np.linalg.matmul)(matmul)
implements(np.linalg.tensordot)(tensordot)
