"""Containers of `collections` as programs over lists, which grow at run time where they must.

A handler makes the lists of an instance, at the place of the user's call. Plain Python runs the
methods as well.
"""

from __future__ import annotations

import collections
from typing import Any

from srcgrad.frontend.formulas.registry import instance_of


@instance_of(collections.deque, "items")
class Deque:
    """A double-ended queue over a list.

    >>> waiting = Deque([1, 2, 3], 3)
    >>> waiting.append(4)
    >>> waiting.popleft(), len(waiting), waiting[-1]
    (2, 2, 4)
    """

    def __init__(self, items: list, maxlen: Any = None):
        self.items = items
        self.maxlen = maxlen

    def append(self, item: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            if self.maxlen == 0:
                return
            self.items.pop(0)
        self.items.append(item)

    def appendleft(self, item: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            if self.maxlen == 0:
                return
            self.items.pop()
        self.items.insert(0, item)

    def extend(self, items: Any) -> None:
        for item in items:
            self.append(item)

    def extendleft(self, items: Any) -> None:
        for item in items:
            self.appendleft(item)

    def pop(self) -> Any:
        return self.items.pop()

    def popleft(self) -> Any:
        return self.items.pop(0)

    def insert(self, k: Any, item: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(k, item)

    def remove(self, item: Any) -> None:
        self.items.remove(item)

    def index(self, item: Any) -> Any:
        return self.items.index(item)

    def count(self, item: Any) -> Any:
        return self.items.count(item)

    def clear(self) -> None:
        self.items.clear()

    def reverse(self) -> None:
        self.items.reverse()

    def rotate(self, n: Any = 1) -> None:
        """Moves the last `n` items to the front, or the first ones to the end if it is negative.

        >>> turning = Deque([1, 2, 3, 4])
        >>> turning.rotate(1)
        >>> turning.items
        [4, 1, 2, 3]
        """
        for _ in range(n % len(self.items) if len(self.items) > 0 else 0):
            self.items.insert(0, self.items.pop())

    def copy(self) -> Deque:
        return Deque(list(self.items), self.maxlen)

    def __len__(self) -> Any:
        return len(self.items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __reversed__(self) -> Any:
        return reversed(self.items)

    def __contains__(self, item: Any) -> Any:
        return item in self.items

    def __getitem__(self, k: Any) -> Any:
        return self.items[k]

    def __setitem__(self, k: Any, item: Any) -> None:
        self.items[k] = item

    def __delitem__(self, k: Any) -> None:
        del self.items[k]

    def __iadd__(self, items: Any) -> Deque:
        self.extend(items)
        return self

    def __add__(self, other: Any) -> Deque:
        """A queue of the items of both.

        >>> (Deque([1], 2) + Deque([2, 3])).items
        [2, 3]
        """
        if not isinstance(other, (collections.deque, Deque)):
            raise TypeError("can only concatenate deque to deque")
        made = self.copy()
        made.extend(other)
        return made

    def __mul__(self, n: Any) -> Deque:
        """A queue of the items repeated.

        >>> (Deque([1, 2]) * 2).items
        [1, 2, 1, 2]
        """
        made = Deque([], self.maxlen)
        made.extend(self.items * n)
        return made

    __rmul__ = __mul__

    def __imul__(self, n: Any) -> Deque:
        items = self.items * n
        self.items.clear()
        self.extend(items)
        return self

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, collections.deque) and self.items == list(other)

    __hash__ = None  # type: ignore[assignment]  (as that of what it represents)
