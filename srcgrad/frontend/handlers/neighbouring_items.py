"""Iterators of itertools whose items are made of several in a row: pairwise, accumulate."""

from __future__ import annotations

import itertools
import operator
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.comprehensions import is_long
from srcgrad.frontend.expressions import binary
from srcgrad.frontend.formulas import iterators
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.grown_lists import Ragged
from srcgrad.frontend.handlers.iterators import (
    as_held,
    as_it_is,
    count_of,
    in_turn,
    is_of_the_run,
)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import iterated, length_of
from srcgrad.frontend.values import GrownList, Iterated, is_array, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import np_dtype


@implements(itertools.pairwise)
def pairwise(it: Interpreter, node: Node, x: Any) -> Any:
    """Pairs of neighbours: an item is read once, as a pair's second, and reused in the next."""
    x = in_turn(it, x, node)
    if isinstance(x, Generated | Ragged):
        return it.call(iterators.pairs, [x], {}, node)
    if is_of_the_run(x):
        x = as_held(it, node, x, "pairwise")
    part = iterated(it, x, node)
    n, kept = plain(it.b.sub(length_of(it, part), 1)), {}

    def pair(k: Any) -> tuple:
        if isinstance(k, Var):
            return part.item(k), part.item(plain(it.b.add(k, 1)))
        if k == 0:
            kept[0] = part.item(0)
        kept[k + 1] = part.item(k + 1)
        return kept[k], kept[k + 1]

    return Iterated(n, pair, part.static, sources=part.sources, once=True, grown=part.grown)


@implements(itertools.accumulate)
def accumulate(
    it: Interpreter, node: Node, x: Any, func: Any = None, *, initial: Any = None
) -> Any:
    x = in_turn(it, x, node)
    f = operator.add if func is None else func
    one_by_one = iterators.accumulated if initial is None else iterators.accumulated_from
    first = [] if initial is None else [initial]
    if isinstance(x, Generated):
        return it.call(one_by_one, [x, f, *first], {}, node)
    kind = None
    if isinstance(x, GrownList) and x.of_numbers:
        kind = x.dtype.dtype
    elif is_array(x) and x.type.ndim == 1:
        kind = x.type.dtype
    if func is None and initial is None and kind is not None:
        if kind == "bool":
            it.refuse(
                node, "accumulate() of truth values gives one first, then numbers",
                "make integers of them",
            )  # fmt: skip
        made = it.call_numpy(np.cumsum, [x], {"dtype": np_dtype(kind)}, node)
        return replace(iterated(it, as_it_is(it, node, made, x, "accumulate"), node), once=True)
    if isinstance(x, GrownList) or is_long(it, x, node):
        return it.call(one_by_one, [x, f, *first], {}, node)
    part = iterated(it, x, node)
    n, shift = count_of(it, part, node), int(initial is not None)
    kept: dict[int, Any] = {}

    def item(k: int) -> Any:
        if k == 0:
            kept[0] = part.item(0) if initial is None else initial
        elif func is None:
            kept[k] = binary(it, gast.Add(), kept[k - 1], part.item(k - shift), node)
        else:
            kept[k] = it.call(func, [kept[k - 1], part.item(k - shift)], {}, node)
        return kept[k]

    return Iterated(n + shift, item, True, sources=part.sources, once=True)
