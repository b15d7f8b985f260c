"""Recognizes kinds of objects by their class and by names that it defines for srcgrad.

Mocks, proxies and lazily loaded modules answer every attribute, and some pose as instances of
another class: no conclusion is drawn from an instance's answers. Never runs the user's code.
"""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

TRANSFORM = "srcgrad_inline"  # defined by classes of functions that define their own calls


def class_states(cls: type[Any], name: str) -> bool:
    """Whether a class or one of its bases defines a name; its metaclass is not consulted."""
    return any([name in vars(c) for c in cls.__mro__])


def states(value: Any, name: str) -> bool:
    """Whether the class of a value defines a name.

    >>> from unittest.mock import MagicMock
    >>> states(1.0, "real"), states(MagicMock(), "real")
    (True, False)
    """
    return class_states(type(value), name)


def tensor_among(given: Any) -> bool:
    """Whether one of the leaves, each with its path, is a tensor."""
    classes = {type(v) for _, v in given}
    return any([class_states(c, n) for c in classes for n in ("srcgrad_value", "srcgrad_recorded")])


def is_transform(value: Any) -> bool:
    """Whether a value is a function of srcgrad that defines its own calls: compiled, opaque."""
    return states(value, TRANSFORM)


def is_compiled(value: Any) -> bool:
    """Whether a value is a compiled function: a stack of transforms, `spec`, on a `function`."""
    return is_transform(value) and "spec" in vars(value)


def of_numba(value: Any) -> types.FunctionType | None:
    """The Python function inside one of Numba's; None for any other value."""
    if str(type(value).__module__).partition(".")[0] not in ("numba", "numba_cuda"):
        return None
    found = held(value, "py_func")
    return found if type(found) is types.FunctionType else None


# the modules of `__class_getitem__` of Python's classes; None: of classes in C
GENERIC = (None, "types", "typing", "collections.abc", "_collections_abc")


def takes_parameters(value: Any) -> bool:
    """Whether a value is a class that takes others in brackets, or a form of `typing`.

    >>> from typing import Optional
    >>> takes_parameters(list), takes_parameters(Optional), takes_parameters(float)
    (True, True, False)
    """
    if isinstance(value, type):
        found = getattr(value, "__class_getitem__", None)
        return found is not None and getattr(found, "__module__", None) in GENERIC
    return type(value).__module__ == "typing"


def held(value: Any, name: str) -> Any:
    """An attribute that a value or its class holds; None for one that a `__getattr__` would make.

    >>> from unittest.mock import MagicMock
    >>> held(len, "__name__"), held(MagicMock(), "py_func")
    ('len', None)
    """
    try:
        inspect.getattr_static(value.__func__ if type(value) is types.MethodType else value, name)
    except AttributeError:
        return None
    return getattr(value, name, None)


def mark(function: Any, name: str, value: Any) -> None:
    """Attaches a mark to a function. `functools.wraps` copies it: `marked` tells the copies."""
    vars(function)[name] = (function.__code__, value)


def marked(function: Any, name: str, default: Any = None) -> Any:
    """The value of a function's own mark; `default` without one, and for a copy on a wrapper.

    >>> import functools
    >>> def f(): pass
    >>> mark(f, "made_of", 3)
    >>> marked(f, "made_of"), marked(functools.wraps(f)(lambda: None), "made_of")
    (3, None)
    """
    if type(function) is not types.FunctionType:
        return default
    code, value = function.__dict__.get(name, (None, None))
    return value if code is function.__code__ else default


def home_module(value: Any) -> str:
    """The module that a function or class belongs to; "" where it says none.

    `functools.wraps` copies `__module__`: of a function, the package that its code lies in counts,
    unless that is Python's own, as in what `contextlib.contextmanager` makes.

    >>> import functools, numpy
    >>> home_module(numpy.sum), home_module(functools.wraps(numpy.sum)(lambda x: x)) == __name__
    ('numpy', True)
    """
    said = str(getattr(value, "__module__", None) or "")
    if type(value) is types.FunctionType:
        own = str(value.__globals__.get("__name__") or said)
        top = own.partition(".")[0]
        wraps = top in sys.stdlib_module_names
        return said if wraps or top == said.partition(".")[0] else own
    return said


def poses(value: Any) -> bool:
    """Whether an object claims another class than its own, as proxies do."""
    return value.__class__ is not type(value)
