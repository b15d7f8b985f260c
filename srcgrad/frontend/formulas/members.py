"""Sets whose members the run decides, as programs over lists that grow.

An item is looked for among the members, one after another. Plain Python runs the methods as well.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.registry import instance_of, refused_where

SORTED_FIRST = "take one of sorted(...) and remove it"


def members(items: Any) -> list:
    """The items of anything that may be a set, in some order.

    >>> members({2})
    [2]
    """
    return list(items)


def hashable(key: Any) -> None:
    """Raises TypeError for what cannot be a key.

    >>> hashable([])
    Traceback (most recent call last):
    TypeError: unhashable type: 'list'
    """
    hash(key)


def is_of_sets(other: Any) -> bool:
    """Whether an operator of sets takes an operand.

    >>> is_of_sets({1}), is_of_sets([1])
    (True, False)
    """
    return isinstance(other, set | frozenset)


@instance_of(frozenset, "items")
class FrozenMembers:
    """A frozenset as the list of its members.

    >>> seen = FrozenMembers([3, 1])
    >>> len(seen), 3 in seen, seen <= {1, 2, 3}, seen.isdisjoint([2])
    (2, True, True, True)
    """

    def __init__(self, items: list):
        self.items = items

    def made(self, items: list) -> Any:
        return FrozenMembers(items)

    def copy(self) -> Any:
        return self.made(list(self.items))

    def union(self, *others: Any) -> Any:
        out = list(self.items)
        for other in others:
            for item in members(other):
                hashable(item)
                if item not in out:
                    out.append(item)
        return self.made(out)

    def intersection(self, *others: Any) -> Any:
        out = list(self.items)
        for other in others:
            kept = members(other)
            for item in list(out):
                if item not in kept:
                    out.remove(item)
        return self.made(out)

    def difference(self, *others: Any) -> Any:
        out = list(self.items)
        for other in others:
            for item in members(other):
                if item in out:
                    out.remove(item)
        return self.made(out)

    def symmetric_difference(self, other: Any) -> Any:
        out, left = list(self.items), members(FrozenMembers([]).union(other))
        for item in left:
            if item in self.items:
                out.remove(item)
            else:
                out.append(item)
        return self.made(out)

    def issubset(self, other: Any) -> Any:
        held = members(other)
        return all(item in held for item in self.items)

    def issuperset(self, other: Any) -> Any:
        return all(item in self.items for item in members(other))

    def isdisjoint(self, other: Any) -> Any:
        return all(item not in self.items for item in members(other))

    def __contains__(self, item: Any) -> Any:
        return item in self.items

    def __len__(self) -> Any:
        return len(self.items)

    def __or__(self, other: Any) -> Any:
        return self.union(other) if is_of_sets(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.intersection(other) if is_of_sets(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.difference(other) if is_of_sets(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return made_as(other).union(other) - self if is_of_sets(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return made_as(other).union(other) | self if is_of_sets(other) else NotImplemented

    def __rand__(self, other: Any) -> Any:
        return made_as(other).union(other) & self if is_of_sets(other) else NotImplemented

    def __rxor__(self, other: Any) -> Any:
        return made_as(other).union(other) ^ self if is_of_sets(other) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.symmetric_difference(other) if is_of_sets(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if is_of_sets(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if is_of_sets(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        return len(self.items) < len(other) and self <= other

    def __gt__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        return len(self.items) > len(other) and self >= other

    def __eq__(self, other: Any) -> Any:
        return is_of_sets(other) and len(self.items) == len(other) and self.issubset(other)

    __hash__ = None  # type: ignore[assignment]  (as that of what it represents)


def made_as(left: Any) -> Any:
    """An empty set of the class of a left operand, which is that of the result."""
    return FrozenMembers([]) if isinstance(left, frozenset) else Members([])


@instance_of(set, "items")
class Members(FrozenMembers):
    """A set as the list of its members.

    >>> seen = Members([3, 1])
    >>> seen.add(1)
    >>> seen.discard(2)
    >>> len(seen), 3 in seen
    (2, True)
    """

    def made(self, items: list) -> Any:
        return Members(items)

    def add(self, item: Any) -> None:
        hashable(item)
        if item not in self.items:
            self.items.append(item)

    def update(self, *others: Any) -> None:
        for other in others:
            for item in members(other):
                self.add(item)

    def discard(self, item: Any) -> None:
        if item in self.items:
            self.items.remove(item)

    def remove(self, item: Any) -> None:
        if item not in self.items:
            raise KeyError(item)
        self.items.remove(item)

    def pop(self) -> Any:
        n = len(self.items)
        if n == 0:
            raise KeyError("pop from an empty set")
        refused_where(n > 1, "pop() of a set of several items, which are in no order", SORTED_FIRST)
        return self.items.pop()

    def clear(self) -> None:
        self.items.clear()

    def become(self, items: list) -> None:
        self.items.clear()
        for item in items:
            self.items.append(item)

    def intersection_update(self, *others: Any) -> None:
        self.become(self.intersection(*others).items)

    def difference_update(self, *others: Any) -> None:
        self.become(self.difference(*others).items)

    def symmetric_difference_update(self, other: Any) -> None:
        self.become(self.symmetric_difference(other).items)

    def __ior__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> Any:
        if not is_of_sets(other):
            return NotImplemented
        self.symmetric_difference_update(other)
        return self

    __hash__ = None
