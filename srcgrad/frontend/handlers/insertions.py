"""Arrays composed of parts: delete, insert, dstack, block."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import tree
from srcgrad.frontend.formulas import insertions
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.index_arrays import as_slice
from srcgrad.frontend.handlers.joins import joined, parts_of
from srcgrad.frontend.handlers.joins_of_lists import (
    NEW,
    items_as_array,
    ragged_joined,
    side_by_side,
)
from srcgrad.frontend.handlers.reductions import axis_of
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import moveaxis, ravel
from srcgrad.frontend.indexing import place, view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.slices import span
from srcgrad.frontend.stores import fitting
from srcgrad.frontend.values import Slice, is_array, is_integer, is_scalar, is_unit, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar


def _axis(it: Interpreter, node: Node, x: Any, axis: Any, what: str) -> tuple[Any, int]:
    """The array and the axis that are edited: flat if no axis is given."""
    (x,) = operands(it, node, (x,), what)
    if axis is None:
        return ravel(it, node, x), 0
    return x, axis_of(it, node, x, axis)


def part(it: Interpreter, node: Node, x: Any, axis: int, lower: Any, upper: Any) -> Any:
    """A slice along one axis."""
    items: list[Any] = [Slice(None, None, None) for _ in x.type.dims]
    items[axis] = Slice(lower, upper, None)
    return view(it, x, items, node)


@implements(np.delete)
def delete(it: Interpreter, node: Node, x: Any, obj: Any, axis: Any = None) -> Any:
    x, k = _axis(it, node, x, axis, "delete")
    b, n = it.b, x.type.dims[k]
    span_ = as_slice(obj)
    if span_ is not None and is_unit(span_.step):
        start, count, _ = span(it, span_, n, node)
    elif is_integer(obj):
        start, count = place(it, obj, n, k), 1
    elif isinstance(obj, list | tuple) and not obj:
        return b.copy(x)
    else:
        return it.call(insertions.without, [x, obj if span_ is None else span_, k], {}, node)
    rest = part(it, node, x, k, b.dim(b.add(start, count)), None)
    dims = list(x.type.dims)
    dims[k] = b.dim(b.maximum(b.sub(n, count), 0))
    kept = joined(it, node, [part(it, node, x, k, None, start), rest], k)
    # the lengths add up to that of x less the deleted part: stated for later operations
    return b.reshape(kept, *dims)


@implements(np.insert)
def insert(it: Interpreter, node: Node, x: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    x, k = _axis(it, node, x, axis, "insert")
    b, n = it.b, x.type.dims[k]
    several = not is_scalar(obj)
    if isinstance(obj, list | tuple) and len(obj) == 1:
        obj = obj[0]
    if not is_scalar(obj):
        span_ = as_slice(obj)
        places = obj if span_ is None else it.read(b.iota(n), [span_], node)
        return it.call(insertions.with_inserted, [x, places, values, k], {}, node)
    if not is_integer(obj):
        obj = it.static_int(obj, node, "the position of an insertion")
    at = _place_or_end(it, obj, n, k)
    new = _inserted(it, node, x, values, k, several)
    parts = [part(it, node, x, k, None, at), new, part(it, node, x, k, at, None)]
    dims = list(x.type.dims)
    dims[k] = b.dim(b.add(n, new.type.dims[k]))
    return b.reshape(joined(it, node, parts, k), *dims)


def _place_or_end(it: Interpreter, i: Any, n: Any, axis: int) -> Any:
    """The checked, non-negative place of an insertion: the end is one too."""
    if not isinstance(i, Var):
        return place(it, i, it.b.dim(it.b.add(n, 1)) if i >= 0 else n, axis)
    b = it.b
    outside = plain(b.logical_or(b.gt(i, n), b.lt(i, b.neg(n))))
    said = f"index {{}} is out of bounds for axis {axis} with size {{}}"
    it.fail_if(outside, "IndexError", said, i, n)
    return b.dim(b.where(b.lt(i, 0), b.add(i, n), i))


def _inserted(it: Interpreter, node: Node, x: Any, values: Any, axis: int, several: bool) -> Any:
    """The inserted values, in the dtype of `x` and as wide as it is.

    At one place the first axis of the values goes along `axis`; in a list, even of one, none moves.
    """
    (values,) = operands(it, node, (values,), "insert")
    ndim, b = x.type.ndim, it.b
    values = b.cast(values, Scalar(x.type.dtype))
    dims = list(x.type.dims)
    dims[axis] = 1
    if not is_array(values):
        return b.broadcast_to(values, *dims)
    missing = max(ndim - values.type.ndim, 0)
    values = b.view(values, spec=("n",) * missing + (":",) * values.type.ndim)
    values = values if several else moveaxis(it, node, values, 0, axis)
    dims[axis] = values.type.dims[axis]
    return b.broadcast_to(fitting(it, values, tuple(dims)), *dims)


def _at_least(it: Interpreter, x: Any, ndim: int) -> Any:
    """`x` with leading axes of length 1."""
    if not is_array(x):
        return it.b.broadcast_to(x, *([1] * ndim))
    missing = max(ndim - x.type.ndim, 0)
    return it.b.view(x, spec=("n",) * missing + (":",) * x.type.ndim) if missing else x


@implements(np.dstack)
def dstack(it: Interpreter, node: Node, xs: Any) -> Any:
    if (made := ragged_joined(it, node, xs, (NEW, NEW, 2))) is not None:
        return made
    whole = items_as_array(it, node, xs, "concatenate")
    if whole is not None:
        return side_by_side(it, node, whole, ("nnn", "n:n", "::n"), 2)
    sheets = []
    for x in parts_of(it, node, xs, "concatenate"):
        x = _at_least(it, x, 2)
        sheets.append(it.b.view(x, spec=(":", ":", "n")) if x.type.ndim == 2 else x)
    return joined(it, node, sheets, 2)


@implements(np.block)
def block(it: Interpreter, node: Node, arrays: Any) -> Any:
    if not isinstance(arrays, list | tuple):
        return it.call_numpy(np.array, [arrays], {}, node)
    depth = _depth(it, arrays, "arrays")
    parts = operands(it, node, tuple(tree.leaves(arrays)), "block")
    ndim = max([depth, *(x.type.ndim for x in parts if is_array(x))])
    in_turn = iter([_at_least(it, x, ndim) for x in parts])

    def placed(x: Any, axis: int) -> Any:
        if not isinstance(x, list):
            return next(in_turn)
        items = [placed(item, axis + 1) for item in x]
        return items[0] if len(items) == 1 else joined(it, node, items, axis)

    made = placed(arrays, ndim - depth)
    return it.b.copy(made) if len(parts) == 1 else made


def _depth(it: Interpreter, x: Any, at: str) -> int:
    """How deep lists of blocks are nested, the same in each; `at` is the place of one."""
    if isinstance(x, tuple):
        it.fail("TypeError", f"{at} is a tuple. Only lists can be used to arrange blocks")
    if not isinstance(x, list):
        return 0
    if not x:
        it.fail("ValueError", f"List at {at} cannot be empty")
    depths = {_depth(it, item, f"{at}[{k}]") for k, item in enumerate(x)}
    if len(depths) > 1:
        it.fail("ValueError", "List depths are mismatched.")
    return 1 + depths.pop()
