"""Start, length and step of a slice, with Python's clipping, as values of the program."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, is_array, is_integer, is_number, is_scalar, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar


def span(it: Interpreter, s: Slice, n: Any, node: Node) -> list[Any]:
    """Start, length and step of a slice of an axis of length `n` (Python's clipping)."""
    step = 1 if s.step is None else s.step
    if is_number(step) and step == 0:
        it.refuse(node, "slice step cannot be zero", like=ValueError)
    lower, upper = (_slice_bound(it, v, node) for v in (s.lower, s.upper))
    b = it.b
    if is_number(step) and step == 1:
        return _unit_span(it, lower, upper, n)
    if is_number(step) and step == -1 and lower is None and upper is None:
        return [b.dim(b.sub(n, 1)), n, -1]
    if isinstance(step, Var):
        zero = plain(b.eq(step, 0))
        it.fail_if(zero, "ValueError", "slice step cannot be zero")
    if lower is None:
        down = b.lt(step, 0)
        start = b.where(down, b.sub(n, 1), 0)
    else:
        start = b.slice_start(lower, n, step)
    if upper is None:
        stop = b.where(b.lt(step, 0), -1, n)
    else:
        stop = b.slice_stop(upper, n, step)
    return [plain(start), b.dim(b.trips(start, stop, step)), step]


def _slice_bound(it: Interpreter, v: Any, node: Node) -> Any:
    if isinstance(v, bool):  # Python's are integers
        return int(v)
    if v is None or is_integer(v):
        return v
    if is_scalar(v) and isinstance(v, Var) and v.type.dtype == "bool":
        return it.b.cast(v, Scalar("i64"))
    if is_array(v) and not v.type.dims and v.type.dtype[0] in "iu":
        return it.b.load(v)
    it.refuse(node, "slice indices must be integers or None", like=TypeError)


def _unit_span(it: Interpreter, lower: Any, upper: Any, n: Any) -> list[Any]:
    """The common case, in a form that equal lengths share: max(n - c, 0)."""
    b = it.b
    low_known = lower is None or (is_number(lower) and lower >= 0)
    if low_known and (upper is None or (is_number(upper) and upper < 0)):
        start = 0 if lower is None else int(lower)
        cut = start - (0 if upper is None else int(upper))
        return [start, b.dim(b.maximum(b.sub(n, cut), 0)), 1]
    if lower is None or (is_number(lower) and lower == 0):
        return [0, b.dim(_clipped(it, upper, n)), 1]
    if is_number(lower) and lower < 0 and upper is None:
        return [
            b.dim(b.maximum(b.add(n, int(lower)), 0)),
            b.dim(b.minimum(n, -int(lower))),
            1,
        ]
    start = _clipped(it, lower, n)
    stop = n if upper is None else _clipped(it, upper, n)
    return [b.dim(start), b.dim(b.maximum(b.sub(stop, start), 0)), 1]


def _clipped(it: Interpreter, i: Any, n: Any) -> Any:
    """A bound of a slice, negative ones from the end, within 0..n."""
    b = it.b
    if is_number(i):
        return b.minimum(int(i), n) if i >= 0 else b.maximum(b.add(n, int(i)), 0)
    return b.slice_start(i, n, 1)
