"""Iterators: map, filter, those of itertools, and over the places of an array.

With many items, or a number of them that is known at run time only, they are loops.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.frontend import generators
from srcgrad.frontend.comprehensions import list_of, loop_over, may_be_loop, run_text
from srcgrad.frontend.formulas import iterators, iterators_of_arrays  # noqa: F401 (registers nditer)
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.grown_lists import Ragged
from srcgrad.frontend.handlers.items_in_turn import taken_together
from srcgrad.frontend.handlers.registry import handler_of, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import (
    iterated,
    length_of,
    static_iterated,
    taken_over,
    zipped,
)
from srcgrad.frontend.snapshots import Snapshot
from srcgrad.frontend.trees import ALL, ANY, FILTERING, MAPPING, function_at
from srcgrad.frontend.values import (
    GrownList,
    Iterated,
    Range,
    describe,
    is_array,
    is_integer,
    plain,
)
from srcgrad.ir.types import INT, Scalar

ENDLESS = 1 << 62  # trips of an endless one
MAPPED = """\
def map(f, items):
    for v in items:
        yield f(*v)
"""
FILTERED = """\
def filter(f, items):
    for v in items:
        if f(v):
            yield v
"""


def _integers(it: Interpreter, node: Node, what: str, *values: Any) -> None:
    for v in values:
        if not is_integer(v):
            it.refuse(node, f"{what} is an integer, not {describe(v)}", like=TypeError)


def _static(it: Interpreter, parts: list[Iterated], node: Node) -> bool:
    """Whether items must be taken one by one: those of a list can be of any kind."""
    return any(p.static for p in parts) or not may_be_loop(it, node)


def count_of(it: Interpreter, part: Iterated, node: Node) -> int:
    return max(it.static_int(part.length, node, "the number of items"), 0)


def _sources(parts: list[Iterated]) -> tuple:
    return tuple(s for p in parts for s in p.sources)


def _grown(parts: list[Iterated]) -> tuple:
    return tuple(g for p in parts for g in p.grown)


def in_turn(it: Interpreter, x: Any, node: Node) -> Any:
    """A generator where items of the run are computed on demand: each of them once."""
    x = generators.in_turn(it, x, node)
    if not isinstance(x, Iterated) or isinstance(x, Generated) or x.generator is None:
        return x
    return x.generator() if x.lazy and not x.static else x


# ---- of functions ----
def _called(it: Interpreter, node: Node, f: Any, columns: Iterated) -> Iterated:
    """f(*item) for each item, on demand."""
    follow = lambda text: run_text(it, text, [f, columns], node)
    out = replace(columns, range=None, backwards_of=None, once=True, lazy=True, scope=None)
    out.item = lambda k: it.call(f, it.static_items(columns.item(k), node), {}, node)
    out.build = lambda: loop_over(it, function_at(node, MAPPING), [f, columns], node)
    out.generator = lambda: follow(MAPPED)
    if handler_of(f) is None or it.attempts:  # any of these may raise what is caught
        out.until = lambda stop: follow(ANY if stop else ALL)
    return out


@implements(map)
def map_(it: Interpreter, node: Node, f: Any, *xs: Any) -> Any:
    xs = tuple(generators.in_turn(it, x, node) for x in taken_together(it, xs, node))
    if len(xs) == 1 and isinstance(xs[0], Generated):
        return generators.mapped(it, node, xs[0], lambda item: it.call(f, [item], {}, node))
    return _called(it, node, f, zipped(it, [iterated(it, x, node) for x in xs], node))


@implements(itertools.starmap)
def starmap(it: Interpreter, node: Node, f: Any, xs: Any) -> Any:
    xs = generators.in_turn(it, xs, node)
    if isinstance(xs, Generated):
        return run_text(it, MAPPED, [f, xs], node)
    return _called(it, node, f, taken_over(it, xs, node, tested=True))


@implements(filter)
def filter_(it: Interpreter, node: Node, f: Any, x: Any) -> Any:
    x = generators.in_turn(it, x, node)
    if isinstance(x, Generated):
        kept = lambda item: it.truth(it.call(bool if f is None else f, [item], {}, node), node)
        return generators.selected(it, node, x, kept)
    f, part = bool if f is None else f, taken_over(it, x, node)
    held: list[Any] = []  # the item that is tested, which is computed once

    def keep(k: Any) -> Any:
        held[:] = [part.item(k)]
        return it.truth(it.call(f, held, {}, node), node)

    out = replace(
        part, range=None, backwards_of=None, once=True, lazy=True, test=keep, item=lambda k: held[0]
    )
    out.build = lambda: loop_over(it, function_at(node, FILTERING), [f, part], node)
    out.generator = lambda: run_text(it, FILTERED, [f, part], node)
    return out


# ---- several at once ----
def _pool(it: Interpreter, node: Node, x: Any) -> Iterated:
    """The items as they are now: later stores are not seen."""
    if isinstance(x, Iterated) and x.once:
        x = list_of(it, x, node)
    if isinstance(x, list):
        x = list(x)
    if isinstance(x, Ragged):
        return iterated(it, list_of(it, x, node), node)
    if isinstance(x, GrownList) or (is_array(x) and x.type.ndim == 1):
        x = it.call_numpy(np.array, [x], {}, node)
    return iterated(it, x, node)


@implements(itertools.product)
def product(it: Interpreter, node: Node, *xs: Any, repeat: Any = 1) -> Any:
    """The last factor runs fastest: its index is the remainder of the number of the trip."""
    repeat = it.static_int(repeat, node, "repeat")
    parts = [_pool(it, node, x) for x in xs] * repeat
    if not parts or _static(it, parts, node):
        columns = [[p.item(k) for k in range(count_of(it, p, node))] for p in parts]
        return static_iterated(it, list(itertools.product(*columns)), once=True)
    lengths = [length_of(it, p) for p in parts]
    total: Any = 1
    for n in lengths:
        total = plain(it.b.mul(total, n))

    def item(k: Any) -> tuple:
        places: list[Any] = []
        for n in reversed(lengths[1:]):
            places.append(plain(it.b.mod(k, n)))
            k = plain(it.b.floordiv(k, n))
        return tuple(p.item(i) for p, i in zip(parts, [k, *reversed(places)], strict=True))

    return Iterated(total, item, sources=_sources(parts), once=True, grown=_grown(parts))


@implements(np.ndindex)
def ndindex(it: Interpreter, node: Node, *shape: Any) -> Any:
    sizes = shape
    if len(shape) == 1 and not is_integer(shape[0]):
        sizes = tuple(it.static_items(shape[0], node))
    _integers(it, node, "a size of ndindex()", *sizes)
    return product(it, node, *(Range(0, n, 1) for n in sizes))


@implements(np.ndenumerate)
def ndenumerate(it: Interpreter, node: Node, x: Any) -> Any:
    x = x if is_array(x) else it.call_numpy(np.asarray, [x], {}, node)
    places = ndindex(it, node, *x.type.dims)
    pair = lambda k: (place := places.item(k), it.b.load(x, *place))
    return replace(places, item=pair, sources=())


@implements(itertools.combinations)
def combinations(it: Interpreter, node: Node, x: Any, r: Any) -> Any:
    r = it.static_int(r, node, "r")
    part = _pool(it, node, x)
    if r == 2 and not _static(it, [part], node):
        return _pairs(it, part)
    items = [part.item(k) for k in range(count_of(it, part, node))]
    return static_iterated(it, list(itertools.combinations(items, r)), once=True)


def _pairs(it: Interpreter, part: Iterated) -> Iterated:
    """Pairs of each item with each later one: the k-th from the rows of a triangle.

    Row i starts at i (2 n - i - 1) / 2. The root that solves this for i may be off by one, as it is
    rounded.
    """
    b, n = it.b, length_of(it, part)
    double = b.sub(b.mul(n, 2), 1)
    total = plain(b.floordiv(b.mul(n, b.sub(n, 1)), 2))

    def start(i: Any) -> Any:
        return b.floordiv(b.mul(i, b.sub(double, i)), 2)

    def item(k: Any) -> tuple:
        below = b.sub(b.mul(double, double), b.mul(k, 8))
        root = b.sqrt(b.cast(b.maximum(below, 0), Scalar("f64")))
        guess = b.div(b.sub(b.cast(double, Scalar("f64")), root), 2.0)
        i = b.cast(b.floor(guess), INT)
        i = b.where(b.gt(start(i), k), b.sub(i, 1), i)
        after = b.add(i, 1)
        i = b.where(b.le(start(after), k), after, i)
        j = b.add(b.add(b.sub(k, start(i)), i), 1)
        return part.item(plain(i)), part.item(plain(j))

    return Iterated(total, item, sources=part.sources, once=True, grown=part.grown)


@implements(itertools.permutations)
def permutations(it: Interpreter, node: Node, x: Any, r: Any = None) -> Any:
    items = it.static_items(x, node)
    r = None if r is None else it.static_int(r, node, "r")
    return static_iterated(it, list(itertools.permutations(items, r)), once=True)


@implements(itertools.combinations_with_replacement)
def combinations_with_replacement(it: Interpreter, node: Node, x: Any, r: Any) -> Any:
    items = it.static_items(x, node)
    made = itertools.combinations_with_replacement(items, it.static_int(r, node, "r"))
    return static_iterated(it, list(made), once=True)


def as_it_is(it: Interpreter, node: Node, made: Any, x: Any, name: str) -> Any:
    """Notes that a value is made of all items at once, while Python reads one in each trip."""
    source = x if is_array(x) else x.tape
    if source is not None:
        what, why = f"what {name}() runs over", "read item by item in Python"
        place = it.frame.source.location(node)
        it.snapshots.append(Snapshot(made, source, what, place, False, why))
    return made


def is_of_the_run(x: Any) -> bool:
    """Whether the run tells how many items there are, which one array holds."""
    grown = isinstance(x, GrownList) and not isinstance(x, Ragged)
    return grown or (is_array(x) and x.type.ndim == 1)


def as_held(it: Interpreter, node: Node, x: Any, name: str) -> Any:
    """The items as they are now; where something is stored to them later, the call is refused."""
    return as_it_is(it, node, it.call_numpy(np.array, [x], {}, node), x, name)


@implements(itertools.zip_longest)
def zip_longest(it: Interpreter, node: Node, *xs: Any, fillvalue: Any = None) -> Any:
    parts = [iterated(it, x, node) for x in taken_together(it, xs, node)]
    lengths = [count_of(it, p, node) for p in parts]

    def item(k: int) -> tuple:
        pairs = zip(parts, lengths, strict=True)
        return tuple(p.item(k) if k < n else fillvalue for p, n in pairs)

    longest = max(lengths, default=0)
    return Iterated(longest, item, True, sources=_sources(parts), once=True)


# ---- one after the other ----
@implements(itertools.chain)
def chain(it: Interpreter, node: Node, *xs: Any) -> Any:
    xs = tuple(generators.in_turn(it, x, node) for x in xs)
    if any(isinstance(x, Generated) for x in xs):
        return functools.reduce(lambda a, b: it.call(iterators.chained, [a, b], {}, node), xs)
    parts = [iterated(it, x, node) for x in xs]
    if not parts or _static(it, parts, node):
        places = [(p, k) for p in parts for k in range(count_of(it, p, node))]
        item = lambda k: places[k][0].item(places[k][1])
        return Iterated(len(places), item, True, sources=_sources(parts), once=True)
    joined = parts[0]
    for p in parts[1:]:
        joined = _followed(it, node, joined, p)
    return joined


@implements(itertools.chain.from_iterable)
def chain_of(it: Interpreter, node: Node, xs: Any) -> Any:
    return chain(it, node, *it.static_items(xs, node))


def _followed(it: Interpreter, node: Node, one: Iterated, two: Iterated) -> Iterated:
    n = length_of(it, one)

    def item(k: Any) -> Any:
        late = lambda: two.item(plain(it.b.sub(k, n)))
        first = plain(it.b.lt(k, n))
        return it.branch(first, lambda: one.item(k), late, node, live_rest=True)

    total = plain(it.b.add(n, length_of(it, two)))
    return Iterated(total, item, sources=_sources([one, two]), once=True, grown=_grown([one, two]))


@implements(itertools.islice)
def islice(it: Interpreter, node: Node, x: Any, *limits: Any) -> Any:
    if not 1 <= len(limits) <= 3:
        it.refuse(node, f"islice() takes 2 to 4 arguments, not {1 + len(limits)}", like=TypeError)
    start, stop, step = (0, limits[0], 1) if len(limits) == 1 else (*limits, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    _integers(it, node, "a limit of islice()", start, step, *([] if stop is None else [stop]))
    known = [v for v in (start, stop) if isinstance(v, int)]
    if any(v < 0 for v in known) or (isinstance(step, int) and step < 1):
        it.refuse(
            node, "islice() takes no negative limits", "use a slice of a list", like=ValueError
        )
    x = generators.in_turn(it, x, node)
    if isinstance(x, Generated):
        return it.call(iterators.islice, [x, start, stop, step], {}, node)
    part = iterated(it, x, node)
    if _static(it, [part], node):
        start, step = (it.static_int(v, node, "a limit") for v in (start, step))
        stop = None if stop is None else it.static_int(stop, node, "a limit")
        places = list(itertools.islice(range(count_of(it, part, node)), start, stop, step))
        item = lambda k: part.item(places[k])
        return Iterated(len(places), item, True, sources=part.sources, once=True)
    n = length_of(it, part)
    last = n if stop is None else plain(it.b.minimum(n, stop))
    place = lambda k: plain(it.b.add(start, it.b.mul(k, step)))
    trips = plain(it.b.trips(start, last, step))
    made = Iterated(trips, lambda k: part.item(place(k)), sources=part.sources, once=True)
    return replace(made, grown=part.grown)


# ---- one value after another ----
@implements(itertools.repeat)
def repeat(it: Interpreter, node: Node, v: Any, times: Any = ENDLESS) -> Any:
    _integers(it, node, "the number of repetitions", times)
    return Iterated(times, lambda k: v, once=True)


@implements(itertools.count)
def count(it: Interpreter, node: Node, start: Any = 0, step: Any = 1) -> Any:
    _integers(it, node, "what count() starts at and adds", start, step)
    return Iterated(ENDLESS, lambda k: plain(it.b.add(start, it.b.mul(k, step))), once=True)
