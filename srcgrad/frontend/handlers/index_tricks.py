"""NumPy's objects that are subscripted to make something: r_, c_, s_, index_exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, is_array
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, join_scalars


def _joined(name: str, axis: int, ndim: int) -> None:
    def handler(it: Interpreter, node: Node, owner: Any, *items: Any) -> Any:
        if any(isinstance(i, str) for i in items):
            it.refuse(node, "np.r_ and np.c_ with a string are not supported", "np.concatenate")
        given = tuple(ranged(it, node, i) if isinstance(i, Slice) else i for i in items)
        xs = operands(it, node, given, name)
        kinds = [Scalar(x.type.dtype) if is_array(x) else atom(x).type for x in xs]
        kind = kinds[0]
        for other in kinds[1:]:
            kind = join_scalars(kind, other)
        parts = [_wide(it, it.b.cast(strong(it, x), Scalar(kind.dtype)), ndim) for x in xs]
        return it.call_numpy(np.concatenate, [parts, axis], {}, node)

    method(name, "__getitem__")(handler)


def ranged(it: Interpreter, node: Node, s: Slice) -> Any:
    """The numbers that a slice denotes; a step of 5j means five, both ends included."""
    start = 0 if s.lower is None else s.lower
    if s.step is not None and is_complex(atom(s.step).type.dtype):
        count = it.call(int, [it.call(abs, [s.step], {}, node)], {}, node)
        return it.call_numpy(np.linspace, [start, s.upper, count], {}, node)
    return it.call_numpy(np.arange, [start, s.upper, 1 if s.step is None else s.step], {}, node)


def _wide(it: Interpreter, x: Any, ndim: int) -> Any:
    """An array of at least `ndim` axes; added ones come last."""
    if not is_array(x) or not x.type.dims:
        return it.b.broadcast_to(x, *([1] * ndim))
    more = ndim - x.type.ndim
    return x if more <= 0 else it.b.view(x, spec=(*(":",) * x.type.ndim, *("n",) * more))


_joined(type(np.r_).__name__, 0, 1)
_joined(type(np.c_).__name__, -1, 2)


@method(type(np.s_).__name__, "__getitem__")
def index_expression(it: Interpreter, node: Node, owner: Any, *items: Any) -> Any:
    return items[0] if len(items) == 1 and not owner.maketuple else tuple(items)
