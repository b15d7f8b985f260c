"""Suggestions for unknown names."""

from __future__ import annotations

import types
from typing import Any

from srcgrad.errors import nearest
from srcgrad.frontend.handlers.registry import METHODS, handler_of


def similar(name: str, known: Any) -> str:
    """ "did you mean ...?" with the known name that is meant; empty if none is close."""
    near = nearest(name, known)
    return f"did you mean {near}?" if near else ""


def supported_in(module: types.ModuleType) -> list[str]:
    """The public functions of a module that have a handler, by their names there."""
    return [n for n, f in vars(module).items() if n[:1] != "_" and handler_of(f) is not None]


def methods_of(kind: str) -> list[str]:
    """The names of supported methods of a kind of value."""
    return [name for owner, name in METHODS if owner == kind]
