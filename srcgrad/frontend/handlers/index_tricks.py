"""NumPy's objects that are subscripted to make something: r_, c_, s_, index_exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.index_arrays import as_slice
from srcgrad.frontend.handlers.registry import method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, is_array
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, join_scalars


def _joined(name: str, axis: int, ndim: int, place: int) -> None:
    def handler(it: Interpreter, node: Node, owner: Any, *items: Any) -> Any:
        how, items = (axis, ndim, place), tuple(items)
        if items and isinstance(items[0], str):
            how, items = _directive(it, node, items[0], how), items[1:]
        if any(isinstance(i, str) for i in items):
            it.wrong(node, "special directives must be the first entry.", ValueError)
        given = tuple(i if (s := as_slice(i)) is None else ranged(it, node, s) for i in items)
        xs = operands(it, node, given, name)
        kinds = [Scalar(x.type.dtype) if is_array(x) else atom(x).type for x in xs]
        kind = kinds[0]
        for other in kinds[1:]:
            kind = join_scalars(kind, other)
        cast = [it.b.cast(strong(it, x), Scalar(kind.dtype)) for x in xs]
        parts = [_wide(it, node, x, *how[1:]) for x in cast]
        return it.call_numpy(np.concatenate, [parts, how[0]], {}, node)

    method(name, "__getitem__")(handler)


def _directive(it: Interpreter, node: Node, text: str, how: tuple) -> tuple[int, int, int]:
    """The axis, how many axes, where those stand that there were: of a string of numbers."""
    if text in ("r", "c"):
        it.refuse(node, f"np.r_ and np.c_ with {text!r}, which make a np.matrix", "np.atleast_2d")
    try:
        given = tuple(int(n) for n in text.split(","))
    except ValueError:
        it.wrong(node, f"unknown special directive {text!r}", ValueError)
    given = given if len(given) <= 3 else given[:2]  # NumPy reads no more of a longer one
    return (*given, *how[len(given) :])  # type: ignore[return-value]  (three numbers)


def ranged(it: Interpreter, node: Node, s: Slice) -> Any:
    """The numbers that a slice denotes; a step of 5j means five, both ends included."""
    start = 0 if s.lower is None else s.lower
    if s.step is not None and is_complex(atom(s.step).type.dtype):
        count = it.call(int, [it.call(abs, [s.step], {}, node)], {}, node)
        return it.call_numpy(np.linspace, [start, s.upper, count], {}, node)
    return it.call_numpy(np.arange, [start, s.upper, 1 if s.step is None else s.step], {}, node)


def _wide(it: Interpreter, node: Node, x: Any, ndim: int, place: int) -> Any:
    """An array of at least `ndim` axes; `place` counts those added in front, as in NumPy."""
    if not is_array(x) or not x.type.dims:
        return it.b.broadcast_to(x, *([1] * ndim))
    more = ndim - x.type.ndim
    if more <= 0:
        return x
    first = place + more + 1 if place < 0 else place
    if not 0 <= first <= more:
        it.wrong(node, "axes don't match array", ValueError)
    spec = (*("n",) * first, *(":",) * x.type.ndim, *("n",) * (more - first))
    return it.b.view(x, spec=spec)


_joined(type(np.r_).__name__, 0, 1, -1)
_joined(type(np.c_).__name__, -1, 2, 0)


@method(type(np.s_).__name__, "__getitem__")
def index_expression(it: Interpreter, node: Node, owner: Any, *items: Any) -> Any:
    return items[0] if len(items) == 1 and not owner.maketuple else tuple(items)
