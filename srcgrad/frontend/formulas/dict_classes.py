"""The methods of dict for instances of classes that derive from it, as programs over a dict."""

from __future__ import annotations

from typing import Any

ITEMS = "_items_of_this_dict"


class OfDict:
    """Dict's own methods: the items of an instance are a dict, which only these methods read.

    >>> made = object.__new__(OfDict)
    >>> made._items_of_this_dict = {}
    >>> made.update(a=1), made.setdefault("b", 2), made.pop("a"), len(made), made["b"]
    (None, 2, 1, 1, 2)
    """

    _items_of_this_dict: dict

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        self._items_of_this_dict.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items_of_this_dict[key]

    def found_or_missing(self, key: Any) -> Any:
        """`self[key]` where the class has a `__missing__`."""
        if key in self._items_of_this_dict:
            return self._items_of_this_dict[key]
        return self.__missing__(key)  # type: ignore[attr-defined]  (the user's class has it)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items_of_this_dict[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._items_of_this_dict[key]

    def __contains__(self, key: Any) -> Any:
        return key in self._items_of_this_dict

    def __len__(self) -> Any:
        return len(self._items_of_this_dict)

    def __iter__(self) -> Any:
        return iter(self._items_of_this_dict)

    def __eq__(self, other: Any) -> Any:
        return self._items_of_this_dict == other

    def keys(self) -> Any:
        return self._items_of_this_dict.keys()

    def values(self) -> Any:
        return self._items_of_this_dict.values()

    def items(self) -> Any:
        return self._items_of_this_dict.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self._items_of_this_dict.get(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self._items_of_this_dict.setdefault(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self._items_of_this_dict.pop(key, *default)

    def popitem(self) -> Any:
        return self._items_of_this_dict.popitem()

    def update(self, /, *args: Any, **kwargs: Any) -> None:
        self._items_of_this_dict.update(*args, **kwargs)

    def clear(self) -> None:
        self._items_of_this_dict.clear()

    def copy(self) -> Any:
        return dict(self._items_of_this_dict)

    def __or__(self, other: Any) -> Any:
        return {**self._items_of_this_dict, **other}

    def __ror__(self, other: Any) -> Any:
        return {**other, **self._items_of_this_dict}

    def __ior__(self, other: Any) -> Any:
        self._items_of_this_dict.update(other)
        return self

    def __reversed__(self) -> Any:
        return reversed(self._items_of_this_dict)

    __hash__ = None  # type: ignore[assignment]  (as that of a dict)


class OfOrderedDict(OfDict):
    """Those of OrderedDict, where they are others: the items are in an OrderedDict."""

    def popitem(self, last: Any = True) -> Any:
        return self._items_of_this_dict.popitem(last)  # type: ignore[call-arg]  (ordered)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        self._items_of_this_dict.move_to_end(key, last)  # type: ignore[attr-defined]  (likewise)

    def copy(self) -> Any:
        made = self.__class__()
        made._items_of_this_dict.update(self._items_of_this_dict)
        return made

    def __or__(self, other: Any) -> Any:
        made = self.__class__(self._items_of_this_dict)
        made._items_of_this_dict.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        made = self.__class__(other)
        made._items_of_this_dict.update(self._items_of_this_dict)
        return made

    __hash__ = None
