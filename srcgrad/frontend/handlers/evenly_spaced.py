"""Evenly spaced numbers: arange and linspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.casts import cast
from srcgrad.frontend.handlers.creation import dims_of
from srcgrad.frontend.handlers.elementwise import float_kind, operands, scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_number, is_scalar, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import INT, Scalar, is_complex, is_float, is_int, promoted


@implements(np.arange)
def arange(it: Interpreter, node: Node, /, *args: Any, **named: Any) -> Any:
    """Computes in 64 bits, whatever the widths of the arguments, unless a dtype is given."""
    *given, dtype = _ends(it, node, args, named)
    given = operands(it, node, tuple(given), "arange")
    start, stop, step = (plain(it.b.value(atom(v))) for v in given)
    kind = promoted(atom(v).type for v in (start, stop, step))
    if not all(map(is_scalar, (start, stop, step))) or is_complex(kind.dtype):
        it.refuse(node, "arange of complex numbers or of arrays is not supported")
    b = it.b
    it.fail_if(plain(b.eq(step, 0)), "ZeroDivisionError", "division by zero")
    # with a signed integer of 64 bits an unsigned one is a float
    if is_float(kind.dtype) or (kind.dtype == "u64" and dtype is None):
        n = _length(it, b.ceil(b.div(b.sub(stop, start), step)))
        start, step = (b.cast(v, Scalar("f64")) for v in (start, step))
    else:
        start, stop, step = (plain(b.retyped(v, INT)) for v in (start, stop, step))
        unit = is_number(start) and start == 0 and is_number(step) and step == 1
        n = b.dim(b.maximum(stop, 0) if unit else b.trips(start, stop, step))
    target = atom(start).type if dtype is None else scalar_type(it, node, dtype)
    target = Scalar(target.dtype)
    if is_int(target.dtype):
        # the first two places are converted, and their difference is the step
        first, second = (cast(it, v, target) for v in (start, plain(b.add(start, step))))
        start, step = first, plain(b.sub(second, first))
    out = b.iota(n)
    if not (is_number(start) and start == 0 and is_number(step) and step == 1):
        out = b.add(start, b.mul(step, out))
    return b.cast(out, target)


def _ends(it: Interpreter, node: Node, args: tuple, named: dict[str, Any]) -> tuple:
    """The start, the stop, the step and the dtype, each by its place or by its name."""
    names = ("start", "stop", "step", "dtype")
    by_place = dict(zip(names, args, strict=False))
    wrong = next((n for n in named if n in by_place or n not in names), None)
    if wrong is not None or len(args) > len(names):
        said = "more than 4 arguments" if wrong is None else f"an unexpected argument '{wrong}'"
        it.wrong(node, f"arange() got {said}", TypeError)
    given = by_place | named
    if "stop" not in given and not args:
        it.wrong(node, "arange() requires stop to be specified.", TypeError)
    start, stop, step, dtype = (given.get(n) for n in names)
    if stop is None:
        start, stop = None, start
    return 0 if start is None else start, stop, 1 if step is None else step, dtype


def _length(it: Interpreter, quotient: Any) -> Any:
    b = it.b
    fits = plain(b.lt(quotient, 2.0**62))
    it.fail_if(plain(b.logical_not(fits)), "ValueError", "arange: cannot compute length")
    return b.dim(b.retyped(b.maximum(quotient, 0.0), INT))


@implements(np.linspace)
def linspace(
    it: Interpreter, node: Node, start: Any, stop: Any, num: Any = 50, endpoint: Any = True,
    retstep: Any = False, dtype: Any = None, axis: Any = 0,
) -> Any:  # fmt: skip
    b = it.b
    (n,) = dims_of(it, node, num)
    start, stop = operands(it, node, (start, stop), "linspace")
    kind = Scalar(float_kind(start, stop, 1.0).dtype)
    start, stop = (b.cast(v, kind) for v in (start, stop))
    extent = b.sub(stop, start)
    parts = b.maximum(b.sub(n, 1) if endpoint else n, 1)
    step = b.div(extent, b.cast(parts, kind))
    places = b.iota(n)
    if is_array(extent):
        places = b.view(places, spec=(":",) + ("n",) * extent.type.ndim)
    out = b.add(b.mul(b.cast(places, kind), step), start)
    if endpoint:
        # NumPy sets the last place to `stop` itself; that of a single place is `start`
        last = b.logical_and(b.eq(places, b.sub(n, 1)), b.gt(n, 1))
        out = b.where(last, stop, out)
    out = out if axis == 0 else it.call_numpy(np.moveaxis, [out, 0, axis], {}, node)
    if dtype is not None:
        target = scalar_type(it, node, dtype)
        out = b.cast(b.floor(out) if is_int(target.dtype) else out, target)
    if not retstep:
        return out
    unknown = plain(b.lt(n, 2 if endpoint else 1))
    return out, np.nan if unknown is True else plain(b.where(unknown, np.nan, step))
