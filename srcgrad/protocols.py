"""Tells kinds of objects by their class and the names that it states for us.

Mocks, proxies and modules that load lazily answer every attribute, and some say that they are of
another class than they are: nothing is concluded from what an instance answers. Runs nothing of the
user's.
"""

from __future__ import annotations

import inspect
import types
from typing import Any


def class_states(cls: type, name: str) -> bool:
    """Whether a class or one that it derives from states a name; its metaclass is not asked."""
    return any(name in vars(c) for c in cls.__mro__)


def states(value: Any, name: str) -> bool:
    """Whether the class of a value states a name.

    >>> from unittest.mock import MagicMock
    >>> states(1.0, "real"), states(MagicMock(), "real")
    (True, False)
    """
    return class_states(type(value), name)


def is_transform(value: Any) -> bool:
    """Whether a value is a function of ours that says itself how it is called: compiled, opaque."""
    return states(value, "srcgrad_inline")


def is_compiled(value: Any) -> bool:
    """Whether a value is a compiled function: a stack of transforms, `spec`, on a `function`."""
    return is_transform(value) and "spec" in vars(value)


def of_numba(value: Any) -> types.FunctionType | None:
    """The Python function of one of Numba's; None of any other value."""
    if str(type(value).__module__).partition(".")[0] not in ("numba", "numba_cuda"):
        return None
    found = held(value, "py_func")
    return found if type(found) is types.FunctionType else None


def held(value: Any, name: str) -> Any:
    """An attribute that a value or its class holds; None of what a `__getattr__` would make.

    >>> from unittest.mock import MagicMock
    >>> held(len, "__name__"), held(MagicMock(), "py_func")
    ('len', None)
    """
    try:
        inspect.getattr_static(value.__func__ if type(value) is types.MethodType else value, name)
    except AttributeError:
        return None
    return getattr(value, name, None)


def poses(value: Any) -> bool:
    """Whether an object says that it is of another class than it is, as proxies do."""
    return value.__class__ is not type(value)
