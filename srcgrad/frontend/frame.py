"""A function that is being interpreted: its source, its names, where it was called from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.source import Source


@dataclass(eq=False)
class Frame:
    """One function being interpreted: its source, its names, where it was called from."""

    source: Source
    env: dict[str, Any]
    live: Liveness
    outer: Frame | None = None  # the frame of the function that encloses this one
    depth: int = 0  # of loops
    local: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)  # declared nonlocal
    returns: list[Any] = field(default_factory=list)  # where it returned
    passed: bool = False  # whether one of its statements was passed over
    called_at: Any = None  # the place of its call; None for the function that is compiled
