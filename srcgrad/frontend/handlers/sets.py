"""Arrays as sets of their elements: setdiff1d."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import reduce
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel
from srcgrad.frontend.handlers.sorting import sort
from srcgrad.frontend.values import Slice, is_array


def distinct(it: Any, node: Any, x: Any) -> Any:
    """The elements of an array in order, each once."""
    ordered = sort(it, node, ravel(it, node, x))
    before = it.view(ordered, [Slice(None, -1, None)], node)
    changed = it.b("ne", it.view(ordered, [Slice(1, None, None)], node), before)
    first = it.b("eq", it.b("iota", ordered.type.dims[0]), 0)
    rest = it.view(first, [Slice(1, None, None)], node)
    kept = it.b("logical_or", rest, changed)
    start = it.view(first, [Slice(None, 1, None)], node)
    return it.read(ordered, [it.call_numpy(np.concatenate, [[start, kept]], {}, node)], node)


@implements(np.setdiff1d)
def setdiff1d(it: Any, node: Any, ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    ar1, ar2 = operands(it, node, (ar1, ar2), "setdiff1d")
    if not is_array(ar1) or not is_array(ar2):
        it.refuse(node, "setdiff1d of a number is not supported")
    x = ravel(it, node, ar1) if assume_unique else distinct(it, node, ar1)
    column = it.b("view", x, spec=(":", "n"))
    found = reduce(it, node, "any", it.b("eq", column, ravel(it, node, ar2)), 1, False)
    return it.read(x, [it.b("logical_not", found)], node)
