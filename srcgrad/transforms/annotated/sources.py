"""The user's functions that a program was made of, with their lines."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable

from srcgrad.errors import Location
from srcgrad.records import record

AROUND = 2  # lines shown before and after a place in a file that does not parse


@record(frozen=True)
class Region:
    """Lines of a file: those of a function, counted from 1, both ends included."""

    file: str
    first: int
    last: int

    @property
    def lines(self) -> list[str]:
        return [line.rstrip("\n") for line in linecache.getlines(self.file)][
            self.first - 1 : self.last
        ]


def regions(places: Iterable[Location], home: Location) -> list[Region]:
    """The functions around these places, each once: first that at `home`, then by file and line."""
    found: dict[str, set[int]] = {home.file: {home.line}}
    for place in places:
        if place.file and place.text:
            found.setdefault(place.file, set()).add(place.line)
    out = [r for file, lines in found.items() for r in _of_file(file, lines)]
    first = [r for r in out if r.file == home.file and r.first <= home.line <= r.last]
    return first + [r for r in out if r not in first]


def _of_file(file: str, lines: set[int]) -> list[Region]:
    text = "".join(linecache.getlines(file))
    spans = _functions(text)
    end = text.count("\n") + 1
    found: dict[tuple[int, int], None] = {}
    for line in sorted(lines):
        around = [s for s in spans if s[0] <= line <= s[1]]
        found[around[-1] if around else (max(line - AROUND, 1), min(line + AROUND, end))] = None
    out: list[Region] = []
    for first, last in sorted(found):
        if out and first <= out[-1].last:
            out[-1] = Region(file, out[-1].first, max(last, out[-1].last))
        else:
            out.append(Region(file, first, last))
    return out


def _functions(text: str) -> list[tuple[int, int]]:
    """The first and the last line of each function, outer before inner."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    spans = [
        (min([n.lineno, *(d.lineno for d in n.decorator_list)]), n.end_lineno or n.lineno)
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return sorted(spans, key=lambda s: (s[0], -s[1]))
