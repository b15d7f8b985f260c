"""Records the stages of building a program: the time of each and the program's size after it.

Only within `recording`, in its thread or task. Other programs that are built during a stage (for a
transform called inside a compiled function) count as part of that stage. Never changes what is
built.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from srcgrad.backends.progress import at_stage, waiting
from srcgrad.ir.nodes import Function
from srcgrad.ir.walk import walk
from srcgrad.records import record

T = TypeVar("T")


@record(frozen=True)
class Stage:
    name: str
    seconds: float
    statements: int  # of the program after the stage, including those inside loops and branches


_recorded: ContextVar[list[Stage] | None] = ContextVar("stages of the program", default=None)


announced = waiting  # to a user who waits: which stage of a build runs


@contextmanager
def recording() -> Iterator[list[Stage]]:
    """Collects the stages that run within the `with` block."""
    stages: list[Stage] = []
    token = _recorded.set(stages)
    try:
        yield stages
    finally:
        _recorded.reset(token)


def staged(name: str, make: Callable[[], T], function_of: Callable[[T], Any] = lambda t: t) -> T:
    """Runs `make`, records it as a stage, returns its result, whose program `function_of` gives."""
    stages = _recorded.get()
    if stages is None:
        return make()
    at_stage(name)
    token = _recorded.set(None)  # stages of other programs that `make` builds are not recorded
    start = time.perf_counter()
    try:
        made = make()
    finally:
        _recorded.reset(token)
    seconds = time.perf_counter() - start
    stages.append(Stage(name, seconds, statements(function_of(made))))
    return made


def statements(function: Function) -> int:
    """The number of statements of a function, nested ones included."""
    return sum(1 for _ in walk(function.body))
