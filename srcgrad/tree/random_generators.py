"""Generators of random numbers as structures: a generator is the array that holds its number.

A program is for all generators of a class: it gets the number of one, and calls Python back to
draw from it. The modules `generators_of_numpy` and `generators_of_python` register the classes;
each is imported when one of its generators is first met.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from functools import wraps
from typing import Any

import numpy as np

from srcgrad.records import record
from srcgrad.tree.registered import Opened, Registered
from srcgrad.tree.structures import registered_as
from srcgrad.tree.users import add_registered

FEWEST = 1000  # generators that are known before those that nobody else holds are forgotten
ALONE = 4  # the references to an object that only the table holds, as `_forget` counts them

_known: dict[int, tuple[Any, np.ndarray]] = {}  # by number
_lock = threading.Lock()
_most = FEWEST
_local = threading.local()


def handle(generator: Any) -> np.ndarray:
    """The array that holds the number of a generator: the same each time."""
    number = id(generator)
    known = _known.get(number)
    if known is None:
        with _lock:
            _forget()
            known = _known.setdefault(number, (generator, np.array([number])))
    return known[1]


def numbered(number: int) -> Any:
    """The generator with a number."""
    return _known[number][0]


def to_draw(number: int) -> Any:
    """The generator with a number, which draws now: its state is noted."""
    generator = numbered(number)
    for states in getattr(_local, "noting", ()):
        if number not in states.before:
            states.before[number] = generator, _state(generator)
    return generator


def seeded_by_chance(generator: Any) -> Any:
    """A generator that the machine gave a seed: where a run is repeated, as in that run."""
    chosen = getattr(_local, "chosen", None)
    state = None if chosen is None else next(chosen, None)
    if state is not None:
        _restore(generator, state)
    for states in getattr(_local, "noting", ()):
        states.chosen.append(_state(generator))
    return generator


# ---- states ----
@record()
class States:
    """The states that repeat the draws of a run."""

    before: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by number, a generator too
    chosen: list[Any] = field(default_factory=list)  # after seeds that the machine chose, in order


def _state(g: Any) -> Any:
    if hasattr(g, "bit_generator"):
        return g.bit_generator.state
    if hasattr(g, "get_state"):
        return g.get_state(legacy=False)
    return g.getstate() if hasattr(g, "getstate") else g.state  # of a source of bits


def _restore(g: Any, state: Any) -> None:
    if hasattr(g, "bit_generator"):
        g.bit_generator.state = state
    elif hasattr(g, "set_state"):
        g.set_state(state)
    elif hasattr(g, "setstate"):
        g.setstate(state)
    else:
        g.state = state


@contextmanager
def noted(*generators: Any) -> Iterator[States]:
    """The states before the `with` block of these generators and those used by programs."""
    states = States({int(handle(g)[0]): (g, _state(g)) for g in generators})
    outer = getattr(_local, "noting", ())
    _local.noting = (*outer, states)
    try:
        yield states
    finally:
        _local.noting = outer


@contextmanager
def replayed(states: States) -> Iterator[None]:
    """Generators have these states at the start of the `with` block, and their own after it."""
    now = [(g, _state(g)) for g, _ in states.before.values()]
    for g, state in states.before.values():
        _restore(g, state)
    outer, _local.chosen = getattr(_local, "chosen", None), iter(states.chosen)
    try:
        yield
    finally:
        _local.chosen = outer
        for g, state in now:
            _restore(g, state)


def _forget() -> None:
    """Forgets generators that nobody else holds, where there are many."""
    global _most
    if len(_known) < _most:
        return
    for number in list(_known):
        if sys.getrefcount(_known[number][0]) < ALONE:
            del _known[number]
    _most = max(FEWEST, 2 * len(_known))


# ---- generators that programs make ----
def made(generator: Any) -> int:
    """The number of a generator that a program has made: it lives as long as the call."""
    _local.held.append(generator)
    return int(handle(generator)[0])


@contextmanager
def _holding() -> Iterator[None]:
    outer = getattr(_local, "held", None)
    _local.held = []
    try:
        yield
    finally:
        _local.held = outer


def holding(run: Callable[..., tuple]) -> Callable[..., tuple]:
    """A program that makes generators, which live until it returns."""

    @wraps(run)
    def held(*args: Any) -> tuple:
        with _holding():
            return run(*args)

    return held


# ---- as structures ----
class Numbered(Registered):
    """A class of generators: an instance of a number is the one that has it."""

    holds_parts = False

    def made(self, static: Any, children: Any) -> Any:
        """The generator of a number; None of none, as in a gradient."""
        return generator_of(static, children)


def handles(generator: Any) -> tuple[tuple[np.ndarray], type]:
    return (handle(generator),), type(generator)


def generator_of(cls: type, parts: tuple[Any, ...]) -> Any:
    return None if parts[0] is None else numbered(int(parts[0][0]))


def register(*classes: type) -> None:
    """Lets the generators of classes be structures."""
    for cls in classes:
        add_registered(cls, handles, generator_of, Numbered, _rebuilt)


def _rebuilt(like: Any, parts: Any) -> Any:
    """A generator, if it has the number; else what holds the parts, as they may be stand-ins."""
    (part,) = parts
    if part is None:
        return None
    if isinstance(part, np.ndarray) and np.array_equal(part, handle(like)):
        return like
    return Opened(registered_as(type(like)), type(like), (part,))  # type: ignore[arg-type]  (it is registered)
