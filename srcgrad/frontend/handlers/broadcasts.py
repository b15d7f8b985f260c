"""Broadcasting by name: the common shape of arrays, and views that have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.formulas.broadcasts import Broadcast
from srcgrad.frontend.handlers.creation import dims_of
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, ndim
from srcgrad.ir.types import same_dims


@implements(np.broadcast_shapes)
def broadcast_shapes(it: Interpreter, node: Node, *args: Any) -> Any:
    return tuple(it.b.broadcast([tuple(dims_of(it, node, shape)) for shape in args]))


@implements(np.broadcast)
def broadcast(it: Interpreter, node: Node, *args: Any) -> Any:
    return it.call(Broadcast, [args], {}, node)


@implements(np.broadcast_to)
def broadcast_to(it: Interpreter, node: Node, x: Any, shape: Any) -> Any:
    (x,) = operands(it, node, (x,), "broadcast_to")
    dims = dims_of(it, node, shape)
    if not dims and not ndim(x):
        return it.b.view(x, spec=()) if is_array(x) else strong(it, x)
    if is_array(x):
        it.b.check_assign(*dims, *x.type.dims, split=len(dims))
    out = it.b.broadcast_to(x, *dims)
    it.stands_for_view(out, x, "a broadcast array", node)
    return out


@implements(np.broadcast_arrays)
def broadcast_arrays(it: Interpreter, node: Node, *xs: Any, subok: Any = False) -> Any:
    """Arrays in their common shape: one that has it is itself."""
    xs = tuple(operands(it, node, xs, "broadcast_arrays"))
    dims = it.b.broadcast([x.type.dims if is_array(x) else () for x in xs])
    return tuple(
        x if is_array(x) and same_dims(x.type.dims, dims) else broadcast_to(it, node, x, dims)
        for x in xs
    )
