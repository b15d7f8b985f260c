"""Attributes by name where `__getattr__` of a class decides which are there, as programs."""

from __future__ import annotations

from typing import Any


def has_attribute(x: Any, name: str) -> bool:
    """Whether an attribute is there, as `hasattr` finds out: by reading it.

    >>> has_attribute(1.0, "real"), has_attribute(1.0, "weights")
    (True, False)
    """
    try:
        getattr(x, name)
    except AttributeError:
        return False
    return True


def attribute_or(x: Any, name: str, default: Any) -> Any:
    """An attribute, or a default without it.

    >>> attribute_or(1.0, "real", 0.0), attribute_or(1.0, "weights", 0.0)
    (1.0, 0.0)
    """
    try:
        return getattr(x, name)
    except AttributeError:
        return default
