"""A text of LLVM IR with the user's line of each of its lines.

The compiled text has no comments for them: equal nests share one function, and a program that was
only moved in its file is found in the cache. The text for readers has them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from srcgrad.errors import Location
from srcgrad.records import record

Notes = tuple[tuple[int, Location | None], ...]


@record(frozen=True)
class Noted:
    """A text, and the lines of it where the code for another line of the user's begins."""

    text: str
    notes: Notes = ()

    def shown(self) -> str:
        """The text with the user's lines as comments."""
        out, start = [], 0
        lines = self.text.split("\n")
        for at, loc in self.notes:
            out += lines[start:at]
            start = at
            if loc is not None:
                out.append(f"  ; {loc.role}{loc.text.strip()}  (line {loc.line})")
        return "\n".join([*out, *lines[start:]])

    def location(self, line: int) -> Location | None:
        """The user's line for a line of the text, counted from 0."""
        k = bisect_right(self.notes, line, key=lambda note: note[0])
        return self.notes[k - 1][1] if k else None


def joined(parts: Iterable[Noted]) -> Noted:
    """Texts one after the other; none continues the line of another."""
    texts: list[str] = []
    notes: list[tuple[int, Location | None]] = []
    lines = 0
    for part in parts:
        texts.append(part.text)
        notes += [(lines, None), *((lines + at, loc) for at, loc in part.notes)]
        lines += part.text.count("\n") + 1
    return Noted("\n".join(texts), tuple(notes))
