"""Dicts whose keys the run decides, as programs over lists that grow.

A key is looked for among the others, one after another: the first that is equal is it. Plain Python
runs the methods as well.
"""

from __future__ import annotations

import collections
from typing import Any

from srcgrad.frontend.formulas.members import hashable
from srcgrad.frontend.formulas.registry import instance_of, unsupported

COUNTER = "an operator of Counters, which drops or ignores counts"


@instance_of(dict, "known")
class Table:
    """A dict as its keys and its values, in the order of their insertion.

    >>> table = Table([2, 3], ["a", "b"])
    >>> table[5] = "c"
    >>> table[2], table.get(4, "none"), table.pop(3), len(table), 3 in table
    ('a', 'none', 'b', 2, False)
    """

    def __init__(self, known: list, held: list):
        self.known = known
        self.held = held

    def place(self, key: Any) -> int:
        hashable(key)
        for k, v in enumerate(self.known):
            if v == key:
                return k
        return -1

    def holding(self, value: Any) -> Any:
        """The item of `held` that represents a value."""
        return value

    def value(self, item: Any) -> Any:
        """The value that an item of `held` represents."""
        return item

    def __getitem__(self, key: Any) -> Any:
        k = self.place(key)
        if k < 0:
            raise KeyError(key)
        return self.value(self.held[k])

    def __setitem__(self, key: Any, value: Any) -> None:
        item = self.holding(value)
        k = self.place(key)
        if k < 0:
            self.known.append(key)
            self.held.append(item)
        else:
            self.held[k] = item

    def __delitem__(self, key: Any) -> None:
        k = self.place(key)
        if k < 0:
            raise KeyError(key)
        self.known.pop(k)
        self.held.pop(k)

    def __contains__(self, key: Any) -> Any:
        return self.place(key) >= 0

    def __len__(self) -> Any:
        return len(self.known)

    def __iter__(self) -> Any:
        return iter(self.known)

    def __reversed__(self) -> Any:
        return reversed(self.known)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict) or len(self.known) != len(other):
            return False
        for k, key in enumerate(self.known):
            if key not in other or other[key] != self.held[k]:
                return False
        return True

    def keys(self) -> Any:
        return self.known

    def values(self) -> Any:
        return self.held

    def items(self) -> Any:
        return zip(self.known, self.held, strict=False)

    def get(self, key: Any, default: Any = None) -> Any:
        k = self.place(key)
        return default if k < 0 else self.value(self.held[k])

    def setdefault(self, key: Any, default: Any = None) -> Any:
        k = self.place(key)
        if k < 0:
            self[key] = default
        return self.value(self.held[k])  # of a new key: the last one

    def pop(self, key: Any, *default: Any) -> Any:
        k = self.place(key)
        if k < 0:
            if default:
                return default[0]
            raise KeyError(key)
        self.known.pop(k)
        return self.value(self.held.pop(k))

    def popitem(self) -> Any:
        if len(self.known) == 0:
            raise KeyError("dictionary is empty")
        return self.known.pop(), self.value(self.held.pop())

    def update(self, other: Any = (), /, **named: Any) -> None:
        if not isinstance(other, dict) and hasattr(other, "keys"):
            other = [(key, other[key]) for key in other.keys()]  # noqa: SIM118 (as dict reads it)
        for given in (other, named):
            for key, value in given.items() if isinstance(given, dict) else given:
                self[key] = value

    def clear(self) -> None:
        self.known.clear()
        self.held.clear()

    def copy(self) -> Any:
        return Table(list(self.known), list(self.held))

    __hash__ = None  # type: ignore[assignment]  (as that of what it represents)


@instance_of(collections.OrderedDict, "known")
class OrderedTable(Table):
    """A dict whose order counts where it is compared with one of its class.

    >>> OrderedTable([1, 2], [3, 4]) == {2: 4, 1: 3}
    True
    """

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, collections.OrderedDict) and self.known != list(other):
            return False
        return Table(self.known, self.held) == other

    def popitem(self, last: Any = True) -> Any:
        if len(self.known) == 0:
            raise KeyError("dictionary is empty")
        k = len(self.known) - 1 if last else 0
        return self.known.pop(k), self.value(self.held.pop(k))

    def move_to_end(self, key: Any, last: Any = True) -> None:
        k = self.place(key)
        if k < 0:
            raise KeyError(key)
        self.known.pop(k)
        item = self.held.pop(k)
        if last:
            self.known.append(key)
            self.held.append(item)
        else:
            self.known.insert(0, key)
            self.held.insert(0, item)

    def copy(self) -> Any:
        return OrderedTable(list(self.known), list(self.held))

    __hash__ = None


@instance_of(collections.defaultdict, "known")
class DefaultTable(Table):
    """A dict that makes the values of missing keys.

    >>> counts = DefaultTable([], [], int)
    >>> counts["a"] += 2
    >>> counts["a"], counts["b"], len(counts)
    (2, 0, 2)
    """

    def __init__(self, known: list, held: list, factory: Any):
        self.known = known
        self.held = held
        self.factory = factory

    def __getitem__(self, key: Any) -> Any:
        k = self.place(key)
        if k < 0:
            k = len(self.known)
            self.known.append(key)
            self.held.append(self.factory())
        return self.held[k]

    def copy(self) -> Any:
        return DefaultTable(list(self.known), list(self.held), self.factory)


@instance_of(collections.Counter, "known")
class CountTable(Table):
    """A dict of counts, 0 for keys that are not there.

    >>> counts = CountTable([], [])
    >>> counts.update([3, 1, 3])
    >>> counts[3], counts[2], counts.most_common(1), counts.total()
    (2, 0, [(3, 2)], 3)
    """

    def __getitem__(self, key: Any) -> Any:
        k = self.place(key)
        return 0 if k < 0 else self.held[k]

    def update(self, items: Any) -> None:
        count(self, items)

    def subtract(self, items: Any) -> None:
        count(self, items, -1)

    def total(self) -> Any:
        return sum(self.held)

    def most_common(self, n: Any = None) -> Any:
        return most_common(self, n)

    def copy(self) -> Any:
        return CountTable(list(self.known), list(self.held))

    def __add__(self, other: Any) -> Any:
        return unsupported(COUNTER, "use update() and subtract()")

    def __eq__(self, other: Any) -> Any:
        return unsupported(COUNTER, "compare the counts")

    __sub__ = __and__ = __or__ = __add__
    __hash__ = None


def count(counts: Any, items: Any, by: int = 1) -> None:
    """Adds the counts of items, or those of a dict, to others.

    >>> counts = collections.Counter("ab")
    >>> count(counts, {"a": 4}, -1)
    >>> counts
    Counter({'b': 1, 'a': -3})
    """
    if isinstance(items, dict):
        for key, n in items.items():
            counts[key] = counts[key] + by * n
    else:
        for key in items:
            counts[key] = counts[key] + by


def most_common(counts: Any, n: Any = None) -> Any:
    """The items of a dict with the largest counts, the first ones first among equal ones.

    >>> most_common({"a": 1, "b": 3, "c": 1}, 2)
    [('b', 3), ('a', 1)]
    """
    ordered = sorted(counts.items(), key=lambda item: item[1], reverse=True)
    return ordered if n is None else ordered[:n]
