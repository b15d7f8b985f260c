"""Small buffers of known lengths, at fixed places of the stack of the function that makes them.

A buffer that no name outlives its trip by is made anew in each, so that its place may be the same
one in all of them. Behind the last statement that reads it the place is given to the next buffer
of its size. No call asks for memory, nothing is counted, nothing can fail.
"""

from __future__ import annotations

import sys

from srcgrad.records import record

# bytes of a frame; beyond a page Windows wants a function of its C library, which is not linked
ROOM = 2048 if sys.platform == "win32" else 32768
# of a function with a frame: it touches each page, so that the end of the stack is noticed
PROBED = '"probe-stack"="inline-asm"'
STEP = 16  # what places are multiples of


@record(frozen=True, eq=False)
class Place:
    """Where a buffer lies: from which byte of the frame on, and how many they are."""

    start: int
    size: int


class Frame:
    """The places of a function, and which of them no buffer has at the point that is written."""

    def __init__(self) -> None:
        self.size = 0
        self.free: dict[int, list[Place]] = {}

    def take(self, size: int) -> Place | None:
        """A place for a buffer; None if the frame would become too large."""
        size = -(-max(size, 1) // STEP) * STEP
        free = self.free.get(size)
        if free:
            return free.pop()
        if self.size + size > ROOM:
            return None
        self.size += size
        return Place(self.size - size, size)

    def give(self, place: Place) -> None:
        free = self.free.setdefault(place.size, [])
        assert place not in free, "a place is given up twice"
        free.append(place)
