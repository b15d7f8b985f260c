"""Tuples whose length only the run tells, as programs over lists that grow.

A handler makes the list of an instance. Plain Python runs the methods as well.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.registry import instance_of


@instance_of(tuple, "items")
class LongTuple:
    """A tuple as the list of its items, which nothing changes.

    >>> t = LongTuple([1, 2])
    >>> len(t), t[0], 2 in t, t == (1, 2), t == [1, 2], t < (1, 3)
    (2, 1, True, True, False, True)
    >>> (t + (3,)).items, ((0,) + t).items, (t * 2)[1:].items
    ([1, 2, 3], [0, 1, 2], [2, 1, 2])
    """

    def __init__(self, items: list):
        self.items = items

    def count(self, item: Any) -> Any:
        return self.items.count(item)

    def index(self, item: Any) -> Any:
        for k, v in enumerate(self.items):
            if v == item:
                return k
        raise ValueError("tuple.index(x): x not in tuple")

    def __len__(self) -> Any:
        return len(self.items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __reversed__(self) -> Any:
        return reversed(self.items)

    def __contains__(self, item: Any) -> Any:
        return item in self.items

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return LongTuple(self.items[k])
        if not -len(self.items) <= k < len(self.items):
            raise IndexError("tuple index out of range")
        return self.items[k]

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return LongTuple(self.items + list(other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return LongTuple(list(other) + self.items)

    def __mul__(self, n: Any) -> Any:
        return LongTuple(self.items * n)

    def __rmul__(self, n: Any) -> Any:
        return LongTuple(self.items * n)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return self.items == list(other)

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return self.items < list(other)

    def __le__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return self.items <= list(other)

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return self.items > list(other)

    def __ge__(self, other: Any) -> Any:
        if not isinstance(other, (tuple, LongTuple)):
            return NotImplemented
        return self.items >= list(other)

    __hash__ = None  # type: ignore[assignment]  (its items are in memory)
