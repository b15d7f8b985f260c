"""Index arrays and values on a scale: ix_, triu_indices, fill_diagonal, logspace, geomspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import nonzero, ravel
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.stores import write
from srcgrad.frontend.values import Slice, is_array


def as_slice(obj: Any) -> Slice | None:
    """A slice as one of run-time bounds; None for any other value."""
    if isinstance(obj, slice):
        return Slice(obj.start, obj.stop, obj.step)
    return obj if isinstance(obj, Slice) else None


@implements(slice)
def slice_(it: Interpreter, node: Node, *bounds: Any) -> Any:
    lower, upper, step = (None, *bounds, None) if len(bounds) == 1 else (*bounds, None)[:3]
    return Slice(lower, upper, step)


@implements(np.ix_)
def ix_(it: Interpreter, node: Node, *xs: Any) -> Any:
    """Index vectors, each along an axis of its own."""
    out = []
    for k, x in enumerate(operands(it, node, xs, "ix_")):
        if not is_array(x) or x.type.ndim != 1:
            it.refuse(node, "ix_ takes vectors", like=ValueError)
        (places,) = nonzero(it, node, x) if x.type.dtype == "bool" else (x,)
        spec = tuple(":" if a == k else "n" for a in range(len(xs)))
        out.append(it.b.view(places, spec=spec))
    return tuple(out)


@implements(np.fill_diagonal)
def fill_diagonal(it: Interpreter, node: Node, a: Any, value: Any, wrap: Any = False) -> None:
    if not is_array(a) or a.type.ndim != 2 or wrap:
        wrong = ValueError if is_array(a) and a.type.ndim < 2 else None
        it.refuse(node, "fill_diagonal takes a matrix, and wrap=True is not supported", like=wrong)
    (value,) = operands(it, node, (value,), "fill_diagonal")
    places = it.b.iota(it.b.dim(it.b.minimum(*a.type.dims)))
    if is_array(value):
        # NumPy repeats values that are too few and drops those that are too many
        value = ravel(it, node, value)
        value = it.read(value, [it.b.mod(places, value.type.dims[0])], node)
    write(it, a, [places, places], value, node)
