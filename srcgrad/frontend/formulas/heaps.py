"""Heaps of `heapq`: the items move as they do in Python's library, so lists are the same."""

from __future__ import annotations

import heapq
from typing import Any

from srcgrad.frontend.formulas.registry import stands_for


def rise(heap: list, first: int, place: int) -> None:
    """Moves the item at a place towards `first`, past the parents that are greater.

    >>> heap = [2, 3, 1]
    >>> rise(heap, 0, 2)
    >>> heap
    [1, 3, 2]
    """
    item = heap[place]
    while place > first and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def sink(heap: list, first: int) -> None:
    """Moves the item at a place to a leaf, past the lesser children, and back as far as it goes.

    >>> heap = [9, 3, 1]
    >>> sink(heap, 0)
    >>> heap
    [1, 3, 9]
    """
    item, place, child, n = heap[first], first, 2 * first + 1, len(heap)
    while child < n:
        if child + 1 < n and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = item
    rise(heap, first, place)


@stands_for(heapq.heappush)
def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


@stands_for(heapq.heappop)
def heappop(heap: Any) -> Any:
    """The least item, which is removed.

    >>> heap = [1, 4, 2]
    >>> heappop(heap), heap
    (1, [2, 4])
    """
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    heap[0] = last
    sink(heap, 0)
    return least


@stands_for(heapq.heapify)
def heapify(heap: Any) -> None:
    for k in range(len(heap) // 2 - 1, -1, -1):
        sink(heap, k)


@stands_for(heapq.heapreplace)
def heapreplace(heap: Any, item: Any) -> Any:
    least = heap[0]
    heap[0] = item
    sink(heap, 0)
    return least


@stands_for(heapq.heappushpop)
def heappushpop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


@stands_for(heapq.nsmallest)
def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


@stands_for(heapq.nlargest)
def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]
