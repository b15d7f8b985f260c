"""np.pad: an array with margins, axis by axis, in all of NumPy's modes except rounding ones.

A margin that repeats the array is gathered by its places, however wide it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import padding
from srcgrad.frontend.handlers.creation import dims_of
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.joins import joined
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.indexing import view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, is_array, is_number, plain
from srcgrad.frontend.versions import raised
from srcgrad.ir.types import Scalar, is_float

REPEATED = {"wrap": padding.wrapped, "reflect": padding.reflected, "symmetric": padding.mirrored}
STATISTICS = {"mean": np.mean, "maximum": np.max, "minimum": np.min, "median": np.median}
# the arguments of each mode besides the widths, as in NumPy
KEYWORDS = {"constant": ("constant_values",), "linear_ramp": ("end_values",),
            "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
            **dict.fromkeys(STATISTICS, ("stat_length",))}  # fmt: skip


@implements(np.pad)
def pad(
    it: Interpreter,
    node: Node,
    /,
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    **keywords: Any,
) -> Any:
    (x,) = operands(it, node, (array,), "pad")
    if not is_array(x):
        it.refuse(node, "pad of a number is not supported")
    for name in keywords:
        if name not in KEYWORDS.get(mode, ()):
            it.refuse(node, f"pad with mode={mode!r} does not take {name}=", like=ValueError)
    odd = keywords.get("reflect_type", "even") == "odd"  # anything else is even to NumPy
    error = raised(np.pad, np.zeros(1), {})
    if isinstance(pad_width, dict) and error:  # until NumPy 2.4
        it.fails(error, node)
    n = x.type.ndim
    widths = _pairs(it, node, pad_width, n)
    values = _pairs(it, node, keywords.get("constant_values", keywords.get("end_values", 0)), n)
    lengths = _pairs(it, node, keywords.get("stat_length"), n)
    for k in range(n):
        sides = zip(widths[k], values[k], lengths[k], (True, False), strict=True)
        before, after = (_margin(it, node, x, k, mode, odd, *side) for side in sides)
        parts = [p for p in (before, x, after) if p is not None]
        x = joined(it, node, parts, k) if len(parts) > 1 else x
    return it.b.copy(x) if x is array else x


def _pairs(it: Interpreter, node: Node, v: Any, n: int) -> list[tuple[Any, Any]]:
    """One number, a pair for all axes, or a pair for each axis, as pairs for the axes."""
    if is_array(v) and v.type.dims:
        v = it.static_items(v, node)
    if isinstance(v, dict):
        pairs = [(0, 0)] * n
        for axis, pair in v.items():
            pairs[axis] = tuple(pair) if isinstance(pair, tuple | list) else (pair, pair)
        return pairs
    if not isinstance(v, tuple | list):
        return [(v, v)] * n
    if v and not isinstance(v[0], tuple | list):
        pair = (v[0], v[-1])
        if len(v) > 2:
            it.refuse(
                node, "pad takes one number, one pair, or one pair for each axis", like=ValueError
            )
        return [pair] * n
    pairs = [(w[0], w[-1]) for w in v]
    if len(pairs) not in (1, n):
        it.refuse(node, f"pad takes one pair, or one for each of the {n} axes", like=ValueError)
    return pairs * n if len(pairs) == 1 else pairs


def _margin(
    it: Interpreter, node: Node, x: Any, axis: int, mode: Any, odd: bool, width: Any, value: Any,
    length: Any, before: bool,
) -> Any:  # fmt: skip
    if is_number(width) and width == 0:
        return None
    if mode not in ("constant", "empty"):
        nothing = it.b.logical_and(it.b.eq(x.type.dims[axis], 0), it.b.gt(width, 0))
        text = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
        it.fail_if(plain(nothing), "ValueError", text)
    dims = list(x.type.dims)
    (dims[axis],) = dims_of(it, node, width)
    if mode == "constant":
        return it.b.broadcast_to(it.b.cast(value, Scalar(x.type.dtype)), *dims)
    if mode == "empty":
        return it.b.zeros(*dims, dtype=x.type.dtype)
    if mode in REPEATED:
        first = -width if is_number(width) else it.b.neg(width)
        first = first if before else x.type.dims[axis]
        if odd:
            edges = mode == "symmetric"
            return it.call(padding.oddly, [x, first, width, axis, edges], {}, node)
        places = it.call(REPEATED[mode], [first, width, x.type.dims[axis]], {}, node)
        return it.call_numpy(np.take, [x, places], {"axis": axis}, node)
    items: list[Any] = [Slice(None, None, None) for _ in dims]
    items[axis] = Slice(0, 1, None) if before else Slice(-1, None, None)
    edge = view(it, x, items, node)
    if mode == "edge":
        return it.b.broadcast_to(edge, *dims)
    if mode == "linear_ramp" and is_float(x.type.dtype):
        return it.call(padding.ramp, [edge, value, width, axis, before], {}, node)
    if mode in STATISTICS and (is_float(x.type.dtype) or mode in ("maximum", "minimum")):
        if length is not None:
            inner = Slice(0, length, None) if before else Slice(-length, None, None)
            items[axis] = inner
        part = x if length is None else view(it, x, items, node)
        named = {"axis": axis, "keepdims": True}
        return it.b.broadcast_to(it.call_numpy(STATISTICS[mode], [part], named, node), *dims)
    it.refuse(node, f"pad of {x.type.dtype} with mode={mode!r} is not supported")
