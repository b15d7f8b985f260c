"""The methods of list and tuple for instances of classes that derive from them, as programs."""

from __future__ import annotations

from typing import Any

HELD = "_held_by_this_instance"


def held(v: Any) -> Any:
    """The list, tuple or number that an instance holds; other values unchanged."""
    return getattr(v, HELD, v)


class OfSequence:
    """The methods that lists and tuples have in common: parts and sums are no instances.

    >>> made = object.__new__(OfSequence)
    >>> made._held_by_this_instance = (1, 2)
    >>> made[:1], made + (3,), len(made), made == (1, 2), made.index(2)
    ((1,), (1, 2, 3), 2, True, 1)
    """

    __hash__ = None  # type: ignore[assignment]  (as that of a list; a tuple is no key here)
    _held_by_this_instance: Any

    def __getitem__(self, key: Any) -> Any:
        return self._held_by_this_instance[key]

    def __contains__(self, item: Any) -> Any:
        return item in self._held_by_this_instance

    def __len__(self) -> Any:
        return len(self._held_by_this_instance)

    def __iter__(self) -> Any:
        return iter(self._held_by_this_instance)

    def __add__(self, other: Any) -> Any:
        return self._held_by_this_instance + held(other)

    def __mul__(self, other: Any) -> Any:
        return self._held_by_this_instance * held(other)

    def __rmul__(self, other: Any) -> Any:
        return self._held_by_this_instance * held(other)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance == held(other)

    def __ne__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance != held(other)

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance < held(other)

    def __le__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance <= held(other)

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance > held(other)

    def __ge__(self, other: Any) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return self._held_by_this_instance >= held(other)

    def __repr__(self) -> str:
        return repr(self._held_by_this_instance)

    def index(self, item: Any, *bounds: Any) -> Any:
        return self._held_by_this_instance.index(item, *bounds)

    def count(self, item: Any) -> Any:
        return self._held_by_this_instance.count(item)


class OfTuple(OfSequence):
    """Those of tuple."""


class OfList(OfSequence):
    """Those of list, which change it as well."""

    def __init__(self, items: Any = (), /) -> None:
        self._held_by_this_instance = list(items)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._held_by_this_instance[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._held_by_this_instance[key]

    def __iadd__(self, other: Any) -> Any:
        self._held_by_this_instance.extend(other)
        return self

    def __imul__(self, other: Any) -> Any:
        self._held_by_this_instance *= other
        return self

    def __reversed__(self) -> Any:
        return reversed(self._held_by_this_instance)

    def append(self, item: Any) -> None:
        self._held_by_this_instance.append(item)

    def extend(self, items: Any) -> None:
        self._held_by_this_instance.extend(items)

    def insert(self, place: Any, item: Any) -> None:
        self._held_by_this_instance.insert(place, item)

    def pop(self, *place: Any) -> Any:
        return self._held_by_this_instance.pop(*place)

    def remove(self, item: Any) -> None:
        self._held_by_this_instance.remove(item)

    def clear(self) -> None:
        self._held_by_this_instance.clear()

    def reverse(self) -> None:
        self._held_by_this_instance.reverse()

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        self._held_by_this_instance.sort(key=key, reverse=reverse)

    def copy(self) -> Any:
        return self._held_by_this_instance.copy()
