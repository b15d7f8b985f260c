"""Rows of texts, each with the user's places that it belongs to and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from srcgrad.backends.backend import Noted
from srcgrad.backends.clocked import Timing
from srcgrad.backends.marked import NestTimes
from srcgrad.errors import Location
from srcgrad.ir.nodes import Def, For, If, Stmt, While
from srcgrad.ir.text import Printed, note_of
from srcgrad.printing.program import Readable
from srcgrad.records import record
from srcgrad.transforms.annotated.kept import Kept
from srcgrad.transforms.annotated.sources import Region

FORWARD, REVERSE = "f", "r"
MOST_LINES = 4000


@record(frozen=True)
class Place:
    """A line of the user's in one of the two sweeps; part of it, if it has columns."""

    file: int
    line: int
    sweep: str
    column: int = 0
    end: int = 0

    @property
    def key(self) -> str:
        return f"{self.file}.{self.line}{self.sweep}"


@record(frozen=True)
class Cost:
    """Seconds, and how often it ran: trips if it is a loop."""

    seconds: float
    runs: int
    trips: int = 0


@record(frozen=True)
class Row:
    text: str
    places: tuple[Place, ...]
    cost: Cost | None = None


class Places:
    """Places of locations: files are numbered as they are met."""

    def __init__(self, shown: Sequence[Region], located: Mapping[Stmt, Location]):
        self.located = located
        self.files = {file: k for k, file in enumerate(dict.fromkeys(r.file for r in shown))}

    def of(self, loc: Location) -> Place | None:
        file = self.files.get(loc.file)
        if file is None:
            return None
        return Place(file, loc.line, REVERSE if loc.role else FORWARD, loc.column, loc.end)

    def of_statements(self, statements: Iterable[Stmt]) -> tuple[Place, ...]:
        return self.of_all(self.located.get(s) for s in statements)

    def of_all(self, found: Iterable[Location | None]) -> tuple[Place, ...]:
        places = (self.of(loc) for loc in found if loc is not None)
        return tuple(dict.fromkeys(p for p in places if p is not None))


def program_rows(program: Readable, places: Places, timing: Timing | None) -> list[Row]:
    """The rows of a program as Python; what is folded into a line counts to it."""
    known = {_identity(s): s for s in places.located}
    out = []
    for line in program.lines:
        own = [known.get(_identity(s), s) for s in line.statements]
        out.append(Row(line.code, places.of_statements(own), _cost(own, timing)))
    return out


def _identity(s: Stmt) -> object:
    """The part that a statement and its printed copy have in common."""
    match s:
        case Def():
            return s
        case For():
            return s.index
        case While():
            return s.cond, s.params, s.loc
        case If():
            return s.cond, s.results, s.loc


def _cost(statements: Sequence[Stmt], timing: Timing | None) -> Cost | None:
    if timing is None:
        return None
    known = [s for s in statements if s in timing.runs]
    if not known:
        return None
    return Cost(
        sum(timing.seconds[s] for s in known),
        max(timing.runs[s] for s in known),
        max(timing.trips.get(s, 0) for s in known),
    )


def code_rows(code: Printed, places: Places, nests: NestTimes | None) -> list[Row]:
    """The rows of what a target runs, without the imports before it.

    The first line of a statement has its time; of a nest that of all its lines.
    """
    lines = code.text.rstrip("\n").split("\n")
    first = next((k for k, line in enumerate(lines) if line.startswith("def ")), 0)
    rows: list[Row] = []
    left = {} if nests is None else dict(nests.seconds)
    for line, s in zip(lines, code.owners, strict=True):
        cost = None
        if s is not None and nests is not None and s in left:
            cost = Cost(left.pop(s), nests.runs[s])
        at = places.of_statements([] if s is None else [s])
        rows.append(Row(_without_note(line, s), at, cost))
    return rows[first:]


def compiled_rows(compiled: Noted | None, places: Places) -> list[Row]:
    """The rows of what a compiler reads; none if there are too many to look at."""
    lines = [] if compiled is None else compiled.text.rstrip("\n").split("\n")
    if compiled is None or len(lines) > MOST_LINES:
        return []
    return [Row(line, places.of_all([compiled.location(k)])) for k, line in enumerate(lines)]


def _without_note(line: str, s: Stmt | None) -> str:
    return line if s is None else line.removesuffix(f"# {note_of(s)}").rstrip()


@record()
class LineCost:
    """The cost of a user's line: seconds in each sweep, runs, bytes kept of what it made."""

    forward: float = 0.0
    reverse: float = 0.0
    runs: int = 0
    bytes: int = 0
    unknown: bool = False  # whether it keeps something of unknown size


def line_costs(
    timing: Timing | None, kept: Iterable[Kept], places: Places
) -> dict[tuple[int, int], LineCost]:
    """The costs by file and line."""
    out: dict[tuple[int, int], LineCost] = {}
    for s, seconds in ({} if timing is None else timing.seconds).items():
        loc = places.located.get(s)
        place = None if loc is None else places.of(loc)
        if place is None:
            continue
        cost = out.setdefault((place.file, place.line), LineCost())
        assert timing is not None
        if place.sweep == FORWARD:
            cost.forward += seconds
            cost.runs = max(cost.runs, timing.runs[s], timing.trips.get(s, 0))
        else:
            cost.reverse += seconds
    for k in kept:
        place = next(iter(places.of_all(k.written)), None)
        if place is not None:
            cost = out.setdefault((place.file, place.line), LineCost())
            cost.bytes += k.bytes or 0
            cost.unknown |= k.bytes is None
    return out
