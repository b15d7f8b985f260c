"""Pickling by reference: a compiled object is the name of its function and its transforms.

The function is found again by its module and name, which may by now stand for the compiled object
itself (a decorator put it there). Never stores source or code.
"""

from __future__ import annotations

import functools
import importlib
import pickle
from typing import Any


def by_reference(compiled: Any) -> Any:
    """What finds the function of a compiled object again: a callable, or (module, name)."""
    function = compiled.function
    given = getattr(function, "srcgrad_callable", None)
    if given is not None:  # a method, a partial, an instance: they pickle by themselves
        return given
    module, name = function.__module__, function.__qualname__
    if _below(_found(module, name)) is not function:
        raise pickle.PicklingError(
            f"{name}() of {module} is not found by its name: only functions of modules are pickled"
        )
    return module, name


def restored(reference: Any, transforms: tuple, options: Any) -> Any:
    """The compiled object that was pickled."""
    from srcgrad.api.transforms import over

    callable_ = reference if callable(reference) else _below(_found(*reference))
    return over(callable_, transforms, options)


def _found(module: str, name: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return None


def _below(value: Any) -> Any:
    return getattr(value, "function", value) if hasattr(value, "srcgrad_inline") else value
