"""What it took to build a program: each stage with its time and the size of what it left.

A stage is recorded by whoever is being asked, in this thread or task; what a stage itself builds
(a transform that is called inside a compiled function) counts as part of it. Never changes what is
built.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from srcgrad.ir.nodes import Function
from srcgrad.ir.walk import walk

T = TypeVar("T")


@dataclass(frozen=True)
class Stage:
    name: str
    seconds: float
    statements: int  # of the program after it, those inside loops and branches included


_recorded: ContextVar[list[Stage] | None] = ContextVar("stages of the program", default=None)


@contextmanager
def recording() -> Iterator[list[Stage]]:
    """Collect the stages that are gone through inside."""
    stages: list[Stage] = []
    token = _recorded.set(stages)
    try:
        yield stages
    finally:
        _recorded.reset(token)


def staged(name: str, make: Callable[[], T], function_of: Callable[[T], Any] = lambda t: t) -> T:
    """What `make` returns, recorded as a stage; `function_of` gives its IR function."""
    stages = _recorded.get()
    if stages is None:
        return make()
    token = _recorded.set(None)
    start = time.perf_counter()
    try:
        made = make()
    finally:
        _recorded.reset(token)
    seconds = time.perf_counter() - start
    stages.append(Stage(name, seconds, statements(function_of(made))))
    return made


def statements(function: Function) -> int:
    """The statements of a function, nested ones included."""
    return sum(1 for _ in walk(function.body))
