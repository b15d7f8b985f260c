"""Names like one that is not known or not supported, among those that are."""

from __future__ import annotations

import difflib
import types
from typing import Any

from srcgrad.frontend.handlers.registry import METHODS, handler_of


def similar(name: str, known: Any) -> str:
    """ "did you mean ...?" with the nearest of the known names; empty if none is near."""
    near = difflib.get_close_matches(name, sorted(set(known)), 1, 0.66)  # one letter of three
    return f"did you mean {near[0]}?" if near else ""


def supported_in(module: types.ModuleType) -> list[str]:
    """The public functions of a module that have a handler, by their names there."""
    return [n for n, f in vars(module).items() if n[:1] != "_" and handler_of(f) is not None]


def methods_of(kind: str) -> list[str]:
    """The names of supported methods of a kind of value."""
    return [name for owner, name in METHODS if owner == kind]
