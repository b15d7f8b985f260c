"""Represents one captured value: as a hidden input (`Hidden`) or static under a guard (`Guard`).

Never decides which of the two a value becomes: see `captures`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir.nodes import Var
from srcgrad.records import record


@record(frozen=True)
class Hidden:
    """A captured value that is an input of the compiled function."""

    name: str
    fetch: Callable[[], Any]
    var: Var
    key: tuple = ()  # where it is captured; names are not unique
    tensor: Callable[[], Any] | None = None  # the tensor whose array it is
    parameter: Any = None  # the Parameter that it is


@record()
class Guard:
    """A captured static value: the specialization is valid while it is unchanged."""

    fetch: Callable[[], Any]
    value: Any
    key: tuple
    name: str = ""
    scope: dict | None = None  # of a global: it is looked up under the last part of the key
    owner: Any = None  # of an attribute of a function: the last part of the key

    def holds(self) -> bool:
        try:
            now = self.fetch()
        except (KeyError, AttributeError, ValueError, IndexError, TypeError):
            return False
        if now is self.value:
            return True
        same = type(now) is type(self.value) and isinstance(now, int | float | str)
        return same and repr(now) == repr(self.value)  # tells -0.0 from 0.0, and nan is nan


def keys_now(v: Any) -> Any:
    """A value that changes when a captured container has other places."""
    return repr(list(v)) if isinstance(v, dict) else f"{len(v)} items"


def texts_now(v: Any) -> Any:
    """A value that changes when a captured set has other items."""
    return repr(sorted(map(repr, v)))
