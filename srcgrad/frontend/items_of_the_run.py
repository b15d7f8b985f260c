"""Items of lists and tuples of numbers at an index that only the run tells: an array has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists import grow_if_it_can
from srcgrad.frontend.values import is_integer, is_scalar
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import BOOL, Scalar


def item_of_the_run(it: Interpreter, x: Any, items: list[Any], node: Node) -> Any:
    """The item at an index that only the run tells, of a sequence of numbers; None for others."""
    k = items[0] if len(items) == 1 else None
    if isinstance(x, str) or not isinstance(k, Var) or not is_integer(k):
        return None
    if it.captures.is_of_sizes(it, k) or not x:  # it can be specialized on, its loops unrolled
        return None
    grow_if_it_can(it, x)
    if not all(is_scalar(v) for v in x):
        return None
    kinds = [atom(v).type for v in x]
    if len({(t.weak, t == BOOL) for t in kinds}) > 1:
        return None
    n = len(x)
    outside = it.b.logical_or(it.b.lt(k, -n), it.b.ge(k, n))
    kind = "list" if isinstance(x, list) else "tuple"
    it.fail_if(outside, "IndexError", f"{kind} index out of range")
    found = it.read(_as_array(it, x, node), items, node)
    return it.b.retyped(found, Scalar(found.type.dtype, weak=kinds[0].weak))


def _as_array(it: Interpreter, x: Any, node: Node) -> Any:
    """A sequence of numbers as an array, made once if it is constant."""
    known = all(isinstance(v, int | float | complex | np.generic) for v in x)
    if not known or not (isinstance(x, tuple) or id(x) in it.captures.immutable):
        return it.call_numpy(np.array, [list(x)], {}, node)
    key = ("as array", id(x))
    if key not in it.captures.containers:
        with it.b.block() as block:
            made = it.call_numpy(np.array, [list(x)], {}, node)
        it.heads[0][1].extend(block)
        it.captures.containers[key] = made
        it.captures.inlined.append(x)  # keeps it alive, and so its id
    return it.captures.containers[key]
