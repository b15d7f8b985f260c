"""Iterators of `itertools` as generators, which take items one by one."""

from __future__ import annotations

import itertools
from typing import Any

from srcgrad.frontend.formulas.registry import stands_for


@stands_for(itertools.takewhile)
def takewhile(predicate: Any, iterable: Any) -> Any:
    """The items before the first for which a predicate fails.

    >>> list(takewhile(lambda v: v < 3, [1, 2, 3, 1]))
    [1, 2]
    """
    for v in iterable:
        if not predicate(v):
            break
        yield v


@stands_for(itertools.dropwhile)
def dropwhile(predicate: Any, iterable: Any) -> Any:
    """The items from the first on for which a predicate fails.

    >>> list(dropwhile(lambda v: v < 3, [1, 2, 3, 1]))
    [3, 1]
    """
    dropping = True
    for v in iterable:
        if dropping:
            dropping = bool(predicate(v))
        if not dropping:
            yield v


@stands_for(itertools.filterfalse)
def filterfalse(function: Any, iterable: Any) -> Any:
    """The items for which a function fails, or which are false.

    >>> list(filterfalse(None, [1, 0, 2, 0]))
    [0, 0]
    """
    for v in iterable:
        if not (v if function is None else function(v)):
            yield v


@stands_for(itertools.compress)
def compress(data: Any, selectors: Any) -> Any:
    """The items whose selectors are true.

    >>> list(compress([1, 2, 3], [1, 0, 1]))
    [1, 3]
    """
    for v, chosen in zip(data, selectors, strict=False):
        if chosen:
            yield v


@stands_for(itertools.cycle)
def cycle(iterable: Any) -> Any:
    """The items again and again.

    >>> list(itertools.islice(cycle([1, 2]), 3))
    [1, 2, 1]
    """
    items = []
    for v in iterable:
        items.append(v)
        yield v
    while len(items) > 0:
        yield from items


def islice(iterable: Any, start: Any, stop: Any, step: Any) -> Any:
    """Some of the items, of which no more are taken than those before `start` and `stop`.

    >>> list(islice([1, 2, 3, 4], 1, None, 2))
    [2, 4]
    """
    end = stop if stop is None else max(start, stop)
    if end is None or end > 0:
        k, wanted = 0, start
        for v in iterable:
            if k == wanted and (stop is None or k < stop):
                wanted = wanted + step
                yield v
            k = k + 1
            if end is not None and k >= end:
                break


def chained(first: Any, second: Any) -> Any:
    """The items of one, then those of the other.

    >>> list(chained([1, 2], [3]))
    [1, 2, 3]
    """
    yield from first
    yield from second


def pairs(iterable: Any) -> Any:
    """Neighbours, each item read once.

    >>> list(pairs([1, 2, 3]))
    [(1, 2), (2, 3)]
    """
    begun = False
    for v in iterable:
        if begun:
            yield last, v  # noqa: F821 (bound by an earlier trip)
        last = v  # noqa: F841 (the next trip yields it)
        begun = True


def accumulated(iterable: Any, func: Any) -> Any:
    """The results of a function of two, applied to the items up to each.

    >>> list(accumulated([1, 2, 3], max))
    [1, 2, 3]
    """
    begun = False
    for v in iterable:
        total = func(total, v) if begun else v  # noqa: F821 (likewise)
        begun = True
        yield total


def accumulated_from(iterable: Any, func: Any, total: Any) -> Any:
    """The same after a first value.

    >>> list(accumulated_from([1, 2], lambda a, b: a * b, 10))
    [10, 10, 20]
    """
    yield total
    for v in iterable:
        total = func(total, v)
        yield total


# ---- groups ----
def groupby(iterable: Any, key: Any = None) -> Any:
    """Neighbouring items with one key, each group with it.

    >>> [(k, list(g)) for k, g in groupby([1, 1, 2])]
    [(1, [1, 1]), (2, [2])]
    """
    begun, first, group = False, None, []
    for v in iterable:
        other = v if key is None else key(v)
        if begun and other != first:
            yield first, iter(group)
            group = []
        begun, first = True, other
        group.append(v)
    if begun:
        yield first, iter(group)


def groups(items: Any, key: Any = None) -> Any:
    """`groupby` of an array, whose groups have lengths that only the run tells.

    >>> list(groups([1, 1, 2]))
    [(1, [1, 1]), (2, [2])]
    """
    return groups_of_list(items, items if key is None else [key(v) for v in items], False)


def groups_of_list(items: Any, keys: Any, known: Any) -> Any:
    """`groupby` of items by their keys; the groups are iterators if the keys are known.

    >>> list(groups_of_list([3, 4, 5], [1, 1, 2], False))
    [(1, [3, 4]), (2, [5])]
    """
    start, n = 0, len(items)
    for k in range(n):
        if k + 1 == n or keys[k + 1] != keys[start]:
            group = [items[j] for j in range(start, k + 1)]
            yield keys[start], iter(group) if known else group
            start = k + 1


def batched(iterable: Any, n: Any, *, strict: Any = False) -> Any:
    """Tuples of n items, of which the last may have less.

    >>> list(batched([1, 2, 3], 2))
    [(1, 2), (3,)]
    """
    if n < 1:
        raise ValueError("n must be at least one")
    group = []
    for v in iterable:
        group.append(v)
        if len(group) == n:
            yield tuple(group)
            group = []
    if len(group) > 0:
        if strict:
            raise ValueError("batched(): incomplete batch")
        yield tuple(group)


def batches_of_the_run(items: Any, n: Any, strict: Any = False) -> Any:
    """`batched` of an array, whose length only the run tells.

    >>> [[int(v) for v in b] for b in batches_of_the_run([1, 2, 3], 2)]
    [[1, 2], [3]]
    """
    if n < 1:
        raise ValueError("n must be at least one")
    for k in range(0, len(items), n):
        if strict and k + n > len(items):
            raise ValueError("batched(): incomplete batch")
        yield tuple(items[k : k + n])
