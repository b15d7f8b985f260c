"""Captured lists that only get longer: the items that are put at the end, without those before.

A program that does not read the other items is for all lengths. Whatever reads more of the list
than is known here restarts tracing with all of its items, one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from srcgrad import tree
from srcgrad.frontend.requirements import Key
from srcgrad.frontend.values import MaybeUnbound, TrackedList


class Tail(TrackedList):
    """The new items at the end of a captured list; a path may lack some of them.

    `whole` restarts tracing with all items. `earlier(m)` is the captured item m places from the
    end; `length()` is how many there are. Where a loop adds items it is a `LongerList`.
    """

    def __init__(
        self,
        key: Key,
        whole: Callable[[], NoReturn],
        earlier: Callable[[int], Any],
        length: Callable[[], Any],
    ) -> None:
        super().__init__((), key)
        self.whole, self.earlier, self.length = whole, earlier, length

    @property
    def added(self) -> list[Any]:
        """The new items."""
        return [*list.__iter__(self)]

    def refill(self, items: Any) -> None:
        """Replaces the new items."""
        list.__setitem__(self, slice(None), items)

    def _is_read(self, k: Any) -> bool:
        """Whether an index is from the end, and every path has what is put in after that place."""
        return type(k) is int and k < 0 and not any(map(_is_optional, self.added[k:]))

    def __getitem__(self, k: Any) -> Any:
        if not self._is_read(k):
            self.whole()
        n = list.__len__(self)
        return list.__getitem__(self, k) if k >= -n else self.earlier(-k - n)

    def __setitem__(self, k: Any, value: Any) -> None:
        if not self._is_read(k) or k < -list.__len__(self):
            self.whole()
        list.__setitem__(self, k, value)


def _is_optional(v: Any) -> bool:
    return isinstance(v, MaybeUnbound)


def _reads(self: Tail, *_: Any) -> NoReturn:
    self.whole()


class Reading:
    """A method that reads or moves other items: looking it up restarts tracing."""

    def __get__(self, owner: Tail | None, cls: type[Tail]) -> Any:
        return self if owner is None else owner.whole()


OPERATORS = (
    "__len__", "__iter__", "__reversed__", "__contains__", "__eq__", "__ne__", "__lt__", "__le__",
    "__gt__", "__ge__", "__add__", "__radd__", "__mul__", "__rmul__", "__imul__", "__delitem__",
    "__repr__", "__reduce_ex__",
)  # fmt: skip
METHODS = ("copy", "count", "index", "insert", "pop", "remove", "reverse", "sort", "clear")
for _name in OPERATORS:
    setattr(Tail, _name, _reads)
for _name in METHODS:
    setattr(Tail, _name, Reading())
Tail.__name__ = "list"  # in messages
# whatever takes values apart reads all items: what is returned, copied, compared
tree.add_kind(Tail, tree.Kind(lambda v: v.whole(), lambda like, parts: parts, lambda v: v.whole()))
