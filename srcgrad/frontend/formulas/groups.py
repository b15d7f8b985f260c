"""Dicts of lists that grow, as one list of all their items with the number of the list of each.

An item is appended to the list of all; those of one list keep their order in it. Plain Python runs
the methods as well.
"""

from __future__ import annotations

import collections
from typing import Any

from srcgrad.frontend.formulas.dicts_of_the_run import OrderedTable, Table
from srcgrad.frontend.formulas.registry import instance_of, unsupported

WAY_OUT = "make one in a loop: copied[key] = list(items)"


def taken_over(items: Any) -> Any:
    """The items of a list that becomes one of the groups: it may not be changed itself later."""
    return items


def own_number(groups: Any, items: Any) -> Any:
    """The number of one of the lists of these groups; None for any other list."""
    return items.number if isinstance(items, Group) and items.groups is groups else None


@instance_of(list, "items")
class Group:
    """One of the lists: the items of the groups with its number.

    >>> groups = DefaultGroups([], [], [], [])
    >>> groups[7].append("a")
    >>> groups[8] = ["b", "c"]
    >>> groups[7].items, groups[8].items, len(groups[9]), list(groups)
    (['a'], ['b', 'c'], 0, [7, 8, 9])
    """

    def __init__(self, groups: Any, number: Any):
        self.groups = groups
        self.number = number

    @property
    def items(self) -> list:
        made = []
        for n, v in zip(self.groups.numbers, self.groups.all, strict=True):
            if n == self.number:
                made.append(v)
        return made

    def append(self, item: Any) -> None:
        self.groups.numbers.append(self.number)
        self.groups.all.append(item)

    def extend(self, items: Any) -> None:
        for item in items:
            self.append(item)

    def clear(self) -> None:
        self.groups.empty(self.number)

    def pop(self, k: Any = -1) -> Any:
        kept = self.items
        taken = kept.pop(k)
        self.clear()
        self.extend(kept)
        return taken

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        kept = sorted(self.items, key=key, reverse=reverse)
        self.clear()
        self.extend(kept)

    def index(self, item: Any) -> Any:
        return self.items.index(item)

    def count(self, item: Any) -> Any:
        return self.items.count(item)

    def copy(self) -> list:
        return self.items

    def __len__(self) -> Any:
        n = 0
        for v in self.groups.numbers:
            if v == self.number:
                n += 1
        return n

    def __iter__(self) -> Any:
        return iter(self.items)

    def __contains__(self, item: Any) -> Any:
        return item in self.items

    def __getitem__(self, k: Any) -> Any:
        return self.items[k]

    def __setitem__(self, k: Any, item: Any) -> None:
        kept = self.items
        kept[k] = item
        self.clear()
        self.extend(kept)

    def __add__(self, other: Any) -> list:
        return self.items + list(other)

    def __iadd__(self, items: Any) -> Group:
        self.extend(items)
        return self

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, list) and self.items == list(other)

    __hash__ = None  # type: ignore[assignment]  (as that of what it represents)


@instance_of(dict, "known")
class Groups(Table):
    """A dict of lists. Each list that is made has a number of its own, so old ones stay whole."""

    def __init__(self, known: list, held: list, numbers: list, all: list):
        self.known = known
        self.held = held  # the number of the list of each key
        self.numbers = numbers
        self.all = all
        self.count = 0

    def holding(self, items: Any) -> Any:
        """The number of a new list of the items, or that of a list that is here."""
        number = own_number(self, items)
        if number is not None:
            return number
        self.count = self.count + 1
        for item in taken_over(items):
            self.numbers.append(self.count)
            self.all.append(item)
        return self.count

    def empty(self, number: Any) -> None:
        for k in range(len(self.numbers) - 1, -1, -1):
            if self.numbers[k] == number:
                self.numbers.pop(k)
                self.all.pop(k)

    def value(self, item: Any) -> Group:
        return Group(self, item)

    def values(self) -> Any:
        return (Group(self, n) for n in self.held)

    def items(self) -> Any:
        return ((key, Group(self, self.held[k])) for k, key in enumerate(self.known))

    def copy(self) -> Any:
        return unsupported("a copy of a dict of lists, whose lists are those of the dict", WAY_OUT)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict) or len(self.known) != len(other):
            return False
        return all(key in other and self[key] == other[key] for key in self.known)

    __hash__ = None


@instance_of(collections.OrderedDict, "known")
class OrderedGroups(Groups, OrderedTable):
    """A dict of lists whose order counts where it is compared with one of its class."""

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, collections.OrderedDict) and self.known != list(other):
            return False
        return super().__eq__(other)

    __hash__ = None


@instance_of(collections.defaultdict, "known")
class DefaultGroups(Groups):
    """A dict of lists that makes those of missing keys."""

    def __getitem__(self, key: Any) -> Group:
        k = self.place(key)
        if k < 0:
            self[key] = []
        return Group(self, self.held[self.place(key)])
