"""Sampled functions: trapezoid, gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.calculus import second_order_edges
from srcgrad.frontend.handlers.creation import same_dims
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axes_of, sum_
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import Slice, is_array, is_scalar, plain
from srcgrad.ir.types import Scalar, is_float


def part(it: Any, node: Any, x: Any, axis: int, lower: Any, upper: Any) -> Any:
    """A slice along one axis."""
    items: list[Any] = [Slice(None, None, None) for _ in x.type.dims]
    items[axis] = Slice(lower, upper, None)
    return it.view(x, items, node)


def _along(it: Any, x: Any, ndim: int, axis: int) -> Any:
    """A vector as an array of `ndim` axes that lies along one of them."""
    return it.b("view", x, spec=tuple(":" if k == axis else "n" for k in range(ndim)))


@implements(np.trapezoid)
def trapezoid(it: Any, node: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    (y,) = operands(it, node, (y,), "trapezoid")
    (k,) = axes_of(it, node, y, axis)
    width = dx
    if x is not None:
        (x,) = operands(it, node, (x,), "trapezoid")
        width = it.call_numpy(np.diff, [x], {"axis": axis if x.type.ndim > 1 else -1}, node)
        if x.type.ndim == 1:
            width = _along(it, width, y.type.ndim, k)
    ends = it.emit(node, "add", part(it, node, y, k, 1, None), part(it, node, y, k, None, -1))
    cells = it.emit(node, "div", it.emit(node, "mul", width, ends), 2.0)
    return sum_(it, node, cells, axis=k)


@implements(np.gradient)
def gradient(
    it: Any, node: Any, f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1
) -> Any:
    (f,) = operands(it, node, (f,), "gradient")
    order = it.static_int(edge_order, node, "the order at the edges")
    if order not in (1, 2):
        it.refuse(node, "gradient takes an edge_order of 1 or 2", like=ValueError)
    f = f if is_float(f.type.dtype) else it.b.cast(f, Scalar("f64"))
    axes = axes_of(it, node, f, axis)
    steps = list(spacing) * len(axes) if len(spacing) == 1 else list(spacing) or [1.0] * len(axes)
    if len(steps) != len(axes):
        it.refuse(node, "gradient takes one spacing, or one for each axis", like=TypeError)
    slopes = [_slope(it, node, f, h, k, order) for h, k in zip(steps, axes, strict=True)]
    # NumPy stores them into arrays of the dtype of f, whatever that of the places
    slopes = [it.b.cast(slope, Scalar(f.type.dtype)) for slope in slopes]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(it: Any, node: Any, f: Any, h: Any, axis: int, order: int) -> Any:
    b, n = it.b, f.type.dims[axis]
    few = plain(b("lt", n, 2))
    text = "Shape of array too small to calculate a numerical gradient, at least 2 are required."
    it.fail_if(few, "ValueError", text)
    (h,) = operands(it, node, (h,), "gradient")
    inner, first, last = (_even if is_scalar(h) else _uneven)(it, node, f, h, axis)
    if order == 2:
        joined = it.call(second_order_edges, [f, axis, inner, h], {}, node)
        return b("reshape", joined, *f.type.dims)
    left, right = part(it, node, f, axis, 0, 2), part(it, node, f, axis, -2, None)
    rise = it.call_numpy(np.diff, [left], {"axis": axis}, node)
    fall = it.call_numpy(np.diff, [right], {"axis": axis}, node)
    parts = [it.emit(node, "div", rise, first), inner, it.emit(node, "div", fall, last)]
    # the lengths add up to that of f: say so, for what follows
    joined = it.call_numpy(np.concatenate, [parts], {"axis": axis}, node)
    return b("reshape", joined, *f.type.dims)


def _even(it: Any, node: Any, f: Any, h: Any, axis: int) -> tuple[Any, Any, Any]:
    late, early = part(it, node, f, axis, 2, None), part(it, node, f, axis, None, -2)
    rise = it.emit(node, "sub", late, early)
    return it.emit(node, "div", rise, it.emit(node, "mul", 2.0, h)), h, h


def _uneven(it: Any, node: Any, f: Any, x: Any, axis: int) -> tuple[Any, Any, Any]:
    """Second order between places `x`: weights of the three neighbours."""
    b = it.b
    if not is_array(x) or x.type.ndim != 1:
        it.refuse(node, "the places of gradient are a vector", like=ValueError)
    same_dims(it, node, b("view", x, spec=(":",)), _line(it, f, axis), (0,))
    gaps = it.call_numpy(np.diff, [x], {}, node)
    gaps = _along(it, gaps, f.type.ndim, axis)
    p, q = part(it, node, gaps, axis, None, -1), part(it, node, gaps, axis, 1, None)
    both = b("add", p, q)
    before = b("neg", b("div", q, b("mul", p, both)))
    here = b("div", b("sub", q, p), b("mul", p, q))
    after = b("div", p, b("mul", q, both))
    inner = b("mul", before, part(it, node, f, axis, None, -2))
    inner = b("add", inner, b("mul", here, part(it, node, f, axis, 1, -1)))
    inner = b("add", inner, b("mul", after, part(it, node, f, axis, 2, None)))
    return inner, part(it, node, gaps, axis, 0, 1), part(it, node, gaps, axis, -1, None)


def _line(it: Any, f: Any, axis: int) -> Any:
    """The first line of an array along one axis."""
    spec = tuple(":" if k == axis else "i" for k in range(f.type.ndim))
    return it.b("view", f, *([0] * (f.type.ndim - 1)), spec=spec)
