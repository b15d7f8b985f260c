"""Methods of ufuncs: outer, reduce, accumulate, reduceat, at."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from srcgrad.frontend.formulas import insertions, scans
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import reduce
from srcgrad.frontend.handlers.registry import FUNCTIONS, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_value, ndim

REDUCE = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
          np.logical_and: np.all, np.logical_or: np.any}  # fmt: skip
OF_DTYPE = (np.sum, np.prod, np.cumsum, np.cumprod)
ACCUMULATE = {np.add: np.cumsum, np.multiply: np.cumprod}
# the others are reduced and scanned by loops that call the ufunc itself
FOLDED = (np.logaddexp, np.logaddexp2, np.hypot, np.fmax, np.fmin)


def _outer(f: Any) -> None:
    def handler(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
        a, c = operands(it, node, (a, c), f"{f.__name__}.outer")
        if is_array(a) and is_array(c):
            a = it.b.view(a, spec=(":",) * a.type.ndim + ("n",) * c.type.ndim)
        return it.call_numpy(f, [a, c], {}, node)

    implements(f.outer)(handler)


def _in_turn(f: Any) -> None:
    implements(f.at)(
        lambda it, node, x, places, values: it.call(
            insertions.changed_in_turn, [f, x, places, values], {}, node
        )
    )


def _over_first_axis(method: Any, whole: Any, of_numbers: str = "") -> None:
    """Registers a method of a ufunc as a function of NumPy; its default is the first axis.

    `of_numbers`: the text of the TypeError that a number raises.
    """

    def handler(it: Interpreter, node: Node, /, x: Any, axis: Any = 0, **kwargs: Any) -> Any:
        if of_numbers and is_value(x) and not ndim(x):
            it.wrong(node, of_numbers, TypeError)
        axis = _only_axis(it, node, x, axis) if of_numbers else axis
        if isinstance(kwargs.get("out"), tuple):
            (kwargs["out"],) = kwargs["out"]
        if whole not in OF_DTYPE:
            _refuse_given(it, node, "dtype", kwargs.pop("dtype", None))
        return it.call_numpy(whole, [x], {"axis": axis, **kwargs}, node)

    implements(method)(handler)


def _only_axis(it: Interpreter, node: Node, x: Any, axis: Any) -> Any:
    """The axis of a method that takes one: in a tuple, or None of a vector."""
    if axis is None and ndim(*operands(it, node, (x,), "this method")) > 1:
        it.wrong(node, "accumulate does not allow multiple axes", ValueError)
    axis = 0 if axis is None else axis
    return axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis


@implements(np.logaddexp.reduce)
def logaddexp_reduce(
    it: Interpreter, node: Node, x: Any, axis: Any = 0, keepdims: Any = False
) -> Any:
    """The greatest term plus the logarithm of the sum of exponentials below it."""
    (x,) = operands(it, node, (x,), "logaddexp.reduce")
    top = reduce(it, node, "max", x, axis, True)
    # where all terms are -inf, or one is inf, that is the result; nothing is subtracted
    shift = it.b.stop_gradient(it.emit(node, "where", it.b.isfinite(top), top, 0.0))
    total = reduce(it, node, "sum", it.b.exp(it.emit(node, "sub", x, shift)), axis, keepdims)
    if not keepdims:
        shift = reduce(it, node, "max", shift, axis, False)
    return it.emit(node, "add", it.b.log(total), shift)


def _refuse_given(it: Interpreter, node: Node, name: str, given: Any) -> None:
    if given is not None:
        it.refuse(node, f"the argument '{name}' of this method of a ufunc is not supported")


def _by_loop(method: Any, f: Any, formula: Any) -> None:
    """Registers a method of a ufunc as a loop of formulas."""

    def handler(it: Interpreter, node: Node, /, x: Any, axis: Any = 0, **keywords: Any) -> Any:
        axis = _only_axis(it, node, x, axis) if formula is scans.scanned else axis
        taken = inspect.signature(formula).parameters
        for name in [n for n in keywords if n not in taken]:
            _refuse_given(it, node, name, keywords.pop(name))
        return it.call(formula, [f, x, axis], keywords, node)

    implements(method)(handler)


for _f in [f for f in FUNCTIONS if isinstance(f, np.ufunc) and (f.nin, f.nout) == (2, 1)]:
    if _f.signature is None:
        _outer(_f)
        if _f not in (np.add, np.subtract):  # these need no loop
            _in_turn(_f)
for _f, _whole in REDUCE.items():
    _over_first_axis(_f.reduce, _whole)
for _f, _whole in ACCUMULATE.items():
    _over_first_axis(_f.accumulate, _whole, "cannot accumulate on a scalar")
for _f in FOLDED:
    if _f is not np.logaddexp:  # it has a handler of its own above
        _by_loop(_f.reduce, _f, scans.folded)
for _f in (*FOLDED, np.maximum, np.minimum):
    _by_loop(_f.accumulate, _f, scans.scanned)


def _reduced_at(f: Any) -> None:
    def handler(
        it: Interpreter, node: Node, x: Any, places: Any, axis: Any = 0, dtype: Any = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        for name, given in (("dtype", dtype), ("out", out)):
            _refuse_given(it, node, name, given)
        axis = _only_axis(it, node, x, axis)
        return it.call(scans.reduced_at, [f.reduce, x, places, axis], {}, node)

    implements(f.reduceat)(handler)


for _f in (np.add, np.multiply, np.maximum, np.minimum):
    _reduced_at(_f)
