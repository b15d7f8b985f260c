"""Items of lists and tuples of numbers at an index that only the run tells: an array has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.constant_tables import item_in_loop
from srcgrad.frontend.control_flow import either
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    GrownList,
    Several,
    Slice,
    is_integer,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import BOOL, Scalar

MOST = 16  # values of any kind that the run chooses among


def item_of_the_run(it: Interpreter, x: Any, items: list[Any], node: Node) -> Any:
    """The item at an index that only the run tells, of a sequence of numbers; None for others."""
    k = items[0] if len(items) == 1 else None
    if isinstance(x, str) or not isinstance(k, Var) or not is_integer(k):
        return None
    if (found := item_in_loop(it, x, k, node)) is not None:
        return found
    if it.captures.is_of_sizes(it, k) or not x:  # it can be specialized on, its loops unrolled
        return None
    it.grow_if_it_can(x)
    n = len(x)
    outside = it.b.logical_or(it.b.lt(k, -n), it.b.ge(k, n))
    kind = "list" if isinstance(x, list) else "tuple"
    if (first := _kind_of_all(x)) is None:
        if n > MOST:
            return None
        it.fail_if(outside, "IndexError", f"{kind} index out of range")
        place = plain(it.b.where(it.b.lt(k, 0), it.b.add(k, n), k))
        hits = [plain(it.b.eq(place, j)) for j in range(n)]
        return chosen(it, hits[:-1], x[:-1], lambda: x[-1], node)
    it.fail_if(outside, "IndexError", f"{kind} index out of range")
    found = it.read(_as_array(it, x, node), items, node)
    return it.b.retyped(found, Scalar(found.type.dtype, weak=first.weak))


def slice_of_the_run(it: Interpreter, x: list, part: Slice, node: Node) -> GrownList | None:
    """A slice of a list of numbers by bounds that only the run tells; None for others."""
    unknown = [v for v in (part.lower, part.upper, part.step) if isinstance(v, Var)]
    if not x or not unknown or any(it.captures.is_of_sizes(it, v) for v in unknown):
        return None
    it.grow_if_it_can(x)
    if (kind := _kind_of_all(x)) is None:
        return None
    whole = _as_array(it, x, node)
    dtype = Scalar(whole.type.dtype, weak=kind.weak)
    key = it.tracked_list([], node).key
    return it.grown_slice(GrownList(None, None, dtype, key, settled=whole), part, node)


def _kind_of_all(x: Any) -> Scalar | None:
    """The type of the first of some numbers that one array holds; None for other items."""
    kinds = [atom(v).type for v in x if is_scalar(v)]
    if len(kinds) < len(x) or len({(t.weak, t == BOOL) for t in kinds}) > 1:
        return None
    return kinds[0]


def chosen(
    it: Interpreter, hits: list[Any], values: Any, otherwise: Callable[[], Any], node: Node
) -> Any:
    """The first of the values whose flag holds.

    Numbers and arrays are joined; containers, strings and functions stay themselves, in a value of
    several kinds.
    """
    if all(map(is_value, values)):
        return _joined(it, hits, values, otherwise, node)
    pairs = [(h, v) for h, v in zip(hits, values, strict=True) if h is not False]
    if len(pairs) > MOST:
        it.refuse(node, f"a choice of one of {len(pairs)} values by the run", "use an array")
    found: Any = False
    for hit, _ in pairs:
        found = either(it, found, hit)
    rest: list[Any] = []
    it.branch(found, lambda: None, lambda: rest.append(otherwise()), node, live_rest=True)
    made = rest[0] if rest else pairs.pop()[1]
    for hit, v in reversed(pairs):
        made = Several(hit, v, made) if isinstance(hit, Var) else v
    return made


def _joined(
    it: Interpreter, hits: list[Any], values: Any, otherwise: Callable[[], Any], node: Node
) -> Any:
    if not hits:
        return otherwise()
    return it.branch(
        hits[0], lambda: values[0],
        lambda: _joined(it, hits[1:], values[1:], otherwise, node), node, live_rest=True,
        several=True,
    )  # fmt: skip


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
