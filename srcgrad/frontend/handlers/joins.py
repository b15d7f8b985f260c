"""Joins and splits of arrays: concatenate, stack and similar ones, split, meshgrid."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from srcgrad.frontend.conversion import same_dims
from srcgrad.frontend.formulas.ragged_arrays import equal_parts, parts_between
from srcgrad.frontend.grown_lists import Ragged
from srcgrad.frontend.handlers.elementwise import operands, scalar_type, to_out
from srcgrad.frontend.handlers.joins_of_lists import (
    NEW,
    concatenated,
    end_to_end,
    items_as_array,
    ragged_joined,
    side_by_side,
)
from srcgrad.frontend.handlers.reductions import axis_of, place_of_axis, vector
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel
from srcgrad.frontend.indexing import expanded, gathered, view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.stores import in_place, spread
from srcgrad.frontend.values import GrownList, Slice, describe, is_array, plain
from srcgrad.frontend.versions import there
from srcgrad.ir.nodes import Const, Var, atom
from srcgrad.ir.types import Scalar, join_scalars, np_dtype

MOST_PARTS = 1000  # of a split: some milliseconds of compilation each
MOST_CUTS = 64  # in an array: of more the parts are a list that grows


def parts_of(it: Interpreter, node: Node, xs: Any, what: str) -> list[Any]:
    if is_array(xs):
        xs = it.static_items(xs, node)
    elif not isinstance(xs, list | tuple):
        it.refuse(node, f"{what} takes a sequence of arrays, not {describe(xs)}", like=TypeError)
    xs = operands(it, node, tuple(xs), what)
    if not xs:
        it.fail("ValueError", f"need at least one array to {what}")
    return list(xs)


def _vectors(it: Interpreter, xs: list[Any]) -> list[Any]:
    """Numbers as arrays of one element."""
    return [vector(it, x) for x in xs]


def joined(
    it: Interpreter, node: Node, xs: list[Any], axis: int, dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:  # fmt: skip
    """The arrays one after the other along an axis, in their common dtype or a given one."""
    kind = Scalar(xs[0].type.dtype)
    for x in xs[1:]:
        kind = join_scalars(kind, Scalar(x.type.dtype))
        if x.type.ndim != xs[0].type.ndim:
            it.refuse(
                node, "all the input arrays must have the same number of dimensions: "
                f"{xs[0].type.ndim} against {x.type.ndim}", like=ValueError,
            )  # fmt: skip
        same_dims(it, node, xs[0], x, [k for k in range(x.type.ndim) if k != axis])
    if dtype is not None:
        kind = _cast_to(it, node, kind, dtype, casting)
    return it.b.concatenate(*(it.b.cast(x, kind) for x in xs), axis=axis)


def _cast_to(it: Interpreter, node: Node, have: Scalar, dtype: Any, casting: Any) -> Scalar:
    """A given dtype, to which a rule must allow to cast."""
    kind = scalar_type(it, node, dtype)
    if not np.can_cast(np_dtype(have.dtype), np_dtype(kind.dtype), casting):
        text = f"{have.dtype} is not cast to {kind.dtype} by the rule {casting!r}"
        it.refuse(node, text, like=TypeError)
    return kind


@implements(np.concatenate)
def concatenate(
    it: Interpreter, node: Node, xs: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:  # fmt: skip
    if out is not None:
        it.refuse(node, "concatenate with out= is not supported", "assign to a slice")
    if (made := _concatenated(it, node, xs, axis)) is not None:
        if dtype is None:
            return made
        return it.b.cast(made, _cast_to(it, node, Scalar(made.type.dtype), dtype, casting))
    parts = parts_of(it, node, xs, "concatenate")
    if axis is None:
        flat = [ravel(it, node, x) for x in _vectors(it, parts)]
        return joined(it, node, flat, 0, dtype, casting)
    if not all(is_array(x) and x.type.dims for x in parts):
        it.fail("ValueError", "zero-dimensional arrays cannot be concatenated")
    k = axis_of(it, node, parts[0], axis)
    return joined(it, node, parts, k, dtype, casting)


def _concatenated(it: Interpreter, node: Node, xs: Any, axis: Any) -> Any:
    """As many arrays as the run tells, one after the other; None of another sequence."""
    if isinstance(xs, Ragged):
        return concatenated(it, node, xs, axis)
    whole = items_as_array(it, node, xs, "concatenate")
    if whole is None:
        return None
    return ravel(it, node, whole) if axis is None else end_to_end(it, node, whole, axis)


@implements(np.stack)
def stack(it: Interpreter, node: Node, xs: Any, axis: Any = 0) -> Any:
    whole = items_as_array(it, node, xs, "stack")
    if whole is not None:
        place_of_axis(it, node, axis, whole.type.ndim)
        return it.call_numpy(np.moveaxis, [it.b.copy(whole), 0, axis], {}, node)
    parts = [plain(it.b.value(x)) for x in map(atom, parts_of(it, node, xs, "stack"))]
    if all(not is_array(x) for x in parts):
        place_of_axis(it, node, axis, 1)
        return it.call_numpy(np.array, [parts], {}, node)
    if not all(is_array(x) for x in parts):
        it.wrong(node, "all input arrays must have the same shape", ValueError)
    n = parts[0].type.ndim + 1
    k = place_of_axis(it, node, axis, n)
    spec = tuple("n" if a == k else ":" for a in range(n))
    for x in parts[1:]:
        if x.type.ndim != n - 1:
            it.wrong(node, "all input arrays must have the same shape", ValueError)
        same_dims(it, node, parts[0], x, range(n - 1))
    return joined(it, node, [it.b.view(x, spec=spec) for x in parts], k)


@implements(np.hstack)
def hstack(it: Interpreter, node: Node, xs: Any) -> Any:
    if (made := ragged_joined(it, node, xs, (0, 1))) is not None:
        return made
    whole = items_as_array(it, node, xs, "concatenate")
    if whole is not None:
        return side_by_side(it, node, whole, ("n",), 0 if whole.type.ndim < 3 else 1)
    parts = _vectors(it, parts_of(it, node, xs, "concatenate"))
    return joined(it, node, parts, 0 if parts[0].type.ndim == 1 else 1)


@implements(np.vstack, *there(np, "row_stack"))  # until NumPy 2.4
def vstack(it: Interpreter, node: Node, xs: Any) -> Any:
    if (made := ragged_joined(it, node, xs, (NEW, 0))) is not None:
        return made
    whole = items_as_array(it, node, xs, "concatenate")
    if whole is not None:
        return side_by_side(it, node, whole, ("nn", "n:"), 0)
    parts = _vectors(it, parts_of(it, node, xs, "concatenate"))
    rows = [it.b.view(x, spec=("n", ":")) if x.type.ndim == 1 else x for x in parts]
    return joined(it, node, rows, 0)


@implements(np.column_stack)
def column_stack(it: Interpreter, node: Node, xs: Any) -> Any:
    if (made := ragged_joined(it, node, xs, (NEW, 1))) is not None:
        return made
    whole = items_as_array(it, node, xs, "concatenate")
    if whole is not None:
        return side_by_side(it, node, whole, ("nn", ":n"), 1)
    parts = _vectors(it, parts_of(it, node, xs, "concatenate"))
    columns = [it.b.view(x, spec=(":", "n")) if x.type.ndim == 1 else x for x in parts]
    return joined(it, node, columns, 1)


def _split(it: Interpreter, node: Node, x: Any, sections: Any, axis: Any, even: bool) -> Any:
    (x,) = operands(it, node, (x,), "split")
    k = axis_of(it, node, x, axis)
    n = x.type.dims[k]
    if isinstance(sections, GrownList) or (is_array(sections) and sections.type.ndim > 0):
        cuts = it.call_numpy(np.asarray, [sections], {}, node)
        count = cuts.type.dims[0]
        if isinstance(count, Var) or count > MOST_CUTS:
            return it.call(parts_between, [x, cuts, k], {}, node)
        sections = it.static_items(cuts, node)
    if isinstance(sections, Var) and not it.captures.is_soon_static(it, sections):
        return it.call(equal_parts, [x, sections, k, even], {}, node)
    if isinstance(sections, list | tuple):
        bounds = [0, *sections, None]
    else:
        count = it.static_int(sections, node, "the number of sections")
        if count < 1:
            it.fail("ValueError", "number sections must be larger than 0.")
        if count > MOST_PARTS:
            it.refuse(
                node, f"{count} parts of an array are as many views in compiled code",
                "equal parts are the rows of x.reshape(n, -1)",
            )  # fmt: skip
        if even:
            uneven = plain(it.b.ne(it.b.mod(n, count), 0))
            text = "array split does not result in an equal division"
            it.fail_if(uneven, "ValueError", text)
        bounds = _bounds(it, n, count)
    out = []
    for lo, hi in pairwise(bounds):
        items = [Slice(None, None, None) for _ in x.type.dims]
        items[k] = Slice(lo, hi, None)
        out.append(view(it, x, items, node))
    return out


def _bounds(it: Interpreter, n: Any, count: int) -> list[Any]:
    """The cuts of `count` parts whose lengths differ by one at most, longer ones first."""
    b = it.b
    each, extra = b.floordiv(n, count), b.mod(n, count)
    cuts: list[Any] = [0]
    for k in range(1, count):
        cuts.append(b.dim(b.add(b.mul(each, k), b.minimum(extra, k))))
    return [*cuts, None]


@implements(np.split)
def split(it: Interpreter, node: Node, x: Any, sections: Any, axis: Any = 0) -> Any:
    return _split(it, node, x, sections, axis, even=True)


@implements(np.array_split)
def array_split(it: Interpreter, node: Node, x: Any, sections: Any, axis: Any = 0) -> Any:
    return _split(it, node, x, sections, axis, even=False)


@implements(np.meshgrid)
def meshgrid(
    it: Interpreter, node: Node, *xs: Any, indexing: Any = "xy", sparse: Any = False,
    copy: Any = True,
) -> Any:  # fmt: skip
    xs = tuple(ravel(it, node, x) for x in operands(it, node, xs, "meshgrid"))
    order = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        order[0], order[1] = 1, 0
    dims = [xs[k].type.dims[0] for k in order]
    out = []
    for k, x in enumerate(xs):
        spec = tuple(":" if order[a] == k else "n" for a in range(len(xs)))
        made = it.b.view(x, spec=spec)
        if not sparse:
            made = it.b.broadcast_to(made, *dims)
            if not copy:
                it.stands_for_view(made, x, "what meshgrid gives with copy=False", node)
        out.append(it.b.copy(made) if sparse and copy else made)
    return tuple(out)


@implements(np.add.at)
def add_at(it: Interpreter, node: Node, x: Any, indices: Any, values: Any) -> None:
    if not is_array(x):
        it.wrong(node, "first operand must be array", TypeError)
    items = list(indices) if isinstance(indices, tuple) else [indices]
    items = expanded(it, x, items, node)
    if not any(is_array(i) for i in items):
        in_place(it, __import__("gast").Add(), view(it, x, items, node), values, node)
        return
    base, idx, spec = gathered(it, x, items, node)
    (values,) = operands(it, node, (values,), "add.at")
    values = it.b.cast(it.b.value(atom(values)), Scalar(x.type.dtype))  # whatever they are
    if is_array(values):
        values = spread(it, values, base, idx, spec)
    it.b.scatter_add(base, *idx, values, spec=spec)


@implements(np.subtract.at)
def subtract_at(it: Interpreter, node: Node, x: Any, indices: Any, values: Any) -> None:
    add_at(it, node, x, indices, it.call_numpy(np.negative, [values], {}, node))


@implements(np.take, method="take")
def take(
    it: Interpreter, node: Node, x: Any, indices: Any, axis: Any = None, out: Any = None,
    mode: Any = "raise",
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "take")
    (indices,) = operands(it, node, (indices,), "take")
    if atom(indices).type.dtype == "bool":  # as an index they would be a mask
        indices = it.b.cast(indices, Scalar("i64"))
    if axis is None:
        x, axis = ravel(it, node, x), 0
    k = axis_of(it, node, x, axis)
    if mode in ("clip", "wrap"):
        n = x.type.dims[k]
        if mode == "clip":
            indices = it.b.minimum(it.b.maximum(indices, 0), it.b.sub(n, 1))
        else:
            indices = it.b.mod(indices, n)
    elif mode != "raise":
        it.refuse(node, f"take with mode={mode!r} is not supported", like=ValueError)
    items: list[Any] = [Slice(None, None, None) for _ in x.type.dims]
    items[k] = plain(indices) if isinstance(indices, Const) else indices
    return to_out(it, node, it.read(x, items, node), out)
