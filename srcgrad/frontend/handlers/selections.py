"""Choices and comparisons of whole arrays: select, extract, compress, array_equal, allclose."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from srcgrad.frontend.control_flow import python_bool
from srcgrad.frontend.handlers.elementwise import numbers_of_math, operands
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, joined_type, plain
from srcgrad.ir.types import FLOAT


@implements(np.select)
def select(it: Interpreter, node: Node, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The choice for the first condition that holds."""
    conditions = it.static_items(condlist, node)
    choices = it.static_items(choicelist, node)
    if len(conditions) != len(choices) or not conditions:
        it.refuse(node, "select takes as many choices as conditions, one at least", like=ValueError)
    conditions = operands(it, node, tuple(conditions), "select")
    *choices, result = operands(it, node, (*choices, default), "select")
    kind = joined_type((*choices, result))
    for c, x in zip(reversed(conditions), reversed(choices), strict=True):
        result = it.emit(node, "where", c, it.b.cast(x, kind), it.b.cast(result, kind))
    return result


@implements(np.compress)
def compress(it: Interpreter, node: Node, condition: Any, x: Any, axis: Any = None) -> Any:
    # by places and not by a mask: the condition may be shorter than the axis
    (places,) = it.call_numpy(np.nonzero, [condition], {}, node)
    return it.call_numpy(np.take, [x, places], {"axis": axis}, node)


@method("array", "compress")
def compress_method(it: Interpreter, node: Node, x: Any, condition: Any, axis: Any = None) -> Any:
    return compress(it, node, condition, x, axis)


@implements(np.array_equal)
def array_equal(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = operands(it, node, (a, c), "array_equal")
    dims, others = (list(v.type.dims) if is_array(v) else [] for v in (a, c))
    if len(dims) != len(others):
        return False
    pairs = [(m, n) for m, n in zip(dims, others, strict=True) if m is not n]
    fits = [it.b.eq(m, n) for m, n in pairs]
    same = plain(reduce(lambda p, q: it.b.logical_and(p, q), fits)) if fits else True

    def equal() -> Any:
        hits = it.emit(node, "eq", a, c)
        return python_bool(it, it.call_numpy(np.all, [hits], {}, node) if is_array(hits) else hits)

    return it.branch(same, equal, lambda: False, node)


@implements(math.isclose)
def isclose(
    it: Interpreter, node: Node, a: Any, c: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0
) -> Any:
    b = it.b
    a, c, rel_tol, abs_tol = (
        b.retyped(v, FLOAT) for v in numbers_of_math(it, node, (a, c, rel_tol, abs_tol), "isclose")
    )
    negative = b.logical_or(b.lt(rel_tol, 0.0), b.lt(abs_tol, 0.0))
    it.fail_if(plain(negative), "ValueError", "tolerances must be non-negative")
    gap = it.emit(node, "abs", b.sub(a, c))
    largest = b.maximum(b.abs(a), b.abs(c))
    near = b.le(gap, b.maximum(b.mul(rel_tol, largest), abs_tol))
    # an infinity is close to nothing but itself
    near = b.logical_and(near, b.lt(gap, math.inf))
    return plain(b.logical_or(b.eq(a, c), near))
