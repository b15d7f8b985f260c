"""The state of a function that is being interpreted, and the ways in which a path ends early."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import field
from typing import Any

from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.source import Source
from srcgrad.records import record

# entries among a function's names: whether the current path has returned (a flag, or a constant if
# that is known when compiling), and the value that it returned
RETURNED, RESULT = "$returned", "$result"


class Diverged(Exception):
    """Raised where the interpreted path is certain to fail: no later statement is reached."""

    kind: str
    message: str
    location: Any

    def __init__(self, kind: str, message: str, location: Any):
        super().__init__(message)
        self.kind, self.message, self.location = kind, message, location


@record(eq=False)
class Frame:
    """The state of one call that is being interpreted."""

    source: Source
    env: dict[str, Any]  # the values of its names
    live: Liveness
    outer: Frame | None = None  # the frame of the function that encloses it in the source
    depth: int = 0  # the number of loops around the current statement
    local: set[str] = field(default_factory=set)  # names that it binds, whether or not bound yet
    bound_outside: Set[str] = field(default_factory=frozenset)  # names bound by outer functions
    elsewhere: dict[str, dict[str, Any]] = field(default_factory=dict)  # names of modules, of cells
    returns: list[Any] = field(default_factory=list)  # locations of the returns interpreted so far
    finished: bool = False  # whether it has returned
    incomplete: bool = False  # whether a statement was refused, and interpreting went on after it
    open_blocks: int = 0  # the number of blocks of the program that were open when it was called
    called_at: Any = None  # the location of its call; None for the function that is compiled
    arguments: dict[str, Any] = field(default_factory=dict)
    targets: list[Any] = field(default_factory=list)  # of the unrolled loops around
    # takes what a generator yields: its answer is the value of the `yield`
    resumes: Callable[[Any], Any] | None = None


class Poison:
    """The value of a name that a refused statement would have bound.

    `seen` is the spec of its values on the paths where nothing was refused, if there are such.
    """

    def __init__(self, seen: Any = None):
        self.seen = seen


POISON = Poison()


class Poisoned(Exception):
    """Raised where a statement reads a name that a refused statement would have bound."""


def frames_of(frame: Frame | None) -> list[dict[Any, Any]]:
    """The names of a frame and of those that enclose it."""
    out = []
    while frame is not None:
        out.append(frame.env)
        frame = frame.outer
    return out


def scope_of(frame: Frame, name: str) -> dict[str, Any]:
    """The names of the frame where a name of a function is bound, or of a module."""
    if name in frame.elsewhere:
        return frame.elsewhere[name]
    while name in frame.bound_outside and frame.outer is not None:
        frame = frame.outer
        while name not in frame.local and name not in frame.env and frame.outer is not None:
            frame = frame.outer
    return frame.env
