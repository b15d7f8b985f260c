"""Matrix products: matmul, dot, outer, tensordot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.contraction_forms import LETTERS, best, is_grouped
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
    s = LETTERS[: a.type.ndim]
    t = list(LETTERS[a.type.ndim : a.type.ndim + c.type.ndim])
    for i, j in zip(left, right, strict=True):
        t[j] = s[i]
    summed = "".join(s[i] for i in left)
    wanted = "".join(k for k in (*s, *t) if k not in summed)
    return contracted(it, node, (a, c), (s, "".join(t)), summed, wanted)[0]


def contracted(
    it: Interpreter, node: Node, operands: tuple[Any, Any], terms: tuple[str, str], summed: str,
    wanted: str | None,
) -> tuple[Any, str]:  # fmt: skip
    """Sums over axes that two arrays share, by products of matrices, and the axes of the result.

    `terms` names the axes of each by a letter; they are in the `wanted` order, if there is one.
    """
    dims = {
        k: plain(n)
        for x, term in zip(operands, terms, strict=True)
        for k, n in zip(term, x.type.dims, strict=True)
    }
    contiguous = operands[0].type.layout == "C", operands[1].type.layout == "C"
    form = best(terms, summed, wanted, dims, contiguous)
    x, y = (
        _matrices(it, operands[k], terms[k], form.lead, groups, dims)
        for k, *groups in form.matrices()
    )
    z = product(it, node, x, y)
    lead, rest = z.type.dims[: len(form.lead)], form.rows + form.columns
    made = plain(reshaped(it, node, z, [*lead, *(dims[k] for k in rest)]))
    if wanted in (None, form.result) or not is_array(made):
        return made, form.result
    return transpose(it, node, made, [form.result.index(k) for k in wanted]), wanted


def _matrices(
    it: Interpreter, x: Any, term: str, lead: str, groups: Sequence[str], dims: dict[str, Any]
) -> Any:
    """An array as a stack of matrices with these groups of axes down and across."""
    b = it.b
    own = [k for k in lead if k in term]
    if not is_grouped(term, groups):
        x = _turned(it, x, [term.index(k) for k in (*own, *groups[0], *groups[1])])
        term = "".join((*own, *groups))
    # in memory: each letter of the stack, and the groups where they begin
    parts = sorted([*own, *groups], key=lambda part: (term.index(part), len(part)))
    if any(len(part) != 1 for part in groups):
        x = x if x.type.layout == "C" else b.copy(x)
        x = b.reshape(x, *(b.size([dims[k] for k in part]) for part in parts))
    x = _turned(it, x, [parts.index(part) for part in (*own, *groups)])
    if len(own) == len(lead):
        return x
    x = b.view(x, spec=(*(":" if k in own else "n" for k in lead), ":", ":"))
    return b.broadcast_to(x, *(dims[k] for k in lead), *x.type.dims[-2:])


def _turned(it: Interpreter, x: Any, order: list[int]) -> Any:
    return x if order == sorted(order) else it.b.transpose(x, perm=tuple(order))


@implements(np.linalg.outer)
def outer_of_vectors(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = pair(it, node, a, c, "outer")
    if not (is_array(a) and is_array(c) and a.type.ndim == c.type.ndim == 1):
        it.refuse(node, "np.linalg.outer takes two vectors", "use np.outer", like=ValueError)
    return outer(it, node, a, c)


implements(np.linalg.matmul)(matmul)
implements(np.linalg.tensordot)(tensordot)
