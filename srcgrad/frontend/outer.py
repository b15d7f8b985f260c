"""Represents a captured container and its stand-in while compiling."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.guards import Path
from srcgrad.records import record


@record(frozen=True)
class Outer:
    """A captured container: its place, itself, its stand-in, and what that held first.

    `lists` are what the lists of a program over lists held first.
    """

    path: Path
    name: str
    value: Any
    made: Any
    first: dict[Any, Any]
    lists: tuple[dict[Any, Any], ...] = ()
