"""Functions that move elements along axes (flip, roll, rot90), and differences of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import calculus
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axes_of, axis_of, in_order
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel, reshaped, swapaxes, with_dims
from srcgrad.frontend.indexing import view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, describe, is_array, is_number, is_scalar, ndim
from srcgrad.frontend.versions import error_class
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import INT, is_complex


def _whole(n: int) -> list[Any]:
    return [Slice(None, None, None) for _ in range(n)]


@implements(np.flip)
def flip(it: Interpreter, node: Node, x: Any, axis: Any = None) -> Any:
    (x,) = operands(it, node, (x,), "flip")
    if not ndim(x):
        axes_of(it, node, x, axis)
        return it.b.own(x)
    items = _whole(x.type.ndim)
    for k in axes_of(it, node, x, axis):
        items[k] = Slice(None, None, -1)
    return view(it, x, items, node)


def _shift(it: Interpreter, node: Node, shift: Any) -> Any:
    """The shift of a roll as an integer; refused otherwise."""
    if not is_scalar(shift) or is_complex(atom(shift).type.dtype):
        # until NumPy 2.2
        wrong = error_class(np.roll, np.ones(1), 1j) if is_scalar(shift) else None
        it.refuse(node, f"roll takes an integer as its shift, not {describe(shift)}", like=wrong)
    return int(shift) if is_number(shift) else it.b.cast(shift, INT)


@implements(np.roll)
def roll(it: Interpreter, node: Node, x: Any, shift: Any, axis: Any = None) -> Any:
    b = it.b
    (x,) = operands(it, node, (x,), "roll")
    if not is_array(x) or not x.type.dims:
        axes_of(it, node, x, axis)
        return x
    if axis is None:
        flat = ravel(it, node, x)
        rolled = roll(it, node, flat, shift, 0)
        return rolled if x.type.ndim == 1 else reshaped(it, node, rolled, list(x.type.dims))
    if is_array(shift) and shift.type.dims:
        shift = it.static_items(shift, node)
    if isinstance(shift, tuple | list) or isinstance(axis, tuple | list):
        shifts, axes = (list(v) if isinstance(v, tuple | list) else [v] for v in (shift, axis))
        count = max(len(shifts), len(axes))
        shifts, axes = (v * count if len(v) == 1 else v for v in (shifts, axes))
        if len(axes) != len(shifts):
            it.refuse(node, "roll takes one shift for each axis", like=ValueError)
        for s, a in zip(shifts, axes, strict=True):
            x = roll(it, node, x, s, a)
        return x
    k = axis_of(it, node, x, axis)
    n = x.type.dims[k]
    cut = b.dim(b.mod(b.neg(_shift(it, node, shift)), b.maximum(n, 1)))
    left, right = _whole(x.type.ndim), _whole(x.type.ndim)
    left[k], right[k] = Slice(cut, None, None), Slice(None, cut, None)
    joined = b.concatenate(view(it, x, left, node), view(it, x, right, node), axis=k)
    # the lengths add up to that of x: stated for later operations
    return with_dims(it, joined, x.type.dims)


@implements(calculus.differences)
def diff(it: Interpreter, node: Node, x: Any, n: Any = 1, axis: Any = -1) -> Any:
    (x,) = operands(it, node, (x,), "diff")
    k = axis_of(it, node, x, axis)
    order = it.static_int(n, node, "the order of a difference")
    if order < 0:
        it.wrong(node, f"order must be non-negative but got {order}", ValueError)
    for _ in range(order):
        late, early = _whole(x.type.ndim), _whole(x.type.ndim)
        late[k], early[k] = Slice(1, None, None), Slice(None, -1, None)
        op: RowName = "ne" if x.type.dtype == "bool" else "sub"
        x = it.emit(node, op, view(it, x, late, node), view(it, x, early, node))
    return x


@implements(np.rot90)
def rot90(it: Interpreter, node: Node, x: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    (x,) = operands(it, node, (x,), "rot90")
    first, second = (axis_of(it, node, x, a) for a in in_order(it, node, axes))
    for _ in range(it.static_int(k, node, "the number of turns") % 4):
        x = flip(it, node, swapaxes(it, node, x, first, second), first)
    return x
