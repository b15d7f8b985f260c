"""Captured lists to which run-time loops add items, as programs over a list of the new items.

Handlers count and read the items that were there before. Plain Python runs the methods as well.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.registry import instance_of


def read_whole(longer: Any) -> Any:
    """All items; compiled code starts again with them."""
    return longer.all


def count_before(longer: Any) -> int:
    """How many items there were before."""
    return longer.before


def item_from_the_end(longer: Any, k: Any) -> Any:
    """An item by a negative index; all are read for another index."""
    return longer.all[k]


@instance_of(list, "items")
class LongerList:
    """A list that gets longer: the list of what has been put at its end.

    >>> longer = LongerList([])
    >>> longer.append(3)
    >>> longer += [4]
    >>> longer.new
    [3, 4]
    """

    def __init__(self, new: list):
        self.new = new

    @property
    def items(self) -> Any:
        return read_whole(self)

    def append(self, item: Any) -> None:
        self.new.append(item)

    def extend(self, items: Any) -> None:
        self.new.extend(items)

    def __iadd__(self, items: Any) -> Any:
        self.new.extend(items)
        return self

    def __len__(self) -> Any:
        return count_before(self) + len(self.new)

    def __getitem__(self, k: Any) -> Any:
        return item_from_the_end(self, k)


def _reads(self: Any, *args: Any, **named: Any) -> Any:
    return read_whole(self)


# all else that lists have reads or moves the other items
OPERATORS = (
    "__iter__", "__reversed__", "__contains__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__",
    "__ge__", "__add__", "__radd__", "__mul__", "__rmul__", "__imul__", "__setitem__",
    "__delitem__", "__repr__",
)  # fmt: skip
METHODS = ("copy", "count", "index", "insert", "pop", "remove", "reverse", "sort", "clear")
for _name in (*OPERATORS, *METHODS):
    setattr(LongerList, _name, _reads)
LongerList.__hash__ = None  # type: ignore[assignment]  (as that of what it represents)
