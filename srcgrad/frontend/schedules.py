"""`checkpointed`: what a loop runs over, and of which trips reverse mode keeps the beginning."""

from __future__ import annotations

from typing import Any, TypeVar

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.memory_limit import bytes_of
from srcgrad.records import record

T = TypeVar("T")


@record(frozen=True)
class Schedule:
    """The schedule of a loop: `by` says what the amount, an integer, limits."""

    by: str
    amount: Any = None


def checkpointed(over: T, *, segments: int | None = None, memory: int | str | None = None) -> T:
    """Reverse mode keeps the state of a loop where segments of it begin, and recomputes the rest.

    Of any other loop it keeps what its derivative reads of each trip. Of a `for` over
    `checkpointed(...)` it keeps the state with which each of `segments` parts begins, and runs one
    part after another once more when it comes to its derivative. Without a number there are as many
    segments as trips in each, the root of their number. Memory is that of one segment, and a state
    for each of them; the loop runs twice. With `memory`, a number of bytes or a text such as "2GB",
    there are as many segments as that allows; if they are too long, parts of them run more often,
    by a binomial schedule (A. Griewank and A. Walther, "Algorithm 799: Revolve", 2000). It is what
    states and tapes take, but no less than two states and what one trip keeps.

    `while checkpointed(test)` is the same for a `while`. How often it runs is known at its end
    only: it keeps what it began with, and runs once more before the schedule begins.

    The state is what the loop carries, and the arrays that it stores to and reads; those that it
    only stores to are not kept. Values and derivatives are those of the loop as it is, of any order
    (reverse over reverse is refused where a trip makes an array and stores to it). What it prints
    is printed again. Outside of compiled code it is `over` itself.

    >>> import numpy as np, srcgrad as flow
    >>> @flow.compile(target="python")
    ... def end(u, steps):
    ...     for _ in flow.checkpointed(range(steps), segments=10):
    ...         u = u + 0.01 * np.sin(u)
    ...     return np.sum(u)
    >>> flow.grad(end)(np.zeros(2), 100).round(6)  # 1.01**100
    array([2.704814, 2.704814])
    """
    if segments is not None and memory is not None:
        raise ArgumentValueError("segments and memory are two schedules", None, "give one of them")
    if segments is not None:
        check_segments(segments)
    if memory is not None:
        bytes_of(memory)
    return over


def check_segments(segments: Any) -> None:
    """Raises unless `segments` is a positive integer."""
    if isinstance(segments, bool) or not hasattr(type(segments), "__index__"):
        raise ArgumentTypeError(f"segments is an integer, not {type(segments).__name__}")
    if segments < 1:
        raise ArgumentValueError(f"segments={segments}: there is at least one")
