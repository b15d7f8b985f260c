"""Orderings and interpolation: sort, argsort, searchsorted, interp."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import arrays, histograms  # noqa: F401 (histograms registers)
from srcgrad.frontend.formulas.calculus import interpolated
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axis_of, vector
from srcgrad.frontend.handlers.registry import followed, implements, method
from srcgrad.frontend.handlers.shapes import ravel
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_int, join_scalars, same_dims


def _check_kind(it: Interpreter, node: Node, kind: Any, order: Any) -> None:
    """Refuses what no way to sort is called, and the fields of an array that has none."""
    if kind is not None and not isinstance(kind, str):
        it.wrong(node, "sort kind must be a string", TypeError)
    if order is not None:
        said = "Cannot specify order when the array has no fields."
        it.wrong(node, said, ValueError)


@implements(np.argsort, method="argsort")
def argsort(
    it: Interpreter, node: Node, x: Any, axis: Any = -1, kind: Any = None, order: Any = None, *,
    stable: Any = None,
) -> Any:  # fmt: skip
    _check_kind(it, node, kind, order)
    (x,) = operands(it, node, (x,), "argsort")
    x = vector(it, x)
    if axis is None:
        x, axis = ravel(it, node, x), -1
    k = axis_of(it, node, x, axis)
    return it.b.argsort(x, axis=k)


def along(it: Interpreter, x: Any, places: Any, axis: int) -> Any:
    """Elements of `x` at places along one axis (take_along_axis)."""
    b, n = it.b, x.type.ndim
    own = tuple(places.type.dims[a] if a == axis else d for a, d in enumerate(x.type.dims))
    dims = b.broadcast([places.type.dims, own])
    idx = []
    for a, d in enumerate(own):
        if a == axis:
            line = places
        else:
            line = b.view(b.iota(d), spec=tuple(":" if c == a else "n" for c in range(n)))
        idx.append(line if same_dims(line.type.dims, dims) else b.broadcast_to(line, *dims))
    return b.gather(x, *idx, spec=("a",) * n)


@implements(np.take_along_axis)
def take_along_axis(it: Interpreter, node: Node, x: Any, indices: Any, axis: Any) -> Any:
    x, indices = operands(it, node, (x, indices), "take_along_axis")
    if axis is None:
        x, axis = ravel(it, node, x), 0
    if not is_array(x) or not is_array(indices) or x.type.ndim != indices.type.ndim:
        text = "the indices of take_along_axis have as many axes as the array"
        it.refuse(node, text, like=ValueError)
    if not is_int(indices.type.dtype):
        it.refuse(node, "the indices of take_along_axis are integers", like=IndexError)
    k = axis_of(it, node, x, axis)
    places = it.b.indices(it.b.cast(indices, Scalar("i64")), x.type.dims[k], axis=k)
    return along(it, x, places, k)


@implements(np.sort)
def sort(
    it: Interpreter, node: Node, x: Any, axis: Any = -1, kind: Any = None, order: Any = None, *,
    stable: Any = None,
) -> Any:  # fmt: skip
    _check_kind(it, node, kind, order)
    (x,) = operands(it, node, (x,), "sort")
    if axis is None:
        x, axis = ravel(it, node, x), -1
    k = axis_of(it, node, x, axis)
    return along(it, x, it.b.argsort(x, axis=k), k)


@method("array", "sort")
def sort_in_place(
    it: Interpreter, node: Node, x: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None
) -> None:
    it.b.assign(x, sort(it, node, x, axis))


@method("array", "partition")
def partition_in_place(it: Interpreter, node: Node, x: Any, kth: Any, axis: Any = -1) -> None:
    it.b.assign(x, it.call(arrays.partition, [x, kth, axis], {}, node))


method("array", "argpartition")(followed(arrays.argpartition))
method("array", "put")(followed(arrays.put))


@implements(np.searchsorted, method="searchsorted")
def searchsorted(it: Interpreter, node: Node, a: Any, v: Any, side: Any = "left") -> Any:
    a, v = operands(it, node, (a, v), "searchsorted")
    rank = a.type.ndim if is_array(a) else 0
    if rank != 1:
        size = "too deep" if rank else "of too small depth"
        it.wrong(node, f"object {size} for desired array", ValueError)
    kind = join_scalars(*(Scalar(atom(x).type.dtype) for x in (a, v)))
    kind = Scalar("f32") if kind.dtype == "f16" else kind
    a, v = it.b.cast(a, kind), it.b.cast(v, kind)
    return plain(it.b.searchsorted(a, v, side=side))


@implements(interpolated)
def interp(it: Interpreter, node: Node, x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """Linear interpolation; outside of the data the first and last values."""
    x, xp, fp = operands(it, node, (x, xp, fp), "interp")
    b = it.b
    kind = Scalar("f64")
    x, xp, fp = (b.cast(v, kind) for v in (x, xp, fp))
    n = xp.type.dims[0]
    upper = b.searchsorted(xp, x, side="right")
    cell = b.minimum(b.maximum(b.sub(upper, 1), 0), b.maximum(b.sub(n, 2), 0))
    other = b.minimum(b.add(cell, 1), b.sub(n, 1))

    def at(v: Any, place: Any) -> Any:
        if is_array(place):
            return b.gather(v, b.cast(place, Scalar("i64")), spec=("a",))
        return b.load(v, place)

    x0, x1, f0, f1 = at(xp, cell), at(xp, other), at(fp, cell), at(fp, other)
    width = b.sub(x1, x0)
    flat = b.eq(width, 0.0)
    slope = b.div(b.sub(f1, f0), b.where(flat, 1.0, width))
    inside = b.add(f0, b.mul(b.where(flat, 0.0, slope), b.sub(x, x0)))
    first, last = b.load(fp, 0), b.load(fp, b.sub(n, 1))
    low, high = b.load(xp, 0), b.load(xp, b.sub(n, 1))
    y = b.where(b.gt(x, high), last if right is None else right, inside)
    return it.emit(node, "where", b.lt(x, low), first if left is None else left, y)
