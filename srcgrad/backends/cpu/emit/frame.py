"""Small buffers of known lengths, at fixed places of the stack of the function that makes them.

A buffer that does not escape its trip is made anew in each, so that its place may be the same
one in all of them. After the last statement that reads it the place is given to the next buffer
of its size. Nothing is allocated, nothing is counted, nothing can fail.
"""

from __future__ import annotations

import sys

from srcgrad.records import record

# bytes of a frame; beyond a page Windows wants a function of its C library, which is not linked
ROOM = 2048 if sys.platform == "win32" else 32768
# attribute of a function with a frame: it touches each page, so that the stack's end is noticed
PROBED = '"probe-stack"="inline-asm"'
STEP = 16  # places are multiples of it


@record(frozen=True, eq=False)
class Place:
    """The place of a buffer: its first byte in the frame, and its size."""

    start: int
    size: int


class Frame:
    """The places of a function, and those without a buffer at the point being written."""

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
        assert place not in free, "a place is released twice"
        free.append(place)
