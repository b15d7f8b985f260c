"""A function that is being interpreted: its source, its names, how a path of it ends early."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field
from typing import Any

from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.source import Source
from srcgrad.records import record

RETURNED, RESULT = "$returned", "$result"


class Diverged(Exception):
    """Raised when the interpreted path always fails: later statements are never reached."""

    def __init__(self, kind: str, message: str, location: Any):
        super().__init__(message)
        self.kind, self.message, self.location = kind, message, location


@record(eq=False)
class Frame:
    """One function being interpreted: its source, its names, where it was called from."""

    source: Source
    env: dict[str, Any]
    live: Liveness
    outer: Frame | None = None  # the frame of the function that encloses this one
    depth: int = 0  # of loops
    local: set[str] = field(default_factory=set)
    elsewhere: Set[str] = field(default_factory=frozenset)  # declared nonlocal
    returns: list[Any] = field(default_factory=list)  # where it returned
    passed: bool = False  # whether one of its statements was passed over
    scopes: int = 0  # blocks that were open at its call
    called_at: Any = None  # the place of its call; None for the function that is compiled
    given: dict[str, Any] = field(default_factory=dict)  # its arguments


class Poisoned(Exception):
    """Raised when a statement reads a name that a refused one would have bound."""
