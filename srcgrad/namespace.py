"""Ends the public modules: their functions are entry points, and `dir` shows public names only."""

from __future__ import annotations

from typing import Any

from srcgrad.tracebacks import entered


def publish(scope: dict[str, Any]) -> None:
    """Makes entry points of the names in a module's `__all__`, which are also what `dir` shows.

    Takes the module's `globals()`. Names that are loaded at first use are left to the module's
    `__getattr__`, and an own `__dir__` stays.
    """
    names = scope["__all__"]
    scope.update(entered({n: scope[n] for n in names if n in scope}, scope["__name__"]))
    scope.setdefault("__dir__", lambda: sorted(names))
