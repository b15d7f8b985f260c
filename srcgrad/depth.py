"""Programs may be nested as deeply as Python compiles them: the limit of recursion while building.

Python allows 1,000 frames, and compiles texts of 3,000 levels; a build takes up to eight frames a
level. The limit is the process's, so threads that build at once share it, and the last one to end
puts it back.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

MOST = 20_000  # frames; with what C adds at worst (pickle), less than 4 MiB of stack

_lock = threading.Lock()
_users = 0
_before = 0  # the limit outside


def enter() -> None:
    """The limit of recursion is high, unless it was higher, until as many have left."""
    global _users, _before
    with _lock:
        _users += 1
        now = sys.getrecursionlimit()
        if now < MOST:
            _before = now
            sys.setrecursionlimit(MOST)


def leave() -> None:
    """The last one puts the limit back that was there before, if nobody has set another."""
    global _users
    with _lock:
        _users -= 1
        if not _users and _before and sys.getrecursionlimit() == MOST:
            with suppress(RecursionError):  # this thread is deeper: the next one to leave does it
                sys.setrecursionlimit(_before)
