"""Classes of exceptions in programs: a name for each, and an instance with a given text.

Builtin classes have their own names. Users' classes are stored here, as programs hold texts only.
"""

from __future__ import annotations

import builtins

_CLASSES: dict[str, type[BaseException]] = {}


def name_of(cls: type[BaseException]) -> str:
    """The name of a class in programs."""
    if vars(builtins).get(cls.__name__) is cls:
        return cls.__name__
    name = f"{cls.__module__}.{cls.__qualname__}"
    while _CLASSES.setdefault(name, cls) is not cls:  # defined again, as in a notebook
        name += "_"
    return name


def class_of(name: str) -> type[BaseException]:
    """The class that a program's name refers to."""
    return _CLASSES.get(name) or vars(builtins)[name]


def instance(name: str, text: str) -> BaseException:
    """An exception of this class; made without `__init__` if that takes other arguments."""
    cls = class_of(name)
    try:
        return cls(text)
    except Exception:
        made = cls.__new__(cls)
        made.args = (text,)
        return made
