"""Forks wait while other threads build: a child has only the thread that forked.

What another thread holds at that moment, such as the lock of Numba's compiler, nobody gives back
in the child, which would wait for it for ever.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_changed = threading.Condition()  # held while a process forks
_building: dict[int, int] = {}  # by thread: how many blocks it is in


@contextmanager
def held() -> Iterator[None]:
    """A fork by another thread waits for the end of the block. Locks are taken inside of it."""
    me = threading.get_ident()
    with _changed:
        _building[me] = _building.get(me, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _building[me] -= 1
            if not _building[me]:
                del _building[me]
                _changed.notify_all()


def _before() -> None:
    """Waits until no thread builds, unless this one does: two such would wait for each other."""
    me = threading.get_ident()
    _changed.acquire()
    while me not in _building and _building:
        _changed.wait()


def _in_child() -> None:
    me = threading.get_ident()
    for other in [n for n in _building if n != me]:
        del _building[other]
    _changed.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_changed.release, after_in_child=_in_child)
