"""Classes derived from Python's numbers and containers: followed as their base class.

That is right as long as the same operations mean the same. A class that gives one of them a meaning
of its own is not taken.
"""

from __future__ import annotations

import enum
import functools
from typing import Any

from srcgrad.frontend.values import NUMBERS

CONTAINERS = (list, tuple, dict)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # Py_TPFLAGS_HEAPTYPE and Py_TPFLAGS_IMMUTABLETYPE
_COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
# methods that make, show, pickle and store a value, and those called for what is missing
_ELSEWHERE = {
    *dir(object), "__init__", "__new__", "__getnewargs__", "__setstate__", "__getattr__",
    "__missing__",
} - {*_COMPARISONS, "__getattribute__"}  # fmt: skip
_OF_NAMED_TUPLES = {"__getitem__", "__iter__", "__len__", "__contains__", "__getattribute__"}


def made_by_statement(cls: type) -> bool:
    """Whether a `class` statement made a class; C makes classes on the heap that do not change."""
    return cls.__flags__ & (_HEAP | _IMMUTABLE) == _HEAP


@functools.lru_cache(maxsize=1024)
def redefined(cls: type) -> str:
    """An operation to which a class gives another meaning than its base; "" if there is none."""
    if not issubclass(cls, (*NUMBERS, *CONTAINERS)) or issubclass(cls, enum.Enum):
        return ""
    order = cls.__mro__
    own = [c for c in order if made_by_statement(c)]
    home = next(c for c in order if c not in own)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):  # its other methods are looked up
        return next((n for c in own for n in vars(c) if n in _OF_NAMED_TUPLES), "")
    known = set(dir(home)) - _ELSEWHERE
    return next((n for c in own for n, v in vars(c).items() if n in known or _is_asked(n, v)), "")


def _is_asked(name: str, v: Any) -> bool:
    """Whether an attribute of a class is a special method that its numbers or containers lack."""
    return name[:2] == name[-2:] == "__" and callable(v) and name not in _ELSEWHERE


def plain_class(value: Any) -> str:
    """The name of the number or container of Python's that a value is derived from."""
    known = (*CONTAINERS, bool, int, float, complex)
    return next((c.__name__ for c in known if isinstance(value, c)), "np.asarray")
