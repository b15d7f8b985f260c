"""Iterators: map, filter, those of itertools, and over the places of an array.

Over what has many items, or a number of them that is known at run time only, they are loops.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.trees import FILTERING, MAPPING, function_at
from srcgrad.frontend.values import (
    GrownList,
    Iterated,
    Range,
    describe,
    is_array,
    is_integer,
    plain,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import INT, Scalar

ENDLESS = 1 << 62  # trips of what has no end


def _iterator(it: Any, items: list[Any]) -> Iterated:
    return it.static_iterated(items, once=True)


def _integers(it: Any, node: Any, what: str, *values: Any) -> None:
    for v in values:
        if not is_integer(v):
            it.refuse(node, f"{what} is an integer, not {describe(v)}")


def _static(it: Any, parts: list[Iterated], node: Any) -> bool:
    """Whether items must be taken one by one: those of a list can be of any kind."""
    return any(p.static for p in parts) or not it.may_be_loop(node)


# ---- of functions ----
@implements(map)
def map_(it: Any, node: Any, f: Any, *xs: Any) -> Any:
    columns = it.zipped([it.iterated(it.collected(x), node) for x in xs], node)
    if it.is_long(columns, node):
        return it.lazily(it.loop_over(function_at(node, MAPPING), [f, columns], node), node)
    items = it.static_items(columns, node)
    return it.lazily([it.call(f, list(c), {}, node) for c in items], node)


@implements(itertools.starmap)
def starmap(it: Any, node: Any, f: Any, xs: Any) -> Any:
    xs = it.collected(xs)
    if it.is_long(xs, node):
        return it.lazily(it.loop_over(function_at(node, MAPPING), [f, xs], node), node)
    columns = [it.static_items(x, node) for x in it.items_in_turn(xs, node)]
    return it.lazily([it.call(f, c, {}, node) for c in columns], node)


@implements(filter)
def filter_(it: Any, node: Any, f: Any, x: Any) -> Any:
    f, x = bool if f is None else f, it.collected(x)
    looped = (it.frame.source.file, node.lineno, node.col_offset) in it.captures.demands.looped
    if looped or it.is_long(x, node):
        return it.lazily(it.loop_over(function_at(node, FILTERING), [f, x], node), node)
    kept = []
    for v in it.items_in_turn(x, node):
        test = it.truth(it.call(f, [v], {}, node), node)
        if isinstance(test, Var):
            it.loop_instead(node)
            it.refuse(node, "filter() by a condition known only at run time", "use a loop")
        kept += [v] if test else []
    return it.lazily(kept, node)


# ---- several at once ----
@implements(itertools.product)
def product(it: Any, node: Any, *xs: Any, repeat: Any = 1) -> Any:
    """The last factor runs fastest: its index is the remainder of the number of the trip."""
    repeat = it.static_int(repeat, node, "repeat")
    parts = [it.iterated(it.collected(x), node) for x in xs] * repeat
    if not parts or _static(it, parts, node):
        columns = [it.items_of_part(p, node) for p in parts]
        return _iterator(it, list(itertools.product(*columns)))
    lengths = [it.length_of(p) for p in parts]
    total: Any = 1
    for n in lengths:
        total = plain(it.b("mul", total, n))

    def item(k: Any) -> tuple:
        places: list[Any] = []
        for n in reversed(lengths[1:]):
            places.append(plain(it.b("mod", k, n)))
            k = plain(it.b("floordiv", k, n))
        return tuple(p.item(i) for p, i in zip(parts, [k, *reversed(places)], strict=True))

    return Iterated(total, item, sources=_sources(parts), once=True)


@implements(np.ndindex)
def ndindex(it: Any, node: Any, *shape: Any) -> Any:
    sizes = shape
    if len(shape) == 1 and not is_integer(shape[0]):
        sizes = tuple(it.static_items(shape[0], node))
    _integers(it, node, "a size of ndindex()", *sizes)
    return product(it, node, *(Range(0, n, 1) for n in sizes))


@implements(np.ndenumerate)
def ndenumerate(it: Any, node: Any, x: Any) -> Any:
    x = x if is_array(x) else it.call_numpy(np.asarray, [x], {}, node)
    places = ndindex(it, node, *x.type.dims)
    pair = lambda k: (place := places.item(k), it.b("load", x, *place))
    return replace(places, item=pair, sources=())


@implements(itertools.combinations)
def combinations(it: Any, node: Any, x: Any, r: Any) -> Any:
    r = it.static_int(r, node, "r")
    part = it.iterated(it.collected(x), node)
    if r == 2 and not _static(it, [part], node):
        return _pairs(it, part)
    return _iterator(it, list(itertools.combinations(it.items_of_part(part, node), r)))


def _pairs(it: Any, part: Iterated) -> Iterated:
    """Each item with each later one: the k-th pair from the rows of a triangle.

    Row i starts at i (2 n - i - 1) / 2. The root that solves this for i may be off by one, as it is
    rounded.
    """
    b, n = it.b, it.length_of(part)
    double = b("sub", b("mul", n, 2), 1)
    total = plain(b("floordiv", b("mul", n, b("sub", n, 1)), 2))

    def start(i: Any) -> Any:
        return b("floordiv", b("mul", i, b("sub", double, i)), 2)

    def item(k: Any) -> tuple:
        below = b("sub", b("mul", double, double), b("mul", k, 8))
        root = b("sqrt", b.cast(b("maximum", below, 0), Scalar("f64")))
        guess = b("div", b("sub", b.cast(double, Scalar("f64")), root), 2.0)
        i = b.cast(b("floor", guess), INT)
        i = b("where", b("gt", start(i), k), b("sub", i, 1), i)
        after = b("add", i, 1)
        i = b("where", b("le", start(after), k), after, i)
        j = b("add", b("add", b("sub", k, start(i)), i), 1)
        return part.item(plain(i)), part.item(plain(j))

    return Iterated(total, item, sources=part.sources, once=True)


@implements(itertools.permutations)
def permutations(it: Any, node: Any, x: Any, r: Any = None) -> Any:
    items = it.static_items(it.collected(x), node)
    r = None if r is None else it.static_int(r, node, "r")
    return _iterator(it, list(itertools.permutations(items, r)))


@implements(itertools.combinations_with_replacement)
def combinations_with_replacement(it: Any, node: Any, x: Any, r: Any) -> Any:
    items = it.static_items(it.collected(x), node)
    r = it.static_int(r, node, "r")
    return _iterator(it, list(itertools.combinations_with_replacement(items, r)))


@implements(itertools.pairwise)
def pairwise(it: Any, node: Any, x: Any) -> Any:
    part = it.iterated(it.collected(x), node)
    if _static(it, [part], node):
        return _iterator(it, list(itertools.pairwise(it.items_of_part(part, node))))
    n = plain(it.b("sub", it.length_of(part), 1))
    after = lambda k: plain(it.b("add", k, 1))
    pair = lambda k: (part.item(k), part.item(after(k)))
    return Iterated(n, pair, sources=part.sources, once=True)


@implements(itertools.zip_longest)
def zip_longest(it: Any, node: Any, *xs: Any, fillvalue: Any = None) -> Any:
    columns = [it.static_items(it.collected(x), node) for x in xs]
    return _iterator(it, list(itertools.zip_longest(*columns, fillvalue=fillvalue)))


# ---- one after the other ----
@implements(itertools.chain)
def chain(it: Any, node: Any, *xs: Any) -> Any:
    parts = [it.iterated(it.collected(x), node) for x in xs]
    if not parts or _static(it, parts, node):
        return _iterator(it, [v for p in parts for v in it.items_of_part(p, node)])
    joined = parts[0]
    for p in parts[1:]:
        joined = _followed(it, node, joined, p)
    return joined


@implements(itertools.chain.from_iterable)
def chain_of(it: Any, node: Any, xs: Any) -> Any:
    return chain(it, node, *it.static_items(it.collected(xs), node))


def _followed(it: Any, node: Any, one: Iterated, two: Iterated) -> Iterated:
    n = it.length_of(one)

    def item(k: Any) -> Any:
        late = lambda: two.item(plain(it.b("sub", k, n)))
        first = plain(it.b("lt", k, n))
        return it.branch(first, lambda: one.item(k), late, node, live_rest=True)

    total = plain(it.b("add", n, it.length_of(two)))
    return Iterated(total, item, sources=_sources([one, two]), once=True)


@implements(itertools.islice)
def islice(it: Any, node: Any, x: Any, *limits: Any) -> Any:
    if not 1 <= len(limits) <= 3:
        it.refuse(node, f"islice() takes 2 to 4 arguments, not {1 + len(limits)}")
    start, stop, step = (0, limits[0], 1) if len(limits) == 1 else (*limits, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    _integers(it, node, "a limit of islice()", start, step, *([] if stop is None else [stop]))
    known = [v for v in (start, stop) if isinstance(v, int)]
    if any(v < 0 for v in known) or (isinstance(step, int) and step < 1):
        it.refuse(node, "islice() takes no negative limits", "use a slice of a list")
    part = it.iterated(it.collected(x), node)
    if _static(it, [part], node):
        start, step = (it.static_int(v, node, "a limit") for v in (start, step))
        stop = None if stop is None else it.static_int(stop, node, "a limit")
        items = it.items_of_part(part, node)
        return _iterator(it, list(itertools.islice(items, start, stop, step)))
    n = it.length_of(part)
    last = n if stop is None else plain(it.b("minimum", n, stop))
    place = lambda k: plain(it.b("add", start, it.b("mul", k, step)))
    trips = plain(it.b("trips", start, last, step))
    return Iterated(trips, lambda k: part.item(place(k)), sources=part.sources, once=True)


# ---- one value after another ----
@implements(itertools.repeat)
def repeat(it: Any, node: Any, v: Any, times: Any = ENDLESS) -> Any:
    _integers(it, node, "the number of repetitions", times)
    return Iterated(times, lambda k: v, once=True)


@implements(itertools.count)
def count(it: Any, node: Any, start: Any = 0, step: Any = 1) -> Any:
    _integers(it, node, "what count() starts at and adds", start, step)
    return Iterated(ENDLESS, lambda k: plain(it.b("add", start, it.b("mul", k, step))), once=True)


@implements(itertools.accumulate)
def accumulate(it: Any, node: Any, x: Any, func: Any = None, *, initial: Any = None) -> Any:
    x = it.collected(x)
    numbers = isinstance(x, GrownList) or (is_array(x) and x.type.ndim == 1)
    if func is None and initial is None and numbers:
        out = it.iterated(it.call_numpy(np.cumsum, [x], {}, node), node)
        out.once = True
        return out
    items = [*([] if initial is None else [initial]), *it.static_items(x, node)]
    made = items[:1]
    for v in items[1:]:
        last = made[-1]
        new = it.binary(gast.Add(), last, v, node) if func is None else None
        made.append(it.call(func, [last, v], {}, node) if new is None else new)
    return _iterator(it, made)


def _sources(parts: list[Iterated]) -> tuple:
    return tuple(s for p in parts for s in p.sources)
