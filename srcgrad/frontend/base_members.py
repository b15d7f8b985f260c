"""Members of built-in classes for instances of classes that derive from them: programs.

An instance holds what its base class has: the items of a dict or a list, the array of an ndarray, a
number. The base's own methods are programs over that; a class's methods in Python are followed as
such.
"""

from __future__ import annotations

import collections
import enum
import inspect
from typing import Any

import numpy as np

from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.formulas.array_classes import OfArray
from srcgrad.frontend.formulas.dict_classes import OfDict, OfOrderedDict
from srcgrad.frontend.formulas.list_classes import OfList, OfTuple
from srcgrad.frontend.formulas.matrices_of_numpy import OfMatrix
from srcgrad.frontend.formulas.number_classes import OfFloat, OfInt
from srcgrad.frontend.values import TrackedList

# in this order: an OrderedDict is a dict
PROGRAMS: dict[type, type] = {
    collections.OrderedDict: OfOrderedDict, dict: OfDict, np.matrix: OfMatrix, np.ndarray: OfArray,
    list: OfList, tuple: OfTuple, int: OfInt, float: OfFloat,
}  # fmt: skip
HOLDING = (list, tuple, int, float)  # bases whose instances hold one
_PLAIN = PROGRAMS.keys() - {np.matrix}  # whose instances are no records


def base_of(cls: type) -> type | None:
    """The built-in class that a class derives from, if its own members are programs.

    >>> base_of(type("Bunch", (dict,), {})), base_of(int)
    (<class 'dict'>, None)
    """
    base = next((base for base in PROGRAMS if issubclass(cls, base)), None)
    return base if base not in HOLDING or holds_one(cls, base) else None


def holds_one(cls: type, base: type | None = None) -> bool:
    """Whether a class derives from list, tuple, int or float by Python's statements alone.

    >>> holds_one(type("Vector", (list,), {})), holds_one(list), holds_one(np.float64)
    (True, False, False)
    """
    base = base or next((b for b in HOLDING if issubclass(cls, b)), None)
    if base not in HOLDING or cls is base or hasattr(cls, "_fields") or issubclass(cls, enum.Enum):
        return False
    own = cls.__mro__[: cls.__mro__.index(base)]
    return all(made_by_statement(c) for c in own) and not issubclass(cls, TrackedList)


def own_of_base(cls: type, name: str, default: Any = None) -> Any:
    """The program for one of the base's own members, for instances of a class."""
    base = base_of(cls)
    if base is None:
        return default
    with_missing = base in _DICTS and name == "__getitem__" and hasattr(cls, "__missing__")
    name = "found_or_missing" if with_missing else name
    programs = PROGRAMS[base].__mro__[:-1]
    return next((vars(p)[name] for p in programs if name in vars(p)), default)


def member_of(cls: type, name: str) -> Any:
    """The member of a class that Python finds first; for one of its base's own, the program for it.

    >>> member_of(type("Bunch", (dict,), {}), "keys") is OfDict.keys
    True
    """
    for c in cls.__mro__:
        if c in PROGRAMS and cls not in _PLAIN and name in vars(c) and base_of(cls) is not None:
            return None if _is_passed_over(cls, name) else own_of_base(cls, name)
        if name in vars(c):
            return vars(c)[name]
    return None


def is_of_base(cls: type, name: str) -> bool:
    """Whether the member that Python finds first is the built-in base's own."""
    home = next((c for c in cls.__mro__ if name in vars(c)), None)
    return home in _PLAIN and cls not in _PLAIN


def _is_passed_over(cls: type, name: str) -> bool:
    """Whether `v *= n` calls the `__mul__` of a class of lists: Python finds it before list's."""
    ours = base_of(cls) is list and name == "__imul__" and is_of_base(cls, name)
    return ours and not is_of_base(cls, "__mul__")


def static_member(cls: type, name: str) -> Any:
    """The same, or what the class of the class has under that name; None without one."""
    derived = cls not in _PLAIN and base_of(cls) is not None
    return member_of(cls, name) if derived else inspect.getattr_static(cls, name, None)


def holds_none(cls: type, name: str) -> bool:
    """Whether what Python finds under a name of a class is None.

    >>> holds_none(type("Settings", (), {"limit": None}), "limit"), holds_none(int, "limit")
    (True, False)
    """
    home = next((c for c in cls.__mro__ if name in vars(c)), None)
    return home is not None and vars(home)[name] is None


_DICTS = (collections.OrderedDict, dict)
