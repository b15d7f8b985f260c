"""Groups of the items of iterators, and copies of these."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.frontend import generators
from srcgrad.frontend.comprehensions import list_of
from srcgrad.frontend.formulas import iterators
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.handlers.iterators import as_held, is_of_the_run
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Iterated, is_scalar
from srcgrad.frontend.versions import there
from srcgrad.ir.nodes import Var
from srcgrad.tree import leaves


@implements(itertools.groupby)
def groupby(it: Interpreter, node: Node, iterable: Any, key: Any = None) -> Any:
    x = generators.in_turn(it, iterable, node)
    if is_of_the_run(x):
        return it.call(iterators.groups, [as_held(it, node, x, "groupby"), key], {}, node)
    items = None if isinstance(x, Generated) else list_of(it, x, node)
    if not isinstance(items, list):
        return it.call(iterators.groupby, [x if items is None else items, key], {}, node)
    keys = items if key is None else [it.call(key, [v], {}, node) for v in items]
    known = not any(isinstance(k, Var) for k in leaves(keys))
    if not known and items and all(map(is_scalar, items)):
        items = it.call_numpy(np.array, [items], {}, node)
    return it.call(iterators.groups_of_list, [items, keys, known], {}, node)


def batched(it: Interpreter, node: Node, iterable: Any, n: Any, *, strict: Any = False) -> Any:
    n = it.static_int(n, node, "the number of items in a batch")
    if is_of_the_run(iterable):
        items = as_held(it, node, iterable, "batched")
        return it.call(iterators.batches_of_the_run, [items, n, strict], {}, node)
    items = generators.in_turn(it, iterable, node)
    return it.call(iterators.batched, [items, n], {"strict": strict}, node)


for _f in there(itertools, "batched"):  # from Python 3.12 on
    implements(_f)(batched)


@implements(itertools.tee)
def tee(it: Interpreter, node: Node, iterable: Any, n: Any = 2) -> tuple:
    if isinstance(generators.in_turn(it, iterable, node), Generated):
        it.refuse(node, "tee() of a generator is not supported", "make a list of it")
    items = as_held(it, node, iterable, "tee") if is_of_the_run(iterable) else iterable
    items = list_of(it, items, node) if isinstance(items, Iterated) else items
    count = it.static_int(n, node, "the number of iterators")
    return tuple(it.call(iter, [items], {}, node) for _ in range(count))
